"""MuSiQue's and HotpotQA's real questions, imported, through every task that applies."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from factchain.eval.cheatability import cheatability
from factchain.eval.prompts import Prompt
from factchain.eval.scores import FLOOR, read_scores
from factchain.eval.suite import run_suite
from factchain.formats.importing import import_dataset
from factchain.formats.registry import FORMATS
from factchain.questions.records import Question
from factchain.records import read_records
from prompted_model import PromptedModel
from pupil import Pupil, one_line

OPTIONS = {"parametric-options", "parametric-options-think", "stepwise-options"}
UNANSWERABLE = {
    *("unanswerable", "unanswerable-bm25", "unanswerable-judged", "unanswerable-judged-bm25")
}
GIVEN = {"sub-questions-given", "decomposition-given-bm25", "decomposition-given-gold"}
STEPWISE = {"stepwise", "stepwise-own", "stepwise-gold", "stepwise-gold-own", "stepwise-options"}

NOT_RUN = {
    "musique": {
        **dict.fromkeys(OPTIONS, "no question has options"),
        **dict.fromkeys(UNANSWERABLE, "has no unanswerable question"),
        "strategy-sub-question": "labels of its hops",
    },
    # Its questions have no sub-questions.
    "hotpotqa": {
        **dict.fromkeys(OPTIONS, "no question has options"),
        **dict.fromkeys(UNANSWERABLE, "has no unanswerable question"),
        **dict.fromkeys(GIVEN | STEPWISE, "no question has sub-questions"),
        "strategy-sub-question": "labels of its hops",
        "strategy-synthesis": "two hops or more",
    },
}
"""What the datasets have no data for, and why."""


class KnowsAll(Pupil):
    """Right about every question; it finishes at once where there are no sub-questions."""

    def concludes(self, prompt: Prompt) -> str:
        return self.says(prompt.question)


def supporting(record: dict[str, Any]) -> list[str]:
    """Titles of the paragraphs that the published record calls supporting."""
    if "paragraphs" in record:
        return [one["title"] for one in record["paragraphs"] if one["is_supporting"]]
    facts = {title for title, _ in record["supporting_facts"]}
    return [title for title, _ in record["context"] if title in facts]


@pytest.mark.parametrize("name", ["musique", "hotpotqa"])
@pytest.mark.parametrize("limit", [3, pytest.param(100, marks=pytest.mark.slow)])
def test_a_model_that_knows_all_is_right_in_every_task(
    reference: Callable[[str], Path], tmp_path: Path, name: str, limit: int
) -> None:
    source = reference(f"{name}_train.json")
    workspace = tmp_path / name
    import_dataset(FORMATS[name], [source], workspace, limit=limit)
    questions = list(read_records(workspace / "questions.jsonl", Question))
    model = PromptedModel(KnowsAll(questions, lambda labels: True).reply)
    result = run_suite(workspace, model.model)
    table = read_scores(workspace / "eval" / "scores.parquet")
    rows = [row for row in table.to_pylist() if not row["model"].startswith(FLOOR)]

    assert (result["failed"], len(questions)) == (0, limit)
    assert result["not_run"].keys() == NOT_RUN[name].keys()
    for task, reason in NOT_RUN[name].items():
        assert reason in result["not_run"][task]

    asked = {task: [row for row in rows if row["task"] == task] for task in {*column(rows, "task")}}
    assert set(column(rows, "accuracy")) == {1}
    answered = [row for row in rows if row["task"] != "strategy"]
    assert set(column(answered, "f1")) == set(column(answered, "exact_match")) == {1}
    assert len(asked["parametric"]) == 2 * limit  # at once, and after a chain of thought
    assert len(asked["strategy"]) == limit + (
        sum(question.hops for question in questions) if name == "musique" else 0
    )
    for row in asked["sub_questions"] + asked["decomposition"] + asked["dynamic_retrieval"]:
        assert row["sub_questions"] == (row["hops"] if name == "musique" else 0)
        assert row["retrievals"] == (row["sub_questions"] if row["task"] == "decomposition" else 0)
    if name == "musique":
        assert len(asked["stepwise"]) == 4 * sum(question.hops for question in questions)

    # It is right with any part of the passages, and names all that it sees.
    assert len(asked["probe"]) == limit
    ratios = cheatability(table)
    assert [(one.predicted, one.ratio, one.low, one.high) for one in ratios] == [
        *(("answer", 1, 1, 1), ("support", 1, 1, 1), ("joint", 1, 1, 1))
    ]

    # What stands before a question as gold is what its record calls supporting.
    records = {one_line(record["question"]): record for record in json.loads(source.read_text())}
    shown = {
        prompt.question: sorted(document.title for document in prompt.documents)
        for prompt in sorted(model.asked, key=lambda prompt: len(prompt.documents))
        if prompt.kind == "supported"
    }
    asked_of = {one_line(question.question) for question in questions}
    assert shown == {text: sorted(supporting(records[text])) for text in asked_of}


def column(rows: list[dict[str, Any]], name: str) -> list[Any]:
    return [row[name] for row in rows]
