"""The sampler against a brute-force oracle, and the constraints against broken chains."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from conftest import DATES, Edge, edges_to_entities, write_dump
from factchain.chains import constraints
from factchain.chains.build import sample_chains, to_chain
from factchain.chains.graph_index import GraphIndex
from factchain.chains.records import FactChain
from factchain.chains.sampler import SampleSettings, enumerate_chains, sample
from factchain.chains.selection import Caps
from factchain.errors import StoreError
from factchain.kg.ingest import ingest
from factchain.kg.store import Store
from factchain.records import read_records

MakeStore = Callable[..., Store]
NO_CAPS = Caps(property_share=1.0, per_answer=10**6, per_topic=10**6)


def settings_for(axis: str = "recency", **changes: object) -> SampleSettings:
    plain: dict[str, object] = {
        "axis": axis,
        "hops": (1, 2, 3, 4),
        "per_stratum": 1000,
        "seed": 1,
        "caps": NO_CAPS,
    }
    return SampleSettings(**(plain | changes))  # type: ignore[arg-type]


def oracle(old: list[Edge], new: list[Edge], longest: int = 4) -> set[tuple[Edge, ...]]:
    """Every valid chain of the newer graph, by definition and without cleverness."""
    answers = Counter((s, p) for s, p, _ in new)
    joined = nx.Graph([(s, o) for s, _, o in [*old, *new]])
    chains = set()
    for length in range(1, longest + 1):
        for path in itertools.permutations(new, length):
            nodes = [path[0][0], *(o for _, _, o in path)]
            connected = all(a[2] == b[0] for a, b in itertools.pairwise(path))
            distinct = len(set(nodes)) == len(nodes)
            single = all(answers[s, p] == 1 for s, p, _ in path)
            apart = not any(
                joined.has_edge(nodes[a], nodes[b])
                for a in range(len(nodes))
                for b in range(a + 2, len(nodes))
            )
            if connected and distinct and single and apart:
                chains.add(path)
    return chains


entities = st.sampled_from([f"Q{n}" for n in range(1, 8)])
edge_lists = st.lists(
    st.tuples(entities, st.sampled_from(["P1", "P2"]), entities),
    min_size=1,
    max_size=9,
    unique=True,
)


def open_store(folder: Path, old: list[Edge], new: list[Edge]) -> Store:
    store = Store.create(folder / "kg.duckdb")
    for date, edges in zip(DATES, (old, new), strict=True):
        ingest(store, write_dump(folder / f"{date}.json", edges_to_entities(edges)), date, date)
    return store


def as_edges(graph: GraphIndex, positions: tuple[int, ...]) -> tuple[Edge, ...]:
    return tuple((f"Q{graph.s[e]}", f"P{graph.p[e]}", f"Q{graph.o[e]}") for e in positions)


@given(old=edge_lists, new=edge_lists)
@settings(max_examples=40)
def test_exactly_the_valid_chains_are_enumerated(
    tmp_path_factory: pytest.TempPathFactory, old: list[Edge], new: list[Edge]
) -> None:
    with open_store(tmp_path_factory.mktemp("s"), old, new) as store:
        graph = GraphIndex.from_store(store)
        found = [
            as_edges(graph, positions)
            for positions in enumerate_chains(graph, settings_for(), Counter())
        ]
        assert len(found) == len(set(found))
        assert set(found) == oracle(old, new)
        for positions in enumerate_chains(graph, settings_for(), Counter()):
            chain = to_chain(graph, settings_for(), positions, "now")
            assert constraints.violations(chain, graph) == {}


@given(new=edge_lists, path=st.lists(st.integers(0, 8), min_size=1, max_size=4))
@settings(max_examples=60)
def test_the_constraints_agree_with_the_oracle_on_any_walk(
    tmp_path_factory: pytest.TempPathFactory, new: list[Edge], path: list[int]
) -> None:
    with open_store(tmp_path_factory.mktemp("s"), new, new) as store:
        graph = GraphIndex.from_store(store)
        positions = tuple(index % len(graph.s) for index in path)
        chain = to_chain(graph, settings_for(), positions, "now")
        valid = as_edges(graph, positions) in oracle(new, new, len(positions))
        assert (constraints.violations(chain, graph) == {}) == valid


LINE = [("Q1", "P1", "Q2"), ("Q2", "P2", "Q3"), ("Q3", "P3", "Q4")]


@pytest.mark.parametrize(
    ("broken", "constraint"),
    [
        ([*LINE, ("Q1", "P9", "Q3")], "no shortcut"),
        ([*LINE, ("Q4", "P9", "Q1")], "no shortcut"),
        ([*LINE, ("Q2", "P2", "Q9")], "single answers"),
    ],
)
def test_one_added_fact_breaks_one_constraint(
    make_store: MakeStore, broken: list[Edge], constraint: str
) -> None:
    whole = make_store(LINE, LINE)
    graph = GraphIndex.from_store(whole)
    chain = to_chain(graph, settings_for(), (0, 1, 2), "now")
    assert constraints.violations(chain, graph) == {}
    other = GraphIndex.from_store(make_store(broken, broken))
    assert list(constraints.violations(chain, other)) == [constraint]


def test_a_shortcut_that_only_the_older_snapshot_has_counts(make_store: MakeStore) -> None:
    store = make_store([*LINE, ("Q1", "P9", "Q3")], LINE)
    graph = GraphIndex.from_store(store)
    found = {as_edges(graph, c) for c in enumerate_chains(graph, settings_for(), Counter())}
    assert found == {(LINE[0],), (LINE[1],), (LINE[2],), tuple(LINE[1:])}


def test_connectivity_and_acyclicity_of_records(make_store: MakeStore) -> None:
    graph = GraphIndex.from_store(make_store(LINE, LINE))
    chain = to_chain(graph, settings_for(), (0, 1, 2), "now")
    gap = to_chain(graph, settings_for(), (0, 2), "now")
    assert any("starts at Q3" in problem for problem in constraints.connectivity(gap))
    lost = chain.model_copy(
        update={"hops": (*chain.hops[:2], chain.hops[2].model_copy(update={"inputs": ()}))}
    )
    assert "hop 1 does not lead to the last hop" in constraints.connectivity(lost)
    named = chain.model_copy(update={"topology": "bridge"})
    assert constraints.connectivity(named) == ["the hops do not form the topology 'bridge'"]
    assert constraints.connectivity(chain) == []
    loop = to_chain(graph, settings_for(), (0, 0), "now")
    assert constraints.acyclicity(loop) == ["Q2 occurs twice"]


def test_no_chain_of_a_sample_is_part_of_another(make_store: MakeStore) -> None:
    graph = GraphIndex.from_store(make_store(LINE, LINE))
    drawn = sample(graph, settings_for())
    chains = [to_chain(graph, settings_for(), positions, "now") for positions in drawn.chains]
    assert [len(chain.hops) for chain in chains] == [3]
    assert drawn.rejected["sub-chain of another"] == 5
    assert constraints.unique_in_set(chains) == []
    shorter = to_chain(graph, settings_for(), (1, 2), "now")
    assert constraints.unique_in_set([*chains, shorter]) == [
        f"{shorter.id} is part of {chains[0].id}"
    ]


def ladder(rungs: int) -> list[Edge]:
    """Disjoint two-hop chains, so that every one of them can be drawn."""
    return [
        edge
        for n in range(1, rungs + 1)
        for edge in ((f"Q{n}", "P1", f"Q{100 + n}"), (f"Q{100 + n}", "P2", f"Q{200 + n}"))
    ]


def test_every_chain_of_a_stratum_is_equally_likely(make_store: MakeStore) -> None:
    graph = GraphIndex.from_store(make_store(ladder(20), ladder(20)))
    drawn: Counter[int] = Counter()
    for seed in range(400):
        result = sample(graph, settings_for(hops=(2,), per_stratum=5, seed=seed))
        assert len(result.chains) == 5
        drawn.update(int(graph.s[positions[0]]) for positions in result.chains)
    assert len(drawn) == 20
    assert chisquare(list(drawn.values())).pvalue > 0.001


def test_seeds_matter_and_repeat(make_store: MakeStore) -> None:
    graph = GraphIndex.from_store(make_store(ladder(20), ladder(20)))

    def draw(seed: int) -> list[tuple[int, ...]]:
        return sample(graph, settings_for(hops=(2,), per_stratum=5, seed=seed)).chains

    assert draw(1) == draw(1)
    assert draw(1) != draw(2)


def test_strata_by_label_pattern_are_filled_evenly(make_store: MakeStore) -> None:
    old = [edge for edge in ladder(12) if edge[1] == "P2" or int(edge[0][1:]) % 2]
    graph = GraphIndex.from_store(make_store(old, ladder(12)))
    drawn = sample(graph, settings_for(hops=(2,), per_stratum=4))
    assert drawn.available == {(2, ("new", "old")): 6, (2, ("old", "old")): 6}
    assert drawn.taken == {(2, ("new", "old")): 4, (2, ("old", "old")): 4}


def test_caps_hold(make_store: MakeStore) -> None:
    star = [(f"Q{n}", "P1", "Q100") for n in range(1, 9)]
    graph = GraphIndex.from_store(make_store(star, star))
    drawn = sample(graph, settings_for(caps=Caps(1.0, per_answer=3, per_topic=9)))
    assert len(drawn.chains) == 3
    assert drawn.rejected["cap on answers"] == 5
    fan = [("Q1", f"P{n}", f"Q{n + 10}") for n in range(1, 9)]
    graph = GraphIndex.from_store(make_store(fan, fan))
    drawn = sample(graph, settings_for(caps=Caps(1.0, per_answer=9, per_topic=2)))
    assert len(drawn.chains) == 2
    assert drawn.rejected["cap on topics"] == 6
    twin = [(f"Q{n}", f"P{1 + n % 2}", f"Q{n + 10}") for n in range(1, 9)]
    graph = GraphIndex.from_store(make_store(twin, twin))
    drawn = sample(graph, settings_for(per_stratum=8, caps=Caps(0.25, 9, 9)))
    assert Counter(int(graph.p[e]) for (e,) in drawn.chains) == {1: 2, 2: 2}


def test_no_chain_asks_for_a_property_twice_in_a_row(make_store: MakeStore) -> None:
    steps = [("Q1", "P1", "Q2"), ("Q2", "P1", "Q3"), ("Q3", "P2", "Q4")]
    graph = GraphIndex.from_store(make_store(steps, steps))
    drawn = sample(graph, settings_for())
    assert [as_edges(graph, c) for c in drawn.chains] == [tuple(steps[1:]), (steps[0],)]
    assert drawn.rejected["one property twice in a row"] == 2


def test_excluded_properties_are_not_used(make_store: MakeStore) -> None:
    graph = GraphIndex.from_store(make_store(LINE, LINE))
    found = enumerate_chains(graph, settings_for(exclude_properties=frozenset({2})), Counter())
    assert {as_edges(graph, positions) for positions in found} == {(LINE[0],), (LINE[2],)}


def test_an_axis_that_the_store_lacks_is_refused(make_store: MakeStore) -> None:
    graph = GraphIndex.from_store(make_store(LINE))
    with pytest.raises(StoreError, match="two snapshots"):
        sample(graph, settings_for("recency"))
    with pytest.raises(StoreError, match="text corpus"):
        sample(graph, settings_for("popularity"))
    assert len(sample(graph, settings_for("none")).chains) == 1


def test_sparql_and_ids_of_written_chains(make_store: MakeStore, tmp_path: Path) -> None:
    store = make_store(LINE, LINE)
    sample_chains(store, [settings_for("recency"), settings_for("none")], tmp_path / "c.jsonl")
    recency, plain = read_records(tmp_path / "c.jsonl", FactChain)
    assert recency.query.sparql == (
        "SELECT ?x3 WHERE { wd:Q1 wdt:P1 ?x1 . ?x1 wdt:P2 ?x2 . ?x2 wdt:P3 ?x3 . }"
    )
    assert recency.labels == ("old", "old", "old")
    assert plain.labels == ()
    assert recency.id != plain.id
    assert (recency.topics, recency.answer, recency.snapshot) == (("Q1",), "Q4", "2024-06-05")
