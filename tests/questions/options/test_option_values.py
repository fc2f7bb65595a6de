"""Wrong numbers and dates: of the answer's kind, beyond doubt another value, on either side."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain_builder import amount, day
from factchain.chains.operations import operations
from factchain.chains.operations.typed_values import number_value
from factchain.chains.proof.plan import HopPlan, Source
from factchain.chains.records import FactChain, Hop, TypedValue
from factchain.questions.options.build import add_options, plan_options
from factchain.questions.options.letters import LETTERS, balanced_letters, letter_balance
from factchain.questions.options.truths import may_be_equal
from factchain.questions.options.values import altered, fits, in_words, neighbours
from made_questions import as_questions
from random_chains import chain_of as chain_from
from typed_worlds import DAY, LENGTH, NUMBER, Fact, World, open_store
from written_chains import Written, written


def plan(operator: Any = None) -> HopPlan:
    return HopPlan(1, "lookup", (Source(topic=1),), (1,), operator=operator)


def said(candidates: Any) -> list[str]:
    return [candidate.label for candidate in candidates]


def test_an_operation_is_skipped_or_altered() -> None:
    minus = operations.difference(amount(35, "metre"), amount(7, "metre"))
    assert isinstance(minus.result, TypedValue)
    found = list(altered(minus, minus.result))
    assert {c.label: c.evidence for c in found} == {
        "42 metre": "sum instead of difference",
        "35 metre": "35 metre itself, without difference",
        "7 metre": "7 metre itself, without difference",
    }
    total = operations.total([amount(1), amount(2), amount(4)])
    assert isinstance(total.result, TypedValue)
    # What no such mistake gives stands in no option.
    assert said(altered(total, total.result)) == ["8", "6", "5", "3", "1", "2", "4"]
    later = operations.years_after(day("1968"), amount(35))
    assert isinstance(later.result, TypedValue)
    assert said(altered(later, later.result))[:2] == ["1933", "1968"]


@pytest.mark.parametrize(
    ("gold", "expected"),
    [
        (amount(4), ["5", "3", "6", "2", "7", "1"]),
        (amount(1234567, "metre"), ["1334567 metre", "1134567 metre"]),
        (amount("3.75", "metre"), ["3.85 metre", "3.65 metre"]),
        (day("1968"), ["1969", "1967"]),
        (day("1968-12"), ["January 1969", "November 1968"]),
        (day("1968-12-31"), ["1 January 1969", "30 December 1968"]),
        (day("-0001"), ["1", "2 BC"]),
        (number_value(2, operations.YEARS), ["3 years", "1 year"]),
    ],
)
def test_neighbours_are_written_like_the_answer(gold: TypedValue, expected: list[str]) -> None:
    found = said(neighbours(gold, plan()))
    assert found[: len(expected)] == expected


def test_elapsed_years_are_no_wrong_option() -> None:
    """From December 1990 to March 2000 nine years have elapsed, though the years differ by ten."""
    gold = number_value(10, operations.YEARS)
    assert "9 years" in said(neighbours(gold, plan()))
    assert "9 years" not in said(neighbours(gold, plan("years_between")))


def test_what_may_be_equal_is_no_wrong_option() -> None:
    about = amount(100).model_copy(update={"lower": "90", "upper": "110"})
    assert may_be_equal(about, amount(109))
    assert not may_be_equal(about, amount(111))
    assert may_be_equal(day("1968"), day("1968-03-12"))
    assert not may_be_equal(day("1968"), day("1969-03-12"))
    assert may_be_equal(amount(1, "metre"), amount(2, "foot", "Q3710"))
    assert may_be_equal(amount("1.50"), amount("1.5"))


days = st.dates().map(lambda date: day(date.isoformat()))
years = st.integers(1, 9999).map(lambda year: day(f"{year:04d}"))
numbers = st.decimals(-(10**9), 10**9, places=2, allow_nan=False).map(
    lambda n: amount(str(n), "metre")
)


@given(days | years | numbers)
def test_neighbours_are_other_values_of_the_kind(gold: TypedValue) -> None:
    for candidate in neighbours(gold, plan()):
        assert isinstance(candidate.node, TypedValue)
        if fits(candidate.node, gold):
            assert not may_be_equal(candidate.node, gold) or Decimal(gold.value) == 0
        assert candidate.node == in_words(candidate.node, gold)


@given(st.integers(0, 60), st.integers(0, 3))
def test_letters_are_dealt_evenly(sets: int, seed: int) -> None:
    letters = balanced_letters(sets, np.random.default_rng(seed))
    counts = [letters.count(letter) for letter in LETTERS]
    assert sum(counts) == sets
    assert max(counts) - min(counts) <= 1
    balance = letter_balance(letters)
    assert list(balance.counts.values()) == counts
    # At most one above and one below: 4 sets in a row differ by one, each from its share.
    assert balance.chi_squared <= (3 if sets < 4 else 1)


def looked_up(p: str, value: str, world: World) -> FactChain:
    return chain_from(Written().add("lookup", ["Q1"], f"Q1 {p} {value}", value).hops)


@pytest.mark.parametrize(
    ("p", "values"),
    [
        (DAY, ["1990-01-02", "1990-01-05", "1989-12-30", "1971-06-01", "1990-02-01"]),
        (LENGTH, ["100", "90", "120", "85", "5000"]),
    ],
)
def test_near_values_of_the_property_come_first(p: str, values: list[str]) -> None:
    gold, *others = values
    facts = [Fact(f"Q{n}", p, value) for n, value in enumerate([gold, *others], start=1)]
    world = World(tuple(facts), (Fact("Q1", p, others[0]),))
    chain: FactChain = chain_from([hop_of(p, gold)])
    with open_store(world) as store:
        (question,), _ = add_options(plan_options(store, as_questions(store, [chain])), 3)
    near = {one.value.value: one for one in question.distractors if one.value}
    # Once stated of the subject itself, it is no wrong option.
    assert others[0] not in near
    assert len(near) == 3
    ways = {one.way for one in question.distractors}
    assert "near value" in ways
    for one in question.distractors:
        if one.way == "near value":
            subject, prop, value = one.evidence.split()
            assert Fact(subject, prop, value) in facts


def hop_of(p: str, value: str) -> Hop:
    (hop,) = Written().add("lookup", ["Q1"], f"Q1 {p} {value}", value).hops
    answer = hop.facts[0].value
    assert answer is not None
    return hop.model_copy(update={"answer": answer})


def test_the_answer_is_not_always_the_middle_one() -> None:
    """Of 40 counts the answer is least, second, third and greatest, each of them sometimes."""
    facts = [Fact(f"Q{n}", NUMBER, "50") for n in range(1, 41)]
    chains = []
    for fact in facts:
        (hop,) = Written().add("lookup", [fact.s], f"{fact.s} {NUMBER} 50", "50").hops
        answer = hop.facts[0].value
        assert answer is not None
        chains.append(chain_from([hop.model_copy(update={"answer": answer})]))
    with open_store(World(tuple(facts))) as store:
        questions, _ = add_options(plan_options(store, as_questions(store, chains)), 1)
    ranks = {
        sum(Decimal(one.value.value) < 50 for one in question.distractors if one.value)
        for question in questions
    }
    assert ranks == {0, 1, 2, 3}


def test_a_mistake_on_the_way_is_always_among_the_options() -> None:
    """1990 and 1987, of which three years later is asked, both lie below the answer."""
    chain, facts = written()["year as a condition"]
    three = chain_from(chain.hops[:3], "converging")
    with open_store(World(facts)) as store:
        asked = as_questions(store, [three])
        for seed in range(8):
            (question,), _ = add_options(plan_options(store, asked), seed)
            assert "operation" in {one.way for one in question.distractors}
