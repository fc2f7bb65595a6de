"""The report on an evaluation: one dataset, several workspaces, models side by side."""

from __future__ import annotations

import base64
import csv
import gzip
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner

from factchain.cli import main
from factchain.errors import InputError
from factchain.eval.judge import Judgement, judgements_file
from factchain.eval.judge_prompts import DIMENSIONS
from factchain.eval.report.evaluation import report_evaluation
from factchain.eval.scores import write_scores
from factchain.eval.suite import run_suite
from factchain.questions.records import Question
from factchain.records import read_records, write_records
from prompted_model import PromptedModel
from score_rows import row, table

Writer = Callable[[str], Path]
HOSTILE = "</template></script><script>alert(1)</script><img src=x onerror=alert(2)>"


def scored(folder: Path, *rows: dict[str, Any]) -> Path:
    write_scores(folder / "eval" / "scores.parquet", table(*rows))
    return folder


def pages_of(html: str) -> dict[str, Any]:
    (packed,) = re.findall(r'<template id="pages">([^<]*)</template>', html)
    pages: dict[str, Any] = orjson.loads(gzip.decompress(base64.b64decode(packed)))
    return pages


def table_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def written(folders: list[Path], out: Path, **settings: Any) -> str:
    report_evaluation(folders, out, **settings)
    return out.read_text(encoding="utf-8")


def test_two_models_of_two_workspaces_stand_side_by_side(
    write_workspace: Writer, tmp_path: Path
) -> None:
    one = scored(write_workspace("one"), *(row(f"q-{i}", 1.0, model="good") for i in range(1, 6)))
    two = scored(write_workspace("two"), *(row(f"q-{i}", 0.0, model="bad") for i in range(1, 6)))
    html = written([one, two], tmp_path / "report.html", csv=tmp_path / "csv")
    assert re.search(r"<h1>2 models on 5 multi-hop questions</h1>", html)
    assert re.search(r'<th scope="col" class="n">bad</th>\s*<th scope="col" class="n">good', html)
    pages = pages_of(html)
    assert [model for model, _ in pages["settings"]] == ["bad", "good"]
    assert [asked[4] for asked in pages["questions"]["q-1"]["asked"]] == [False, True]
    rows = table_of(tmp_path / "csv" / "comparisons.csv")
    assert [(r["first_model"], r["second_model"], r["difference"]) for r in rows] == [
        ("bad", "good", "-1.0"),
        ("bad", "good", "-1.0"),
    ]
    shown = table_of(tmp_path / "csv" / "questions.csv")
    assert [r["id"] for r in shown] == [f"q-{i}" for i in range(1, 6)]


def test_the_first_workspace_with_a_setting_gives_it(
    write_workspace: Writer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = scored(write_workspace("one"), row("q-1", 1.0))
    two = scored(write_workspace("two"), row("q-1", 0.0), row("q-1", 0.0, model="other"))
    pages = pages_of(written([one, two], tmp_path / "report.html"))
    assert [asked[4] for asked in pages["questions"]["q-1"]["asked"]] == [True, False]
    assert f"parametric, open, none, m: left out: {one} has it, too" in capsys.readouterr().err


def test_the_same_scores_make_the_same_report(write_workspace: Writer, tmp_path: Path) -> None:
    folder = scored(write_workspace("one"), row("q-1", 1.0), row("q-2", None))
    assert written([folder], tmp_path / "a.html") == written([folder], tmp_path / "b.html")


def test_runs_on_other_questions_are_refused(write_workspace: Writer, tmp_path: Path) -> None:
    one = scored(write_workspace("one"), row("q-1", 1.0))
    two = scored(write_workspace("two"), row("q-1", 1.0, model="other"))
    questions = list(read_records(two / "questions.jsonl", Question))
    write_records(two / "questions.jsonl", questions[:3])
    with pytest.raises(InputError, match="not comparable") as caught:
        report_evaluation([one, two], tmp_path / "report.html")
    assert str(one) in str(caught.value)
    assert str(two) in str(caught.value)
    assert "questions.jsonl" in str(caught.value)
    assert not (tmp_path / "report.html").exists()


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        ("questions.jsonl", "name a folder that"),
        ("eval/scores.parquet", "run `factchain eval run"),
    ],
)
def test_what_is_missing_is_named(
    write_workspace: Writer, tmp_path: Path, missing: str, message: str
) -> None:
    folder = scored(write_workspace("one"), row("q-1", 1.0))
    (folder / missing).unlink()
    result = CliRunner().invoke(
        main, ["eval", "report", str(folder), "--out", str(tmp_path / "report.html")]
    )
    assert result.exit_code == 1
    assert missing in result.stderr
    assert message in result.stderr


def test_scores_of_other_questions_are_refused(write_workspace: Writer, tmp_path: Path) -> None:
    folder = scored(write_workspace("one"), row("q-99", 1.0))
    with pytest.raises(InputError, match="the dataset was made anew"):
        report_evaluation([folder], tmp_path / "report.html")


def test_hostile_replies_and_models_stay_text(write_workspace: Writer, tmp_path: Path) -> None:
    folder = scored(
        write_workspace("one"),
        row("q-1", 1.0, model=HOSTILE, prediction=HOSTILE),
        row("q-2", 0.0, model="=1+1", task=HOSTILE),
    )
    html = written([folder], tmp_path / "report.html", csv=tmp_path / "csv")
    assert "<script>alert" not in html
    assert "<img" not in html
    assert html.count("<script") == 1
    assert pages_of(html)["questions"]["q-1"]["asked"][0][2] == HOSTILE
    cells = [r["model"] for r in table_of(tmp_path / "csv" / "scores.csv")]
    assert set(cells) == {HOSTILE, "'=1+1"}


def test_pages_have_steps_and_passages_from_the_logs(
    write_workspace: Writer, tmp_path: Path
) -> None:
    def reply(prompt: Any) -> str:
        if prompt.kind == "next":
            return "finish" if prompt.steps else "Next Subquestion: Who wrote Hamlet?"
        return "William Shakespeare"

    folder = write_workspace("one")
    run_suite(folder, PromptedModel(reply).model, ["retrieval-bm25", "decomposition-bm25"], limit=2)
    html = written([folder], tmp_path / "report.html")
    pages = pages_of(html)
    names = [tuple(one) for one in pages["settings"]]
    own = str(names.index(("mockllm/scripted", "Own sub-questions, BM25, top 5")))
    page = pages["questions"]["q-1"]
    (step,) = page["notes"][own]["steps"]
    assert (step["question"], step["answer"]) == ("Who wrote Hamlet?", "William Shakespeare")
    assert step["retrieved"]
    assert set(step["passages"]) <= pages["passages"].keys()
    searched = str(names.index(("mockllm/scripted", "BM25, top 5")))
    assert "Q7" in page["notes"][searched]["passages"]
    assert page["hops"][0]["gold"] == ["Q7"]
    assert "Reasoning graph: chain, 1 hop" in page["graph"]


def test_a_setting_of_unanswerable_questions_shows_what_is_acceptable(
    write_workspace: Writer, tmp_path: Path
) -> None:
    unanswerable = {"task": "unanswerable", "mode": "detector"}
    refused = {"acceptable": 1.0, "unanswered": 1.0, "withheld": 1, "error": None}
    folder = scored(
        write_workspace("one"),
        row("q-1", 1.0),
        row("q-2", None, **unanswerable | refused),
        row("q-3", 1.0, model="floor/random"),
    )
    html = written([folder], tmp_path / "report.html", csv=tmp_path / "csv")
    assert "<td>Unanswerable questions: acceptable</td>" in html
    assert '<td class="n">100.0 (20.7–100.0)</td>' in html
    assert '<section id="unanswerable"' in html
    assert re.search(r"<h1>1 model on 3 multi-hop questions</h1>", html)
    assert re.search(r'<th scope="col" class="n">m</th>\s*<th scope="col" class="n">Floor', html)
    assert pages_of(html)["settings"] == [["m", "No passages"], ["m", "Unanswerable questions"]]
    assert pages_of(html)["questions"]["q-2"]["asked"][0][4] is True
    (acceptable,) = [
        r
        for r in table_of(tmp_path / "csv" / "refusals.csv")
        if (r["ratio"], r["withheld"]) == ("acceptable", "")
    ]
    assert (acceptable["mean"], acceptable["n"]) == ("1.0", "1")
    assert {r["score"] for r in table_of(tmp_path / "csv" / "compat.csv")} >= {"f1_omanic_compat"}
    assert table_of(tmp_path / "csv" / "properties.csv")[0].keys() == {"Property", "Id", "Facts"}


def test_judgements_are_shown_and_broken_ones_left_out(
    write_workspace: Writer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = scored(write_workspace("one"), row("q-1", 1.0))
    (question, *_) = read_records(folder / "questions.jsonl", Question)
    judged = [
        Judgement(
            **{"question": question.id, "text": question.question, "judge": "j", "prompts": "1"},
            **{"repeat": repeat, "multi_hop": True, "attempts": 1, "problem": None},
            grades=dict.fromkeys(DIMENSIONS, 4),
        )
        for repeat in range(2)
    ]
    write_records(judgements_file(folder, "j"), judged)
    html = written([folder], tmp_path / "report.html")
    assert '<section id="quality"' in html
    assert "Fluency, j: 4.00 (" in html or "bars from 4.00 to 4.00" in html
    write_records(judgements_file(folder, "j"), [judged[0].model_copy(update={"text": "other"})])
    assert '<section id="quality"' not in written([folder], tmp_path / "report.html")
    assert "judgements are not in the report" in capsys.readouterr().err


def test_the_cap_on_pages_is_said(write_workspace: Writer, tmp_path: Path) -> None:
    folder = scored(write_workspace("one"), *(row(f"q-{i}", 1.0) for i in range(1, 6)))
    html = written([folder], tmp_path / "report.html", most_pages=2)
    assert len(pages_of(html)["questions"]) == 2
    assert html.count('href="#question=') == 2
    assert "2 of them have a page" in html


def test_without_a_corpus_there_is_a_report(write_workspace: Writer, tmp_path: Path) -> None:
    folder = scored(write_workspace("one"), row("q-1", 1.0))
    shutil.rmtree(folder / "corpus")
    assert pages_of(written([folder], tmp_path / "report.html"))["passages"] == {}


def test_json_says_what_was_written(write_workspace: Writer, tmp_path: Path) -> None:
    folder = scored(write_workspace("one"), row("q-1", 1.0), row("q-2", 0.5))
    out = tmp_path / "report.html"
    result = CliRunner().invoke(main, ["eval", "report", str(folder), "--out", str(out), "--json"])
    assert result.exit_code == 0, result.output
    told = orjson.loads(result.stdout)
    assert (told["models"], told["settings"], told["scores"]) == (["m"], 1, 2)
    assert Path(told["report"]) == out
