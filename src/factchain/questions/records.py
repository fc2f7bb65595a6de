"""Questions: fact chains in words, with sub-questions and the proof of the answer."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue, model_validator

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

AnswerKind = Literal["entity", "number", "quantity", "date", "yes/no", "text", "insufficient"]
QuestionType = Literal["chain", "comparison", "temporal", "inference", "null"]
DistractorWay = Literal[
    "sibling", "same class", "intermediate", "operation", "near value", "off by one"
]
"""An entity that stands in another fact of the same property where the answer does; where there
are too few of these, another of its class; the answer of another hop; what an operation gives that
is skipped or altered; another value of the same property; a neighbouring number or date."""


class Answer(Record):
    """An answer with everything that counts as naming it."""

    id: ItemId | None = None
    """Q-id of an entity; none for a literal."""
    label: str
    """Label of an entity, or the literal as a reader would write it."""
    aliases: tuple[str, ...] = ()
    """Other names, or other ways to write the literal, sorted; imported ones as they stood."""
    kind: AnswerKind = "entity"
    """What the answer is; a `quantity` is a number with a unit, `text` is an imported dataset's
    answer, of which nothing but its words is known, and `insufficient` says that the corpus does
    not hold the evidence."""
    value: TypedValue | None = None
    """The literal, with its unit or precision; none for an entity."""

    @model_validator(mode="after")
    def _one_answer(self) -> Answer:
        only_words = self.kind in ("text", "insufficient")
        if (self.id is not None) != (self.kind == "entity"):
            raise ValueError("an answer has an `id` if it is an entity, and only then")
        if (self.value is None) != (only_words or self.kind == "entity"):
            raise ValueError("an answer has a `value` if it is a literal, and only then")
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """Label and aliases."""
        return (self.label, *self.aliases)


class Distractor(Record):
    """A wrong option, and where it comes from."""

    label: str
    """As the option says it."""
    id: ItemId | None = None
    """Q-id of an entity; none for a literal."""
    value: TypedValue | None = None
    """The literal; none for an entity."""
    way: DistractorWay
    """How it was found."""
    evidence: str
    """What shows it, in words: the sibling's fact, the hop, the altered operation."""


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
    triples: tuple[tuple[str, str, str], ...] = ()
    """Subject, property and object in words, where an imported dataset has no ids for them."""
    operation: Operation | None = None
    """What is reckoned; none for lookups and intersections."""
    label: HopLabel | None = None
    """Class of the hop on the question's axis."""
    options: dict[str, str] | None = None
    """Options by letter, where they were made."""
    correct_option: str | None = None
    """Letter of the gold answer."""
    distractors: tuple[Distractor, ...] = ()
    """The wrong options in the order of their letters, with where they come from."""


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
    snapshot: str | None
    """Name of the snapshot in which the answer holds; none for an imported question."""
    seed: int
    """Seed of the run."""


class ClosedBook(Record):
    """How often models answered a question without any context: its difficulty."""

    models: tuple[str, ...]
    """The models that were asked."""
    asked: int = Field(ge=1)
    """How many replies there were."""
    correct: int = Field(ge=0)
    """How many of them were right."""


class Question(Record):
    """A verified multi-hop question."""

    schema_version: Literal[3] = Field(3, alias="schema")
    """Version of this layout."""
    id: str
    """Stable: `q-` and the hash of its chain."""
    split: str = "test"
    """Name of the split."""
    type: QuestionType = "chain"
    """What is asked: for the end of a chain, for a comparison, for an order in time, for the entity
    that several facts describe, or (`null`) about an entity that the graph does not hold."""
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
    distractors: tuple[Distractor, ...] = ()
    """The wrong options in the order of their letters, with where they come from."""
    answerable: bool = True
    """False where the corpus does not hold the evidence; the gold answer says so."""
    withheld: tuple[int, ...] = ()
    """Hops whose facts are in no passage of the corpus."""
    full_answer: Answer | None = None
    """The answer that the withheld facts would give; none for answerable and null questions."""
    closed_book: ClosedBook | None = None
    """How often models answer it without context, where they were asked."""
    query: Query | None = None
    """What proves the answer; none for imported and null questions."""
    provenance: Provenance
    """How it was made and verified."""
    metadata: dict[str, JsonValue] = Field(default_factory=dict)
    """What an imported dataset says of the question beyond these fields; of a null question the
    names that were made up."""

    @model_validator(mode="after")
    def _unanswerable_says_so(self) -> Question:
        if self.answerable == (self.answer.kind == "insufficient"):
            raise ValueError("`answerable` and the kind of the answer do not agree")
        if self.answerable and (self.withheld or self.full_answer):
            raise ValueError("an answerable question has nothing withheld")
        return self

    @property
    def kinds(self) -> tuple[HopKind, ...]:
        """The kinds of its hops, each once, in alphabetical order."""
        return tuple(sorted({hop.kind for hop in self.sub_questions}))
