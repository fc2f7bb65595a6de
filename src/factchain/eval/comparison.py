"""Do two settings differ? Paired tests over the questions that both answered.

Models are compared within a setting, and settings within a model: McNemar's test for accuracy, a
paired bootstrap of chains for F1, with Holm's correction over all comparisons of a score.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations

import numpy as np
import pyarrow as pa

from factchain.eval.columns import Columns, Rows
from factchain.eval.comparison_results import Comparison, Setting
from factchain.eval.results import FLOOR
from factchain.eval.scores import SETTING
from factchain.eval.statistics import Codes, Values, holm, mcnemar, paired_bootstrap

TESTED = ("accuracy", "f1")
"""Scores that are tested: one of 0 and 1, and one in between."""


def compare(scores: pa.Table) -> list[Comparison]:
    """Every pair of settings that differs in the model alone, or in everything but the model.

    Decisions and hop-by-hop tasks are compared with their like only, and floors with nothing: they
    would cost the others power. Sorted by score and setting.
    """
    columns = Columns(scores)
    answered: dict[Setting, Rows] = {
        (group["task"], group["mode"], group["context"], group["model"]): rows[
            ~np.isnan(columns.values("accuracy")[rows])
        ]
        for group, rows in columns.groups(SETTING)
        if not group["model"].startswith(FLOOR)
    }
    pairs = [pair for pair in combinations(answered, 2) if _comparable(*pair)]
    return [one for score in TESTED for one in _compared(score, pairs, answered, columns)]


def _comparable(first: Setting, second: Setting) -> bool:
    (*one, model), (*other, other_model) = first, second
    if model != other_model:
        return one == other
    if "strategy" in (one[0], other[0]):  # other choices, other labels
        return False
    return (one[0] == "stepwise") == (other[0] == "stepwise")


def _compared(
    score: str,
    pairs: Iterable[tuple[Setting, Setting]],
    answered: Mapping[Setting, Rows],
    columns: Columns,
) -> list[Comparison]:
    values, chains = columns.values(score), columns.codes("chain")
    keys = columns.codes("question") * len(columns.words("hop")) + columns.codes("hop")
    scored = {setting: rows[~np.isnan(values[rows])] for setting, rows in answered.items()}
    found: list[Comparison] = []
    for first, second in pairs:
        one, other = scored[first], scored[second]
        _, at, also = np.intersect1d(
            keys[one], keys[other], assume_unique=True, return_indices=True
        )
        if len(at):
            both = (values[one[at]], values[other[also]])
            found.append(_tested(score, first, second, both, chains[one[at]]))
    adjusted = holm([one.p for one in found])
    return [
        one.model_copy(update={"adjusted_p": p}) for one, p in zip(found, adjusted, strict=True)
    ]


def _tested(
    score: str, first: Setting, second: Setting, values: tuple[Values, Values], chains: Codes
) -> Comparison:
    one, other = values
    low, high, p = paired_bootstrap(one, other, chains)
    if np.isin(one, (0, 1)).all() and np.isin(other, (0, 1)).all() and score == "accuracy":
        p = mcnemar(one, other)
    return Comparison(
        score=score,
        first=first,
        second=second,
        n=len(one),
        difference=float((one - other).mean()),
        low=low,
        high=high,
        p=p,
        adjusted_p=p,
    )
