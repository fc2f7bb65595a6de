"""Questions: fact chains in words, with sub-questions and the proof of the answer."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from factchain.chains.records import Axis, ChainFact, HopLabel, Query
from factchain.records import Record


class Answer(Record):
    """An answer with everything that counts as naming it."""

    id: str
    """Q-id."""
    label: str
    """English label."""
    aliases: tuple[str, ...] = ()
    """Other names, sorted."""
    kind: Literal["entity"] = "entity"
    """What the answer is."""


class SubQuestion(Record):
    """The question of one hop."""

    index: int = Field(ge=1)
    """Number of the hop, from 1."""
    question: str
    """The question with the earlier answers put in."""
    template: str
    """The question with `#k` in place of the answer of hop k."""
    inputs: tuple[int, ...]
    """Hops whose answers the template needs."""
    answer: Answer
    """The hop's answer."""
    facts: tuple[ChainFact, ...]
    """The facts that prove it."""
    label: HopLabel | None = None
    """Class of the hop on the question's axis."""


class Verdict(Record):
    """What one check said."""

    check: str
    """Name of the check."""
    passed: bool
    """Whether the question passed it."""
    evidence: str
    """What the check saw, in words."""


class Provenance(Record):
    """How the question came about."""

    verbalizer: str
    """`template`, or the name of the verbalizer."""
    model: str | None = None
    """The language model, none for templates."""
    prompt_version: str | None = None
    """Version of the prompt or of the phrase table."""
    attempts: int = 1
    """How many times the question was put into words."""
    verifier: str
    """Who verified it."""
    verdicts: tuple[Verdict, ...]
    """One verdict a check."""
    snapshot: str
    """Name of the snapshot in which the answer holds."""
    seed: int
    """Seed of the run."""


class Question(Record):
    """A verified multi-hop question."""

    schema_version: Literal[1] = Field(1, alias="schema")
    """Version of this layout."""
    id: str
    """Stable: `q-` and the hash of its chain."""
    split: str = "test"
    """Name of the split."""
    axis: Axis
    """Axis of the labels."""
    topology: str
    """Topology of the chain."""
    hops: int = Field(ge=1)
    """Number of hops."""
    question: str
    """The question."""
    answer: Answer
    """The gold answer."""
    sub_questions: tuple[SubQuestion, ...]
    """One a hop, in the order of the chain."""
    labels: tuple[HopLabel, ...]
    """One label a hop; empty on the axis `none`."""
    options: dict[str, str] | None = None
    """Options by letter, where they were made."""
    correct_option: str | None = None
    """Letter of the gold answer."""
    answerable: bool = True
    """False where the evidence was withheld from the corpus."""
    query: Query
    """What proves the answer."""
    provenance: Provenance
    """How it was made and verified."""
