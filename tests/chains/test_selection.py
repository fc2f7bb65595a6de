"""Choosing among candidates: quotas in turn, caps, weights, shares, and what keeps strata short."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chisquare

from factchain.chains.build import draw_chains, sample_chains
from factchain.chains.drafts import Draft, DraftFact, DraftHop
from factchain.chains.graph.graph_index import GraphIndex
from factchain.chains.proof.uniqueness import unique_in_set
from factchain.chains.records import FactChain
from factchain.chains.sampling.pools import Pools, Stratum, identity
from factchain.chains.sampling.selection import Selection, shared, waiting_times
from factchain.chains.settings import NO_CAPS, Caps, SampleSettings, sample_settings
from factchain.config import ChainsConfig
from factchain.errors import ConfigError, StoreError
from typed_worlds import Fact, World, open_store


def settings_for(**changes: object) -> SampleSettings:
    plain: dict[str, object] = {
        "axis": "none",
        "hops": (1, 2),
        "per_stratum": 1000,
        "seed": 1,
        "caps": NO_CAPS,
    }
    return SampleSettings(**(plain | changes))  # type: ignore[arg-type]


def draft(*facts: tuple[int, int, int]) -> Draft:
    """A chain of lookups; the ids of its facts follow from what they state."""
    hops = []
    for index, (s, p, o) in enumerate(facts, start=1):
        fact = DraftFact((s * 1000 + p) * 1000 + o, s, p, o)
        inputs, topics = ((index - 1,), ()) if index > 1 else ((), (s,))
        hops.append(DraftHop("lookup", inputs, topics, (fact,), o, None))
    return Draft("chain", tuple(hops))


def pool(*drafts: Draft, stratum: Stratum | None = None) -> Pools:
    """Candidates in this order."""
    pools = Pools(limit=10**6)
    for key, one in enumerate(drafts):
        pools.offer(key * 2**40, one, stratum)
        pools.available[stratum or Stratum("chain", len(one.hops), ())] += 1
    return pools


def chosen(pools: Pools, settings: SampleSettings, quota: int = 1000, **more: object) -> Selection:
    selection = Selection(settings, {}, **more)  # type: ignore[arg-type]
    for hops in (2, 1):
        strata = [stratum for stratum in pools.available if stratum.hops == hops]
        selection.fill(pools, strata, quota)
    return selection


def taken(selection: Selection) -> list[Draft]:
    return [one for drafts in selection.drafts.values() for one in drafts]


def reasons(selection: Selection) -> Counter[str]:
    return sum(selection.passed_over.values(), Counter())


@pytest.mark.parametrize(
    ("caps", "drafts", "reason", "count"),
    [
        ({"per_answer": 3}, [draft((n, 1, 100)) for n in range(1, 9)], "cap on answers", 3),
        ({"per_topic": 2}, [draft((1, n, n + 10)) for n in range(1, 9)], "cap on topics", 2),
        (
            {"per_bridge_entity": 3},
            [draft((n, 1, 50), (50, n + 1, n + 60)) for n in range(1, 9)],
            "cap on bridge entities",
            3,
        ),
        (
            {"per_property_sequence": 2},
            [draft((n, 1, n + 10), (n + 10, 2, n + 30)) for n in range(1, 9)],
            "cap on property sequences",
            2,
        ),
    ],
)
def test_each_cap_holds_and_is_named(
    caps: dict[str, int], drafts: list[Draft], reason: str, count: int
) -> None:
    unlimited = {name: getattr(NO_CAPS, name) for name in NO_CAPS.__dataclass_fields__}
    settings = settings_for(caps=Caps(**{**unlimited, **caps}))
    selection = chosen(pool(*drafts), settings)
    assert taken(selection) == drafts[:count]
    assert reasons(selection) == {reason: len(drafts) - count}


def test_the_share_of_a_property_is_of_the_quota() -> None:
    drafts = [draft((n, 1 + n % 2, n + 10)) for n in range(1, 9)]
    settings = settings_for(caps=Caps(0.25, *[10**6] * 4))
    selection = chosen(pool(*drafts), settings, quota=8)
    assert Counter(one.hops[0].facts[0].p for one in taken(selection)) == {1: 2, 2: 2}
    assert reasons(selection) == {"cap on properties": 4}


def test_no_chain_is_part_of_another_nor_asks_twice() -> None:
    long = draft((1, 1, 2), (2, 2, 3))
    again = draft((4, 7, 5), (5, 7, 6))
    selection = chosen(
        pool(long, again, draft((2, 2, 3)), draft((1, 1, 2)), draft((9, 1, 2))), settings_for()
    )
    assert taken(selection) == [long, draft((9, 1, 2))]
    assert reasons(selection) == {"one property twice in a row": 1, "sub-chain of another": 2}


def test_banned_chains_are_replaced() -> None:
    drafts = [draft((n, 1, n + 10)) for n in range(1, 5)]
    selection = chosen(
        pool(*drafts), settings_for(), quota=2, banned=frozenset({identity(drafts[0])})
    )
    assert taken(selection) == drafts[1:3]


def test_a_least_share_spans_domains() -> None:
    """Of ten, at least six across domains: only four within one are taken before them."""
    domains = dict.fromkeys(range(100), "Sport and Games") | dict.fromkeys(
        range(200, 300), "Art and Architecture"
    )
    within = [draft((n, 1, n + 20), (n + 20, 2, n + 50)) for n in range(1, 10)]
    across = [draft((n, 3, n + 20), (n + 20, 4, n + 200)) for n in range(11, 20)]
    selection = Selection(settings_for(cross_domain=0.6), domains)
    stratum = Stratum("chain", 2, ())
    selection.fill(pool(*within, *across), [stratum], 10)
    assert taken(selection) == within[:4] + across[:6]
    assert reasons(selection) == {"chains within one domain": 5}


def test_strata_take_turns_for_what_is_scarce() -> None:
    pools = Pools(limit=99)
    strata = [Stratum("chain", 1, (label,)) for label in ("new", "old")]
    for at, stratum in enumerate(strata):
        for n in range(9):
            pools.offer(n, draft((10 * at + n, 1, 100)), stratum)
    selection = Selection(settings_for(caps=Caps(1.0, 4, 9, 9, 99)), {})
    selection.fill(pools, strata, 9)
    assert [len(selection.drafts[stratum]) for stratum in strata] == [2, 2]
    together = Selection(settings_for(), {})
    together.fill(pools, strata, 5, together=True)
    assert [len(together.drafts[stratum]) for stratum in strata] == [3, 2]
    assert shared(strata, 5) == dict(zip(strata, (3, 2), strict=True))


def test_weights_even_out_frequent_properties() -> None:
    """Of 95 chains of one property and 5 of another, who comes first? Without weights nearly
    always the frequent one; with full weights either half of the time."""
    firsts: dict[float, Counter[int]] = {0.0: Counter(), 1.0: Counter()}
    properties = np.array([[1]] * 95 + [[2]] * 5, np.int32)
    for even, counts in firsts.items():
        for seed in range(300):
            keys = np.random.default_rng(seed).integers(0, 2**64, 100, np.uint64)
            first = waiting_times(keys, properties, even).argmin()
            counts[int(properties[first, 0])] += 1
    assert chisquare([firsts[0.0][1], firsts[0.0][2]], [285, 15]).pvalue > 0.001
    assert chisquare([firsts[1.0][1], firsts[1.0][2]], [150, 150]).pvalue > 0.001


def town(n: int) -> list[Fact]:
    """A film, its director, the director's town and birthday, the town's land."""
    return [
        Fact(f"Q{100 + n}", "P1", f"Q{200 + n}"),
        Fact(f"Q{200 + n}", "P2", f"Q{300 + n}"),
        Fact(f"Q{200 + n}", "P11", f"19{10 + n}-01-01"),
        Fact(f"Q{300 + n}", "P3", f"Q{400 + n}"),
        Fact(f"Q{400 + n}", "P4", f"Q{500 + n}"),
    ]


TOWNS = World(tuple(fact for n in range(20) for fact in town(n)))


def test_shares_of_mathematics_and_comparison_are_met() -> None:
    with open_store(TOWNS) as store:
        chains, summary = draw_chains(
            GraphIndex.from_store(store),
            settings_for(
                hops=(3,),
                per_stratum=12,
                topologies=("chain", "converging"),
                mathematics=0.25,
                comparison=0.25,
            ),
        )
    assert Counter(map(kind_of, chains)) == {"entities": 12, "mathematics": 6, "comparison": 6}
    assert summary.short == []
    assert summary.shares == {"mathematics": 0.25, "comparison": 0.25}
    assert summary.chains == len(chains)
    assert unique_in_set(chains) == []


def kind_of(chain: FactChain) -> str:
    kinds = {hop.kind for hop in chain.hops}
    if kinds & {"count", "arithmetic"}:
        return "mathematics"
    return "comparison" if "compare" in kinds else "entities"


def test_a_short_stratum_says_why_and_strict_fails(tmp_path: Path) -> None:
    with open_store(TOWNS) as store:
        few = settings_for(hops=(1,), per_stratum=90, caps=Caps(0.1, 5, 3, 40, 10))
        (summary,) = sample_chains(store, [few], tmp_path / "a.jsonl")
        (row,) = summary.short
        assert (row["available"], row["wanted"], row["estimated"]) == (80, 90, False)
        assert row["taken"] == 36
        assert row["binding"] == {"cap on properties": 44}
        with pytest.raises(StoreError) as caught:
            sample_chains(store, [few], tmp_path / "b.jsonl", strict=True)
    assert "none, chain, 1 hops, entities, no label: 36 of 90, cap on properties (44)" in str(
        caught.value
    )
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"topologies": ["fork"]}, "topology 'fork': there is no such"),
        ({"topologies": ["bridge"], "hops": [2, 3]}, "topology 'bridge': has 4 hops"),
        (
            {"topologies": ["v"], "user_topologies": {"v": [[1, 2], [2, 1]]}},
            "topology 'v': has a cycle",
        ),
        (
            {"topologies": ["v"], "user_topologies": {"v": [[1, 3], [1, 2]]}},
            "topology 'v': hop 2 does not lead to the last hop",
        ),
        (
            {"topologies": ["v"], "user_topologies": {"v": [[1, 2], [2, 3]]}, "mathematics": 0.5},
            "have patterns for the topologies chain, bridge and converging only",
        ),
    ],
)
def test_topologies_that_cannot_be_drawn(given: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        sample_settings(ChainsConfig.model_validate(given), "none", 1)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"mathematics": 0.7, "comparison": 0.4}, "together they can be 1 at most"),
        ({"mathematics": 0.2, "hops": [1, 2]}, "shares of the chains of 3 hops and more"),
        ({"cross_domain": 0.2, "hops": [1]}, "cannot span 2 domains"),
        ({"topologies": []}, "none is named"),
        ({"per_bridge_entity": 0}, "greater than or equal to 1"),
    ],
)
def test_quotas_that_contradict_each_other(given: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ChainsConfig.model_validate(given)
