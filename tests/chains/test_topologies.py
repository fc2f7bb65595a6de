"""Topologies: the built-in templates, and what a user's edges may be."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factchain.chains.records import EntityRef, FactChain, Hop, Query
from factchain.chains.topologies import Topologies, reasoning_graph, template, user_template
from factchain.errors import ConfigError


@pytest.mark.parametrize(
    ("name", "hops", "edges"),
    [
        ("chain", 1, []),
        ("chain", 4, [(1, 2), (2, 3), (3, 4)]),
        ("bridge", 4, [(1, 2), (2, 4), (3, 4)]),
        ("converging", 4, [(1, 3), (2, 3), (3, 4)]),
        ("converging", 3, [(1, 3), (2, 3)]),
    ],
)
def test_built_in_templates(name: str, hops: int, edges: list[tuple[int, int]]) -> None:
    graph = template(name, hops)
    assert sorted(graph) == list(range(1, hops + 1))
    assert sorted(graph.edges) == edges


def test_chains_have_one_to_eight_hops() -> None:
    assert Topologies().hops("chain") == (1, 2, 3, 4, 5, 6, 7, 8)
    assert nx.dag_longest_path(template("chain", 8)) == [1, 2, 3, 4, 5, 6, 7, 8]
    for hops in (0, 9):
        with pytest.raises(ConfigError, match="topology 'chain': has 1 to 8 hops, not"):
            template("chain", hops)


def test_there_is_no_bridge_of_three_hops_and_no_ring() -> None:
    with pytest.raises(ConfigError, match="'bridge': has 4 hops, not 3"):
        template("bridge", 3)
    with pytest.raises(ConfigError, match=r"'ring': there is no such.*chain, bridge, converging"):
        template("ring", 3)


@pytest.mark.parametrize(
    ("edges", "problem"),
    [
        ([], "has no edge"),
        ([[1, 2, 3]], r"\[1, 2, 3\] is no edge"),
        ([[0, 1]], r"\[0, 1\] is no edge"),
        ([[1, True]], r"\[1, True\] is no edge"),
        ([[1, "2"]], r"\[1, '2'\] is no edge"),
        ([[1, 2], [1, 2]], r"the edge \[1, 2\] occurs twice"),
        ([[1, 2], [2, 3], [3, 1]], "has a cycle: 1 -> 2 -> 3 -> 1"),
        ([[1, 1]], "has a cycle: 1 -> 1"),
        ([[2, 1]], "hop 1 needs hop 2: number hops after their inputs"),
        ([[1, 3]], "no edge has hop 2"),
        ([[1, 2], [1, 3]], "hop 2 does not lead to the last hop, 3"),
        ([[1, 6], [2, 6], [3, 6], [4, 6], [5, 6]], "hop 6 has 5 inputs; at most 4 can be"),
        ([[n, n + 1] for n in range(1, 9)], "has a hop 9; at most 8"),
        ([[1, 10**9]], "has a hop 1000000000; at most 8"),
    ],
)
def test_a_topology_that_is_none_is_refused(edges: list[list[int]], problem: str) -> None:
    with pytest.raises(ConfigError, match=f"^topology 'mine': {problem}"):
        user_template("mine", edges)


def test_a_user_s_topology_is_known_beside_the_built_in_ones() -> None:
    known = Topologies({"diamond": [[1, 2], [1, 3], [2, 4], [3, 4]]})
    assert known.names == ("chain", "bridge", "converging", "diamond")
    assert known.hops("diamond") == (4,)
    graph = known.template("diamond", 4)
    assert dict(graph.in_degree) == {1: 0, 2: 1, 3: 1, 4: 2}
    assert known.has("diamond", graph)
    assert not known.has("bridge", graph)
    graph.remove_edge(1, 3)
    assert not known.has("diamond", graph), "a copy was handed out"
    assert known.has("diamond", known.template("diamond", 4))
    with pytest.raises(ConfigError, match="'chain': is built in"):
        Topologies({"chain": [[1, 2]]})


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), max_size=10))
def test_what_is_accepted_is_numbered_acyclic_and_reaches_the_last(
    edges: list[tuple[int, int]],
) -> None:
    graph = nx.DiGraph(edges)
    last = max(graph, default=0)
    fits = (
        len(edges) == len(set(edges)) > 0
        and set(graph) == set(range(1, last + 1))
        and nx.is_directed_acyclic_graph(graph)
        and all(begin < end for begin, end in edges)
        and nx.ancestors(graph, last) == set(graph) - {last}
        and max(degree for _, degree in graph.in_degree) <= 4
    )
    try:
        assert nx.utils.graphs_equal(user_template("mine", edges), graph)
    except ConfigError:
        assert not fits
    else:
        assert fits


def test_the_reasoning_graph_of_a_chain() -> None:
    one = EntityRef(id="Q1", label="one")
    hops = [
        Hop(index=index, kind="lookup", inputs=inputs, answer=one, facts=())
        for index, inputs in [(1, ()), (2, ()), (3, (1, 2)), (4, (3,))]
    ]
    chain = FactChain(
        id="c-1",
        axis="none",
        topology="converging",
        answer="Q1",
        hops=tuple(hops),
        query=Query(sparql=""),
        snapshot="now",
        seed=0,
    )
    assert Topologies().has("converging", reasoning_graph(chain))
    assert not Topologies().has("bridge", reasoning_graph(chain))
