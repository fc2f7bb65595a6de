"""The suite end to end: models of known behaviour, runs that were stopped, mistakes."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import read_eval_log
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, ModelUsage, get_model

from factchain.errors import ConfigError, InputError, MissingExtraError
from factchain.eval import baseline, prompts, suite
from factchain.eval.scores import FLOOR, read_headers, read_scores
from factchain.eval.suite import run_suite
from factchain.eval.tasks import make_tasks
from factchain.questions.records import Question
from factchain.records import write_records

LEXICAL = baseline.LEXICAL
ANSWERED = ["parametric", "retrieval-*"]
Row = dict[str, Any]


class Scripted:
    """A model that answers by a function of the question, and keeps what it was asked."""

    def __init__(self, answer: Callable[[str], str]) -> None:
        self.answer = answer
        self.asked: Counter[str] = Counter()

    @property
    def model(self) -> Model:
        def reply(input: list[ChatMessage], *_: object) -> ModelOutput:
            question = prompts.read(input[-1].text).question
            self.asked[question] += 1
            output = ModelOutput.from_content("scripted", self.answer(question))
            output.usage = ModelUsage()  # mockllm would fetch a tokenizer to count tokens
            return output

        return get_model("mockllm/scripted", custom_outputs=reply)


def rows(workspace: Path) -> list[Row]:
    table: list[Row] = read_scores(workspace / "eval" / "scores.parquet").to_pylist()
    return [row for row in table if not row["model"].startswith(FLOOR)]


def test_the_lexical_baseline(workspace: Path) -> None:
    result = run_suite(workspace, LEXICAL, ANSWERED)
    assert (result["model"], result["answers"], result["failed"]) == (LEXICAL, 15, 0)
    predictions = {(row["context"], row["question"]): row["prediction"] for row in rows(workspace)}
    assert predictions == {
        **{("none", f"q-{i}"): baseline.NO_PASSAGES for i in range(1, 6)},
        ("bm25", "q-1"): "Marie Curie",
        ("bm25", "q-2"): baseline.NOT_FOUND,
        ("bm25", "q-3"): "United Kingdom",
        ("bm25", "q-4"): "London",
        ("bm25", "q-5"): "Rishi Sunak",
        ("gold", "q-1"): "Marie Curie",
        ("gold", "q-2"): "Warsaw",
        ("gold", "q-3"): "United Kingdom",
        ("gold", "q-4"): "London",
        ("gold", "q-5"): "Rishi Sunak",
    }
    accuracy = {
        (score["task"], score["context"]): score["mean"]
        for score in result["scores"]
        if score["score"] == "accuracy"
    }
    assert accuracy == {
        ("parametric", "none"): 0,
        ("retrieval", "bm25"): 0.8,
        ("retrieval", "gold"): 1,
    }


def test_a_second_run_asks_nothing_and_changes_nothing(workspace: Path) -> None:
    run_suite(workspace, LEXICAL, ["retrieval-gold"])
    files = {path: path.read_bytes() for path in workspace.rglob("*.eval")}
    scores = (workspace / "eval" / "scores.parquet").read_bytes()
    run_suite(workspace, LEXICAL, ["retrieval-gold"])
    assert {path: path.read_bytes() for path in workspace.rglob("*.eval")} == files
    assert (workspace / "eval" / "scores.parquet").read_bytes() == scores


def test_equal_datasets_give_equal_bytes(write_workspace: Callable[[str], Path]) -> None:
    one, other = write_workspace("one"), write_workspace("other")
    for folder in (one, other):
        run_suite(folder, LEXICAL, ["parametric", "retrieval-bm25"])
    assert (one / "eval/scores.parquet").read_bytes() == (
        other / "eval/scores.parquet"
    ).read_bytes()


def test_nothing_is_printed_and_nothing_lies_outside(
    workspace: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    run_suite(workspace, LEXICAL, ["parametric"], limit=1)
    assert capfd.readouterr() == ("", "")
    assert not list(home.rglob("*"))
    assert "XDG_DATA_HOME" not in os.environ
    assert logging.root.manager.disable == logging.NOTSET
    assert {path.name for path in workspace.iterdir()} == {"questions.jsonl", "corpus", "eval"}


@pytest.mark.parametrize(
    ("answer", "accuracy", "exact_match"),
    [("It is Marie Curie, or Warsaw.", [1, 1, 0, 0, 0], 0), ("warsaw", [0, 1, 0, 0, 0], 1)],
)
def test_a_model_of_one_answer(
    workspace: Path, answer: str, accuracy: list[float], exact_match: float
) -> None:
    run_suite(workspace, Scripted(lambda question: answer).model, ["parametric"])
    table = rows(workspace)
    assert [row["accuracy"] for row in table] == accuracy
    assert table[1]["exact_match"] == exact_match
    assert {row["model"] for row in table} == {"mockllm/scripted"}


def test_a_model_that_knows_everything(workspace: Path, questions: list[Question]) -> None:
    known = {question.question: question.answer.label for question in questions}
    scripted = Scripted(known.__getitem__)
    result = run_suite(workspace, scripted.model, ANSWERED)
    assert {score["mean"] for score in result["scores"]} == {1}
    assert set(scripted.asked.values()) == {3}


def test_a_question_that_failed_has_no_score_and_is_asked_again(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(question: str) -> str:
        if "discovered" in question:
            raise RuntimeError("no connection")
        return "Warsaw"

    broken = Scripted(refuse)
    result = run_suite(workspace, broken.model, ["parametric"])
    assert (result["answers"], result["failed"]) == (4, 1)
    assert "1 of 5 questions could not be asked" in capsys.readouterr().err
    failed, *others = rows(workspace)
    assert "no connection" in failed["error"]
    assert failed["prediction"] is failed["accuracy"] is failed["f1"] is None
    assert [row["accuracy"] for row in others] == [1, 0, 0, 0]
    mean = next(score for score in result["scores"] if score["score"] == "accuracy")["mean"]
    assert mean == 1 / 4

    mended = Scripted(lambda question: "Marie Curie")
    assert run_suite(workspace, mended.model, ["parametric"])["failed"] == 0
    assert mended.asked == {"Who discovered or invented Radium?": 1}
    assert [row["accuracy"] for row in rows(workspace)] == [1, 1, 0, 0, 0]


def test_a_model_that_never_answers_is_an_error(workspace: Path) -> None:
    def refuse(question: str) -> str:
        raise RuntimeError("invalid key")

    with pytest.raises(ConfigError, match=r"mockllm/scripted: no question could be asked.*invalid"):
        run_suite(workspace, Scripted(refuse).model, ["parametric"])
    assert not (workspace / "eval" / "scores.parquet").exists()


KILLED = """
import os, sys
from pathlib import Path
from inspect_ai.model import GenerateConfig, ModelOutput, ModelUsage, get_model
from factchain.eval.suite import run_suite

calls = 0
def reply(*_):
    global calls
    calls += 1
    if calls == 14:
        os._exit(9)
    output = ModelOutput.from_content("scripted", "Warsaw")
    output.usage = ModelUsage()
    return output

config = GenerateConfig(max_connections=1)
model = get_model("mockllm/scripted", config=config, custom_outputs=reply)
run_suite(Path(sys.argv[1]), model, ["parametric"])
"""


def test_a_killed_run_goes_on(workspace: Path, questions: list[Question]) -> None:
    many = [
        question.model_copy(update={"id": f"{question.id}-{n}", "question": f"{n}?"})
        for n, question in enumerate(questions * 3, start=1)
    ]
    write_records(workspace / "questions.jsonl", many)
    done = subprocess.run([sys.executable, "-c", KILLED, str(workspace)], check=False, timeout=60)
    assert done.returncode == 9
    assert not (workspace / "eval" / "scores.parquet").exists()
    scripted = Scripted(lambda question: "Warsaw")
    assert run_suite(workspace, scripted.model, ["parametric"])["answers"] == 15
    assert len(scripted.asked) == 5
    assert len(rows(workspace)) == 15


def test_an_interrupted_run_keeps_what_was_answered(workspace: Path) -> None:
    def stop(question: str) -> str:
        if question.startswith("What is the capital"):  # the last one
            raise KeyboardInterrupt
        return "Warsaw"

    model = Scripted(stop).model
    model.config = GenerateConfig(max_connections=1)
    with pytest.raises(KeyboardInterrupt):
        run_suite(workspace, model, ["parametric"])
    scripted = Scripted(lambda question: "Warsaw")
    run_suite(workspace, scripted.model, ["parametric"])
    assert len(rows(workspace)) == 5
    assert sum(scripted.asked.values()) == 1


def test_models_stand_side_by_side_until_the_dataset_changes(
    workspace: Path, questions: list[Question]
) -> None:
    run_suite(workspace, LEXICAL, ["parametric"])
    scripted = Scripted(lambda question: "Warsaw")
    result = run_suite(workspace, scripted.model, ["parametric"])
    assert result["answers"] == 5
    assert Counter(row["model"] for row in rows(workspace)) == {LEXICAL: 5, "mockllm/scripted": 5}
    write_records(workspace / "questions.jsonl", questions[:2])
    run_suite(workspace, LEXICAL, ["parametric"])
    assert [(row["model"], row["question"]) for row in rows(workspace)] == [
        (LEXICAL, "q-1"),
        (LEXICAL, "q-2"),
    ]


def test_a_limit_asks_questions_of_all_kinds_but_where_all_are_wanted(workspace: Path) -> None:
    scripted = Scripted(lambda question: "Warsaw")
    run_suite(workspace, scripted.model, ANSWERED, limit=2, in_full=["*-gold"])
    asked = Counter((row["context"], row["question"]) for row in rows(workspace))
    assert set(asked.values()) == {1}
    assert sorted(asked) == [
        *(("bm25", one) for one in ("q-1", "q-5")),
        *(("gold", f"q-{i}") for i in range(1, 6)),
        *(("none", one) for one in ("q-1", "q-5")),
    ]


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_what_a_limited_run_answered_is_not_asked_again(workspace: Path, workers: int) -> None:
    """Neither in a full run, nor in one with another number of workers."""
    run_suite(workspace, LEXICAL, ["parametric"], limit=2, workers=workers)
    first = {path: sample_times(path) for path in workspace.rglob("*.eval")}
    run_suite(workspace, LEXICAL, ["parametric"], workers=3 - workers)
    assert len(rows(workspace)) == 5
    (log,) = workspace.rglob("*.eval")
    times = sample_times(log)
    assert len(times) == 5
    assert all(one.items() <= times.items() for one in first.values())
    run_suite(workspace, LEXICAL, ["parametric"], limit=3, workers=workers)
    assert {path: sample_times(path) for path in workspace.rglob("*.eval")} == {log: times}


def sample_times(log: Path) -> dict[str, str | None]:
    """When each of a log's questions was answered."""
    samples = read_eval_log(str(log)).samples or []
    return {str(sample.id): sample.completed_at for sample in samples}


def test_the_log_has_means_standard_errors_and_groups(workspace: Path, tmp_path: Path) -> None:
    out = tmp_path / "elsewhere"
    run_suite(workspace, LEXICAL, ["retrieval-bm25"], out)
    (header,) = read_headers(out / "logs")
    assert header.results is not None
    (scores,) = header.results.scores
    means = {name: metric.value for name, metric in scores.metrics.items()}
    assert means["accuracy"] == pytest.approx(0.8)
    assert means["accuracy_stderr"] == pytest.approx(0.2)  # sqrt(0.2 / 5), n - 1 in the variance
    assert means["f1(hops=2)"] == 0
    assert means["exact_match(axis=recency)"] == 1
    sample = (read_eval_log(header.location).samples or [])[0]
    assert sample.store["passages"][0] == "Q7"
    assert sample.messages[0].text.count("<document>") == len(sample.store["passages"])


def test_mistakes_are_told(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="task 'quiz': there is only parametric, param"):
        run_suite(workspace, LEXICAL, ["quiz"])
    with pytest.raises(ConfigError, match="model nosuch/model: Model API nosuch"):
        run_suite(workspace, "nosuch/model")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match=r"model openai/gpt-4o-mini: .*OPENAI_API_KEY"):
        run_suite(workspace, "openai/gpt-4o-mini")
    with pytest.raises(ConfigError, match="factchain/oracle: no such model is built in"):
        run_suite(workspace, "factchain/oracle")
    broken = workspace / "eval" / "logs" / "2024-01-01T00-00-00_parametric_x.eval"
    broken.parent.mkdir(parents=True)
    broken.write_text("no log")
    with pytest.raises(InputError, match=r"_parametric_x\.eval: is no readable log"):
        run_suite(workspace, LEXICAL)


def test_without_the_extra_it_says_which(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert suite.is_installed()
    monkeypatch.setattr(suite, "find_spec", lambda name: None)
    assert not suite.is_installed()
    with pytest.raises(MissingExtraError, match=r"factchain\[eval\]"):
        run_suite(workspace, LEXICAL)


@pytest.mark.slow
def test_inspect_finds_tasks_and_model(workspace: Path, tmp_path: Path) -> None:
    inspect = Path(sys.executable).with_name("inspect")
    command = [inspect, "eval", "factchain/retrieval", "--model", LEXICAL]
    options = ["-T", f"dataset={workspace}", "-T", "context=gold", "--display", "plain"]
    environment = os.environ | {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}
    done = subprocess.run(
        [*command, *options, "--log-dir", str(tmp_path / "logs")],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=environment,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (header,) = read_headers(tmp_path / "logs")
    assert header.status == "success"
    assert header.results is not None
    assert header.results.scores[0].metrics["accuracy"].value == 1


@pytest.mark.slow
def test_several_processes_give_the_same_scores(write_workspace: Callable[[str], Path]) -> None:
    one, other = write_workspace("one"), write_workspace("other")
    run_suite(one, LEXICAL, ANSWERED)
    run_suite(other, LEXICAL, ANSWERED, workers=2)
    scores = "eval/scores.parquet"
    assert (one / scores).read_bytes() == (other / scores).read_bytes()
    before = {path: path.read_bytes() for path in other.rglob("*.eval")}
    assert len(before) == 3
    run_suite(other, LEXICAL, ANSWERED, workers=2)
    assert {path: path.read_bytes() for path in other.rglob("*.eval")} == before


def test_every_task_is_a_setting_of_its_own(workspace: Path) -> None:
    tasks, not_run = make_tasks(workspace, None, ["bm25", "rank-bm25"])
    settings = [
        (task.name, (task.metadata or {})["mode"], (task.metadata or {})["context"])
        for task in tasks.values()
    ]
    assert len(set(settings)) == len(settings) == 22
    assert {name for name, _, _ in settings} == {
        f"factchain/{name}"
        for name in (
            *("parametric", "strategy", "retrieval", "sub_questions", "decomposition"),
            *("dynamic_retrieval", "stepwise", "probe"),
        )
    }
    options = ["parametric-options", "parametric-options-think", "stepwise-options"]
    unanswerable = [name for name in not_run if name.startswith("unanswerable")]
    assert list(not_run) == [*options, *unanswerable]
    assert len(unanswerable) == 6
    for names, command in ((options, "options"), (unanswerable, "unanswerable")):
        assert all(f"factchain questions {command}" in not_run[name] for name in names)
    with pytest.raises(InputError, match="no question has options"):
        make_tasks(workspace, ["stepwise-options"], ["bm25"])
    with pytest.raises(ConfigError, match="context 'bm26': there is gold, and bm25"):
        make_tasks(workspace, None, ["bm26"])
