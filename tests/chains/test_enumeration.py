"""The search against brute force: every reasoning graph of small graphs, and no other."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factchain.chains.drafts import Draft
from factchain.chains.sampling.pools import Pools, Stratum
from factchain.chains.sampling.programme import programmes
from factchain.chains.sampling.sampler import enumerate_drafts
from factchain.chains.settings import SampleSettings
from factchain.chains.topologies import Topologies
from factchain.errors import ConfigError, StoreError
from small_graphs import Fact, SmallGraph, planted_graph, random_graph

USER = {
    "three": ((1, 4), (2, 4), (3, 4)),
    "diamond": ((1, 2), (1, 3), (2, 4), (3, 4)),
    "double": ((1, 3), (2, 3), (3, 5), (4, 5)),
}
SHAPES = [
    ("chain", 1),
    ("chain", 4),
    ("chain", 8),
    ("bridge", 4),
    ("converging", 3),
    ("converging", 4),
    ("three", 4),
    ("diamond", 4),
    ("double", 5),
]


def settings_for(topology: str = "chain", hops: int = 4, **changes: Any) -> SampleSettings:
    plain: dict[str, Any] = {
        "axis": "recency",
        "hops": (hops,),
        "per_stratum": 1000,
        "seed": 1,
        "topologies": (topology,),
        "user_topologies": USER,
    }
    return SampleSettings(**(plain | changes))


def found_in(graph: SmallGraph, settings: SampleSettings) -> Pools:
    return enumerate_drafts(graph.index(), settings, Counter())


def drafts_of(pools: Pools) -> list[Draft]:
    return [draft for stratum in pools.available for _, draft in pools.candidates(stratum)]


def facts_of(draft: Draft) -> frozenset[tuple[int, int, int | None]]:
    return frozenset((fact.s, fact.p, fact.o) for fact in draft.facts)


def assert_same(graph: SmallGraph, topology: str, hops: int, **changes: Any) -> int:
    """Compare what is found with brute force; how many there are."""
    several = changes.get("answers") == "all"
    template = Topologies(USER).template(topology, hops)
    expected = graph.reasoning_graphs(template, several=several)
    pools = found_in(graph, settings_for(topology, hops, **changes))
    drafts = drafts_of(pools)
    assert len({facts_of(draft) for draft in drafts}) == len(drafts)
    assert {facts_of(draft) for draft in drafts} == set(expected)
    for stratum in pools.available:
        for _, draft in pools.candidates(stratum):
            assert stratum == Stratum(topology, hops, draft.pattern)
            assert " ".join(draft.pattern) in expected[facts_of(draft)]
    assert pools.available.total() == len(drafts)
    assert not pools.estimated
    return len(drafts)


@pytest.mark.parametrize(("topology", "hops"), SHAPES)
def test_exactly_the_valid_reasoning_graphs_are_found(topology: str, hops: int) -> None:
    template = Topologies(USER).template(topology, hops)
    graphs = [planted_graph(seed, template) for seed in range(10 if topology == "three" else 40)]
    assert sum(assert_same(graph, topology, hops) for graph in graphs) >= 5
    for seed in range(6 if topology == "three" else 12):
        assert_same(random_graph(seed, entities=12, edges=10 + seed), topology, hops)
        assert_same(random_graph(seed, 9, 10 + seed), topology, hops, answers="all")


entities = st.integers(1, 9)
facts = st.tuples(entities, st.integers(1, 2), entities)


@given(
    new=st.dictionaries(facts, st.sampled_from(["old", "new"]), min_size=1, max_size=14),
    gone=st.lists(facts, max_size=2, unique=True),
    unlabelled=st.frozensets(entities, max_size=1),
    shape=st.sampled_from([("chain", 2), ("chain", 3), ("bridge", 4), ("converging", 3)]),
)
@settings(max_examples=60)
def test_any_small_graph(
    new: dict[Fact, str], gone: list[Fact], unlabelled: frozenset[int], shape: tuple[str, int]
) -> None:
    graph = SmallGraph(new, [fact for fact in gone if fact not in new], unlabelled)
    assert_same(graph, *shape)


def test_shorter_chains_are_found_on_the_way() -> None:
    graph = random_graph(3, 30, 60)
    together = found_in(graph, replace(settings_for(), hops=(1, 2, 4)))
    for hops in (1, 2, 4):
        alone = found_in(graph, settings_for(hops=hops))
        for stratum, count in alone.available.items():
            assert together.available[stratum] == count
            assert together.candidates(stratum) == alone.candidates(stratum)
    assert {stratum.hops for stratum in together.available} == {1, 2, 4}


LINE = {(n, n, n + 1): "old" for n in range(1, 9)}


def test_a_chain_of_eight_hops() -> None:
    (draft,) = drafts_of(found_in(SmallGraph(LINE), settings_for(hops=8)))
    assert [hop.answer for hop in draft.hops] == list(range(2, 10))
    assert draft.hops[0].topics == (1,)
    assert [hop.inputs for hop in draft.hops] == [(), *((n,) for n in range(1, 8))]
    assert draft.pattern == ("old",) * 8


def bridges(graph: SmallGraph) -> list[Draft]:
    return drafts_of(found_in(graph, settings_for("bridge", 4)))


def test_the_hops_of_a_bridge() -> None:
    facts = [(10, 1, 1), (1, 2, 2), (30, 3, 3), (4, 4, 2), (4, 5, 3), (50, 4, 2), (60, 5, 3)]
    graph = SmallGraph(dict.fromkeys(facts, "old") | {(4, 5, 3): "new"})
    (draft,) = (d for d in bridges(graph) if d.hops[2].topics == (30,))
    assert [hop.kind for hop in draft.hops] == ["lookup", "lookup", "lookup", "intersect"]
    assert [hop.inputs for hop in draft.hops] == [(), (1,), (), (2, 3)]
    assert [hop.topics for hop in draft.hops] == [(10,), (), (30,), ()]
    assert [hop.answer for hop in draft.hops] == [1, 2, 3, 4]
    assert [(f.s, f.p, f.o) for f in draft.hops[3].facts] == [(4, 4, 2), (4, 5, 3)]
    assert [hop.label for hop in draft.hops] == ["old", "old", "old", "new"]
    both_satisfy = SmallGraph(graph.facts | {(50, 5, 3): "old"})
    alone_enough = SmallGraph({f: label for f, label in graph.facts.items() if f[0] != 50})
    assert not bridges(both_satisfy)
    assert not bridges(alone_enough)


def test_mintqas_printed_rule_lets_short_shortcuts_and_ways_back_pass() -> None:
    def count(shortcut: Fact, rule: str) -> int:
        graph = SmallGraph(LINE, gone=[shortcut])
        return found_in(graph, settings_for(hops=3, no_shortcut=rule)).available.total()

    assert count((40, 9, 41), "strict") == 6
    assert [count((1, 9, 3), rule) for rule in ("strict", "paper")] == [5, 6]
    assert [count((4, 9, 1), rule) for rule in ("strict", "paper")] == [5, 6]
    assert [count((1, 9, 4), rule) for rule in ("strict", "paper")] == [5, 5]


def test_excluded_properties_and_unlabelled_entities_are_not_used() -> None:
    rejected: Counter[str] = Counter()
    graph = SmallGraph(LINE, unlabelled=frozenset({9}))
    one = settings_for(hops=1, exclude_properties=frozenset({2, 3}))
    drafts = drafts_of(enumerate_drafts(graph.index(), one, rejected))
    assert sorted(draft.facts[0].p for draft in drafts) == [1, 4, 5, 6, 7]
    assert rejected["excluded property"] == 2
    assert rejected["entity without label"] == 1


def test_facts_without_a_label_are_used_on_no_axis_only() -> None:
    graph = SmallGraph(LINE).index()
    assert enumerate_drafts(graph, settings_for(hops=2, axis="none"), Counter()).available == {
        Stratum("chain", 2, ()): 7
    }
    with pytest.raises(StoreError, match="popularity: it needs a text corpus"):
        enumerate_drafts(graph, settings_for(hops=2, axis="popularity"), Counter())


def test_topologies_without_the_number_of_hops_are_refused() -> None:
    with pytest.raises(ConfigError, match="bridge: none has 2 hops"):
        found_in(SmallGraph(LINE), settings_for("bridge", 2))


def test_a_search_is_thinned_when_there_is_too_much() -> None:
    graph = random_graph(5, 300, 900)
    whole = found_in(graph, settings_for(hops=4))
    part = found_in(graph, settings_for(hops=4, work=3000))
    assert set(part.available) == part.estimated
    assert {facts_of(d) for d in drafts_of(part)} < {facts_of(d) for d in drafts_of(whole)}
    assert 0.5 < part.available.total() / whole.available.total() < 2


def test_like_hops_are_told_apart_by_one_rule() -> None:
    template = Topologies(USER).template("three", 4)
    (subject, of_object) = programmes(template, "three", "none", [])
    pairs = {tuple(row[1:]) for row in subject.smaller.tolist()}
    assert pairs == {(3, 4), (3, 5), (4, 5)}  # slots 0 to 2 are the lookups
    assert (subject.forms[3], of_object.forms[3]) == ("subject", "object")
    assert not next(
        programmes(Topologies().template("bridge", 4), "bridge", "none", [])
    ).smaller.size
