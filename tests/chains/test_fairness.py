"""Every chain of a stratum is equally likely, whoever does the work."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chisquare

from factchain.chains.drafts import Draft
from factchain.chains.graph.graph_index import GraphIndex
from factchain.chains.sampling.exploration import (
    SHARDS,
    Shard,
    explore,
    merge,
    plan,
    search_shard,
    shared,
)
from factchain.chains.sampling.pools import Pools, Stratum
from factchain.chains.sampling.programme import programmes
from factchain.chains.sampling.sampler import enumerate_drafts
from factchain.chains.sampling.search_lists import SearchLists, cut_lists, usable_edges
from factchain.chains.settings import SampleSettings
from factchain.chains.topologies import template
from factchain.parallel import map_shards
from small_graphs import SmallGraph, random_graph


def hubs(seed: int, edges: int) -> SmallGraph:
    """A graph where some entities have many facts and most have few, as real ones."""
    rng = np.random.default_rng(seed)
    facts = {}
    for _ in range(edges):
        s, o = (int(45 * rng.random() ** power) + 1 for power in (1.3, 2.5))
        if s != o:
            facts[s, int(rng.integers(1, 5)), o] = "old"
    return SmallGraph(facts)


def settings_for(topology: str, hops: int, seed: int, **changes: object) -> SampleSettings:
    plain = SampleSettings("recency", (hops,), 100, seed, topologies=(topology,))
    return replace(plain, **changes)  # type: ignore[arg-type]


def content(draft: Draft) -> tuple[int, ...]:
    return tuple(sorted(fact.fact for fact in draft.facts))


@pytest.mark.parametrize(
    ("topology", "hops"), [("chain", 2), ("chain", 3), ("bridge", 4), ("converging", 3)]
)
def test_the_first_chain_of_a_stratum_is_any_of_them(topology: str, hops: int) -> None:
    index = hubs(1, edges=170 if topology == "chain" else 150).index()
    stratum = Stratum(topology, hops, ("old",) * hops)
    drawn: Counter[tuple[int, ...]] = Counter()
    runs = 1000 if topology == "chain" else 600
    for seed in range(runs):
        pools = enumerate_drafts(index, settings_for(topology, hops, seed), Counter())
        drawn[content(pools.candidates(stratum)[0][1])] += 1
    counts = [*drawn.values(), *[0] * (pools.available[stratum] - len(drawn))]
    assert 15 < len(counts) <= runs / 3  # else the test says little
    assert chisquare(counts).pvalue > 0.001


@pytest.mark.parametrize(
    ("topology", "hops", "work"), [("chain", 4, 1000), ("bridge", 4, 5000), ("converging", 4, 5000)]
)
def test_a_share_of_a_graph_holds_every_chain_with_the_same_probability(
    topology: str, hops: int, work: int
) -> None:
    index = hubs(2, edges=170).index()
    stratum = Stratum(topology, hops, ("old",) * hops)
    whole = enumerate_drafts(index, settings_for(topology, hops, 0), Counter())
    members = {content(draft) for _, draft in whole.candidates(stratum)}
    found: Counter[tuple[int, ...]] = Counter()
    estimates = []
    runs = 800
    for seed in range(runs):
        pools = enumerate_drafts(index, settings_for(topology, hops, seed, work=work), Counter())
        found.update(content(draft) for _, draft in pools.candidates(stratum))
        estimates.append(pools.available[stratum])
    assert set(found) <= members
    assert len(members) > 15
    rate = found.total() / len(members) / runs
    assert 0.02 < rate < 0.9
    spread = (runs * rate * (1 - rate)) ** 0.5
    assert max(abs(found[member] - runs * rate) for member in members) < 5 * spread
    assert np.mean(estimates) == pytest.approx(len(members), rel=0.15)


def drawn(index: GraphIndex, one: SampleSettings) -> tuple[Pools, Counter[str]]:
    rejected: Counter[str] = Counter()
    return enumerate_drafts(index, one, rejected), rejected


@pytest.mark.parametrize("work", [10**7, 4000])
@pytest.mark.parametrize(("topology", "hops"), [("chain", 4), ("bridge", 4)])
def test_two_workers_find_what_one_finds(topology: str, hops: int, work: int) -> None:
    index = random_graph(4, 500, 1500).index()
    one, rejected = drawn(index, settings_for(topology, hops, 5, work=work))
    two, also_rejected = drawn(index, settings_for(topology, hops, 5, work=work, workers=2))
    assert one.available == two.available
    assert one.available.total() > 50
    assert rejected == also_rejected
    for stratum in one.available:
        assert one.candidates(stratum) == two.candidates(stratum)


def searched(index: GraphIndex) -> tuple[SearchLists, object]:
    one = settings_for("chain", 3, 1)
    usable, codes = usable_edges(index, one, Counter())
    lists = cut_lists(index, usable, codes, [0], single=True)
    (programme,) = programmes(template("chain", 3), "chain", "recency", [])
    return lists, plan(index, lists, programme, seed=1, rarer=1, capacity=40, work=10**7)


def test_processes_that_map_the_index_find_what_threads_find() -> None:
    index = random_graph(4, 500, 1500).index()
    lists, search = searched(index)
    here = explore(index, lists, search, workers=1)  # type: ignore[arg-type]
    with shared(index, lists) as folder:
        shards = [Shard(str(folder), search, first, SHARDS) for first in range(SHARDS)]  # type: ignore[arg-type]
        parts = list(map_shards(search_shard, shards, 2))
    assert sum(part.available.any() for part in parts) > 2
    there = merge(parts, search.programme, search.capacity)  # type: ignore[attr-defined]
    assert there.available.tolist() == here.available.tolist()
    for stratum in range(8):
        for mine, theirs in zip(here.chains(stratum), there.chains(stratum), strict=True):
            assert mine.tolist() == theirs.tolist()


def test_seeds_draw_different_chains_and_repeat() -> None:
    index = random_graph(4, 500, 1500).index()
    stratum = Stratum("chain", 2, ("old", "old"))
    first, again, other = (
        [content(d) for _, d in drawn(index, settings_for("chain", 2, seed))[0].candidates(stratum)]
        for seed in (1, 1, -2)
    )
    assert first == again != other
    assert set(first) == set(other)  # all that there are, in another order
