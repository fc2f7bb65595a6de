"""What makes a fact chain valid: one function a constraint (DESIGN.md section 2).

Each function returns what is wrong, in words; an empty list means that the constraint holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import networkx as nx
from networkx.utils import graphs_equal

from factchain.chains.graph_index import GraphIndex
from factchain.chains.records import FactChain
from factchain.chains.topologies import chain_template, reasoning_graph
from factchain.kg.records import number, qid

FactKey = tuple[str, str, str]


def connectivity(chain: FactChain) -> list[str]:
    """Every hop starts at a topic entity or an earlier answer and reaches the last hop, and the
    hops form the topology that the chain names (SPEC.md 5.1: decide by the stored edges)."""
    wrong = []
    answers = {hop.index: hop.answer.key for hop in chain.hops}
    for position, hop in enumerate(chain.hops, start=1):
        if hop.index != position or any(source >= position for source in hop.inputs):
            wrong.append(f"hop {hop.index} does not come after its inputs")
            continue
        starts = {answers[source] for source in hop.inputs} | set(hop.topics)
        for fact in hop.facts:
            if fact.s not in starts:
                wrong.append(f"hop {hop.index} starts at {fact.s}, which no input answers")
            if fact.o != hop.answer.key:
                wrong.append(f"hop {hop.index} ends at {fact.o}, not at its answer")
    graph = reasoning_graph(chain)
    last = chain.hops[-1].index
    for lost in sorted(set(graph) - nx.ancestors(graph, last) - {last}):
        wrong.append(f"hop {lost} does not lead to the last hop")
    if chain.topology != "chain" or not graphs_equal(graph, chain_template(len(chain.hops))):
        wrong.append(f"the hops do not form the topology {chain.topology!r}")
    if chain.answer != chain.hops[-1].answer.key:
        wrong.append(f"the chain's answer {chain.answer} is not the last hop's")
    return wrong


def acyclicity(chain: FactChain) -> list[str]:
    """Topic entities and answers are pairwise distinct."""
    nodes = [*chain.topics, *(hop.answer.key for hop in chain.hops)]
    return [f"{node} occurs twice" for node in sorted({n for n in nodes if nodes.count(n) > 1})]


def single_answers(chain: FactChain, graph: GraphIndex) -> list[str]:
    """Every hop, executed on the graph, has exactly one answer: the chain's (constraint 3)."""
    wrong = []
    for hop in chain.hops:
        for fact in hop.facts:
            begin, end = graph.stretch(number(fact.s), number(fact.p))
            objects = graph.o[begin:end].tolist()
            if [qid(o) for o in objects] != [fact.o]:
                wrong.append(f"{fact.s} {fact.p} has {len(objects)} objects in the graph")
    return wrong


def no_shortcut(chain: FactChain, graph: GraphIndex) -> list[str]:
    """No fact of any property, in either direction, joins two nodes held apart (strict).

    Two nodes are held apart unless a hop leads from one to the other. Facts of every snapshot
    count (SPEC.md 7.1, item 2).
    """
    linked = {frozenset(fact.key[::2]) for hop in chain.hops for fact in hop.facts}
    nodes = dict.fromkeys([*chain.topics, *(hop.answer.key for hop in chain.hops)])
    return [
        f"a fact joins {a} and {b}"
        for a, b in combinations(nodes, 2)
        if frozenset((a, b)) not in linked and graph.are_joined(number(a), number(b))
    ]


def sub_chains(facts: Sequence[FactKey]) -> Iterable[tuple[FactKey, ...]]:
    """Every contiguous stretch of a chain's facts, the whole included."""
    for begin in range(len(facts)):
        for end in range(begin + 1, len(facts) + 1):
            yield tuple(facts[begin:end])


def fact_keys(chain: FactChain) -> tuple[FactKey, ...]:
    """The (s, p, o) of a chain's facts, in order."""
    return tuple(fact.key for hop in chain.hops for fact in hop.facts)


def unique_in_set(chains: Sequence[FactChain]) -> list[str]:
    """No chain is a contiguous sub-chain of another of the same axis (constraint 3)."""
    wrong = []
    for axis in sorted({chain.axis for chain in chains}):
        of_axis = [chain for chain in chains if chain.axis == axis]
        holders: dict[tuple[FactKey, ...], list[str]] = {}
        for chain in of_axis:
            for part in sub_chains(fact_keys(chain)):
                holders.setdefault(part, []).append(chain.id)
        for chain in of_axis:
            others = [other for other in holders[fact_keys(chain)] if other != chain.id]
            if others or holders[fact_keys(chain)].count(chain.id) > 1:
                wrong.append(f"{chain.id} is part of {', '.join(others) or 'itself'}")
    return wrong


def violations(chain: FactChain, graph: GraphIndex) -> dict[str, list[str]]:
    """What each constraint on a single chain finds, by name; empty where all of them hold."""
    found = {
        "connectivity": connectivity(chain),
        "acyclicity": acyclicity(chain),
        "single answers": single_answers(chain, graph),
        "no shortcut": no_shortcut(chain, graph),
    }
    return {name: wrong for name, wrong in found.items() if wrong}
