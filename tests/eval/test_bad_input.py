"""What a dataset lacks, what a model does wrong, what is of another version: each is one message
that says what to do; nothing is scored as zero for want of data."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from inspect_ai.model import (
    ChatMessage,
    Model,
    ModelOutput,
    ModelUsage,
    StopReason,
    get_model,
)

import score_rows
from factchain.chains.records import TypedValue
from factchain.cli import main
from factchain.errors import InputError
from factchain.eval import prompts, refusals, replies
from factchain.eval.passages import searcher
from factchain.eval.refusal_ratios import refusing
from factchain.eval.scores import FLOOR, read_scores
from factchain.eval.suite import run_suite
from factchain.manifest import Manifest
from factchain.questions.records import Answer, Question
from factchain.questions.typed_answers import score_any
from factchain.records import write_records
from factchain.retrieval_corpus.records import Passage
from factchain.retrieval_corpus.retrievers.bm25 import BM25Retriever

LEXICAL = "factchain/lexical"


def call(*arguments: object) -> Result:
    """A command line; a traceback, which is what another exception is, fails the test."""
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def run(workspace: Path, *more: object) -> Result:
    Manifest(workspace, seed=0, settings={}).write()  # the command takes finished workspaces only
    return call("eval", "run", workspace, "--model", LEXICAL, "--workers", 1, *more)


def rows(workspace: Path) -> list[dict[str, Any]]:
    table: list[dict[str, Any]] = read_scores(workspace / "eval" / "scores.parquet").to_pylist()
    return [row for row in table if not row["model"].startswith(FLOOR)]


def without_labels(workspace: Path, questions: list[Question]) -> None:
    """The questions of a dataset without an axis."""

    def plain(question: Question) -> Question:
        subs = (sub.model_copy(update={"label": None}) for sub in question.sub_questions)
        update = {"axis": "none", "labels": (), "sub_questions": tuple(subs)}
        return question.model_copy(update=update)

    write_records(workspace / "questions.jsonl", map(plain, questions))


def without_corpus(workspace: Path, questions: list[Question]) -> None:
    (workspace / "corpus" / "corpus.jsonl").unlink()


def without_sub_questions(workspace: Path, questions: list[Question]) -> None:
    plain = (q.model_copy(update={"sub_questions": ()}) for q in questions)
    write_records(workspace / "questions.jsonl", plain)


def as_it_is(workspace: Path, questions: list[Question]) -> None:
    """It has no options, and every question has an answer."""


LACKS: list[tuple[Callable[[Path, list[Question]], None], str, str]] = [
    (
        as_it_is,
        "parametric-options,parametric-options-think,stepwise-options",
        "questions.jsonl: no question has options: make them with `factchain questions options`",
    ),
    (
        as_it_is,
        "unanswerable,unanswerable-bm25",
        "has no unanswerable question: make some with `factchain questions unanswerable`",
    ),
    (
        without_labels,
        "strategy-sub-question",
        "labels of its hops (chains of the axis popularity or recency)",
    ),
    (
        without_corpus,
        "retrieval-bm25,retrieval-gold,decomposition-bm25,dynamic-retrieval-bm25,stepwise-gold",
        "corpus.jsonl: is missing, and this task reads it: write it with `factchain build`",
    ),
    (
        without_sub_questions,
        "sub-questions-given,decomposition-given-gold,stepwise,stepwise-own,stepwise-options",
        "no question has sub-questions: run a task that takes the model's own",
    ),
]


@pytest.mark.parametrize(("spoil", "tasks", "reason"), LACKS)
def test_a_dataset_without_what_a_task_needs(
    workspace: Path,
    questions: list[Question],
    spoil: Callable[[Path, list[Question]], None],
    tasks: str,
    reason: str,
) -> None:
    spoil(workspace, questions)
    for task in tasks.split(","):
        done = run(workspace, "--tasks", task)
        assert (done.exit_code, done.stdout) == (1, "")
        assert reason in done.stderr
    # Met by a pattern, they are listed as not run with the reason, and have no row.
    patterns = ["parametric", *(f"{task[:-1]}?" for task in tasks.split(","))]
    done = run(workspace, "--tasks", ",".join(patterns), "--limit", "1", "--json")
    assert done.exit_code == 0
    not_run = json.loads(done.stdout)["not_run"]
    assert not_run.keys() == set(tasks.split(","))
    for task, told in not_run.items():
        assert reason in told
        assert f"{task}: not run: {told}" in done.stderr
    assert {row["task"] for row in rows(workspace)} == {"parametric"}


def test_a_file_of_another_version(workspace: Path) -> None:
    path = workspace / "questions.jsonl"
    lines = path.read_text().splitlines()
    older = json.loads(lines[1]) | {"schema": 1}
    del older["provenance"]  # an older layout differs in more than its number
    path.write_text("\n".join([lines[0], json.dumps(older), *lines[2:], ""]))
    done = run(workspace)
    assert (done.exit_code, done.stdout) == (1, "")
    assert (
        "questions.jsonl:2: schema: the layout is of version 1, and this factchain reads version "
        "3: the file was written by another version of factchain: write it anew with this one"
    ) in done.stderr
    assert not (workspace / "eval").exists()


def test_scores_of_another_version(workspace: Path, tmp_path: Path) -> None:
    assert run(workspace, "--tasks", "parametric", "--limit", "1").exit_code == 0
    path = workspace / "eval" / "scores.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["probe_joint_f1"]), path)
    done = call("eval", "report", workspace, "--out", tmp_path / "report.html")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "another version of factchain wrote it: run `factchain eval run` again" in done.stderr
    assert not (tmp_path / "report.html").exists()
    assert run(workspace, "--tasks", "parametric", "--limit", "1").exit_code == 0
    assert len(rows(workspace)) == 1


def change_log(workspace: Path, change: Callable[[str, dict[str, Any]], None]) -> Path:
    """Change the members of the one log by their names."""
    (path,) = (workspace / "eval" / "logs").rglob("*.eval")
    with zipfile.ZipFile(path) as log:
        members = {name: log.read(name) for name in log.namelist()}
    with zipfile.ZipFile(path, "w") as log:
        for name, content in members.items():
            said = json.loads(content)
            for one in said if isinstance(said, list) else [said]:
                change(name, one)
            log.writestr(name, json.dumps(said))
    return path


def test_a_log_of_a_newer_inspect(workspace: Path) -> None:
    assert run(workspace, "--tasks", "parametric").exit_code == 0
    before = (workspace / "eval" / "scores.parquet").read_bytes()

    def newer(name: str, said: dict[str, Any]) -> None:
        if "version" in said:
            said["version"] = 99

    path = change_log(workspace, newer)
    done = run(workspace, "--tasks", "parametric")
    assert (done.exit_code, done.stdout) == (1, "")
    assert f"{path}: is a log of version 99, and the Inspect that is installed reads" in (
        done.stderr
    )
    assert "install a newer inspect_ai, or move it away" in done.stderr
    assert (workspace / "eval" / "scores.parquet").read_bytes() == before
    path.unlink()
    assert run(workspace, "--tasks", "parametric").exit_code == 0


def test_a_log_of_another_factchain(workspace: Path) -> None:
    """Its samples do not say the kinds of hops."""
    assert run(workspace, "--tasks", "parametric").exit_code == 0

    def older(name: str, said: dict[str, Any]) -> None:
        said.get("metadata", {}).pop("kinds", None)

    path = change_log(workspace, older)
    done = run(workspace, "--tasks", "parametric")
    assert (done.exit_code, done.stdout) == (1, "")
    assert f"{path}: was written by another version of factchain ('kinds')" in done.stderr
    assert "move it away, so that its questions are asked again" in done.stderr


def test_logs_of_other_prompts_or_questions_are_left_out(
    workspace: Path, questions: list[Question], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "left out" not in run(workspace, "--tasks", "parametric").stderr
    monkeypatch.setattr(prompts, "VERSION", "0")
    done = run(workspace, "--tasks", "parametric")
    assert "1 of 2 logs are left out: they are of other questions, passages or pr" in done.stderr
    assert len(rows(workspace)) == len(questions)
    write_records(workspace / "questions.jsonl", questions[:3])
    done = run(workspace, "--tasks", "parametric")
    assert "2 of 3 logs are left out" in done.stderr
    assert len(rows(workspace)) == 3


def test_runs_on_other_questions_are_not_compared(
    write_workspace: Callable[[str], Path], questions: list[Question], tmp_path: Path
) -> None:
    one, other = write_workspace("one"), write_workspace("other")
    write_records(other / "questions.jsonl", questions[:3])
    for folder in (one, other):
        assert run(folder, "--tasks", "parametric", "--limit", "1").exit_code == 0
    done = call("eval", "report", one, other, "--out", tmp_path / "report.html")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "two runs that are not comparable: questions.jsonl differs (SHA-256 " in done.stderr
    assert "evaluate both models on one dataset" in done.stderr
    assert not (tmp_path / "report.html").exists()


def test_an_index_of_another_corpus_is_not_used(
    passages: dict[str, Passage], tmp_path: Path
) -> None:
    index = tmp_path / "index"
    assert searcher(BM25Retriever(), passages.values(), 1, index)("Radium") == ("Q7",)
    fewer = [passage for key, passage in passages.items() if key != "Q7"]
    with pytest.raises(InputError, match="of another corpus"):
        BM25Retriever().load(index, fewer)
    # The suite makes its own anew.
    assert "Q7" not in searcher(BM25Retriever(), fewer, 9, index)("Radium Curie")
    assert searcher(BM25Retriever(), fewer, 1, index)("Curie") == ("Q8",)


def saying(text: str | None, stopped: StopReason = "stop") -> Model:
    """A model that says the same to everything; nothing at all without a text."""

    def generate(_: list[ChatMessage], *__: object) -> ModelOutput:
        output = ModelOutput(model="scripted")
        if text is not None:
            output = ModelOutput.from_content("scripted", text, stop_reason=stopped)
        output.usage = ModelUsage()
        return output

    return get_model("mockllm/scripted", custom_outputs=generate)


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (saying(None), "said nothing: read them with `inspect view`"),
        (saying(""), "said nothing: read them with `inspect view`"),
        (saying(" \n"), "said nothing: read them with `inspect view`"),
        (saying("<think>Warsaw? No. Marie Curie"), "said nothing: read them"),
        (saying("", "max_tokens"), "did not stop before the limit of tokens"),
        (saying("Well, well, ", "max_tokens"), "did not stop before the limit of tokens"),
        (saying("Well, well, ", "model_length"), "did not stop before the limit of tokens"),
        (saying("I cannot.", "content_filter"), "were held back by a filter of the provider's"),
    ],
)
def test_a_model_that_says_nothing_or_never_stops(
    workspace: Path, model: Model, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    result = run_suite(workspace, model, ["parametric", "strategy-question"])
    assert f"10 of 10 replies {told}" in capsys.readouterr().err
    # They were asked, and count as wrong: what was said stands in the table.
    assert (result["answers"], result["failed"], result["not_run"]) == (10, 0, {})
    assert {row["accuracy"] for row in rows(workspace)} == {0}
    decided = [row["prediction"] for row in rows(workspace) if row["task"] == "strategy"]
    assert decided == ["unparsed"] * 5


def test_replies_are_told_of_once(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_suite(workspace, saying("Warsaw"), ["parametric"])["answers"] == 5
    assert capsys.readouterr().err == ""
    run_suite(workspace, saying(""), ["parametric", "retrieval-gold"])
    assert "5 of 5 replies said nothing" in capsys.readouterr().err  # the others were kept


def test_a_model_that_refuses(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = run_suite(workspace, saying("I'm sorry, I can't help with that."), ["parametric"])
    assert result["failed"] == 0
    assert (
        "parametric (open, none): 5 of 5 answers refuse to answer, and count as wrong"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(("refused", "others", "told"), [(1, 1, 0), (2, 1, 1), (0, 1, 0)])
def test_some_refusals_are_answers(refused: int, others: int, told: int) -> None:
    """Only where most answers refuse is something wrong."""
    said = ["I do not know."] * refused + ["Paris"] * others
    answers = [score_rows.row(str(n), 0, prediction=one) for n, one in enumerate(said)]
    decided = score_rows.row("q", 0, task="strategy", prediction="unknown")
    failed = score_rows.row("r", None)
    assert len(list(refusing(score_rows.table(*answers, decided, failed)))) == told


ENDLESS = [
    *("The answer is not (known, 1968 or 35 km. ", "I do not know. ", "<think>", "A ", "12 "),
    *("{", '{"a": ', "The answer is:\n", "no, but ", "one hundred ", "[(**", "\\boxed{"),
]


@pytest.mark.parametrize("unit", ENDLESS)
def test_a_reply_without_end_is_read(unit: str) -> None:
    """A parser that went over it again and again would take minutes."""
    text = unit * (200_000 // len(unit))
    number = TypedValue(datatype="quantity", value="35", label="35")
    date = TypedValue(datatype="time", value="1968-03-12", label="1968", precision=11)
    golds = [
        Answer(label="Warsaw", kind="text"),
        Answer(label="35", kind="number", value=number),
        Answer(label="12 March 1968", kind="date", value=date),
    ]
    assert score_any(text, golds)["exact_match"] == 0
    assert replies.choice(text, {"A": "answer", "B": "retrieve"}) in ("answer", replies.UNPARSED)
    assert replies.option(text, "ABCD") in ("A", replies.UNPARSED)
    assert replies.supported(text).documents == ()
    assert isinstance(replies.confident(text).certain, bool)
    assert replies.final_answer(text) or unit in ("The answer is:\n", "<think>")
    assert replies.sub_question(text) != ""
    assert refusals.verdict(text) in ("answered", "refused", "unparsed")


def test_a_model_that_never_stops(workspace: Path) -> None:
    model = saying("Well, 1968 or 35 km of it, and then " * 500, "max_tokens")
    tasks = ["parametric", "strategy-question", "sub-questions-generated", "stepwise", "probe"]
    assert run_suite(workspace, model, tasks, limit=1)["failed"] == 0
    assert {row["accuracy"] for row in rows(workspace)} == {0}
    assert max(len(row["prediction"]) for row in rows(workspace)) <= 1024


def test_a_task_of_which_every_question_fails_is_not_run(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def generate(input: list[ChatMessage], *_: object) -> ModelOutput:
        if "documents" in input[-1].text:
            raise RuntimeError("the prompt is too long")
        output = ModelOutput.from_content("scripted", "Warsaw")
        output.usage = ModelUsage()
        return output

    model = get_model("mockllm/scripted", custom_outputs=generate)
    result = run_suite(workspace, model, ["parametric", "retrieval-*"])
    assert (result["answers"], result["failed"]) == (5, 10)
    assert result["not_run"].keys() == {"retrieval-bm25", "retrieval-gold"}
    for reason in result["not_run"].values():
        assert reason.startswith("no question could be asked, the first because of: ")
        assert "the prompt is too long" in reason
    assert {one["task"] for one in result["scores"]} == {"parametric"}
    assert "10 of 15 questions could not be asked, the first because of: " in (
        capsys.readouterr().err
    )
