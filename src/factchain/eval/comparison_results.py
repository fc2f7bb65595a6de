"""Two settings side by side, and a setting beside published figures: the rows of a report's tables.

Only records, so that a report can be drawn where the extra `eval` is not installed.
"""

from __future__ import annotations

from pydantic import Field

from factchain.records import Record

Setting = tuple[str, str, str, str]
"""Task, mode, context and model."""


class Comparison(Record):
    """Two settings on the same questions."""

    score: str
    """Name of the score."""
    first: Setting
    """Task, mode, context and model."""
    second: Setting
    """What it is compared with."""
    n: int = Field(ge=1)
    """Questions, or hops, that both have a score for."""
    difference: float
    """Mean of the first less mean of the second."""
    low: float
    """Lower end of its 95 % interval."""
    high: float
    """Upper end of its 95 % interval."""
    p: float
    """Of McNemar's test for accuracy, of the paired bootstrap for F1."""
    adjusted_p: float
    """The p-value after Holm's correction over all comparisons of this score."""


class CompatScore(Record):
    """The mean of one score as published code reckons it (`compat_scores.py`)."""

    task: str
    """Name of the task."""
    mode: str
    """How the task was done."""
    context: str
    """What stood before the question."""
    model: str
    """Inspect's name of the model."""
    score: str
    """Name of the score; it ends in `_compat`."""
    n: int = Field(ge=1)
    """Answers to whole questions."""
    cut: int = Field(ge=0)
    """Of them, those that are longer than `scores.parquet` keeps: their end is not seen."""
    mean: float = Field(ge=0, le=1)
    """The mean, as the published script prints it."""
