"""Drafts: valid chains inside the sampler, as numbers, before labels and queries are added."""

from __future__ import annotations

from typing import NamedTuple

from factchain.chains.records import HopKind, Operation, TypedValue


class DraftFact(NamedTuple):
    """A fact of the store by its numbers; its object is an entity or a literal."""

    fact: int
    """Id in the store's table `fact`."""
    s: int
    p: int
    o: int | None
    value: TypedValue | None = None


class DraftHop(NamedTuple):
    """A hop by its numbers; hops are counted from 1, as in `records.Hop`."""

    kind: HopKind
    inputs: tuple[int, ...]
    topics: tuple[int, ...]
    facts: tuple[DraftFact, ...]
    answer: int | TypedValue
    """Number of the entity, or the literal."""
    label: str | None
    """Class of the hop's facts on the axis."""
    operation: Operation | None = None


class Draft(NamedTuple):
    """A valid chain."""

    topology: str
    hops: tuple[DraftHop, ...]

    @property
    def facts(self) -> tuple[DraftFact, ...]:
        """The facts of all hops, in order."""
        return tuple(fact for hop in self.hops for fact in hop.facts)

    @property
    def pattern(self) -> tuple[str, ...]:
        """The labels of the hops that have one."""
        return tuple(hop.label for hop in self.hops if hop.label is not None)
