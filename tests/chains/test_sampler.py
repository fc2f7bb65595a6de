"""Candidates from a store: what is counted, refused, and kept of two snapshots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import pytest

from conftest import Edge
from factchain.chains.drafts import DraftFact
from factchain.chains.graph.graph_index import GraphIndex
from factchain.chains.sampling.candidates import AT_ONCE
from factchain.chains.sampling.pools import POOL, Pools, Stratum
from factchain.chains.sampling.sampler import enumerate_drafts
from factchain.chains.sampling.selection import in_order
from factchain.chains.settings import SampleSettings
from factchain.errors import StoreError
from factchain.kg.store import Store

MakeStore = Callable[..., Store]
LINE = [("Q1", "P1", "Q2"), ("Q2", "P2", "Q3"), ("Q3", "P3", "Q4")]


def settings_for(axis: str = "recency", **changes: object) -> SampleSettings:
    plain: dict[str, object] = {
        "axis": axis,
        "hops": (1, 2, 3, 4),
        "per_stratum": 10,
        "seed": 1,
    }
    return SampleSettings(**(plain | changes))  # type: ignore[arg-type]


def chains_of(pools: Pools) -> set[tuple[Edge, ...]]:
    return {
        tuple((f"Q{fact.s}", f"P{fact.p}", f"Q{fact.o}") for fact in draft.facts)
        for stratum in pools.available
        for _, draft in pools.candidates(stratum)
    }


def test_a_shortcut_that_only_the_older_snapshot_has_counts(make_store: MakeStore) -> None:
    graph = GraphIndex.from_store(make_store([*LINE, ("Q1", "P9", "Q3")], LINE))
    found = chains_of(enumerate_drafts(graph, settings_for(), Counter()))
    assert found == {(LINE[0],), (LINE[1],), (LINE[2],), tuple(LINE[1:])}


@pytest.mark.parametrize(
    ("added", "reason", "count"),
    [
        (("Q1", "P9", "Q3"), "no shortcut", 1),
        (("Q4", "P9", "Q1"), "no shortcut", 4),
        (("Q2", "P2", "Q9"), "several answers", 2),
        (("Q3", "P7", "Q2"), "acyclicity", 3),
    ],
)
def test_one_added_fact_is_counted_against(
    make_store: MakeStore, added: Edge, reason: str, count: int
) -> None:
    rejected: Counter[str] = Counter()
    with make_store([*LINE, added], [*LINE, added]) as store:
        pools = enumerate_drafts(GraphIndex.from_store(store), settings_for(), rejected)
    assert (tuple(LINE) in chains_of(pools)) == (reason == "acyclicity")
    assert rejected[reason] == count


def test_strata_are_label_patterns(make_store: MakeStore) -> None:
    edges = [
        edge
        for n in range(1, 13)
        for edge in ((f"Q{n}", "P1", f"Q{100 + n}"), (f"Q{100 + n}", "P2", f"Q{200 + n}"))
    ]
    old = [edge for edge in edges if edge[1] == "P2" or int(edge[0][1:]) % 2]
    graph = GraphIndex.from_store(make_store(old, edges))
    pools = enumerate_drafts(graph, settings_for(hops=(2,)), Counter())
    assert pools.available == {
        Stratum("chain", 2, ("new", "old")): 6,
        Stratum("chain", 2, ("old", "old")): 6,
    }


def test_a_pool_keeps_the_candidates_of_smallest_key(make_store: MakeStore) -> None:
    star = [(f"Q{n}", "P1", "Q9999") for n in range(1, POOL + 51)]
    graph = GraphIndex.from_store(make_store(star, star))
    stratum = Stratum("chain", 1, ("old",))
    every = enumerate_drafts(graph, settings_for(per_stratum=9), Counter())
    some = enumerate_drafts(graph, settings_for(per_stratum=1), Counter())
    assert every.available[stratum] == some.available[stratum] == POOL + 50
    assert some.candidates(stratum) == every.candidates(stratum)[:POOL]
    keys = [key for key, _ in every.candidates(stratum)]
    assert keys == sorted(set(keys))
    assert 2**60 < keys[POOL // 2] < 2**64


def test_an_axis_that_the_store_lacks_is_refused(make_store: MakeStore) -> None:
    graph = GraphIndex.from_store(make_store(LINE))
    with pytest.raises(StoreError, match="two snapshots"):
        enumerate_drafts(graph, settings_for("recency"), Counter())
    with pytest.raises(StoreError, match="text corpus"):
        enumerate_drafts(graph, settings_for("popularity"), Counter())
    assert enumerate_drafts(graph, settings_for("none"), Counter()).available.total() == 6


def test_drafts_are_made_of_candidates_that_are_looked_at(
    make_store: MakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    star = [(f"Q{n}", "P1", "Q9999") for n in range(1, POOL + 1)]
    graph = GraphIndex.from_store(make_store(star, star))
    pools = enumerate_drafts(graph, settings_for(per_stratum=1), Counter())
    made: list[int] = []
    draft_facts = GraphIndex.draft_facts

    def counted(index: GraphIndex, edges: Sequence[int]) -> list[DraftFact]:
        made.append(len(edges))
        return draft_facts(index, edges)

    monkeypatch.setattr(GraphIndex, "draft_facts", counted)
    stratum = Stratum("chain", 1, ("old",))
    first = next(in_order(pools, stratum, even=0.5))
    assert sum(made) == AT_ONCE < POOL
    assert first in [draft for _, draft in pools.candidates(stratum)]


def test_answers_are_those_of_all_candidates(make_store: MakeStore) -> None:
    edges = [("Q1", "P1", "Q2"), ("Q3", "P2", "Q2"), *LINE[1:], ("Q5", "P1", "Q6")]
    edges += [("Q7", "P1", "Q6"), ("Q5", "P2", "Q8"), ("Q9", "P2", "Q8"), ("Q6", "P4", "Q5")]
    graph = GraphIndex.from_store(make_store(edges, edges))
    both = settings_for(topologies=("chain", "converging"))
    pools = enumerate_drafts(graph, both, Counter())
    drafts = [draft for stratum in pools.available for _, draft in pools.candidates(stratum)]
    assert pools.answers() == {hop.answer for draft in drafts for hop in draft.hops}
    assert {hop.kind for draft in drafts for hop in draft.hops} == {"lookup", "intersect"}
