"""How questions were taken apart: accuracy, sub-questions, retrievals, and how many sub-questions
a model asks for how many hops (MINTQA's tables 5, 6 and 11, figures 12 and 14)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from factchain.eval.columns import Columns, Rows
from factchain.eval.results import DecompositionSummary, SubQuestionCount
from factchain.eval.scores import SETTING
from factchain.eval.statistics import bootstrap, interval
from factchain.eval.steps import MOST_STEPS


def summarise_decompositions(scores: pa.Table) -> list[DecompositionSummary]:
    """Every figure of every setting that counts sub-questions: over all questions, by axis where
    there are several, and by hops."""
    columns = Columns(scores)
    found = []
    for setting, rows in _settings(columns):
        groups: list[tuple[dict[str, Any], Rows]] = [
            *(({"axis": axis, "hops": None}, members) for axis, members in columns.by_axis(rows)),
            *columns.groups(("hops",), rows),
        ]
        for group, members in groups:
            found += [
                DecompositionSummary.model_validate(setting | group | figure)
                for figure in _figures(columns, members)
            ]
    return found


def count_sub_questions(scores: pa.Table) -> list[SubQuestionCount]:
    """The confusion of hops and sub-questions of every setting where the model asks its own; all
    numbers from 0 to the most that it may ask."""
    columns = Columns(scores)
    found = []
    for setting, rows in _settings(columns):
        if setting.pop("mode") != "generated":
            continue
        for group, members in columns.groups(("hops",), rows):
            asked = columns.values("sub_questions")[members].astype(int)
            for number, questions in enumerate(np.bincount(asked, minlength=MOST_STEPS + 1)):
                found.append(
                    SubQuestionCount(
                        **setting,
                        hops=group["hops"],
                        generated=number,
                        questions=int(questions),
                        share=float(questions / len(asked)),
                    )
                )
    return found


def _settings(columns: Columns) -> list[tuple[dict[str, Any], Rows]]:
    counted = columns.rows[~np.isnan(columns.values("sub_questions"))]
    return columns.groups(SETTING, counted)


def _figures(columns: Columns, rows: Rows) -> list[dict[str, Any]]:
    chains = columns.codes("chain")[rows]
    each = np.ones(len(rows))
    asked = columns.values("sub_questions")[rows]
    retrieved = columns.values("retrievals")[rows]
    ratios = {
        "accuracy": (columns.values("accuracy")[rows], each),
        "sub_questions": (asked, each),
        "retrievals": (retrieved, each),
        "retrieval_rate": (retrieved, asked),
    }
    figures = []
    for measure, (above, below) in ratios.items():
        if not below.sum():  # no sub-question was asked: there is no rate
            continue
        counts = np.stack([above, below], axis=1)
        low, high = (
            interval(above, chains)  # the same as wherever else this accuracy is shown
            if measure == "accuracy"
            else bootstrap(counts, chains, lambda sums: sums[:, 0] / np.maximum(sums[:, 1], 1))
        )
        told = {"measure": measure, "n": len(rows), "mean": float(above.sum() / below.sum())}
        figures.append(told | {"low": low, "high": high})
    return figures
