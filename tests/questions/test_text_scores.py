"""The scores: the values of SPEC.md 1.1-1.4, and their laws."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factchain.questions import text_scores

TEXT = st.text(max_size=40)
NAMES = st.lists(TEXT, min_size=1, max_size=3)


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("The U.S.A.", "usa"),
        ("AC/DC", "acdc"),
        ("New-York", "newyork"),
        ("1,234", "1234"),
        ("a.m.", "am"),
        ("It’s – “so”", "it’s – “so”"),
        ("Café", "café"),
        ("  The   Beatles ", "beatles"),
        ("a", ""),
        ("?!", ""),
        ("An Apple a Day", "apple day"),
    ],
)
def test_normalise(text: str, normal: str) -> None:
    assert text_scores.normalise(text) == normal


@given(TEXT)
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert text_scores.normalise(text_scores.normalise(text)) == text_scores.normalise(text)


@pytest.mark.parametrize(
    ("prediction", "golds", "match"),
    [
        ("the Marie Curie.", ["Marie Curie"], 1),
        ("Curie", ["Marie Curie"], 0),
        ("Madame Curie", ["Marie Curie", "Madame Curie"], 1),
        ("?", ["the"], 1),
        ("Paris", [], 0),
    ],
)
def test_exact_match(prediction: str, golds: list[str], match: float) -> None:
    assert text_scores.exact_match(prediction, golds) == match


@pytest.mark.parametrize(
    ("prediction", "golds", "f1"),
    [
        ("yes", ["yes it is"], 0.5),
        ("no", ["yes"], 0),
        ("the", ["a"], 1),
        ("", ["Paris"], 0),
        ("Paris", ["?"], 0),
        ("Paris Paris", ["Paris"], 2 / 3),
        ("in the city of London", ["London"], 2 * (1 / 4) / (1 / 4 + 1)),
        ("Paris", ["Rome", "Paris France"], 2 / 3),
        ("Paris", [], 0),
    ],
)
def test_token_f1(prediction: str, golds: list[str], f1: float) -> None:
    assert text_scores.token_f1(prediction, golds) == pytest.approx(f1)


@given(TEXT, TEXT)
def test_f1_is_symmetric_and_bounded(one: str, other: str) -> None:
    f1 = text_scores.token_f1(one, [other])
    assert f1 == text_scores.token_f1(other, [one])
    assert 0 <= f1 <= 1


@given(TEXT, NAMES)
def test_an_exact_match_has_f1_one(prediction: str, golds: list[str]) -> None:
    if text_scores.exact_match(prediction, golds):
        assert text_scores.token_f1(prediction, golds) == 1


@given(TEXT, NAMES, TEXT)
def test_another_gold_never_lowers_a_score(prediction: str, golds: list[str], more: str) -> None:
    for score in (
        text_scores.exact_match,
        text_scores.token_f1,
        text_scores.containment,
        text_scores.word_containment,
    ):
        assert score(prediction, [*golds, more]) >= score(prediction, golds)


@pytest.mark.parametrize(
    ("prediction", "gold", "contained", "as_word"),
    [
        ("It is PARIS.", "Paris", 1, 1),
        ("the Caucasian ridge", "Asia", 1, 0),
        ("Main", "Asia", 0, 0),
        ("in 1935", "35", 1, 0),
        ("35!", "35", 1, 1),
        ("STRASSE", "straße", 1, 1),
        ("AC DC", "AC/DC", 0, 0),
        ("C++ of course", "C++", 1, 1),
        ("anything", "", 0, 0),
        ("", "Paris", 0, 0),
    ],
)
def test_containment(prediction: str, gold: str, contained: float, as_word: float) -> None:
    assert text_scores.containment(prediction, [gold]) == contained
    assert text_scores.word_containment(prediction, [gold]) == as_word


@given(TEXT, NAMES)
def test_a_word_is_contained(prediction: str, golds: list[str]) -> None:
    assert text_scores.word_containment(prediction, golds) <= text_scores.containment(
        prediction, golds
    )


@given(TEXT, TEXT.filter(bool), TEXT)
def test_what_is_put_in_is_contained(before: str, gold: str, after: str) -> None:
    assert text_scores.containment(before + gold + after, [gold]) == 1


def test_only_some_scores_take_aliases() -> None:
    assert text_scores.score("Madame Curie", "Marie Curie", ["Madame Curie"]) == {
        "accuracy": 0,
        "accuracy_alias": 1,
        "accuracy_word": 0,
        "exact_match": 1,
        "f1": 1,
    }
    assert tuple(text_scores.score("", "x", [])) == text_scores.SCORES
