"""What an evaluation comes to: the rows of every table of a report.

Only records, so that a report can be drawn where the extra `eval` is not installed.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from pydantic import Field

from factchain.chains.records import Axis
from factchain.eval.comparison_results import Comparison, CompatScore
from factchain.eval.dataset_results import (
    DocumentGain,
    JudgeReliability,
    JudgeScore,
    RefusalRatio,
)
from factchain.eval.records import ScoreSummary
from factchain.records import Record

FAMILIAR = frozenset({"popular", "old"})
"""Labels of facts that a model has more likely seen."""

FLOOR = "floor/"
"""Before the names of models that know nothing (`floors.py`), like a provider's name."""

NO_LABELS = "none"
"""The label pattern of a question whose hops have no labels."""

FEW = 20
"""Questions below which a group's accuracy is not shown."""

DecisionMeasure = Literal["accuracy", "macro_f1", "recall", "f1", "chosen", "unparsed"]
DecompositionMeasure = Literal["accuracy", "sub_questions", "retrievals", "retrieval_rate"]


def share_of(pattern: str) -> Fraction:
    """The share of familiar hops of a label pattern such as `popular-unpopular`."""
    labels = pattern.split("-")
    return Fraction(sum(label in FAMILIAR for label in labels), len(labels))


class ShareSummary(Record):
    """Accuracy over the questions with one share of familiar hops."""

    task: str
    """Name of the task."""
    mode: str
    """How the task was done."""
    context: str
    """What stood before the question."""
    model: str
    """Inspect's name of the model."""
    axis: Axis
    """Axis of the questions."""
    hops: int | None
    """Hops of the questions; none where all count."""
    share: str
    """Familiar hops by all labelled hops, in lowest terms: `2/3`, `1`, `0`."""
    n: int = Field(ge=1)
    """Questions that have the score."""
    failed: int = Field(ge=0)
    """Questions that could not be asked."""
    mean: float = Field(ge=0, le=1)
    """Mean accuracy."""
    low: float = Field(ge=0, le=1)
    """Lower end of its 95 % interval."""
    high: float = Field(ge=0, le=1)
    """Upper end of its 95 % interval."""


class DecisionSummary(Record):
    """One figure of the decisions of one model."""

    mode: str
    """What was decided: `question`, `sub-question` or `synthesis`; with `-known` where the gold
    labels are what the model knows."""
    context: str
    """What stood before the question."""
    model: str
    """Inspect's name of the model."""
    axis: Axis | None = None
    """Axis of the questions; none where all count."""
    measure: DecisionMeasure
    """What the figure is."""
    label: str | None
    """The choice that it is of; none where all count."""
    n: int = Field(ge=1)
    """Decisions that it is taken over."""
    mean: float = Field(ge=0, le=1)
    """The figure."""
    low: float = Field(ge=0, le=1)
    """Lower end of its 95 % interval."""
    high: float = Field(ge=0, le=1)
    """Upper end of its 95 % interval."""


class DecompositionSummary(Record):
    """One figure of the questions that one model took apart in one setting."""

    task: str
    """Name of the task."""
    mode: str
    """Whose sub-questions: `generated` or `given`."""
    context: str
    """What stood before the sub-questions."""
    model: str
    """Inspect's name of the model."""
    axis: Axis | None = None
    """Axis of the questions; none where all count."""
    hops: int | None
    """Hops of the questions; none where all count."""
    measure: DecompositionMeasure
    """Accuracy, or the mean number of sub-questions or retrievals a question; the retrieval rate is
    the second by the first."""
    n: int = Field(ge=1)
    """Questions that it is taken over."""
    mean: float = Field(ge=0)
    """The figure."""
    low: float = Field(ge=0)
    """Lower end of its 95 % interval."""
    high: float = Field(ge=0)
    """Upper end of its 95 % interval."""


class SubQuestionCount(Record):
    """How many questions of some hops were taken apart into so many sub-questions."""

    task: str
    """Name of the task."""
    context: str
    """What stood before the sub-questions."""
    model: str
    """Inspect's name of the model."""
    hops: int = Field(ge=1)
    """Hops of the questions: the gold number of sub-questions."""
    generated: int = Field(ge=0)
    """Sub-questions that the model asked."""
    questions: int = Field(ge=0)
    """Questions."""
    share: float = Field(ge=0, le=1)
    """Of the questions with as many hops."""


class HopError(Record):
    """How often one hop was answered wrong."""

    model: str
    """Inspect's name of the model."""
    answers: str
    """How answers were given: `open` or `options`, with `-think` after a chain of thought."""
    context: str
    """What stood before the hops."""
    inputs: Literal["gold", "own"]
    """With the gold answers of the earlier hops, or with the model's own; a hop without inputs is
    not counted among the latter."""
    hop: int = Field(ge=1)
    """Number of the hop."""
    n: int = Field(ge=1)
    """Hops asked."""
    error: float = Field(ge=0, le=1)
    """Share of wrong answers."""
    low: float = Field(ge=0, le=1)
    """Lower end of its 95 % interval."""
    high: float = Field(ge=0, le=1)
    """Upper end of its 95 % interval."""


class Amplification(Record):
    """How much more often a hop is answered wrong on the model's own answers than on gold ones."""

    model: str
    """Inspect's name of the model."""
    answers: str
    """How answers were given."""
    context: str
    """What stood before the hops."""
    hop: int = Field(ge=1)
    """Number of the hop."""
    n: int = Field(ge=1)
    """Hops with inputs that were asked both ways."""
    difference: float
    """Error in chain less error with gold inputs, of these hops."""
    low: float
    """Lower end of its 95 % interval."""
    high: float
    """Upper end of its 95 % interval."""


class KnowledgeFloor(Record):
    """What a chain of thought gains where so many hops are not known."""

    model: str
    """Inspect's name of the model."""
    answers: str
    """`open` or `options`: of the hops and of the questions."""
    unknown: int = Field(ge=0)
    """Hops that the model answers wrong with gold inputs and no passages."""
    n: int = Field(ge=1)
    """Questions with as many, answered both directly and after a chain of thought."""
    direct: float | None
    """Accuracy of direct answers; none where there are fewer than 20 questions."""
    direct_low: float | None
    """Lower end of its 95 % interval."""
    direct_high: float | None
    """Upper end of its 95 % interval."""
    think: float | None
    """Accuracy after a chain of thought."""
    think_low: float | None
    """Lower end of its 95 % interval."""
    think_high: float | None
    """Upper end of its 95 % interval."""
    gain: float | None
    """The second less the first."""
    gain_low: float | None
    """Lower end of its 95 % interval."""
    gain_high: float | None
    """Upper end of its 95 % interval."""


class Cheatability(Record):
    """How far a model gets on a dataset without joining facts."""

    model: str
    """Inspect's name of the model."""
    predicted: Literal["answer", "support", "joint"]
    """The answer, the passages that it rests on, or both together."""
    preferred: Literal["confidence", "upper bound"] | None
    """How one of the two answers of a partition was chosen: by the model's log-probabilities, or
    the better one, where it gave none for some question; none for `support`, where both count."""
    n: int = Field(ge=1)
    """Questions that were probed."""
    original: float
    """Mean F1 with all gold passages."""
    probe: float
    """Mean F1 of the best partition, bounded by the original's."""
    ratio: float | None
    """Probe by original; none where the original is 0."""
    low: float | None
    """Lower end of the ratio's 95 % interval, by a bootstrap of chains; none where it is none."""
    high: float | None
    """Upper end of it."""


class Results(Record):
    """The tables of an evaluation; each is empty where no task gives it."""

    scores: tuple[ScoreSummary, ...] = ()
    """Every score of every setting, by hops, topology, kind of hop and labels."""
    shares: tuple[ShareSummary, ...] = ()
    """Accuracy by the share of familiar hops."""
    decisions: tuple[DecisionSummary, ...] = ()
    """Figures of decisions."""
    decompositions: tuple[DecompositionSummary, ...] = ()
    """Accuracy, sub-questions and retrievals."""
    sub_questions: tuple[SubQuestionCount, ...] = ()
    """Hops against generated sub-questions."""
    hop_errors: tuple[HopError, ...] = ()
    """Error by hop, alone and in chain."""
    amplification: tuple[Amplification, ...] = ()
    """What the chain adds to the error."""
    floors: tuple[KnowledgeFloor, ...] = ()
    """Gain of a chain of thought by the hops not known."""
    cheatability: tuple[Cheatability, ...] = ()
    """How far a model gets without joining facts."""
    refusals: tuple[RefusalRatio, ...] = ()
    """What is replied to questions that cannot be answered."""
    document_gains: tuple[DocumentGain, ...] = ()
    """What the gold passages give beyond the question alone."""
    judge_scores: tuple[JudgeScore, ...] = ()
    """What judges say of the questions."""
    judge_reliability: tuple[JudgeReliability, ...] = ()
    """How far the judges agree with themselves."""
    comparisons: tuple[Comparison, ...] = ()
    """Paired tests between models and between settings."""
    compat: tuple[CompatScore, ...] = ()
    """Scores as published code reckons them."""
