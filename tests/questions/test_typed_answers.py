"""Literals by value: what counts as the same number, date or verdict, and what does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain_builder import amount, day
from factchain.chains.records import EntityRef, TypedValue
from factchain.questions.answers import to_answer
from factchain.questions.names import EntityName
from factchain.questions.records import Answer
from factchain.questions.text_scores import SCORES
from factchain.questions.typed_answers import score, score_any

METRE = EntityName("Q11573", "metre", "", ("m", "meter"), frozenset(), False)
NAMES = {"Q11573": METRE, "Q1": EntityName("Q1", "Paris", "", ("Lutetia",), frozenset(), False)}


def gold(value: TypedValue | EntityRef) -> Answer:
    return to_answer(value, NAMES)


def yes(word: str = "yes") -> Answer:
    return gold(TypedValue(datatype="boolean", value=word, label=word))


@pytest.mark.parametrize(
    ("prediction", "answer", "exact", "contained"),
    [
        ("35", gold(amount(35)), 1, 1),
        ("Thirty-five", gold(amount(35)), 1, 1),
        ("thirty five.", gold(amount(35)), 1, 1),
        ("35.0", gold(amount(35)), 1, 1),
        ("There are 35 of them", gold(amount(35)), 0, 1),
        ("35 children", gold(amount(35)), 0, 1),
        ("135", gold(amount(35)), 0, 0),
        ("in 1935", gold(amount(35)), 0, 0),
        ("35.5", gold(amount(35)), 0, 0),
        ("3,5", gold(amount(35)), 0, 0),
        ("-35", gold(amount(35)), 0, 0),
        ("\u221212.5", gold(amount("-12.5")), 1, 1),
        ("1,234,567", gold(amount(1234567)), 1, 1),
        ("1.234567 million", gold(amount(1234567)), 1, 1),
        ("two hundred and three", gold(amount(203)), 1, 1),
        ("two or three", gold(amount(3)), 0, 1),
        ("300 metres", gold(amount(300, "metre")), 1, 1),
        ("300 m", gold(amount(300, "metre")), 1, 1),
        ("300", gold(amount(300, "metre")), 1, 1),
        ("300 feet", gold(amount(300, "metre")), 0, 0),
        ("it is 300 metres tall", gold(amount(300, "metre")), 0, 1),
        ("it is 300 tall", gold(amount(300, "metre")), 0, 1),
    ],
)
def test_numbers(prediction: str, answer: Answer, exact: float, contained: float) -> None:
    scores = score(prediction, answer)
    assert (scores["exact_match"], scores["accuracy"]) == (exact, contained)


@pytest.mark.parametrize(
    ("prediction", "date", "exact", "contained"),
    [
        ("12 March 1968", "1968-03-12", 1, 1),
        ("1968-03-12", "1968-03-12", 1, 1),
        ("March 12, 1968", "1968-03-12", 1, 1),
        ("12th of March 1968", "1968-03-12", 1, 1),
        ("on 12 March 1968.", "1968-03-12", 1, 1),
        ("He was born on 12 Mar 1968 in Bonn", "1968-03-12", 0, 1),
        ("1968", "1968-03-12", 0, 0),
        ("March 1968", "1968-03-12", 0, 0),
        ("13 March 1968", "1968-03-12", 0, 0),
        ("12 March 1968", "1968", 1, 1),
        ("March 1968", "1968-03", 1, 1),
        ("in 1968", "1968", 1, 1),
        ("the year 1968", "1968", 1, 1),
        ("19680", "1968", 0, 0),
        ("44 BC", "-0044", 1, 1),
        ("44", "-0044", 0, 0),
    ],
)
def test_dates(prediction: str, date: str, exact: float, contained: float) -> None:
    scores = score(prediction, gold(day(date)))
    assert (scores["exact_match"], scores["accuracy"]) == (exact, contained)


@pytest.mark.parametrize(
    ("prediction", "answer", "exact", "contained"),
    [
        ("Yes", yes(), 1, 1),
        ("yes.", yes(), 1, 1),
        ("True", yes(), 1, 1),
        ("No, since A was born later.", yes("no"), 0, 1),
        ("No", yes(), 0, 0),
        ("I do not know: the passages do not say.", yes("no"), 0, 0),
        ("It may be yes or no", yes(), 0, 0),
        ("Yes, there is no doubt", yes(), 0, 1),
        ("The answer is no", yes("no"), 0, 1),
        ("", yes(), 0, 0),
    ],
)
def test_verdicts(prediction: str, answer: Answer, exact: float, contained: float) -> None:
    scores = score(prediction, answer)
    assert (scores["exact_match"], scores["accuracy"]) == (exact, contained)


def test_a_decade_is_compared_as_text() -> None:
    decade = TypedValue(datatype="time", value="1960", label="1960s", precision=8)
    assert score("in the 1960s", gold(decade))["accuracy"] == 1
    assert score("1960", gold(decade))["accuracy"] == 0


def test_the_best_of_several_golds_counts() -> None:
    golds = [gold(EntityRef(id="Q1", label="Paris")), gold(amount(35))]
    assert score_any("Lutetia", golds)["exact_match"] == 1
    assert score_any("thirty-five", golds)["exact_match"] == 1
    assert score_any("Rome", golds) == dict.fromkeys(SCORES, 0)


@given(st.integers(-(10**12), 10**12))
def test_every_form_of_a_number_is_exact(number: int) -> None:
    answer = gold(amount(number))
    for form in answer.names:
        assert score(form, answer)["exact_match"] == 1
        assert score(f"It is {form}.", answer)["accuracy"] == 1
    assert score(str(number + 1), answer)["accuracy"] == 0


@given(st.dates())
def test_every_form_of_a_date_is_exact(date: object) -> None:
    answer = gold(day(str(date)))
    for form in answer.names:
        assert score(form, answer)["exact_match"] == 1
        assert score(f"It was {form} or so.", answer)["accuracy"] == 1


@given(st.text(max_size=60), st.sampled_from([amount(35), amount(3, "metre"), day("1968-03")]))
def test_any_text_is_scored(prediction: str, value: TypedValue) -> None:
    scores = score(prediction, gold(value))
    assert tuple(scores) == ("accuracy", "accuracy_alias", "accuracy_word", "exact_match", "f1")
    assert all(0 <= one <= 1 for one in scores.values())
    if scores["exact_match"]:
        assert scores["f1"] == 1
