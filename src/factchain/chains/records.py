"""Fact chains: directed acyclic reasoning graphs of hops."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from factchain.records import ItemId, PropertyId, Record

MAX_HOPS = 8
"""The longest chain."""

Axis = Literal["popularity", "recency", "none"]
HopKind = Literal["lookup", "intersect", "count", "arithmetic", "compare"]
HopLabel = Literal["unpopular", "popular", "old", "new"]


class EntityRef(Record):
    """An entity by id, with its label so that the file reads by itself."""

    id: ItemId
    """Q-id."""
    label: str
    """English label at the newest snapshot."""


class ChainFact(Record):
    """One fact (s, p, o) of a hop."""

    s: ItemId
    """Q-id of the subject."""
    s_label: str
    """Label of the subject."""
    p: PropertyId
    """P-id of the property."""
    p_label: str
    """Label of the property."""
    o: ItemId
    """Q-id of the object."""
    o_label: str
    """Label of the object."""
    popularity: int | None = None
    """How many distinct passages state the fact; none where the store has no passages."""
    recency: Literal["old", "new"] | None = None
    """`old` in both snapshots, `new` only in the later; none where there is one snapshot."""


class Hop(Record):
    """One step of the reasoning graph."""

    index: int = Field(ge=1)
    """Number of the hop, from 1."""
    kind: HopKind
    """What is done with the inputs."""
    inputs: tuple[int, ...]
    """Earlier hops whose answers this hop needs; empty when it starts at a topic entity."""
    topic: ItemId | None = None
    """Q-id of the topic entity, where the hop starts at one."""
    label: HopLabel | None = None
    """Class of the hop's facts on the chain's axis."""
    answer: EntityRef
    """The one answer of the hop."""
    facts: tuple[ChainFact, ...]
    """The facts that the hop reads."""


class Query(Record):
    """What proves the answer."""

    sparql: str
    """A query for the Wikidata Query Service."""


class FactChain(Record):
    """Hops that lead from topic entities to one answer."""

    schema_version: Literal[1] = Field(1, alias="schema")
    """Version of this layout."""
    id: str
    """`c-` and a hash of the axis, topology and facts."""
    axis: Axis
    """Along which axis the hops are labelled."""
    topology: str
    """Name of the template, such as `chain`."""
    topics: tuple[ItemId, ...] = Field(min_length=1)
    """Q-ids of the topic entities, in the order of their hops."""
    answer: ItemId
    """Q-id of the last hop's answer."""
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
        """The label pattern: one label a hop, empty on the axis `none`."""
        return tuple(hop.label for hop in self.hops if hop.label is not None)
