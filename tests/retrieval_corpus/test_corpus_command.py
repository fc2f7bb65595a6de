"""`factchain corpus build`: a dataset folder from a store and questions, or one message."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner

from factchain.cli import main
from factchain.questions.records import Question
from factchain.records import write_records

BOTH = ("2021-06-21", "2024-06-05")
StoreMaker = Callable[..., duckdb.DuckDBPyConnection]
QuestionMaker = Callable[..., Question]


@pytest.fixture
def inputs(make_store: StoreMaker, make_question: QuestionMaker, tmp_path: Path) -> Path:
    """A store on disk, a question that the audit passes, and one that it does not."""
    store = make_store(
        {1: "Hamlet", 2: "Shakespeare", 3: "England", 4: "London"},
        {50: "author", 27: "citizenship", 36: "capital", 19: "place of birth"},
        [(1, 50, 2, BOTH), (2, 27, 3, BOTH), (2, 19, 4, BOTH), (3, 36, 4, BOTH)],
    )
    store.execute(f"ATTACH '{tmp_path / 'kg.duckdb'}' AS file")
    store.execute("COPY FROM DATABASE memory TO file")
    store.execute("DETACH file")
    apart = make_question("q-apart", ("Q1", "P50", "Q2"), ("Q2", "P27", "Q3"))
    shared = make_question("q-shared", ("Q2", "P27", "Q3"), ("Q2", "P19", "Q4"))
    write_records(tmp_path / "asked.jsonl", [apart, shared])
    return tmp_path


def build(inputs: Path, *more: object) -> Any:
    words = ["corpus", "build", "--kg", inputs / "kg.duckdb", "--questions", inputs / "asked.jsonl"]
    return CliRunner().invoke(main, [str(word) for word in (*words, *more)])


def test_a_folder_is_written_that_can_be_evaluated(inputs: Path) -> None:
    out = inputs / "out"
    shown = build(inputs, "--out", out, "--json", "--quiet")
    assert shown.exit_code == 0, shown.output
    summary = json.loads(shown.stdout)
    assert (summary["passages"], summary["questions"], summary["gold"]) == (3, 2, 3)
    assert (summary["distributed"], summary["without_shortcut"]) == (1, 1)
    assert (out / "questions.jsonl").read_bytes() == (inputs / "asked.jsonl").read_bytes()
    scored = CliRunner().invoke(main, ["corpus", "evaluate", str(out), "--k", "5"])
    assert scored.exit_code == 0, scored.output
    text = build(inputs, "--out", out, "--style", "sentences", "--incoming").output
    assert "Entities with passages" in text
    corpus = (out / "corpus/corpus.jsonl").read_text()
    assert "Hamlet was written by Shakespeare." in corpus


def test_strict_leaves_out_what_fails_the_audit(inputs: Path) -> None:
    out = inputs / "out"
    assert build(inputs, "--out", out, "--strict").exit_code == 0
    kept = (out / "questions.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in kept] == ["q-apart"]
    assert (out / "corpus/queries.jsonl").read_text().count("\n") == 1


def test_strict_does_not_overwrite_its_input(inputs: Path) -> None:
    (inputs / "asked.jsonl").rename(inputs / "questions.jsonl")
    (inputs / "asked.jsonl").symlink_to(inputs / "questions.jsonl")
    before = (inputs / "questions.jsonl").read_bytes()
    refused = build(inputs, "--out", inputs, "--strict")
    assert refused.exit_code == 1
    assert "--strict would leave out some of it: name another --out" in refused.stderr
    assert not (inputs / "corpus").exists()
    # Without it, the questions stay as they are.
    assert build(inputs, "--out", inputs).exit_code == 0
    assert (inputs / "questions.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--distractors", "2"), "the scope `all` leaves none"),
        (("--tokenizer", "/nowhere/tokenizer.json"), "no tokenizer could be loaded"),
    ],
)
def test_settings_that_do_not_fit_write_nothing(
    inputs: Path, more: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    refused = build(inputs, "--out", inputs / "out", *more)
    assert refused.exit_code == 1
    assert message in refused.stderr
    assert not (inputs / "out").exists()


def test_missing_evidence_writes_nothing(inputs: Path, make_question: QuestionMaker) -> None:
    write_records(inputs / "asked.jsonl", [make_question("q-lost", ("Q4", "P36", "Q1"))])
    refused = build(inputs, "--out", inputs / "out")
    assert refused.exit_code == 1
    assert "question q-lost: hop 1: no passage" in refused.stderr
    assert [f for f in (inputs / "out").rglob("*") if f.is_file()] == []
