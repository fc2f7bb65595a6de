"""Questions alone against questions with their gold passages, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from factchain.eval.document_gain import document_gain
from factchain.eval.prompts import Prompt
from factchain.eval.scores import read_scores
from factchain.eval.suite import run_suite
from prompted_model import PromptedModel


def test_the_gain_of_the_gold_passages(workspace: Path) -> None:
    """Alone it knows Curie and half of a name; with passages it knows all but the last."""
    alone = {"q-1": "Marie Curie", "q-4": "Greater London"}
    gold = ["Marie Curie", "Warsaw", "United Kingdom", "London", "nobody"]

    def reply(prompt: Prompt) -> str:
        words = ("discovered", "born?", "In which", "capital", "head of government")
        number = next(n for n, word in enumerate(words) if word in prompt.question)
        return gold[number] if prompt.documents else alone.get(f"q-{number + 1}", "no idea")

    run_suite(workspace, PromptedModel(reply).model, ["parametric", "retrieval-*"])
    exact, f1 = document_gain(read_scores(workspace / "eval" / "scores.parquet"))
    assert (exact.score, exact.n, exact.question_only, exact.with_passages) == (
        *("exact_match", 5),
        pytest.approx(1 / 5),
        pytest.approx(4 / 5),
    )
    assert exact.gain == pytest.approx(3 / 5)
    assert f1.question_only == pytest.approx((1 + 2 / 3) / 5)
    assert f1.gain == pytest.approx((2 + 1 / 3) / 5)
    assert exact.low <= exact.gain <= exact.high
    assert exact.model == "mockllm/scripted"  # the floors have the same in both, and none is shown


def test_only_questions_of_both_settings_count(workspace: Path) -> None:
    run_suite(workspace, "factchain/lexical", ["retrieval-gold"])
    assert document_gain(read_scores(workspace / "eval" / "scores.parquet")) == []
    run_suite(workspace, "factchain/lexical", ["parametric"], limit=2)
    exact, _ = document_gain(read_scores(workspace / "eval" / "scores.parquet"))
    assert (exact.n, exact.question_only, exact.with_passages, exact.gain) == (2, 0, 1, 1)
