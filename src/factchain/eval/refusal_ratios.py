"""The ratios of the task `unanswerable`: over all its questions and by the hops withheld.

Replies on which there is no readable verdict are left out of a ratio and counted beside it, as
UAEval4RAG does (SPEC.md 1.12). There, a reply that answers but follows the stated reason why the
question is unanswerable counts as a request for clarification; the questions here state no reason
(all are out of the knowledge base), so that unanswered, clarification and answered add up to 1.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from pydantic import Field

from factchain.eval.columns import Columns, Rows
from factchain.eval.scores import REFUSAL_SCORES
from factchain.eval.statistics import interval
from factchain.records import Record


class RefusalRatio(Record):
    """One ratio of one setting, with its 95 % interval."""

    mode: str
    """Whose verdict it is: `detector` or `judge`."""
    context: str
    """What stood before the question: `none`, or the name of a retriever."""
    model: str
    """Inspect's name of the model."""
    withheld: int | None
    """Hops withheld, 0 for questions about nobody in the graph; none where all count."""
    ratio: str
    """`acceptable`, `unanswered`, `clarification`, `answered`, or `full_answer`: the withheld
    answer was given."""
    n: int = Field(ge=1)
    """Replies that count."""
    unread: int = Field(ge=0)
    """Replies without a readable verdict; for `full_answer`, questions that have none."""
    failed: int = Field(ge=0)
    """Questions that could not be asked."""
    mean: float = Field(ge=0, le=1)
    """The ratio."""
    low: float = Field(ge=0, le=1)
    """Lower end of the interval."""
    high: float = Field(ge=0, le=1)
    """Upper end of the interval."""


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
