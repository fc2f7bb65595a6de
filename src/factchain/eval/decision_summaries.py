"""Decisions in figures: accuracy, macro F1, and for each label recall, F1 and how often it was
chosen (SPEC.md 1.16, MINTQA's tables 2 to 4, 9 and 10).

A reply that could not be read is wrong and has a share of its own; it is never dropped.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from factchain.eval import decisions
from factchain.eval.columns import Columns, Rows
from factchain.eval.replies import UNPARSED
from factchain.eval.results import DecisionMeasure, DecisionSummary
from factchain.eval.scores import SETTING
from factchain.eval.statistics import Codes, Values, bootstrap, interval

Figure = dict[str, Any]
"""A measure, its label, and its mean with its interval."""


def summarise_decisions(scores: pa.Table) -> list[DecisionSummary]:
    """Every figure of every setting of the task `strategy`, sorted by setting: of all decisions,
    and of each axis where there are several."""
    columns = Columns(scores)
    found = []
    for setting, rows in columns.groups(SETTING, columns.where("task", "strategy")):
        made = rows[~np.isnan(columns.values("accuracy")[rows])]
        whose = {name: setting[name] for name in ("mode", "context", "model")}
        for axis, members in columns.by_axis(made):
            found += [
                DecisionSummary.model_validate(whose | {"axis": axis} | figure)
                for figure in _figures(columns, members)
            ]
    return found


def _figures(columns: Columns, rows: Rows) -> list[Figure]:
    golds, choices = (
        np.array(columns.words(name), object)[columns.codes(name)[rows]]
        for name in ("gold", "prediction")
    )
    chains = columns.codes("chain")[rows]
    pairs = list(zip(golds.tolist(), choices.tolist(), strict=True))
    labels = sorted(set(golds.tolist()))

    def share(
        measure: DecisionMeasure, label: str | None, values: Any, of: Codes
    ) -> dict[str, Any]:
        low, high = interval(values.astype(float), of)
        told = {"measure": measure, "label": label, "n": len(values)}
        return told | {"mean": float(values.mean()), "low": low, "high": high}

    def f1(
        measure: DecisionMeasure, label: str | None, of: list[str], value: float
    ) -> dict[str, Any]:
        low, high = bootstrap(_counts(golds, choices, of), chains, _mean_f1)
        told = {"measure": measure, "label": label, "n": len(pairs)}
        return told | {"mean": value, "low": low, "high": high}

    figures = [
        share("accuracy", None, golds == choices, chains),
        f1("macro_f1", None, labels, decisions.macro_f1(pairs)),
    ]
    for label in labels:
        wanted = golds == label
        figures.append(share("recall", label, choices[wanted] == label, chains[wanted]))
        alone = float(_mean_f1(_counts(golds, choices, [label]).sum(axis=0)[None])[0])
        figures.append(f1("f1", label, [label], alone))
    for label in sorted({*labels, *choices.tolist()} - {UNPARSED}):
        figures.append(share("chosen", label, choices == label, chains))
    figures.append(share("unparsed", None, choices == UNPARSED, chains))
    return figures


def _counts(golds: Any, choices: Any, labels: list[str]) -> Values:
    """For each decision and label: whether it was rightly chosen, chosen, and gold."""
    kinds = [(golds == one) & (choices == one) for one in labels]
    kinds += [choices == one for one in labels]
    kinds += [golds == one for one in labels]
    counts: Values = np.stack(kinds, axis=1).astype(float)
    return counts


def _mean_f1(sums: Values) -> Values:
    """The mean F1 of the labels, for every row of summed counts; a label without any is 0."""
    right, chosen, gold = np.split(sums, 3, axis=1)
    either = chosen + gold
    f1: Values = np.divide(2 * right, either, out=np.zeros_like(right), where=either > 0)
    means: Values = f1.mean(axis=1)
    return means
