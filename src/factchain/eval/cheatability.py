"""Of what a model scores with all gold passages, how much it scores without joining them.

CRUMQs' ratio (SPEC.md 1.11): the mean score of the probe by the mean score of the original, with
the conditional scores of `probes.py`, so that it is 1 at most.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from factchain.eval.results import Cheatability
from factchain.eval.scores import where

PROBED = {"answer": ("f1", "probe_f1"), "support": ("support_f1", "probe_support_f1")}
"""What is predicted, with the columns of its score and of the probe's."""


def cheatability(scores: pa.Table) -> list[Cheatability]:
    """The ratios of every model that was probed, sorted."""
    probed = where(scores, {"task": "probe"})
    probed = probed.filter(pc.is_valid(probed["probe_f1"]))
    found = []
    for model in sorted(pc.unique(probed["model"]).to_pylist()):
        table = where(probed, {"model": model})
        for predicted, columns in PROBED.items():
            original, probe = (pc.mean(table[name]).as_py() for name in columns)
            found.append(
                Cheatability(
                    model=model,
                    predicted=predicted,
                    n=len(table),
                    original=original,
                    probe=probe,
                    ratio=probe / original if original else None,
                )
            )
    return found
