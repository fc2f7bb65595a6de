"""Which hops a model answers right by itself, from the scores of an earlier run."""

from __future__ import annotations

from pathlib import Path

import pyarrow.compute as pc

from factchain.errors import InputError
from factchain.eval.scores import FLOOR, read_scores, where

KnownHops = dict[tuple[str, int], bool]
"""By question id and hop, whether the answer was right."""


def read_known(path: Path) -> KnownHops:
    """The hops of a table of scores, from the task `stepwise` without passages.

    Raises InputError where the table has no such answers, or those of several models.
    """
    table = where(read_scores(path), {"task": "stepwise", "context": "none"})
    table = table.filter(pc.starts_with(table["mode"], "gold-open"))
    table = table.filter(pc.invert(pc.starts_with(table["model"], FLOOR)))
    models = pc.unique(table["model"]).to_pylist()
    if len(models) != 1:
        raise InputError(
            f"{path}: has the stepwise answers of {len(models)} models where one is needed: run "
            "the task stepwise with the model first, into a folder of its own"
        )
    rows = zip(*(table[name].to_pylist() for name in ("question", "hop", "accuracy")), strict=True)
    return {(question, hop): accuracy == 1 for question, hop, accuracy in rows}
