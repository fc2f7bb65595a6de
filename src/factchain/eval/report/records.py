"""What the report is drawn from: the build, the store, the questions and the scores."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from factchain.chains.records import FactChain
from factchain.eval.results import Results
from factchain.kg.popularity import PopularityBounds
from factchain.questions.records import Question
from factchain.records import Record
from factchain.retrieval_corpus.metrics import GroupScore
from factchain.retrieval_corpus.records import HopGold


class InputFile(Record):
    """A file that the build read."""

    name: str
    """File name, without its folder."""
    size: int = Field(ge=0)
    """Bytes."""
    sha256: str
    """SHA-256 of the bytes, in hexadecimal."""


class Stage(Record):
    """One stage of the build. It carries no times: the report is the same for the same data."""

    name: str
    """Name of the stage, such as `kg`."""
    rows_in: int
    """How many records it read."""
    rows_out: int
    """How many records it wrote."""
    rejected: dict[str, int] = Field(default_factory=dict)
    """How many it left out, by reason in words."""


class Build(Record):
    """What was built: the manifest, without its times."""

    version: str
    """Version of factchain."""
    seed: int
    """Seed of the run."""
    inputs: tuple[InputFile, ...]
    """Every file read."""
    stages: tuple[Stage, ...]
    """Every stage, in the order in which they ran."""


class DegreeBin(Record):
    """Entities with a number of facts in a range."""

    low: int = Field(ge=0)
    """Smallest number of facts."""
    high: int = Field(ge=0)
    """Largest number of facts."""
    entities: int = Field(ge=0)
    """Entities with as many."""


class StoreStatistics(Record):
    """What the triple store holds."""

    entities: int
    """Entities of any snapshot."""
    properties: int
    """Properties."""
    passages: int
    """Passages of the text corpus that popularity was counted in."""
    snapshots: dict[str, int]
    """Facts of each snapshot, oldest first."""
    recency: dict[Literal["old", "new", "gone"], int]
    """Facts by class; empty with one snapshot."""
    popularity: dict[int, int]
    """Facts by the number of distinct passages that state them."""
    bounds: PopularityBounds | None = None
    """Bounds of the popularity classes; none without a text corpus."""
    answer_classes: dict[str, int] = Field(default_factory=dict)
    """Questions by the class (P31) of the answer, where it was counted."""
    out_degrees: tuple[DegreeBin, ...] = ()
    """Entities by the facts between entities that have them as subject, newest snapshot."""
    in_degrees: tuple[DegreeBin, ...] = ()
    """Entities by the facts between entities that have them as object, newest snapshot."""
    coverage: dict[str, int] = Field(default_factory=dict)
    """Entities with a label, a description and so on, by what they have."""
    class_sizes: dict[str, int] = Field(default_factory=dict)
    """Entities of the largest classes (P31), by label."""


class ReportData(Record):
    """Everything the report says."""

    build: Build
    """What was built, and from what."""
    store: StoreStatistics
    """What the triple store holds."""
    corpus_passages: int
    """Passages of the retrieval corpus."""
    audit: dict[str, int] = Field(default_factory=dict)
    """Questions that pass each constraint of the passage audit, where a build counted them."""
    chains: tuple[FactChain, ...]
    """The fact chains; a question's chain has the same hash in its id."""
    questions: tuple[Question, ...]
    """The questions."""
    gold: tuple[HopGold, ...] = ()
    """The gold passages of every hop."""
    results: Results = Results()
    """The tables of the evaluation; models, settings and scores are shown in the order given."""
    retrieval: dict[str, tuple[GroupScore, ...]] = Field(default_factory=dict)
    """Scores of the retrievers, by name."""
