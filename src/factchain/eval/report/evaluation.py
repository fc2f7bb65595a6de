"""The report on an evaluation: several models and settings side by side, in one HTML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from factchain import __version__
from factchain.eval.columns import Columns
from factchain.eval.dataset import QUESTIONS
from factchain.eval.dealing import deal
from factchain.eval.report.asked import who_was_asked
from factchain.eval.report.csv_tables import write_tables
from factchain.eval.report.distributions import questions_and_facts
from factchain.eval.report.page import render_page
from factchain.eval.report.pages import MOST_PAGES
from factchain.eval.report.parts import shown_questions, shown_results
from factchain.eval.report.runs import Runs, read_judged, read_runs, retrieval_scores
from factchain.eval.result_tables import results_of
from factchain.eval.results import FLOOR, Results
from factchain.files import sha256, write_text
from factchain.progress import say
from factchain.retrieval_corpus.metrics import GroupScore

MOST_ROWS = 5_000
"""Questions that the table shows; a page with more is slow to filter."""


def report_evaluation(
    folders: Sequence[Path], out: Path, *, csv: Path | None = None, most_pages: int = MOST_PAGES
) -> dict[str, Any]:
    """Write the report on evaluated workspaces of one dataset, and return what it is of.

    `csv` is a folder for the tables, `most_pages` how many questions have a page. Raises InputError
    for workspaces that are not comparable or lack scores, OutputError for a place that cannot be
    written.
    """
    runs = read_runs(folders)
    say(f"working out the tables of {len(runs.scores):,} scores")
    results = results_of(runs.scores, runs.questions, read_judged(runs.folders))
    retrieval = retrieval_scores(runs)
    written = write_tables(csv, results, retrieval, runs.questions) if csv else []
    write_text(out, render_evaluation(runs, results, retrieval, most_pages))
    asked = [setting for setting in runs.whose if not setting[3].startswith(FLOOR)]
    return {
        "report": str(out),
        "models": sorted({setting[3] for setting in asked}),
        "settings": len(asked),
        "questions": len(set(Columns(runs.scores).words("question"))),
        "scores": len(runs.scores),
        "tables": [str(path) for path in written],
    }


def render_evaluation(
    runs: Runs,
    results: Results,
    retrieval: Mapping[str, Sequence[GroupScore]],
    most_pages: int = MOST_PAGES,
) -> str:
    """The report as one HTML page. Raises InputError for a log that cannot be read."""
    ids = set(Columns(runs.scores).words("question"))
    dealt = deal((q for q in runs.questions if q.id in ids), max(most_pages, MOST_ROWS))
    return render_page(
        "evaluation.html.jinja",
        {
            "version": __version__,
            "checksum": sha256(runs.folders[0] / QUESTIONS)[:12],
            "all_questions": len(ids),
            "distributions": questions_and_facts([q for q in runs.questions if q.id in ids]),
            "asked": who_was_asked(runs, results, dealt[:most_pages]),
        }
        | shown_results(results, retrieval)
        | shown_questions(dealt[:MOST_ROWS]),
    )
