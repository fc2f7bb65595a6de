"""Mathematics and comparison: every pattern in a readable graph, and all against brute force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import product

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from factchain.chains.build import draw_chains, rules_of, to_chains
from factchain.chains.drafts import Draft
from factchain.chains.graph.graph_index import GraphIndex
from factchain.chains.mathematics.compose import combinations_of, draw, enumerate_mathematics
from factchain.chains.mathematics.joins import Join, Relation, Table
from factchain.chains.mathematics.patterns import Pattern, patterns
from factchain.chains.mathematics.tables import read_tables
from factchain.chains.proof.constraints import violations_of
from factchain.chains.sampling.composition import lookup_table
from factchain.chains.settings import NO_CAPS, SampleSettings
from factchain.errors import StoreError
from mathematics_oracle import Oracle, Signature, signature
from typed_worlds import DAY, LENGTH, NUMBER, YEAR, Fact, World, open_store

ALL = [
    pattern
    for topology, hops in (
        ("chain", 3),
        ("chain", 4),
        ("bridge", 4),
        ("converging", 3),
        ("converging", 4),
    )
    for pattern in patterns(topology, hops)
]


def settings_for(pattern: Pattern | None = None, **changes: object) -> SampleSettings:
    plain: dict[str, object] = {
        "axis": "none",
        "hops": (len(pattern.steps),) if pattern else (3, 4),
        "per_stratum": 1000,
        "seed": 1,
        "caps": NO_CAPS,
        "topologies": (pattern.topology,) if pattern else ("chain", "bridge", "converging"),
        "count_subjects": True,
    }
    return SampleSettings(**(plain | changes))  # type: ignore[arg-type]


def world(text: str, old: Iterable[Fact] = ()) -> World:
    """A world from lines `Q1 P1 Q2`."""
    lines = [*text.strip().splitlines(), "Q90 P9 Q91"]  # an index needs an edge
    facts = [Fact(*line.split()) for line in lines if line.strip()]
    return World(tuple(facts), tuple(old))


def drafts_of(one: World, pattern: Pattern, seed: int = 1, axis: str = "none") -> list[Draft]:
    """Every chain of a pattern, of every combination of labels."""
    drawn: list[Draft] = []
    with open_store(one) as store:
        graph = GraphIndex.from_store(store)
        run = settings_for(pattern, seed=seed, axis=axis)
        tables = read_tables(store, run.axis, frozenset(), True, lookup_table(graph, run))
        for codes in combinations_of(pattern, tables):
            kept = draw(graph, tables, pattern, codes, seed, 10**6, Counter())
            assert kept.exact
            assert kept.available == len(kept.drafts)
            drawn += kept.drafts
        chains = to_chains(graph, run, drawn)
        assert violations_of(chains, store, rules_of(run)) == [{}] * len(chains)
    return drawn


def signature_of(draft: Draft) -> Signature:
    return signature(
        [
            (
                hop.kind,
                tuple(
                    (f"Q{f.s}", f"P{f.p}", f.value.value if f.value else f"Q{f.o}")
                    for f in hop.facts
                ),
            )
            for hop in draft.hops
        ]
    )


def named(topology: str, hops: int, name: str) -> Pattern:
    (pattern,) = [p for p in patterns(topology, hops) if p.name == name]
    return pattern


def told(draft: Draft) -> list[str]:
    """The hops of a chain in words: operator, and answer."""
    return [
        f"{hop.operation.operator if hop.operation else hop.kind} "
        f"{hop.answer if isinstance(hop.answer, int) else hop.answer.label}"
        for hop in draft.hops
    ]


# Two towns (Q31, Q32) of Q30, of two years; two towns of 1950, in Q30 and Q40.
TOWNS = """
Q31 P1 Q30
Q32 P1 Q30
Q33 P1 Q40
Q31 P12 1950
Q33 P12 1950
Q32 P12 1960
"""


def test_a_date_moved_to_the_year_of_the_only_town() -> None:
    """1: when is Q1 from? 2: so many years after. 3: the town of Q30 of that year. 4: its river."""
    one = world(TOWNS + "Q1 P11 1920-05-01\nQ31 P2 Q99")
    (draft,) = [
        d for d in drafts_of(one, named("chain", 4, "offset-0")) if d.hops[0].topics == (1,)
    ]
    assert told(draft) == ["lookup 1 May 1920", "years_after 1950", "intersect 31", "lookup 99"]
    operation = draft.hops[1].operation
    assert operation is not None
    assert [o.value.value for o in operation.operands] == ["1920-05-01", "30"]  # type: ignore[union-attr]
    assert [o.hop for o in operation.operands] == [1, None]
    assert draft.hops[2].topics == (30,)
    assert [(f.s, f.p) for f in draft.hops[2].facts] == [(31, 12), (31, 1)]


@pytest.mark.parametrize("seed", range(4))
def test_a_bridge_whose_year_comes_from_a_count(seed: int) -> None:
    """1: how many are there? 2: that many years from a constant. 3: the land. 4: the town."""
    one = world(TOWNS + "Q1 P2 Q11\nQ1 P2 Q12\nQ1 P2 Q13\nQ5 P3 Q30")
    pattern = named("bridge", 4, "count-meets")
    found = [d for d in drafts_of(one, pattern, seed) if d.hops[0].topics == (1,)]
    (draft,) = [d for d in found if d.hops[2].topics == (5,)]
    assert told(draft)[0] == "count 3"
    assert told(draft)[2:] == ["lookup 30", "intersect 31"]
    operation = draft.hops[1].operation
    assert operation is not None
    year = {"years_before": "1953", "years_after": "1947"}[operation.operator]
    assert [o.value.value for o in operation.operands] == [year, "3"]  # type: ignore[union-attr]
    assert draft.hops[3].inputs == (2, 3)
    assert [f.p for f in draft.hops[3].facts] == [12, 1]


PEOPLE = """
Q1 P1 Q11
Q2 P2 Q12
Q11 P11 1900-01-01
Q12 P11 1910-01-01
Q11 P3 Q21
"""


@pytest.mark.parametrize("seed", range(6))
def test_the_earlier_of_two_is_asked_on(seed: int) -> None:
    """1, 2: two people. 3: who was born earlier? 4: where?"""
    (draft,) = drafts_of(world(PEOPLE), named("converging", 4, "pick-on"), seed)
    assert told(draft)[2:] == ["earliest 11", "lookup 21"]
    assert {hop.topics for hop in draft.hops[:2]} == {(1,), (2,)}
    assert [f.s for f in draft.hops[2].facts] == [hop.answer for hop in draft.hops[:2]]
    assert draft.hops[2].operation is not None
    assert draft.hops[2].operation.result.id == "Q11"  # type: ignore[union-attr]


def test_ties_and_dates_that_do_not_decide_are_refused_and_counted() -> None:
    pattern = named("converging", 3, "pick")
    with open_store(world(PEOPLE.replace("1910", "1900"))) as store:
        graph = GraphIndex.from_store(store)
        run = settings_for(pattern)
        tables = read_tables(store, "none", frozenset(), True, lookup_table(graph, run))
        rejected: Counter[str] = Counter()
        (codes,) = combinations_of(pattern, tables)
        kept = draw(graph, tables, pattern, codes, 1, 99, rejected)
    assert kept.drafts == []
    assert [reason for reason in rejected if reason.startswith("not comparable: it is a tie")]


def test_the_largest_of_several_is_asked_on() -> None:
    """1: the longest of Q1's rivers. 2, 3: where does it go?"""
    one = world(
        "Q1 P1 Q11\nQ1 P1 Q12\nQ1 P1 Q13\nQ11 P14 5\nQ12 P14 7\nQ13 P14 6\nQ12 P2 Q21\nQ21 P3 Q31"
    )
    (draft,) = drafts_of(one, named("chain", 3, "choose-0"))
    assert told(draft) == ["largest 12", "lookup 21", "lookup 31"]
    facts = [(f.s, f.o or f.value.value) for f in draft.hops[0].facts]  # type: ignore[union-attr]
    assert facts == [(1, 11), (1, 12), (1, 13), (11, "5"), (12, "7"), (13, "6")]
    missing = world("Q1 P1 Q11\nQ1 P1 Q12\nQ11 P14 5\nQ11 P2 Q21\nQ21 P3 Q31")
    assert drafts_of(missing, named("chain", 3, "choose-0")) == []


def test_a_sum_over_all_objects_at_the_end() -> None:
    one = world("Q1 P1 Q2\nQ2 P2 Q3\nQ3 P3 Q11\nQ3 P3 Q12\nQ11 P14 5.5\nQ12 P14 7")
    (draft,) = drafts_of(one, named("chain", 3, "sum"))
    assert told(draft) == ["lookup 2", "lookup 3", "sum 12.5 metre"]


@pytest.mark.parametrize("seed", range(4))
def test_sums_and_differences_of_one_unit_only(seed: int) -> None:
    one = world("Q1 P14 10\nQ2 P14 4\nQ3 P13 7")
    (draft,) = drafts_of(one, named("converging", 3, "quantities"), seed)
    values = [h.answer.value for h in draft.hops[:2]]  # type: ignore[union-attr]
    expected = {"sum": "14 metre", "difference": "6 metre"}
    assert draft.hops[2].operation is not None
    operator = draft.hops[2].operation.operator
    assert told(draft)[2] == f"{operator} {expected[operator]}"
    # A difference takes the smaller from the larger.
    assert operator == "sum" or values == ["10", "4"]


def test_days_and_years_between_two_dates() -> None:
    one = world("Q1 P11 1900-03-01\nQ2 P11 1904-03-01")
    words = {told(drafts_of(one, named("converging", 3, "span"), seed)[0])[2] for seed in range(8)}
    assert words == {"years_between 4 years", "days_between 1461 days"}


def test_a_shortcut_between_what_is_compared_is_refused() -> None:
    pattern = named("converging", 3, "pick")
    assert len(drafts_of(world(PEOPLE), pattern)) == 1
    assert drafts_of(world(PEOPLE + "Q11 P9 Q12"), pattern) == []
    gone = [Fact("Q12", "P9", "Q1")]
    both = World(world(PEOPLE).new, (*world(PEOPLE).new, *gone))
    assert drafts_of(both, pattern) == []


def test_labels_come_from_all_facts_of_a_hop() -> None:
    """One new fact makes a hop new; reckoning without facts has no label."""
    one = world(PEOPLE)
    known = World(one.new, tuple(f for f in one.new if (f.s, f.p) not in {("Q12", "P11")}))
    (draft,) = drafts_of(known, named("converging", 4, "pick-on"), axis="recency")
    assert [hop.label for hop in draft.hops] == ["old", "old", "new", "old"]
    (draft,) = drafts_of(
        world("Q1 P14 10\nQ2 P14 4", [Fact("Q1", "P14", "10")]),
        named("converging", 3, "quantities"),
        axis="recency",
    )
    assert sorted(str(hop.label) for hop in draft.hops) == ["None", "new", "old"]
    assert draft.pattern in (("old", "new"), ("new", "old"))


nodes = st.sampled_from([f"Q{n}" for n in range(1, 8)])
edges = st.builds(Fact, nodes, st.sampled_from(["P1", "P2"]), nodes)
numbers = st.builds(Fact, nodes, st.sampled_from([NUMBER, LENGTH]), st.sampled_from("2345"))
years = st.builds(Fact, nodes, st.just(YEAR), st.sampled_from(["1900", "1903", "1950"]))
days = st.builds(Fact, nodes, st.just(DAY), st.sampled_from(["1900-01-01", "1902-05-03"]))
worlds = st.builds(
    lambda a, b, gone: World(tuple(f for f in (*a, *b) if f.s != f.o), (*a, *gone)),
    st.lists(edges, min_size=4, max_size=9, unique=True),
    st.lists(numbers | years | days, min_size=3, max_size=9, unique=True),
    st.lists(edges, max_size=1),
)


@given(one=worlds, pattern=st.sampled_from(ALL), seed=st.integers(0, 99))
@settings(max_examples=40)
def test_exactly_the_compositions_that_brute_force_finds(
    one: World, pattern: Pattern, seed: int
) -> None:
    drafts = drafts_of(one, pattern, seed)
    found = [signature_of(draft) for draft in drafts]
    # A choice goes on from either end: the same facts, other hops; none is found twice.
    assert len({repr(draft) for draft in drafts}) == len(drafts)
    must, may = Oracle(one, pattern).found()
    event(f"{pattern.topology} {pattern.name}: {'some' if must else 'none'}")
    assert must <= set(found) <= must | may


def test_any_result_of_a_join_can_be_had_by_its_number() -> None:
    rng = np.random.default_rng(5)
    root = Table({"a": rng.integers(0, 4, 9), "code": rng.integers(0, 2, 9)})
    left = Table({"a": rng.integers(0, 4, 12), "b": rng.integers(0, 3, 12)})
    leaf = Table({"b": rng.integers(0, 3, 7)})
    right = Table({"x": np.arange(2)})
    tree = Relation(
        "root",
        root,
        children=(
            Relation("left", left, "a", "a", (Relation("leaf", leaf, "b", "b"),)),
            Relation("right", right),
        ),
    )
    expected = {
        (i, j, k, m)
        for i, j, k, m in product(range(9), range(12), range(7), range(2))
        if root["a"][i] == left["a"][j] and left["b"][j] == leaf["b"][k]
    }
    join = Join(tree)
    assert join.total == len(expected)
    rows = join.unrank(np.arange(len(expected)))
    columns = [rows[name].tolist() for name in ("root", "left", "leaf", "right")]
    assert sorted(zip(*columns, strict=True)) == sorted(expected)
    drawn = join.draw(20_000, rng)
    tally = Counter(
        zip(*(drawn[n].tolist() for n in ("root", "left", "leaf", "right")), strict=True)
    )
    assert set(tally) == expected
    even = 20_000 / len(expected)
    assert sum((count - even) ** 2 / even for count in tally.values()) < 2 * len(expected)


def test_a_store_with_nothing_to_reckon_with_is_refused() -> None:
    with open_store(world("Q1 P1 Q2\nQ2 P2 Q3\nQ3 P3 Q4")) as store:
        graph = GraphIndex.from_store(store)
        with pytest.raises(StoreError, match="nothing to reckon with or to compare"):
            draw_chains(graph, settings_for(mathematics=0.5))


def test_seeds_repeat_and_the_number_of_workers_does_not_matter() -> None:
    one = world(TOWNS + PEOPLE)

    def drawn(**changes: object) -> list[str]:
        with open_store(one) as store:
            graph = GraphIndex.from_store(store)
            run = settings_for(mathematics=0.5, comparison=0.5, **changes)
            pools = enumerate_mathematics(graph, run, lookup_table(graph, run), 5, Counter())
            return [
                repr(draft) for s in sorted(pools.available) for _, draft in pools.candidates(s)
            ]

    assert drawn() == drawn() == drawn(workers=2)
    assert drawn() != drawn(seed=2)
