"""What the gold passages give beyond the question alone: HopWeaver's Q-Only and Q+Docs.

A good question is answered with its passages and not without them (SPEC.md 3.6). Both settings are
taken from the same questions: `parametric` without, `retrieval` with the gold passages, which
are shown whole. The published script for bridge questions cuts them to 1,000 characters and prints
0 for both scores; here is what the paper describes.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from factchain.eval.columns import Columns, Rows
from factchain.eval.dataset_results import DocumentGain
from factchain.eval.scores import FLOOR
from factchain.eval.statistics import interval, paired_bootstrap

COMPARED = ("exact_match", "f1")
"""The scores that are compared."""

_ALONE = {"task": "parametric", "mode": "open", "context": "none"}
_WITH_PASSAGES = {"task": "retrieval", "mode": "open", "context": "gold"}


def document_gain(scores: pa.Table) -> list[DocumentGain]:
    """The gains of every model that was run in both settings, sorted."""
    columns = Columns(scores)
    alone, with_passages = (_by_model(columns, one) for one in (_ALONE, _WITH_PASSAGES))
    return [
        gain
        for model in sorted(set(alone) & set(with_passages))
        for score in COMPARED
        if (gain := _gain(columns, model, score, alone[model], with_passages[model]))
    ]


def _by_model(columns: Columns, setting: dict[str, str]) -> dict[str, Rows]:
    rows = columns.rows
    for name, value in setting.items():
        rows = columns.where(name, value, rows)
    groups = columns.groups(("model",), rows)
    return {of["model"]: members for of, members in groups if not of["model"].startswith(FLOOR)}


def _gain(
    columns: Columns, model: str, score: str, alone: Rows, with_passages: Rows
) -> DocumentGain | None:
    """The gain over the questions that have the score in both; none where there are none."""
    codes, values = columns.codes("question"), columns.values(score)
    alone, with_passages = (rows[~np.isnan(values[rows])] for rows in (alone, with_passages))
    both, first, second = np.intersect1d(codes[alone], codes[with_passages], return_indices=True)
    if not len(both):
        return None
    before, after = values[alone[first]], values[with_passages[second]]
    chains = columns.codes("chain")[alone[first]]
    low, high, p = paired_bootstrap(after, before, chains)
    ends = {"question_only": interval(before, chains), "with_passages": interval(after, chains)}
    return DocumentGain(
        model=model,
        score=score,
        n=len(both),
        question_only=float(before.mean()),
        question_only_low=ends["question_only"][0],
        question_only_high=ends["question_only"][1],
        with_passages=float(after.mean()),
        with_passages_low=ends["with_passages"][0],
        with_passages_high=ends["with_passages"][1],
        gain=float((after - before).mean()),
        low=low,
        high=high,
        p=p,
    )
