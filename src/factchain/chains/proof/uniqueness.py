"""Which chains of a set are part of another: the uniqueness of constraint 3.

A part of a reasoning graph is a hop t together with some of the hops that lead to t, each of
them through hops of the part. Where the part's other inputs are cut off, their answers become
topic entities. So the parts of 1 -> 2 -> 3 are its contiguous stretches; the parts of a bridge
hold, besides its three chains and itself, its last hop with either branch alone.

One chain is part of another of the same axis when the other has a part whose hops are, as a set,
the hops of the first, and whose t is its last hop. Two hops are the same when they are of one
kind and have the same facts, operator and operands.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import lru_cache
from itertools import chain as concatenate
from itertools import combinations

import networkx as nx

from factchain.chains.records import FactChain, Hop

Edges = tuple[tuple[int, int], ...]
Part = tuple[Hashable, frozenset[Hashable]]
"""The last hop, and all hops."""


@lru_cache(maxsize=4096)
def part_positions(hops: int, edges: Edges) -> tuple[tuple[int, frozenset[int]], ...]:
    """The parts of a reasoning graph as hop numbers: last hop, and all hops; the whole included."""
    graph = nx.DiGraph(edges)
    graph.add_nodes_from(range(1, hops + 1))
    found = []
    for last in range(1, hops + 1):
        before = sorted(nx.ancestors(graph, last))
        subsets = concatenate.from_iterable(
            combinations(before, size) for size in range(len(before) + 1)
        )
        for subset in subsets:
            part = graph.subgraph([*subset, last])
            if nx.ancestors(part, last) == set(subset):
                found.append((last, frozenset([*subset, last])))
    return tuple(found)


def parts(hops: Sequence[Hashable], edges: Edges) -> Iterator[Part]:
    """The parts of a chain; `hops` are what tells its hops apart, in their order."""
    for last, positions in part_positions(len(hops), edges):
        yield hops[last - 1], frozenset(hops[position - 1] for position in positions)


def unique_in_set(chains: Sequence[FactChain]) -> list[tuple[str, str]]:
    """No chain is part of another of the same axis: (chain, what it is part of) where one is."""
    wrong = []
    for axis in sorted({chain.axis for chain in chains}):
        of_axis = [chain for chain in chains if chain.axis == axis]
        wholes: dict[Part, list[int]] = {}
        for at, chain in enumerate(of_axis):
            content = [_content(hop) for hop in chain.hops]
            wholes.setdefault((content[-1], frozenset(content)), []).append(at)
        holders: dict[int, dict[str, None]] = {}
        for at, chain in enumerate(of_axis):
            for part in parts([_content(hop) for hop in chain.hops], edges_of(chain)):
                for other in wholes.get(part, ()):
                    if other != at:
                        holders.setdefault(other, {})[chain.id] = None
        wrong += [
            (of_axis[at].id, f"is part of {', '.join(ids)}") for at, ids in sorted(holders.items())
        ]
    return wrong


def edges_of(chain: FactChain) -> Edges:
    """The edges of a chain's reasoning graph."""
    return tuple((source, hop.index) for hop in chain.hops for source in hop.inputs)


def _content(hop: Hop) -> Hashable:
    """What tells a hop from others."""
    operation = hop.operation
    if operation is None:
        return hop.kind, frozenset(fact.key for fact in hop.facts)
    operands = tuple(operand.value.key for operand in operation.operands)
    facts = frozenset(fact.key for fact in hop.facts)
    return hop.kind, facts, operation.operator, operands
