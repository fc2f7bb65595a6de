"""Of what a model scores with all gold passages, how much it scores without joining them.

CRUMQs' ratio (SPEC.md 1.11): the mean score of the probe by the mean score of the original, with
the conditional scores of `probes.py`, so that it is 1 at most.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
import pyarrow as pa

from factchain.errors import ConfigError
from factchain.eval.columns import Columns, Rows
from factchain.eval.results import Cheatability
from factchain.eval.statistics import Values, bootstrap

PROBED: dict[Literal["answer", "support", "joint"], str] = {
    "answer": "f1",
    "support": "support_f1",
    "joint": "joint_f1",
}
"""What is predicted, with the column of its score; the probe's has `probe_` before it."""


def cheatability(scores: pa.Table) -> list[Cheatability]:
    """The ratios of every model that was probed, sorted."""
    columns = Columns(scores)
    rows = columns.where("task", "probe")
    rows = rows[~np.isnan(columns.values("probe_joint_f1")[rows])]
    return [
        ratio
        for group, members in columns.groups(("model",), rows)
        for ratio in _ratios(columns, members, group["model"])
    ]


def reduction(new: Cheatability, old: Cheatability) -> float | None:
    """By how much one dataset is less cheatable than another: 1 less the ratio of their ratios.

    None where a ratio is undefined or the old one is 0. Raises ConfigError for two models, two
    things that are predicted, or answers that were chosen in two ways.
    """
    if (new.model, new.predicted, new.preferred) != (old.model, old.predicted, old.preferred):
        raise ConfigError(
            f"cheatability of {new.model} ({new.predicted}, {new.preferred}) and of {old.model} "
            f"({old.predicted}, {old.preferred}): are not comparable: take the same model and "
            "prediction on both datasets"
        )
    return 1 - new.ratio / old.ratio if new.ratio is not None and old.ratio else None


def _ratios(columns: Columns, rows: Rows, model: str) -> Iterator[Cheatability]:
    chosen = columns.values("probe_by_confidence")[rows]
    by_confidence: Literal["confidence", "upper bound"] = (
        "confidence" if (chosen == 1).all() else "upper bound"
    )
    chains = columns.codes("chain")[rows]
    for predicted, name in PROBED.items():
        both = np.stack([columns.values(f"probe_{name}")[rows], columns.values(name)[rows]], axis=1)
        probe, original = both.mean(axis=0)
        low, high = bootstrap(both, chains, _quotient) if original else (None, None)
        yield Cheatability(
            model=model,
            predicted=predicted,
            preferred=None if predicted == "support" else by_confidence,
            n=len(rows),
            original=float(original),
            probe=float(probe),
            ratio=float(probe / original) if original else None,
            low=low,
            high=high,
        )


def _quotient(sums: Values) -> Values:
    """Probe by original, NaN where the resample has nothing right."""
    probe, original = sums.T
    found: Values = np.divide(probe, original, out=np.full(len(sums), np.nan), where=original > 0)
    return found
