"""What is found out about a dataset: the rows of a report's tables on unanswerable questions, on
what the gold passages give, and on what judges say.

Only records, so that a report can be drawn where the extra `eval` is not installed.
"""

from __future__ import annotations

from pydantic import Field

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


class DocumentGain(Record):
    """One score of one model with and without the gold passages."""

    model: str
    """Inspect's name of the model."""
    score: str
    """`exact_match` or `f1`."""
    n: int = Field(ge=1)
    """Questions that were answered in both settings."""
    question_only: float = Field(ge=0, le=1)
    """Mean score of the question alone."""
    question_only_low: float = Field(ge=0, le=1)
    """Lower end of its 95 % interval."""
    question_only_high: float = Field(ge=0, le=1)
    """Upper end of its 95 % interval."""
    with_passages: float = Field(ge=0, le=1)
    """Mean score with the gold passages."""
    with_passages_low: float = Field(ge=0, le=1)
    """Lower end of its 95 % interval."""
    with_passages_high: float = Field(ge=0, le=1)
    """Upper end of its 95 % interval."""
    gain: float
    """The second less the first."""
    low: float
    """Lower end of the gain's 95 % interval."""
    high: float
    """Upper end of the gain's 95 % interval."""
    p: float
    """Of no gain, by a paired bootstrap of chains."""


class JudgeScore(Record):
    """The mean rating on one dimension."""

    judge: str
    """Name of the judge, or `all judges`: per question the mean over them."""
    dimension: str
    """`multi_hop_reasoning`, a share; a dimension graded 1 to 5; or `overall_quality`."""
    n: int = Field(ge=1)
    """Questions that were rated."""
    mean: float
    """Mean over the questions."""
    low: float
    """Lower end of its 95 % interval."""
    high: float
    """Upper end of its 95 % interval."""


class JudgeReliability(Record):
    """How far the repeats of one judge agree on one dimension."""

    judge: str
    """Name of the judge."""
    dimension: str
    """As in `JudgeScore`."""
    n: int = Field(ge=1)
    """Questions with two ratings or more."""
    average_sd: float
    """Mean over the questions of the standard deviation of their ratings."""
    alpha: float | None
    """Krippendorff's alpha, ordinal; none where all ratings are the same."""
    kappa: float | None
    """Fleiss' kappa, nominal, of the ratings rounded; none where no question has all repeats."""
