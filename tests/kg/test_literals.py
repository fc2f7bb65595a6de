"""Literals in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factchain.kg.literals import MONTHS, date_text, literal_text


@pytest.mark.parametrize(
    ("value", "precision", "words"),
    [
        ("1879-03-14", 11, "14 March 1879"),
        ("1879-03", 10, "March 1879"),
        ("1879", 9, "1879"),
        ("1879-03-14", 10, "March 1879"),
        ("1879-00-00", 11, "1879"),
        ("0079-10-24", 11, "24 October 79"),
        ("-0044-03-15", 11, "15 March 44 BC"),
        ("-0753", 9, "753 BC"),
        ("1987", 8, "1980s"),
        ("1900", 7, "19th century"),
        ("1901", 7, "20th century"),
        ("-0500", 7, "5th century BC"),
        ("1050", 7, "11th century"),
        ("2010", 6, "3rd millennium"),
        ("-13800000000", 3, "around 13800000000 BC"),
        ("1879-13-14", 11, "1879-13-14"),
        ("long ago", 11, "long ago"),
    ],
)
def test_dates_are_written_to_their_precision(value: str, precision: int, words: str) -> None:
    assert date_text(value, precision) == words


@given(st.dates())
def test_a_day_in_words_can_be_read_back(date: object) -> None:
    day, month, year = date_text(str(date), 11).split()
    assert f"{int(year):04d}-{MONTHS.index(month) + 1:02d}-{int(day):02d}" == str(date)


@pytest.mark.parametrize(
    ("value", "datatype", "unit", "words"),
    [
        ("8804190", "quantity", None, "8804190"),
        ("324", "quantity", "metre", "324 metre"),
        ("Liberté, égalité@fr", "monolingualtext", None, "Liberté, égalité"),
        ("a@b@en", "monolingualtext", None, "a@b"),
        ("48.8566,-2.35", "globe-coordinate", None, "48.8566, -2.35"),
        ("a@b", "string", None, "a@b"),
    ],
)
def test_other_literals(value: str, datatype: str, unit: str | None, words: str) -> None:
    assert literal_text(value, datatype, unit, None) == words
