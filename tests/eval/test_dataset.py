"""A workspace as samples, and what happens when it lacks something."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from factchain.errors import ConfigError, InputError
from factchain.eval import prompts
from factchain.eval.dataset import as_dataset, chain_key, read_questions, rests_on, version_of
from factchain.eval.parametric import parametric
from factchain.eval.passages import Gold
from factchain.eval.retrieval_qa import retrieval
from factchain.questions.records import Answer, Question
from factchain.records import write_records
from factchain.retrieval_corpus.records import HopGold


def test_a_sample_is_a_question(workspace: Path) -> None:
    samples = list(as_dataset(read_questions(workspace)))
    assert [sample.id for sample in samples] == ["q-1", "q-5", "q-2", "q-3", "q-4"]
    first, second = samples[0], samples[2]
    assert first.input == "Who discovered or invented Radium?"
    assert first.target == ["Marie Curie", "Madame Curie", "Maria Sklodowska-Curie"]
    metadata = dict(second.metadata or {})
    (line,) = metadata.pop("question")
    assert Question.model_validate_json(line).sub_questions[1].answer.label == "Warsaw"
    assert metadata.pop("chain") == chain_key(record := read_questions(workspace)[1])
    assert chain_key(record.model_copy(update={"id": "q", "axis": "recency"})) == chain_key(record)
    assert len({chain_key(question) for question in read_questions(workspace)}) == 5
    assert metadata == {
        "axis": "popularity",
        "topology": "chain",
        "kinds": "lookup",
        "hops": 2,
        "labels": "popular-unpopular",
    }


def test_questions_that_cannot_be_scored_are_left_out(
    tmp_path: Path, questions: list[Question], caplog: pytest.LogCaptureFixture
) -> None:
    nameless = questions[0].model_copy(
        update={"answer": questions[0].answer.model_copy(update={"label": " "})}
    )
    insufficient = Answer(label="Insufficient information", kind="insufficient")
    unanswerable = questions[1].model_copy(update={"answerable": False, "answer": insufficient})
    write_records(tmp_path / "questions.jsonl", [nameless, unanswerable, questions[2]])
    with caplog.at_level(logging.WARNING):
        assert [question.id for question in read_questions(tmp_path)] == ["q-3"]
    assert "questions.jsonl:1: left out: the gold answer is empty" in caplog.text
    write_records(tmp_path / "questions.jsonl", [unanswerable])
    with pytest.raises(InputError, match=r"questions\.jsonl: has no answerable question"):
        read_questions(tmp_path)


def test_two_questions_of_one_id_are_refused(tmp_path: Path, questions: list[Question]) -> None:
    write_records(tmp_path / "questions.jsonl", [questions[0], questions[0]])
    with pytest.raises(InputError, match=r"questions\.jsonl:2: id: 'q-1' stands on an earlier"):
        parametric(str(tmp_path))


def test_what_a_task_lacks_is_named(workspace: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere: no such folder"):
        parametric(str(tmp_path / "nowhere"))
    (workspace / "corpus" / "hop_qrels" / "test.tsv").unlink()
    with pytest.raises(InputError, match=r"hop_qrels/test\.tsv: is missing"):
        retrieval(str(workspace), "gold")
    retrieval(str(workspace), "bm25")
    (workspace / "corpus" / "corpus.jsonl").unlink()
    with pytest.raises(InputError, match=r"corpus\.jsonl: is missing"):
        retrieval(str(workspace), "bm25")
    parametric(str(workspace))
    (workspace / "questions.jsonl").unlink()
    with pytest.raises(InputError, match=r"questions\.jsonl: is missing"):
        parametric(str(workspace))


def test_an_unknown_context_is_refused(workspace: Path) -> None:
    with pytest.raises(ConfigError, match="context 'dense': there is gold, and bm25, rank-bm25"):
        retrieval(str(workspace), "dense")


def test_a_version_changes_with_the_files_and_the_prompts(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def version() -> str:
        return version_of(rests_on(workspace, ["questions.jsonl"]))

    before = version()
    assert version() == before == parametric(str(workspace)).version
    lines = (workspace / "questions.jsonl").read_text().splitlines()
    record = json.loads(lines[0]) | {"question": "Who found Radium?"}
    (workspace / "questions.jsonl").write_text("\n".join([json.dumps(record), *lines[1:], ""]))
    changed = version()
    assert changed != before
    monkeypatch.setattr(prompts, "VERSION", "0")
    assert version() not in (before, changed)


def test_gold_passages_come_in_the_order_of_the_hops(
    questions: list[Question], hop_gold: list[HopGold]
) -> None:
    gold = Gold(questions, [*reversed(hop_gold), *hop_gold])
    by_id = {question.id: question for question in questions}
    assert gold.of_question(by_id["q-4"]) == ("Q1", "Q2", "Q3", "Q4")
    assert gold.of_question(by_id["q-5"]) == ("Q4@2024-06-05",)
    assert set(gold.of_hop(by_id["q-4"], 3, "")) == {"Q3"}


def test_a_hop_without_gold_is_named(questions: list[Question], hop_gold: list[HopGold]) -> None:
    rows = [row for row in hop_gold if (row.question, row.hop) != ("q-3", 2)]
    with pytest.raises(InputError, match="question q-3: hop 2 has no gold passage"):
        Gold(questions, rows)


def test_workspaces_of_equal_files_have_equal_versions(
    write_workspace: Callable[[str], Path],
) -> None:
    one, other = write_workspace("one"), write_workspace("other")
    assert retrieval(str(one), "gold").version == retrieval(str(other), "gold").version
    assert retrieval(str(one), "gold").version != retrieval(str(one), "bm25").version
