"""The report on an evaluation: several models and settings side by side, in one HTML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from factchain import __version__
from factchain.eval.columns import Columns
from factchain.eval.dataset import QUESTIONS
from factchain.eval.passages import FOLDER
from factchain.eval.report.csv_tables import write_tables
from factchain.eval.report.notes import read_notes
from factchain.eval.report.page import render_page
from factchain.eval.report.pages import MOST_PAGES, deal, packed, pages
from factchain.eval.report.panels import with_interval
from factchain.eval.report.runs import Runs, read_runs, retrieval_scores
from factchain.eval.report.score_figures import model_figures
from factchain.eval.report.sections import sections
from factchain.eval.report.tables import AXES, Table, pattern_order
from factchain.eval.result_tables import results_of
from factchain.eval.results import Results
from factchain.eval.scores import SETTING
from factchain.eval.setting_names import setting_name
from factchain.files import sha256, write_text
from factchain.progress import say
from factchain.questions.records import Question
from factchain.retrieval_corpus.formats import CORPUS, hop_qrels_file, read_corpus, read_hop_qrels
from factchain.retrieval_corpus.metrics import GroupScore
from factchain.retrieval_corpus.records import HopGold, Passage

MOST_ROWS = 5_000
"""Questions that the table shows; a page with more is slow to filter."""

_NOT_OF_QUESTIONS = ("strategy", "stepwise")


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
    results = results_of(runs.scores, runs.questions)
    retrieval = retrieval_scores(runs)
    written = write_tables(csv, results, retrieval, runs.questions) if csv else []
    write_text(out, render_evaluation(runs, results, retrieval, most_pages))
    return {
        "report": str(out),
        "models": sorted({setting[3] for setting in runs.whose}),
        "settings": len(runs.whose),
        "questions": len(runs.questions),
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
    asked = set(Columns(runs.scores).words("question"))
    dealt = deal((q for q in runs.questions if q.id in asked), max(most_pages, MOST_ROWS))
    paged = dealt[:most_pages]
    shown = sorted(
        dealt[:MOST_ROWS], key=lambda q: (AXES.index(q.axis), q.hops, pattern_order(q.labels), q.id)
    )
    notes = read_notes(runs.whose, {q.id for q in paged})
    passages, gold = _evidence(runs, paged)
    models = sorted({setting[3] for setting in runs.whose})
    return render_page(
        "evaluation.html.jinja",
        ("table.js", "pages.js"),
        {
            "version": __version__,
            "checksum": sha256(runs.folders[0] / QUESTIONS)[:12],
            "models": models,
            "overview": _overview(runs, results),
            "sections": sections(results, retrieval),
            "scores": [
                (model, model_figures([s for s in results.scores if s.model == model], f"all-{i}"))
                for i, model in enumerate(models)
            ],
            "all_questions": len(asked),
            "questions": shown,
            "paged": {q.id for q in paged},
            "pages": packed(pages(paged, runs.scores, notes, passages, gold)),
            "right": _right(runs.scores),
            "axes": [axis for axis in AXES if any(q.axis == axis for q in shown)],
            "hops": sorted({q.hops for q in shown}),
            "patterns": sorted({q.labels for q in shown if q.labels}, key=pattern_order),
        },
    )


def _overview(runs: Runs, results: Results) -> Table:
    """Accuracy by setting (rows) and model (columns), and what could not be asked."""
    overall = {
        (s.task, s.mode, s.context, s.model): s
        for s in results.scores
        if not s.by and s.score == "accuracy"
    }
    models = sorted({setting[3] for setting in runs.whose})
    columns = Columns(runs.scores)
    failed = np.array([word is not None for word in columns.words("error")], bool)
    lines = []
    for setting, rows in columns.groups(SETTING[:3]):
        task, mode, context = (setting[name] for name in SETTING[:3])
        cells = []
        for model in models:
            found = overall.get((task, mode, context, model))
            ran = (task, mode, context, model) in runs.whose
            cells.append(
                with_interval(found.mean, found.low, found.high)
                if found
                else ("no accuracy" if ran else "not run")
            )
        asked = f"{len(np.unique(columns.codes('question')[rows])):,}"
        errors = f"{int(failed[columns.codes('error')[rows]].sum()):,}"
        lines.append((setting_name(task, mode, context), task, asked, errors, *cells))
    head = ("Setting", "Task", "Questions", "Not asked", *models)
    return Table(head, tuple(lines), frozenset(head[2:]))


def _right(scores: pa.Table) -> dict[str, str]:
    """By question: how many settings answer the whole of it right, `3 of 12`."""
    columns = Columns(scores)
    whole = np.array([task not in _NOT_OF_QUESTIONS for task in columns.words("task")], bool)
    accuracy = columns.values("accuracy")
    rows = columns.rows[whole[columns.codes("task")] & ~np.isnan(accuracy)]
    return {
        group["question"]: f"{int((accuracy[of] == 1).sum())} of {len(of)}"
        for group, of in columns.groups(("question",), rows)
    }


def _evidence(
    runs: Runs, questions: Sequence[Question]
) -> tuple[dict[str, Passage], list[HopGold]]:
    """The passages of the first workspace that has a corpus, and the gold ones of each hop."""
    for folder in runs.folders:
        corpus = folder / FOLDER
        if (corpus / CORPUS).is_file():
            passages = read_corpus(corpus)
            splits = sorted({question.split for question in questions})
            return passages, [
                row
                for split in splits
                if hop_qrels_file(corpus, split).is_file()
                for row in read_hop_qrels(corpus, passages, split)
            ]
    return {}, []
