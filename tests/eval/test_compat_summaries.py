"""Scores as published scripts print them, of each setting."""

from __future__ import annotations

import pytest

from factchain.eval.compat_scores import OF_ANSWERS
from factchain.eval.compat_summaries import LONGEST, summarise_compat
from factchain.eval.report.comparison_tables import _COMPAT, compat_tables
from factchain.eval.results import Results
from factchain.questions.records import Question
from score_rows import row, table


def test_every_score_is_reckoned_from_the_predictions(questions: list[Question]) -> None:
    first, second = questions[:2]
    golds = [first.answer.label, second.answer.label]
    long = ("word " * 300)[: LONGEST - 3].rstrip() + "..."
    scores = table(
        row(first.id, 1, prediction=f"It is {golds[0]}!"),
        row(second.id, 0, prediction=long),
        row(second.id, None, model="other"),
        row(first.id, 1, model="floor/random", prediction=golds[0]),
        row(first.id, 1, mode="options", prediction="A"),
        row(first.id, 1, task="stepwise", mode="gold-open", hop=1, prediction=golds[0]),
    )
    rows = summarise_compat(scores, questions)
    assert {(one.task, one.mode, one.model, one.n, one.cut) for one in rows} == {
        ("parametric", "open", "m", 2, 1)
    }
    means = {one.score: one.mean for one in rows}
    names = (golds[0], *first.answer.aliases)
    others = (golds[1], *second.answer.aliases)
    for name, score in OF_ANSWERS.items():
        wanted = (score(f"It is {golds[0]}!", names) + score(long, others)) / 2
        assert means[name] == pytest.approx(wanted)
    assert means["accuracy_popqa_compat"] == 0.5
    assert means["accuracy_multihop_rag_compat"] == pytest.approx(
        1 / (3 - 2 * means["correct_multihop_rag_compat"])
    )


def test_the_table_has_a_line_for_each_setting(questions: list[Question]) -> None:
    scores = table(
        row(questions[0].id, 1, prediction=questions[0].answer.label),
        row(questions[0].id, 1, model="a", prediction="nothing like it"),
    )
    results = Results(compat=tuple(summarise_compat(scores, questions)))
    (figure,) = compat_tables(results)
    assert figure.folded
    assert figure.panels == ()
    assert [line[:4] for line in figure.table.rows] == [
        ("a", "No passages", "1", "0"),
        ("m", "No passages", "1", "0"),
    ]
    assert [line[4:] for line in figure.table.rows] == [
        (*["0.0"] * 8, "33.3"),
        tuple(["100.0"] * 9),
    ]


def test_every_compat_score_has_a_name_in_the_table() -> None:
    assert set(_COMPAT) == {*OF_ANSWERS, "accuracy_multihop_rag_compat"}
