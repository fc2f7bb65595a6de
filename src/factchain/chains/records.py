"""Fact chains: directed acyclic reasoning graphs of hops."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from factchain.records import ItemId, PropertyId, Record

MAX_HOPS = 8
"""The longest chain."""

Axis = Literal["popularity", "recency", "none"]
HopKind = Literal["lookup", "intersect", "count", "arithmetic", "compare"]
HopLabel = Literal["unpopular", "popular", "old", "new"]
Operator = Literal[
    "count",
    "sum",
    "difference",
    "product",
    "years_between",
    "days_between",
    "years_before",
    "years_after",
    "earliest",
    "latest",
    "smallest",
    "largest",
    "before",
    "after",
    "less",
    "more",
    "same",
]
"""What an operation does: count facts; reckon with numbers and dates; move a date by years;
choose an entity by a date or a quantity; say yes or no."""


class EntityRef(Record):
    """An entity by id, with its label so that the file reads by itself."""

    id: ItemId
    """Q-id."""
    label: str
    """English label at the newest snapshot."""

    @property
    def key(self) -> str:
        """What tells it from other answers."""
        return self.id


class TypedValue(Record):
    """A literal: a number, a quantity with a unit, a date, or yes or no."""

    datatype: Literal["quantity", "time", "boolean"]
    """What it is."""
    value: str
    """As the store holds it: `35`, `-12.5`, `1879-03-14` cut to its precision, `yes`, `no`."""
    label: str
    """As a reader would write it."""
    unit: ItemId | None = None
    """Q-id of a quantity's unit; none for a bare number."""
    unit_label: str | None = None
    """Label of the unit."""
    lower: str | None = None
    """Lower bound of a quantity that is known approximately."""
    upper: str | None = None
    """Upper bound of a quantity that is known approximately."""
    precision: int | None = None
    """Of a date: 9 year, 10 month, 11 day."""
    calendar: ItemId | None = None
    """Q-id of a date's calendar model; none for the Gregorian."""

    @property
    def key(self) -> str:
        """What tells it from other answers: value and unit."""
        return f"{self.value} {self.unit}" if self.unit else self.value


class ChainFact(Record):
    """One fact (s, p, o) of a hop; its object is an entity or a literal."""

    s: ItemId
    """Q-id of the subject."""
    s_label: str
    """Label of the subject."""
    p: PropertyId
    """P-id of the property."""
    p_label: str
    """Label of the property."""
    o: ItemId | None = None
    """Q-id of the object; none for a literal."""
    o_label: str
    """Label of the object, or the literal as a reader would write it."""
    value: TypedValue | None = None
    """The literal, where the object is one."""
    popularity: int | None = None
    """How many distinct passages state the fact; none where the store has no passages."""
    recency: Literal["old", "new"] | None = None
    """`old` in both snapshots, `new` only in the later; none where there is one snapshot."""
    ended: bool = False
    """Whether it had ended by the snapshot's date (P582); only in a store that keeps such facts."""

    @model_validator(mode="after")
    def _one_object(self) -> ChainFact:
        if (self.o is None) == (self.value is None):
            raise ValueError("a fact has one object: an entity (`o`) or a literal (`value`)")
        return self

    @property
    def key(self) -> tuple[str, str, str]:
        """Subject, property and object, whichever it is."""
        return self.s, self.p, self.o or (self.value.key if self.value else "")


class Operand(Record):
    """What an operation reckons with."""

    hop: int | None = None
    """The earlier hop whose answer it is; none for a constant, or a literal of the own facts."""
    value: EntityRef | TypedValue
    """Its value: a literal, or an entity where two are asked to be the same."""
    entity: EntityRef | None = None
    """Whose value it is, where the operation chooses an entity."""


class Operation(Record):
    """How a count, arithmetic or compare hop comes to its answer; recomputed at verification."""

    operator: Operator
    """What is done."""
    operands: tuple[Operand, ...]
    """What it is done with, in order; for a choice, in the order of the facts with literals."""
    result: EntityRef | TypedValue
    """What comes out, with its unit."""


class Hop(Record):
    """One step of the reasoning graph."""

    index: int = Field(ge=1)
    """Number of the hop, from 1."""
    kind: HopKind
    """What is done with the inputs."""
    inputs: tuple[int, ...]
    """Earlier hops whose answers this hop needs."""
    topics: tuple[ItemId, ...] = ()
    """Q-ids of the topic entities at which the hop starts, if any, besides its inputs."""
    label: HopLabel | None = None
    """Class of the hop's facts on the chain's axis; none for mathematics without facts."""
    domain: str | None = None
    """Domain of the hop's answer, from its classes; none where it fits in no domain."""
    answer: EntityRef | TypedValue
    """The answer of the hop."""
    other_answers: tuple[EntityRef | TypedValue, ...] = ()
    """The other valid answers, where chains with several were asked for."""
    facts: tuple[ChainFact, ...]
    """The facts that the hop reads: those of the inputs in their order, then of the topics."""
    operation: Operation | None = None
    """What is reckoned; none for lookups and intersections."""


class Query(Record):
    """What proves the answer."""

    sparql: str
    """A query for the Wikidata Query Service."""


class FactChain(Record):
    """Hops that lead from topic entities to one answer."""

    schema_version: Literal[2] = Field(2, alias="schema")
    """Version of this layout."""
    id: str
    """`c-` and a hash of the axis, topology and facts."""
    axis: Axis
    """Along which axis the hops are labelled."""
    topology: str
    """Name of the template, such as `chain`."""
    topics: tuple[ItemId, ...] = ()
    """Q-ids of the topic entities, in the order of their hops."""
    answer: str
    """The last hop's answer: a Q-id, or the value of a literal."""
    hops: tuple[Hop, ...] = Field(min_length=1, max_length=MAX_HOPS)
    """The hops, in an order in which inputs come first."""
    query: Query
    """What proves the answer."""
    snapshot: str
    """Name of the snapshot in which the chain holds."""
    seed: int
    """Seed of the run that drew it."""

    @property
    def labels(self) -> tuple[HopLabel, ...]:
        """The label pattern: one label a hop that has one, empty on the axis `none`."""
        return tuple(hop.label for hop in self.hops if hop.label is not None)
