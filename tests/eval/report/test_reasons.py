"""Reasons of rejections in a reader's words."""

from __future__ import annotations

import pytest

from factchain.eval.report.reasons import REASONS, in_words
from factchain.questions.verify import CHECKS


def test_every_check_of_a_question_has_words() -> None:
    assert [check for check in CHECKS if check not in REASONS] == []


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("leak", REASONS["leak"]),
        ("not comparable: it is a tie", "values that are the same"),
        ("not comparable: the units differ: metre, foot", "quantities in different units"),
        ("not comparable: 5 is an approximate quantity", "a quantity that is known only approx"),
        ("not comparable: 1960s is no more precise than a decade", "a date that is coarser"),
        ("not comparable: the dates are of different calendars", "dates of different calendars"),
        ("not comparable: something else", REASONS["not comparable"]),
        ("something else", ""),
    ],
)
def test_reasons(reason: str, words: str) -> None:
    assert in_words(reason).startswith(words)
    assert bool(in_words(reason)) == bool(words)
