"""Who was asked what: the overview of settings, and every question's page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from factchain.eval.columns import Columns
from factchain.eval.passages import FOLDER
from factchain.eval.report.notes import read_notes
from factchain.eval.report.pages import packed, pages
from factchain.eval.report.panels import floors, with_interval
from factchain.eval.report.runs import Runs
from factchain.eval.report.tables import Table, percent
from factchain.eval.results import FLOOR, Results
from factchain.eval.scores import SETTING
from factchain.eval.setting_names import setting_name, setting_order
from factchain.questions.records import Question
from factchain.retrieval_corpus.formats import CORPUS, hop_qrels_file, read_corpus, read_hop_qrels
from factchain.retrieval_corpus.records import HopGold, Passage

_OTHER_SCORES = {"unanswerable": ": acceptable"}
"""What is shown of a task that has no accuracy."""

_NOT_OF_QUESTIONS = ("strategy", "stepwise")


@dataclass(frozen=True, slots=True)
class Asked:
    """The settings that were run, and the pages of questions."""

    overview: Table
    """Accuracy by setting (rows) and model (columns)."""
    paged: frozenset[str]
    """Ids of the questions that have a page."""
    pages: str
    """The pages, packed."""
    right: dict[str, str]
    """By question: how many settings answer the whole of it right, `3 of 12`."""


def who_was_asked(runs: Runs, results: Results, questions: Sequence[Question]) -> Asked:
    """The overview, and the pages of these questions. Raises InputError for a log that cannot be
    read."""
    ids = {question.id for question in questions}
    notes = read_notes(runs.whose, ids)
    passages, gold = _evidence(runs, questions)
    models = runs.scores.filter(pc.invert(pc.starts_with(runs.scores["model"], FLOOR)))
    return Asked(
        overview=_overview(runs, results),
        paged=frozenset(ids),
        pages=packed(pages(questions, models, notes, passages, gold)),
        right=_right(models),
    )


def _overview(runs: Runs, results: Results) -> Table:
    """Accuracy by setting (rows) and model (columns), and what could not be asked."""
    overall = {
        (s.task, s.mode, s.context, s.model): s
        for s in results.scores
        if not s.by and s.score == "accuracy"
    }
    models = sorted({setting[3] for setting in runs.whose if not setting[3].startswith(FLOOR)})
    floor = floors(overall.values(), lambda s: (s.task, s.mode, s.context), lambda s: s.mean)
    columns = Columns(runs.scores)
    failed = np.array([word is not None for word in columns.words("error")], bool)
    lines = []
    acceptable = {
        ("unanswerable", row.mode, row.context, row.model): row
        for row in results.refusals
        if row.withheld is None and row.ratio == "acceptable"
    }
    for setting, rows in sorted(columns.groups(SETTING[:3]), key=_overview_order):
        task, mode, context = (setting[name] for name in SETTING[:3])
        cells = []
        for model in models:
            whose = (task, mode, context, model)
            if found := overall.get(whose):
                cells.append(with_interval(found.mean, found.low, found.high))
            elif refused := acceptable.get(whose):
                cells.append(with_interval(refused.mean, refused.low, refused.high))
            else:
                cells.append("no accuracy" if whose in runs.whose else "not run")
        asked = f"{len(np.unique(columns.codes('question')[rows])):,}"
        errors = f"{int(failed[columns.codes('error')[rows]].sum()):,}"
        lowest = floor.get((task, mode, context))
        cells += [] if not floor else [percent(lowest) if lowest is not None else ""]
        named = setting_name(task, mode, context) + _OTHER_SCORES.get(task, "")
        lines.append((named, task, asked, errors, *cells))
    head = ("Setting", "Task", "Questions", "Not asked", *models, *(("Floor",) if floor else ()))
    return Table(head, tuple(lines), frozenset(head[2:]))


def _overview_order(group: tuple[dict[str, str], object]) -> tuple[object, ...]:
    setting, _ = group
    return setting_order((setting["task"], setting["mode"], setting["context"]))


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
