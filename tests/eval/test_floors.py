"""The floors, by hand: what is most frequent, and draws that hang on their key alone."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from factchain.chains.records import TypedValue
from factchain.eval.comparison import compare
from factchain.eval.floors import FLOORS, draw, most_frequent
from factchain.eval.known import read_known
from factchain.eval.scores import FLOOR, read_scores
from factchain.eval.suite import run_suite
from factchain.questions.records import Answer, Question
from factchain.records import write_records
from prompted_model import PromptedModel

USUAL, RANDOM = FLOORS
LEXICAL = "factchain/lexical"


def rows(workspace: Path, *tasks: str) -> list[dict[str, Any]]:
    run_suite(workspace, LEXICAL, list(tasks))
    table: list[dict[str, Any]] = read_scores(workspace / "eval" / "scores.parquet").to_pylist()
    return table


def of(table: list[dict[str, Any]], model: str, column: str) -> list[Any]:
    return [row[column] for row in table if row["model"] == model]


def test_the_most_frequent_label() -> None:
    assert most_frequent(["b", "a", "b", "a", "c"]) == "a"


def test_draws_are_even_and_stay_the_same() -> None:
    drawn = [draw("abcd", "task", str(n)) for n in range(4000)]
    assert all(900 < count < 1100 for count in Counter(drawn).values())
    assert drawn == [draw("abcd", "task", str(n)) for n in range(4000)]
    assert drawn != [draw("abcd", "task", str(n), seed=1) for n in range(4000)]


def test_answers(workspace: Path, questions: list[Question]) -> None:
    """Two of six questions are answered by Warsaw, the others each by another name."""
    again = questions[1].model_copy(update={"id": "q-6"})
    write_records(workspace / "questions.jsonl", [*questions, again])
    table = rows(workspace, "parametric", "retrieval-bm25")
    assert of(table, USUAL, "prediction") == ["Warsaw"] * 12
    assert of(table, USUAL, "exact_match") == [0, 1, 0, 0, 0, 1] * 2
    assert of(table, USUAL, "accuracy") == of(table, USUAL, "f1") == [0, 1, 0, 0, 0, 1] * 2
    drawn = of(table, RANDOM, "prediction")
    answers = {question.answer.label for question in questions}
    assert set(drawn) <= answers
    assert [
        float(said == gold)
        for said, gold in zip(drawn[:6], [q.answer.label for q in [*questions, again]], strict=True)
    ] == of(table, RANDOM, "exact_match")[:6]
    keys = ("task", "mode", "context", "model", "question", "hop")
    order = [tuple(row[key] for key in keys) for row in table]
    assert order == sorted(order)
    assert len(order) == len(set(order)) == 36
    (first,) = (
        row
        for row in table
        if (row["model"], row["question"], row["context"]) == (USUAL, "q-2", "none")
    )
    assert (first["hops"], first["labels"], first["error"]) == (2, "popular-unpopular", None)


def test_answers_of_each_type(workspace: Path, questions: list[Question]) -> None:
    """Yes and no are no answer to who, and names none to whether."""
    said = {"q-1": "yes", "q-2": "no", "q-5": "no"}
    mixed = [
        question.model_copy(update={"answer": _verdict(said[question.id])})
        if question.id in said
        else question
        for question in questions
    ]
    write_records(workspace / "questions.jsonl", mixed)
    table = rows(workspace, "parametric")
    names = [question.answer.label for question in mixed[2:4]]
    assert of(table, USUAL, "prediction") == ["no", "no", min(names), min(names), "no"]
    drawn = of(table, RANDOM, "prediction")
    assert {drawn[0], drawn[1], drawn[4]} <= {"yes", "no"}
    assert {drawn[2], drawn[3]} <= set(names)


def _verdict(said: str) -> Answer:
    value = TypedValue(value=said, datatype="boolean", label=said)
    return Answer(label=said, kind="yes/no", value=value)


def test_a_draw_is_the_same_in_every_context(workspace: Path) -> None:
    table = rows(workspace, "retrieval-*")
    by_context = {
        context: [r["prediction"] for r in table if (r["model"], r["context"]) == (RANDOM, context)]
        for context in ("bm25", "gold")
    }
    assert by_context["bm25"] == by_context["gold"]
    assert len(by_context["gold"]) == 5


def test_decisions(workspace: Path) -> None:
    table = rows(workspace, "strategy-question", "strategy-synthesis")
    questions = [row for row in table if row["mode"] == "question"]
    assert of(questions, USUAL, "prediction") == ["decompose"] * 5
    assert of(questions, USUAL, "accuracy") == [0, 1, 1, 1, 0]
    assert of(questions, USUAL, "gold") == ["answer", *["decompose"] * 3, "retrieve"]
    assert set(of(questions, RANDOM, "prediction")) <= {"answer", "decompose", "retrieve"}
    assert of(questions, RANDOM, "f1") == [None] * 5
    synthesis = [row for row in table if row["mode"] == "synthesis"]
    # 1 of 2, 2 of 3 and 3 of 4 states go on
    assert of(synthesis, USUAL, "prediction") == ["continue"] * 9
    assert sum(of(synthesis, USUAL, "accuracy")) == 6
    assert [row["hop"] for row in synthesis if row["model"] == RANDOM] == [
        1,
        2,
        1,
        2,
        3,
        1,
        2,
        3,
        4,
    ]


def test_letters(workspace: Path, questions: list[Question]) -> None:
    options = {"A": "x", "B": "y", "C": "z", "D": "w"}
    golds = ["C", "B", "C", "A"]
    chosen = [
        question.model_copy(update={"options": options, "correct_option": gold})
        for question, gold in zip(questions[:4], golds, strict=True)
    ]
    write_records(workspace / "questions.jsonl", chosen)
    table = rows(workspace, "parametric-options")
    assert of(table, USUAL, "prediction") == ["C"] * 4
    assert of(table, USUAL, "accuracy") == [1, 0, 1, 0]
    drawn = of(table, RANDOM, "prediction")
    assert drawn == [draw("ABCD", "parametric", "options", f"q-{n}", "0") for n in range(1, 5)]


def test_hops(workspace: Path) -> None:
    """Shakespeare, his birthplace, its country and Curie are each the answer of two hops of 11."""
    table = rows(workspace, "stepwise")
    assert set(of(table, USUAL, "prediction")) == {"Marie Curie"}
    assert sum(of(table, USUAL, "accuracy")) == 2
    assert of(table, USUAL, "hop") == of(table, LEXICAL, "hop")
    assert of(table, USUAL, "gold") == of(table, LEXICAL, "gold")


def test_the_probe_has_no_floor(workspace: Path) -> None:
    assert {row["model"] for row in rows(workspace, "probe")} == {LEXICAL}


def test_floors_are_compared_with_nothing_and_know_nothing(workspace: Path) -> None:
    rows(workspace, "stepwise", "parametric")
    path = workspace / "eval" / "scores.parquet"
    pairs = compare(read_scores(path))
    assert not [c for c in pairs if c.first[3].startswith(FLOOR) or c.second[3].startswith(FLOOR)]
    assert len(read_known(path)) == 11


def test_a_second_model_changes_no_floor(workspace: Path) -> None:
    before = [row for row in rows(workspace, "parametric") if row["model"] in FLOORS]
    run_suite(workspace, PromptedModel(lambda prompt: "Warsaw").model, ["parametric"])
    table = read_scores(workspace / "eval" / "scores.parquet").to_pylist()
    assert [row for row in table if row["model"] in FLOORS] == before


@pytest.mark.parametrize("limit", [1, 3])
def test_floors_are_of_what_was_asked(workspace: Path, limit: int) -> None:
    run_suite(workspace, LEXICAL, ["parametric"], limit=limit)
    table = read_scores(workspace / "eval" / "scores.parquet").to_pylist()
    assert of(table, USUAL, "question") == of(table, LEXICAL, "question")
    assert len(of(table, USUAL, "question")) == limit
