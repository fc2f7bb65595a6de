"""The ensemble: who counts as right, what is dropped, and what guessing would do."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factchain.questions.filtering.build import FilterSettings, first_round, run_filter
from factchain.questions.filtering.ensemble import (
    chance_of_dropping,
    ensemble_asks,
    ensemble_filter,
)
from factchain.questions.llm.protocol import Ask, Quarantined
from factchain.questions.prompts.choosing import Letter
from factchain.questions.records import Answer, ClosedBook, Provenance, Question
from factchain.records import read_records
from fake_model import FakeModel

OPTIONS = {"A": "Rome", "B": "Paris", "C": "Oslo", "D": "Bern"}


def question(key: int, **fields: Any) -> Question:
    base = {
        "id": f"q-{key}",
        "axis": "none",
        "topology": "chain",
        "hops": 1,
        "question": f"Question{key}?",
        "answer": Answer(label="Paris", aliases=("City of Light",), kind="text"),
        "sub_questions": (),
        "labels": (),
        "provenance": Provenance(
            verbalizer="test", verifier="test", verdicts=(), snapshot=None, seed=0
        ),
    }
    return Question.model_validate(base | fields)


def knows(*keys: int) -> FakeModel:
    """A model that knows the answers of some questions, each by another of its names."""

    def answer(ask: Ask[Any]) -> dict[str, Any]:
        known = any(f"Question{key}?" in ask.user for key in keys)
        return {"answer": "the City of Light." if known else "Rome"}

    return FakeModel(answer, name=f"knows {keys}")


def test_what_enough_models_know_is_dropped() -> None:
    questions = [question(key) for key in range(4)]
    models = [knows(1, 2), knows(2, 3), knows(2)]
    kept, dropped, summary = ensemble_filter(questions, models, 2, "open")
    assert [one.id for one in kept] == ["q-0", "q-1", "q-3"]
    assert [one.id for one in dropped] == ["q-2"]
    assert summary.correct == {"0": 1, "1": 2, "2": 0, "3": 1}
    assert summary.by_model == {m.name: n for m, n in zip(models, (2, 2, 1), strict=True)}
    assert summary.chance == 0
    names = tuple(model.name for model in models)
    assert [one.closed_book for one in [*kept, *dropped]] == [
        ClosedBook(models=names, asked=3, correct=right) for right in (0, 1, 1, 3)
    ]
    assert all(model.rounds <= 2 for model in models)


def test_an_unanswerable_question_is_not_asked() -> None:
    nobody = Answer(label="Insufficient information", kind="insufficient")
    null = question(1, answer=nobody, answerable=False)
    kept, _, summary = ensemble_filter([null], [knows(1), knows(1, 2)], 1, "open")
    assert kept == [null]
    assert (summary.not_asked, summary.dropped) == (1, 0)


def test_a_reply_that_cannot_be_read_is_wrong() -> None:
    broken = FakeModel(lambda ask: Quarantined("Paris", "no JSON"))
    kept, _, summary = ensemble_filter([question(1)], [broken], 1, "open")
    assert (len(kept), summary.unread) == (1, 1)


def chooser(choose: Any) -> FakeModel:
    """A model that sees the options by letter and gives one."""
    import json

    def answer(ask: Ask[Any]) -> dict[str, Any]:
        assert ask.reply is Letter
        text = ask.user.rsplit("```json\n", 1)[1].split("\n```")[0]
        return {"letter": choose(json.loads(text))}

    return FakeModel(answer)


def by_text(options: dict[str, str]) -> str:
    return next(letter for letter, text in options.items() if text == "Paris")


@pytest.mark.parametrize("gold", "ABCD")
def test_who_chooses_by_letter_is_never_right(gold: str) -> None:
    """A model that always says one letter is right in one order at most."""
    others = iter(["Rome", "Oslo", "Bern"])
    options = {letter: "Paris" if letter == gold else next(others) for letter in "ABCD"}
    asked = question(1, options=options, correct_option=gold)
    for letter in "ABCD":
        _, dropped, summary = ensemble_filter(
            [asked], [chooser(lambda _, x=letter: x)], 1, "options"
        )
        assert dropped == []
        assert summary.correct == {"0": 1, "1": 0}
    _, dropped, summary = ensemble_filter([asked], [chooser(by_text)], 1, "options")
    assert len(dropped) == 1
    assert dropped[0].closed_book is None
    assert len(ensemble_asks([asked], "options")) == 2


def test_a_question_without_options_is_asked_openly() -> None:
    kept, dropped, summary = ensemble_filter([question(1)], [knows(1)], 1, "options")
    assert (kept, len(dropped), summary.without_options) == ([], 1, 1)


def test_omanic_s_filter_is_near_chance() -> None:
    """SPEC.md 5.5: four guessers of four options drop 26.2 % in one order, 2.2 % in two."""
    assert chance_of_dropping(4, 2, orders=1) == pytest.approx(0.262, abs=5e-4)
    assert chance_of_dropping(4, 2) == pytest.approx(0.02153, abs=5e-5)


@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 2))
def test_chance_is_counted_over_all_guesses(models: int, discard_at: int, orders: int) -> None:
    guesses = list(product(range(4**orders), repeat=models))
    hits = sum(sum(guess == 0 for guess in row) >= discard_at for row in guesses)
    assert chance_of_dropping(models, discard_at, orders) == pytest.approx(hits / len(guesses))


def test_duplicates_go_first_and_the_dropped_say_why(tmp_path: Any) -> None:
    questions = [question(1), question(2), question(3, question="QUESTION1?")]
    settings = FilterSettings(discard_at=1)
    assert len(first_round(questions, settings)) == 2
    out, gone = tmp_path / "out.jsonl", tmp_path / "gone.jsonl"
    model = knows(2)
    summary = run_filter(questions, settings, out, gone, [model])
    assert len(model.asked) == 2
    assert (summary.read, summary.kept) == (3, 1)
    assert [one.id for one in read_records(out, Question)] == ["q-1"]
    told = {one.id: one.provenance.verdicts[-1] for one in read_records(gone, Question)}
    assert {key: (v.check, v.passed, v.evidence) for key, v in told.items()} == {
        "q-2": ("ensemble", False, f"1 or more are right without context, of {model.name}"),
        "q-3": ("duplicate", False, "same text: q-1"),
    }
    alone = run_filter(questions, settings, out)
    assert (alone.ensemble, alone.kept) == (None, 2)
