"""The probe with models of known behaviour, by hand."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factchain.errors import InputError
from factchain.eval.cheatability import Cheatability, cheatability
from factchain.eval.probes import partitions, parts, probe, set_f1
from factchain.eval.prompts import Prompt
from factchain.eval.scores import read_scores
from factchain.eval.suite import run_suite
from factchain.questions.records import Question
from factchain.records import write_records
from prompted_model import PromptedModel


@given(st.integers(2, 6))
def test_every_partition_once(n: int) -> None:
    whole = tuple("abcdef"[:n])
    found = [frozenset(map(frozenset, pair)) for pair in partitions(whole)]
    assert len(found) == len(set(found)) == 2 ** (n - 1) - 1
    assert all(a | b == set(whole) and not a & b for a, b in map(tuple, found))
    assert set(parts(whole)) == {part for size in range(1, n) for part in combinations(whole, size)}


def test_f1_of_sets() -> None:
    assert set_f1({"a", "b"}, {"b", "c", "d"}) == pytest.approx(2 / 5)
    assert set_f1(set(), {"a"}) == 0


def probed(workspace: Path, model: PromptedModel) -> tuple[dict[str, Any], list[Cheatability]]:
    run_suite(workspace, model.model, ["probe"])
    table = read_scores(workspace / "eval" / "scores.parquet")
    return {row["question"]: row for row in table.to_pylist()}, cheatability(table)


def reply(answer: str, documents: list[int]) -> str:
    return json.dumps({"answer": answer, "documents": documents})


def test_a_model_that_joins(workspace: Path) -> None:
    """Right only where it sees as many documents as the question has hops."""
    answers = {"Radium": ("Warsaw", 2), "In which": ("United Kingdom", 3), "capital": ("London", 4)}

    def join(prompt: Prompt) -> str:
        gold, hops = next(a for word, a in answers.items() if word in prompt.question)
        n = len(prompt.documents)
        return reply(gold if n == hops else "no", list(range(1, n + 1)))

    model = PromptedModel(join)
    rows, (answer, support) = probed(workspace, model)
    assert set(rows) == {"q-2", "q-3", "q-4"}  # the others have one gold passage
    assert len(model.asked) == 3 + 7 + 15
    assert [rows[q]["f1"] for q in rows] == [1, 1, 1]
    assert [rows[q]["probe_f1"] for q in rows] == [0, 0, 0]
    assert (answer.n, answer.original, answer.probe, answer.ratio) == (3, 1, 0, 0)
    # It names all that it sees: the union of two parts is the whole.
    assert (support.original, support.probe, support.ratio) == (1, 1, 1)


def test_a_model_that_guesses_from_one_passage(workspace: Path) -> None:
    """Right where it sees the passage of Marie Curie."""

    def guess(prompt: Prompt) -> str:
        titles = [document.title for document in prompt.documents]
        if "Marie Curie" in titles:
            return reply("Warsaw", [titles.index("Marie Curie") + 1])
        return reply("no", [])

    rows, (answer, support) = probed(workspace, PromptedModel(guess))
    assert (rows["q-2"]["f1"], rows["q-2"]["probe_f1"], rows["q-2"]["probe_f1_min"]) == (1, 1, 1)
    assert rows["q-2"]["support_f1"] == pytest.approx(2 / 3)
    assert rows["q-2"]["probe_support_f1"] == pytest.approx(2 / 3)
    assert answer.ratio == 1
    assert answer.original == pytest.approx(1 / 3)
    assert support.ratio == 1


def test_the_probe_never_scores_more_than_the_whole(workspace: Path) -> None:
    def confused(prompt: Prompt) -> str:
        return reply("Warsaw" if len(prompt.documents) == 1 else "no", [1])

    rows, (answer, _) = probed(workspace, PromptedModel(confused))
    assert [row["probe_f1"] for row in rows.values()] == [0, 0, 0]
    assert (answer.original, answer.ratio) == (0, None)


def test_partitions_differ(workspace: Path) -> None:
    """Of three passages, only the part of the first two answers: one partition of three."""

    def pair(prompt: Prompt) -> str:
        titles = {document.title for document in prompt.documents}
        return reply("United Kingdom" if {"Hamlet", "William Shakespeare"} <= titles else "no", [])

    rows, _ = probed(workspace, PromptedModel(pair))
    row = rows["q-3"]
    assert (row["probe_f1"], row["probe_f1_min"]) == (1, 0)
    assert row["probe_f1_mean"] == pytest.approx(1 / 3)


def test_replies_without_json(workspace: Path) -> None:
    rows, _ = probed(workspace, PromptedModel(lambda prompt: "Warsaw"))
    assert [row["f1"] for row in rows.values()] == [1, 0, 0]
    assert {row["support_f1"] for row in rows.values()} == {0}


def test_the_baseline(workspace: Path) -> None:
    run_suite(workspace, "factchain/lexical", ["probe"])
    table = read_scores(workspace / "eval" / "scores.parquet")
    answer, support = cheatability(table)
    assert answer.original == 1
    assert answer.probe < 1
    assert 0 < support.original <= 1


def test_questions_of_one_passage_cannot_be_probed(
    workspace: Path, questions: list[Question]
) -> None:
    write_records(workspace / "questions.jsonl", [questions[0]])
    with pytest.raises(InputError, match="no question has two to 4 gold passages"):
        probe(str(workspace))
