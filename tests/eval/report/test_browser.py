"""The report in a real browser, opened from disk."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from factchain.eval.report.records import ReportData
from factchain.eval.report.render import write_report

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
