"""The ratios of the task `unanswerable`: over all its questions and by the hops withheld.

Replies on which there is no readable verdict are left out of a ratio and counted beside it, as
UAEval4RAG does (SPEC.md 1.12). There, a reply that answers but follows the stated reason why the
question is unanswerable counts as a request for clarification; the questions here state no reason
(all are out of the knowledge base), so that unanswered, clarification and answered add up to 1.

`refusing` finds the settings of other tasks in which a model refuses.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from factchain.eval.columns import Columns, Rows
from factchain.eval.dataset_results import RefusalRatio
from factchain.eval.refusals import REFUSED, verdict
from factchain.eval.scores import REFUSAL_SCORES, SETTING
from factchain.eval.statistics import interval

_LOOKED_AT = 200
"""Answers of a setting, the first ones, in which `refusing` looks for refusals."""


def refusal_ratios(scores: pa.Table) -> list[RefusalRatio]:
    """The ratios of every setting, sorted; all questions first, then by the hops withheld."""
    columns = Columns(scores)
    asked = columns.where("task", "unanswerable")
    return [
        ratio
        for setting, rows in columns.groups(("mode", "context", "model"), asked)
        for withheld, members in [(None, rows), *_by_withheld(columns, rows)]
        for ratio in _ratios(columns, members, setting | {"withheld": withheld})
    ]


def _by_withheld(columns: Columns, rows: Rows) -> list[tuple[int, Rows]]:
    """The rows by how many hops were withheld; those that failed do not say it."""
    return [
        (group["withheld"], members)
        for group, members in columns.groups(("withheld",), rows)
        if group["withheld"] is not None
    ]


def _ratios(columns: Columns, rows: Rows, group: dict[str, object]) -> Iterator[RefusalRatio]:
    failed = int(np.isnan(columns.values("withheld")[rows]).sum())
    for name in REFUSAL_SCORES:
        column = columns.values(name)[rows]
        read = ~np.isnan(column)
        if not read.any():
            continue
        low, high = interval(column[read], columns.codes("chain")[rows][read])
        yield RefusalRatio.model_validate(
            group
            | {"ratio": name, "n": int(read.sum()), "failed": failed, "low": low, "high": high}
            | {"unread": int((~read).sum()) - failed, "mean": float(column[read].mean())}
        )


def refusing(scores: pa.Table) -> Iterator[str]:
    """The settings in which most answers to answerable questions are refusals, as told.

    By the detector of `refusals.py`, among the first answers of a setting.
    """
    columns = Columns(scores)
    rows = columns.where("hop", 0)
    for setting, members in columns.groups(SETTING, rows):
        if setting["task"] in ("strategy", "unanswerable"):
            continue
        said = scores["prediction"].take(pa.array(members)).drop_null().to_pylist()[:_LOOKED_AT]
        refused = sum(verdict(one) == REFUSED for one in said)
        if 2 * refused > len(said):
            yield (
                f"{setting['task']} ({setting['mode']}, {setting['context']}): {refused} of "
                f"{len(said)} answers refuse to answer, and count as wrong: read them with "
                "`inspect view`"
            )
