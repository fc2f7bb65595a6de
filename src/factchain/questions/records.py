"""Questions: fact chains in words, with sub-questions and the proof of the answer."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from factchain.chains.records import (
    Axis,
    ChainFact,
    HopKind,
    HopLabel,
    Operation,
    Query,
    TypedValue,
)
from factchain.records import ItemId, Record

AnswerKind = Literal["entity", "number", "quantity", "date", "yes/no"]


class Answer(Record):
    """An answer with everything that counts as naming it."""

    id: ItemId | None = None
    """Q-id of an entity; none for a literal."""
    label: str
    """English label of an entity, or the literal as a reader would write it."""
    aliases: tuple[str, ...] = ()
    """Other names, or other ways to write the literal, sorted."""
    kind: AnswerKind = "entity"
    """What the answer is; a `quantity` is a number with a unit."""
    value: TypedValue | None = None
    """The literal, with its unit or precision; none for an entity."""

    @model_validator(mode="after")
    def _one_answer(self) -> Answer:
        if (self.id is None) == (self.value is None):
            raise ValueError("an answer is an entity (`id`) or a literal (`value`)")
        if (self.kind == "entity") != (self.value is None):
            raise ValueError(f"an answer of the kind {self.kind!r} has no `id` but a `value`")
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """Label and aliases."""
        return (self.label, *self.aliases)


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
    kind: HopKind = "lookup"
    """What is done with the inputs."""
    answer: Answer
    """The hop's answer."""
    other_answers: tuple[Answer, ...] = ()
    """Further answers that are as right, where hops may have several."""
    facts: tuple[ChainFact, ...]
    """The facts that prove it; none where it only reckons with earlier answers."""
    operation: Operation | None = None
    """What is reckoned; none for lookups and intersections."""
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

    schema_version: Literal[2] = Field(2, alias="schema")
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
    other_answers: tuple[Answer, ...] = ()
    """Further gold answers, where the last hop has several: any of them is right."""
    sub_questions: tuple[SubQuestion, ...]
    """One a hop, in the order of the chain."""
    labels: tuple[HopLabel, ...]
    """One label a hop that has one; empty on the axis `none`."""
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

    @property
    def kinds(self) -> tuple[HopKind, ...]:
        """The kinds of its hops, each once, in alphabetical order."""
        return tuple(sorted({hop.kind for hop in self.sub_questions}))
