"""The shapes of reasoning graphs, as templates whose nodes are hop numbers.

An edge k -> m says that hop m needs the answer of hop k. Hops are numbered so that inputs come
first, and the last hop, which answers the question, is the only one that nobody needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import networkx as nx
from networkx.utils import graphs_equal

from factchain.chains.records import MAX_HOPS, FactChain
from factchain.errors import ConfigError

Graph: TypeAlias = "nx.DiGraph[Any]"
Edges: TypeAlias = Sequence[tuple[int, int]]

MAX_INPUTS = 4
"""Most inputs of one hop."""

BUILT_IN: dict[str, dict[int, Edges]] = {
    "chain": {
        hops: tuple((hop, hop + 1) for hop in range(1, hops)) for hops in range(1, MAX_HOPS + 1)
    },
    "bridge": {4: ((1, 2), (2, 4), (3, 4))},
    "converging": {3: ((1, 3), (2, 3)), 4: ((1, 3), (2, 3), (3, 4))},
}
"""Name -> number of hops -> edges (DESIGN.md section 2, SPEC.md 5.1)."""


class Topologies:
    """The templates that a run knows: the built-in ones, and those of its config."""

    def __init__(self, user: Mapping[str, Iterable[Sequence[int]]] | None = None) -> None:
        """Take the user's topologies, edges by name. Raises ConfigError where one is none."""
        self._templates = {
            name: {hops: _graph(hops, edges) for hops, edges in by_hops.items()}
            for name, by_hops in BUILT_IN.items()
        }
        for name, edges in (user or {}).items():
            if name in BUILT_IN:
                raise ConfigError(f"topology {name!r}: is built in; choose another name")
            graph = user_template(name, edges)
            self._templates[name] = {len(graph): graph}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all topologies, the built-in ones first."""
        return tuple(self._templates)

    def hops(self, name: str) -> tuple[int, ...]:
        """The numbers of hops that a topology has. Raises ConfigError where there is no such."""
        if name not in self._templates:
            raise ConfigError(
                f"topology {name!r}: there is no such; there are {', '.join(self._templates)}; "
                "a config can add others, as lists of edges"
            )
        return tuple(self._templates[name])

    def template(self, name: str, hops: int) -> Graph:
        """The template of a name and a number of hops. Raises ConfigError where there is none."""
        if hops not in self.hops(name):
            raise ConfigError(f"topology {name!r}: has {_numbers(self.hops(name))}, not {hops}")
        return self._templates[name][hops].copy()

    def has(self, name: str, graph: Graph) -> bool:
        """Whether the graph is the topology of that name, edge by edge."""
        template = self._templates.get(name, {}).get(len(graph))
        return template is not None and graphs_equal(graph, template)


def template(name: str, hops: int) -> Graph:
    """A built-in template. Raises ConfigError where there is none of that name and length."""
    return Topologies().template(name, hops)


def user_template(name: str, edges: Iterable[Sequence[int]]) -> Graph:
    """The template that a user's list of edges makes.

    Raises ConfigError, naming the topology and what is wrong with it: an edge that is no pair of
    hop numbers, a cycle, a hop that comes before its inputs, a number left out, too many hops or
    inputs, a hop that does not lead to the last.
    """
    pairs: list[Any] = [tuple(edge) for edge in edges]
    for edge in pairs:
        if len(edge) != 2 or not all(type(hop) is int and hop >= 1 for hop in edge):
            raise _wrong(name, f"{list(edge)} is no edge: two hop numbers from 1, as in [1, 2]")
    if not pairs:
        raise _wrong(name, "has no edge; one hop alone is the topology chain")
    if len(set(pairs)) < len(pairs):
        twice = next(edge for edge in pairs if pairs.count(edge) > 1)
        raise _wrong(name, f"the edge {list(twice)} occurs twice")
    graph: Graph = nx.DiGraph()
    graph.add_edges_from(pairs)
    hops = max(graph)
    if hops > MAX_HOPS:
        raise _wrong(name, f"has a hop {hops}; at most {MAX_HOPS} hops can be asked for")
    if missing := sorted(set(range(1, hops + 1)) - set(graph)):
        raise _wrong(name, f"no edge has hop {missing[0]}; hops are numbered without gaps")
    if not nx.is_directed_acyclic_graph(graph):
        cycle = [begin for begin, _ in nx.find_cycle(graph)]
        raise _wrong(name, f"has a cycle: {' -> '.join(map(str, [*cycle, cycle[0]]))}")
    for begin, end in pairs:
        if begin > end:
            raise _wrong(name, f"hop {end} needs hop {begin}: number hops after their inputs")
    for hop in range(1, hops):
        if not nx.has_path(graph, hop, hops):
            raise _wrong(name, f"hop {hop} does not lead to the last hop, {hops}")
    for hop, inputs in graph.in_degree():
        if inputs > MAX_INPUTS:
            raise _wrong(name, f"hop {hop} has {inputs} inputs; at most {MAX_INPUTS} can be")
    return _graph(hops, pairs)


def reasoning_graph(chain: FactChain) -> Graph:
    """The hops of a chain, with an edge from every hop to those that need its answer."""
    graph: Graph = nx.DiGraph()
    graph.add_nodes_from(hop.index for hop in chain.hops)
    graph.add_edges_from((source, hop.index) for hop in chain.hops for source in hop.inputs)
    return graph


def _graph(hops: int, edges: Iterable[Sequence[int]]) -> Graph:
    graph: Graph = nx.DiGraph()
    graph.add_nodes_from(range(1, hops + 1))
    graph.add_edges_from((begin, end) for begin, end in sorted(map(tuple, edges)))
    return graph


def _wrong(name: str, problem: str) -> ConfigError:
    return ConfigError(f"topology {name!r}: {problem}")


def _numbers(hops: Sequence[int]) -> str:
    if len(hops) == 1:
        return f"{hops[0]} hops"
    if hops == tuple(range(hops[0], hops[-1] + 1)):
        return f"{hops[0]} to {hops[-1]} hops"
    return f"{' or '.join(map(str, hops))} hops"
