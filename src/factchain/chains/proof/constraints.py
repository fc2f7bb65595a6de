"""What makes a fact chain valid: one function a constraint (DESIGN.md section 2).

Each function returns what is wrong, in words; an empty list means that the constraint holds. What
they ask of the graph comes from a `Neighbourhood`, which looks at the whole graph. The nodes of a
chain are its topic entities and its answers. Whether a chain is part of another is asked of the
set, see `uniqueness`; what else makes a fact unfit is in `fact_checks`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import networkx as nx

from factchain.chains.operations.operations import CHOICES, NotComparable, recompute
from factchain.chains.proof import fact_checks
from factchain.chains.proof.neighbourhood import Neighbourhood, entities_of
from factchain.chains.proof.plan import (
    HopPlan,
    NoPlan,
    conditions_of,
    node_of,
    plan_hop,
    planned,
)
from factchain.chains.proof.rules import Rules
from factchain.chains.proof.single_answers import single_answers
from factchain.chains.records import EntityRef, FactChain, Hop, TypedValue
from factchain.chains.topologies import reasoning_graph
from factchain.kg.records import qid
from factchain.kg.store import Store


def connectivity(chain: FactChain, rules: Rules) -> list[str]:
    """Every hop starts at topic entities or earlier answers, its facts lead from there to its
    answer, every hop reaches the last, and the hops form the topology that the chain names
    (constraint 1; SPEC.md 5.1: decide by the stored edges).

    What a hop's facts must be follows from its kind, see `plan.plan_hop`.
    """
    wrong = []
    for position, hop in enumerate(chain.hops, start=1):
        if hop.index != position:
            wrong.append(f"hop {hop.index} stands in place {position}")
        try:
            plan = plan_hop(hop, chain.hops)
        except NoPlan as problem:
            wrong.append(f"hop {hop.index} {problem}")
        else:
            wrong += [f"hop {hop.index} {problem}" for problem in _ends(hop, plan)]
    graph = reasoning_graph(chain)
    last = chain.hops[-1].index
    for lost in sorted(set(graph) - nx.ancestors(graph, last) - {last}):
        wrong.append(f"hop {lost} does not lead to the last hop")
    if not rules.topologies.has(chain.topology, graph):
        wrong.append(f"the hops do not form the topology {chain.topology!r}")
    if chain.answer != chain.hops[-1].answer.key:
        wrong.append(f"the chain's answer {chain.answer} is not the last hop's")
    if chain.topics != tuple(topic for hop in chain.hops for topic in hop.topics):
        wrong.append("the chain's topics are not those of its hops, in their order")
    return wrong


def _ends(hop: Hop, plan: HopPlan) -> Iterator[str]:
    """Where a hop's facts do not end at its answer."""
    answer = hop.answer
    if plan.shape == "lookup" and hop.facts[0].key[2] != answer.key:
        yield f"ends at {hop.facts[0].key[2]}, not at its answer"
    if plan.shape == "intersect":
        ends = [fact.o if plan.forward else fact.s for fact in hop.facts]
        strays = [end for end in ends if end != answer.key]
        if strays:
            yield f"ends at {strays[0]}, not at its answer"
    if plan.shape == "count" and len(hop.facts) < 2:
        yield "counts one fact"
    if hop.operation is not None and hop.operation.result.key != answer.key:
        yield f"has the answer {answer.key}, not the result of its operation"


def acyclicity(chain: FactChain) -> list[str]:
    """The nodes, topic entities and answers, are pairwise distinct (constraint 2).

    A comparison that chooses one of its sources repeats that source: the two are one node.
    """
    nodes = list(chain.topics)
    for hop in chain.hops:
        if not _chooses_a_source(hop):
            nodes.append(hop.answer.key)
    return [f"{node} occurs twice" for node in sorted({n for n in nodes if nodes.count(n) > 1})]


def _chooses_a_source(hop: Hop) -> bool:
    return (
        hop.kind == "compare"
        and hop.operation is not None
        and hop.operation.operator in CHOICES
        and len(hop.inputs) + len(hop.topics) == 2
    )


def no_shortcut(chain: FactChain, graph: Neighbourhood, rules: Rules) -> list[str]:
    """No fact joins two nodes that the chain holds apart (constraint 4).

    `strict`: no fact of any property, in either direction and of any snapshot (SPEC.md 7.1, item
    2), joins two entities among the nodes, unless a lookup, an intersection or a choice among
    members leads from one to the other.

    `paper`: MINTQA's printed rule, "(s_i, r, o_j), j > i + 1": no fact leads from an entity at
    which hop i starts to the answer of hop j, where hop j follows hop i, but not directly. In a
    chain those are the hops j > i + 1; the rule leaves every chain of two hops alone, and lets a
    fact skip one entity.
    """
    if rules.no_shortcut == "paper":
        return _no_printed_shortcut(chain, graph)
    linked = {
        frozenset((start, node_of(hop.answer)))
        for hop, plan, starts in planned(chain)
        if plan.shape in ("lookup", "intersect", "members")
        for start in starts
    }
    return [
        f"a fact joins {qid(a)} and {qid(b)}"
        for a, b in combinations(entities_of(chain), 2)
        if frozenset((a, b)) not in linked and ((a, b) in graph.joined or (b, a) in graph.joined)
    ]


def _no_printed_shortcut(chain: FactChain, graph: Neighbourhood) -> list[str]:
    hops = {hop.index: (hop, starts) for hop, _, starts in planned(chain)}
    wrong = []
    for i, distances in nx.all_pairs_shortest_path_length(reasoning_graph(chain)):
        for j, distance in distances.items():
            if distance < 2 or i not in hops or not isinstance(chain.hops[j - 1].answer, EntityRef):
                continue
            end = node_of(chain.hops[j - 1].answer)
            wrong += [
                f"a fact leads from {qid(start)} (hop {i}) to {chain.hops[j - 1].answer.key} "
                f"(hop {j})"
                for start in hops[i][1]
                if isinstance(start, int) and (start, end) in graph.joined
            ]
    return wrong


def necessity(chain: FactChain, graph: Neighbourhood) -> list[str]:
    """In an intersection, no condition can be left out: without it, more entities meet the
    others (constraint 5; of two conditions, neither alone has one answer)."""
    wrong = []
    for hop, plan, starts in planned(chain):
        if plan.shape != "intersect":
            continue
        conditions = conditions_of(plan, starts)
        whole = frozenset(conditions)
        for fact, condition in zip(hop.facts, conditions, strict=True):
            if len(whole) == 1 or graph.met_without[whole - {condition}] <= len(graph.met[whole]):
                wrong.append(f"hop {hop.index} does not need {' '.join(fact.key)}")
    return wrong


def operation(chain: FactChain) -> list[str]:
    """Every operation, recomputed from its operands alone, gives its result; its operands are
    the inputs' answers, the literals of the hop's facts, or how many facts were counted."""
    wrong = []
    answers = {hop.index: hop.answer for hop in chain.hops}
    for hop, plan, _ in planned(chain):
        if hop.operation is None:
            continue
        try:
            result = recompute(hop.operation)
        except NotComparable as problem:
            wrong.append(f"hop {hop.index}: {problem}")
            continue
        if not _equal(result, hop.operation.result) or not _equal(result, hop.answer):
            wrong.append(f"hop {hop.index} gives {result.label}, not {hop.answer.label}")
        for operand in hop.operation.operands:
            if operand.hop is not None and not _equal(operand.value, answers[operand.hop]):
                wrong.append(
                    f"hop {hop.index} takes {operand.value.label} for the answer of hop "
                    f"{operand.hop}"
                )
        if not _reads_its_facts(hop, plan):
            wrong.append(f"hop {hop.index}: its operands are not the values of its facts")
    return wrong


def _reads_its_facts(hop: Hop, plan: HopPlan) -> bool:
    assert hop.operation is not None  # by the caller
    operands = hop.operation.operands
    if plan.shape == "reckon":
        return True
    if plan.shape == "count":
        return [operand.value.key for operand in operands] == [str(len(hop.facts))]
    read = hop.facts[len(hop.facts) // 2 :] if plan.shape == "members" else hop.facts
    if any(operand.hop is not None for operand in operands) or len(operands) != len(read):
        return False
    return all(
        (o.entity is None or o.entity.id == fact.s)
        and (fact.o == o.value.key if fact.value is None else _equal(o.value, fact.value))
        for o, fact in zip(operands, read, strict=True)
    )


def _equal(a: EntityRef | TypedValue, b: EntityRef | TypedValue) -> bool:
    """Whether two values are the same, whatever they are called."""
    if isinstance(a, TypedValue) and isinstance(b, TypedValue):
        words = {"label": "", "unit_label": None}
        return a.model_copy(update=words) == b.model_copy(update=words)
    return type(a) is type(b) and a.key == b.key


def violations(chain: FactChain, graph: Neighbourhood, rules: Rules) -> dict[str, list[str]]:
    """What each constraint on a single chain finds, by name; empty where all of them hold."""
    found = {
        "unknown id": fact_checks.unknown_ids(chain, graph),
        "connectivity": connectivity(chain, rules),
        "acyclicity": acyclicity(chain),
        "single answers": single_answers(chain, graph, rules),
        "no shortcut": no_shortcut(chain, graph, rules),
        "necessity": necessity(chain, graph),
        "operation": operation(chain),
        "ended fact": fact_checks.ended(chain, graph),
        "contrary fact": fact_checks.contrary(chain, graph),
        "empty property": fact_checks.empty_properties(chain, rules),
        "unclear topic": fact_checks.unclear_topics(chain, graph),
    }
    return {name: wrong for name, wrong in found.items() if wrong}


def violations_of(
    chains: Sequence[FactChain], store: Store, rules: Rules
) -> list[dict[str, list[str]]]:
    """What the constraints on single chains find, chain by chain."""
    graph = Neighbourhood.around(store, chains, rules)
    return [violations(chain, graph, rules) for chain in chains]
