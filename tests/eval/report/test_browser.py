"""The report in a real browser, opened from disk."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from factchain.eval.report.asked import Asked
from factchain.eval.report.evaluation import report_evaluation
from factchain.eval.report.pages import packed, pages
from factchain.eval.report.records import ReportData
from factchain.eval.report.render import write_report
from factchain.eval.report.tables import Table
from factchain.eval.scores import write_scores
from factchain.questions.records import Question
from factchain.records import read_records, write_records
from score_rows import row, table

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH: apt-get install chromium"),
]


def visit(address: str, profile: Path) -> tuple[str, list[str]]:
    """The page's elements after its script has run, and what it wrote to the console."""
    run = subprocess.run(
        [
            str(CHROMIUM),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--user-data-dir={profile}",
            "--enable-logging=stderr",
            "--virtual-time-budget=5000",
            "--dump-dom",
            address,
        ],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    return run.stdout, [line for line in run.stderr.splitlines() if "CONSOLE" in line]


@pytest.fixture
def report(data: ReportData, tmp_path: Path) -> str:
    write_report(data, tmp_path / "report.html")
    return (tmp_path / "report.html").as_uri()


def shown(dom: str) -> list[str]:
    body = dom[dom.index('<table id="all">') :]
    rows = re.findall(r"<tr data-([^>]*)><td>(.*?)</td>", body)
    return [question for attributes, question in rows if "hidden" not in attributes]


@pytest.mark.parametrize(
    ("state", "questions"),
    [
        ("", ["a", "b", "c", "d", "f", "e"]),
        ("#scores", ["a", "b", "c", "d", "f", "e"]),
        ("#axis=recency&hops=2&sort=-question", ["d", "c"]),
        ("#axis=recency&sort=-hops", ["e", "f", "c", "d"]),
        ("#labels=old-new", ["c"]),
        ("#topology=bridge", ["e"]),
        ("#topology=chain&hops=2&axis=popularity", ["b"]),
        ("#text=QUESTION%20f%3F", ["f"]),
        ("#text=nowhere", []),
        ("#sort=question", ["a", "b", "c", "d", "e", "f"]),
        ("#sort=nothing&axis=popularity", ["a", "b"]),
    ],
)
def test_the_address_filters_and_sorts(
    report: str, tmp_path: Path, state: str, questions: list[str]
) -> None:
    dom, console = visit(report + state, tmp_path / "profile")
    assert console == []
    assert shown(dom) == [f"Question {key}?" for key in questions]
    said = re.search(r"<output[^>]*>(.*?)</output>", dom)
    assert said is not None
    count = f"{len(questions)} of 6 questions"
    assert said[1] == (count if questions else "No question matches: clear the filter")
    assert re.search(r'<form id="filter">', dom)


def test_the_sorted_column_is_announced(report: str, tmp_path: Path) -> None:
    dom, _ = visit(report + "#sort=-hops", tmp_path / "profile")
    (head,) = re.findall(r"<th[^>]* aria-sort[^>]*>", dom)
    assert 'data-key="hops"' in head
    assert 'aria-sort="descending"' in head


def test_an_error_in_a_script_would_be_seen(tmp_path: Path) -> None:
    (tmp_path / "bad.html").write_text("<script>nowhere()</script>")
    _, console = visit((tmp_path / "bad.html").as_uri(), tmp_path / "profile")
    assert len(console) == 1


def test_the_report_of_a_build_opens_the_pages_of_its_questions(
    data: ReportData, tmp_path: Path
) -> None:
    content = packed(pages(data.questions[4:5], table(), {}, {}, data.gold))
    overview = Table(("Setting",), (), frozenset())
    asked = Asked(overview, frozenset({"q-e"}), content, {})
    write_report(data, tmp_path / "report.html", asked)
    address = (tmp_path / "report.html").as_uri()
    dom, console = visit(f"{address}#question=q-e", tmp_path / "profile")
    assert console == []
    (page,) = re.findall(r"<dialog[^>]* open[^>]*>.*?</dialog>", dom, flags=re.DOTALL)
    assert "Question e?" in page
    assert 'role="img"' in page
    assert "No model was asked." in page


@pytest.fixture
def evaluation(write_workspace: Callable[[str], Path], tmp_path: Path) -> str:
    """A report on two models; one of the questions is in another split."""
    folder = write_workspace("evaluated")
    questions = list(read_records(folder / "questions.jsonl", Question))
    questions[0] = questions[0].model_copy(update={"split": "dev"})
    write_records(folder / "questions.jsonl", questions)
    rows = [
        row(f"q-{i}", float(model == "good"), model=model, prediction="<b>said</b>")
        for i in range(1, 6)
        for model in ("good", "bad")
    ]
    write_scores(folder / "eval" / "scores.parquet", table(*rows))
    report_evaluation([folder], tmp_path / "evaluation.html", most_pages=4)
    return (tmp_path / "evaluation.html").as_uri()


@pytest.mark.parametrize(
    ("state", "hops"),
    [("", [1, 2, 4, 1, 3]), ("#split=dev", [1]), ("#sort=-hops", [4, 3, 2, 1, 1])],
)
def test_the_questions_of_an_evaluation_filter_and_sort(
    evaluation: str, tmp_path: Path, state: str, hops: list[int]
) -> None:
    dom, console = visit(evaluation + state, tmp_path / "profile")
    assert console == []
    found = re.findall(r"<tr ([^>]*data-hops[^>]*)>", dom)
    assert [
        int(re.findall(r'data-hops="(\d)"', attributes)[0])
        for attributes in found
        if "hidden" not in attributes
    ] == hops


def test_a_question_s_page_opens_from_its_address(evaluation: str, tmp_path: Path) -> None:
    dom, console = visit(f"{evaluation}#question=q-2", tmp_path / "profile")
    assert console == []
    (page,) = re.findall(r"<dialog[^>]* open[^>]*>.*?</dialog>", dom, flags=re.DOTALL)
    assert "Where was the discoverer or inventor of Radium born?" in page
    assert "&lt;b&gt;said&lt;/b&gt;" in page
    assert page.count("✓ right") == page.count("✗ wrong") == 1
    assert 'role="img"' in page
    assert "<summary>Marie Curie (Q8)</summary>" in page


def test_a_page_that_is_not_there_opens_nothing(evaluation: str, tmp_path: Path) -> None:
    dom, console = visit(f"{evaluation}#question=nowhere", tmp_path / "profile")
    assert console == []
    assert re.search(r"<dialog[^>]* open", dom) is None
