"""Numbers and dates: written in many ways, read back as one value."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from chain_builder import amount, day
from factchain.chains.records import TypedValue
from factchain.questions.answers import to_answer
from factchain.questions.literal_forms import (
    date_forms,
    date_parts,
    dates,
    for_readers,
    number_forms,
    numbers,
    spell,
)
from factchain.questions.names import EntityName
from factchain.questions.records import Answer


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "zero"), (13, "thirteen"), (35, "thirty-five"), (40, "forty"), (100, "one hundred")],
)
def test_spelling(number: int, words: str) -> None:
    assert spell(number) == words
    assert spell(999) == "nine hundred and ninety-nine"


@given(st.integers(0, 999))
def test_a_spelled_number_reads_back(number: int) -> None:
    assert [found.value for found in numbers(f"about {spell(number)} of them")] == [number]


@given(st.decimals(-(10**9), 10**9, places=3))
def test_a_written_number_reads_back(number: Decimal) -> None:
    text = format(number, "f")
    for form in number_forms(text):
        assert [found.value for found in numbers(f"it is {form}.")] == [number]


@given(st.text(max_size=80))
def test_any_text_is_read(text: str) -> None:
    for found in (*numbers(text), *dates(text)):
        assert 0 <= found.start < found.end <= len(text)


@given(st.dates(), st.sampled_from([4, 7, 10]))
def test_a_written_date_reads_back(date: object, length: int) -> None:
    value = day(str(date)[:length])
    parts = date_parts(value)
    assert len(parts) == {4: 1, 7: 2, 10: 3}[length]
    for form in date_forms(value):
        assert [found.parts for found in dates(f"({form})")] == [parts], form


def test_years_before_christ_are_negative() -> None:
    assert date_parts(day("-0044-03-15")) == (-44, 3, 15)
    assert [found.parts for found in dates("on 15 March 44 BC, not in 44")] == [
        (-44, 3, 15),
        (44,),
    ]
    decade = TypedValue(datatype="time", value="1960", label="1960s", precision=8)
    assert date_parts(decade) == ()


METRE = EntityName("Q11573", "metre", "", ("m",), frozenset(), False)


def test_answers_of_every_kind() -> None:
    number = to_answer(amount(1200), {})
    assert (number.kind, number.label, number.aliases) == ("number", "1200", ("1,200",))
    length = to_answer(amount(35, "metre"), {"Q11573": METRE})
    assert (length.kind, length.label) == ("quantity", "35 metres")
    assert {"35", "35 m", "35 metre", "thirty-five", "thirty-five metres"} <= set(length.aliases)
    date = to_answer(day("1968-03-12"), {})
    assert (date.kind, date.aliases) == ("date", ("1968-03-12", "March 12, 1968"))
    verdict = to_answer(TypedValue(datatype="boolean", value="no", label="no"), {})
    assert (verdict.kind, verdict.aliases, verdict.id) == ("yes/no", (), None)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (amount(441467, "square kilometre"), "441,467 square kilometres"),
        (amount("-12345.678", "degree Celsius"), "-12,345.678 degrees Celsius"),
        (amount(1, "metre"), "1 metre"),
        (amount("1.0", "metre"), "1.0 metre"),
        (amount("0.5", "kilometre per hour"), "0.5 kilometres per hour"),
        (amount(9, "foot"), "9 feet"),
        (amount(60, "hertz"), "60 hertz"),
        (amount(75, "percent"), "75 percent"),
        (amount(3, "pound sterling"), "3 pounds sterling"),
        (amount(27, "years"), "27 years"),
        (amount(1968), "1968"),
        (amount(1234567), "1,234,567"),
        (day("1968-03-12"), "12 March 1968"),
        (TypedValue(datatype="boolean", value="yes", label="yes"), "yes"),
    ],
)
def test_literals_for_readers(value: TypedValue, words: str) -> None:
    assert for_readers(value) == words


@given(st.decimals(-(10**12), 10**12, places=2), st.sampled_from([None, "metre", "day"]))
def test_a_number_for_readers_reads_back(number: Decimal, unit: str | None) -> None:
    text = for_readers(amount(format(number, "f"), unit))
    assert [found.value for found in numbers(text)] == [number]


@pytest.mark.parametrize(
    "wrong",
    [
        {"label": "x"},
        {"label": "x", "id": "Q1", "value": amount(1).model_dump()},
        {"label": "x", "id": "Q1", "kind": "number"},
        {"label": "1", "value": amount(1).model_dump()},
    ],
)
def test_an_answer_is_one_thing(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match=re.compile("an answer has an? `(id|value)`")):
        Answer.model_validate(wrong)
