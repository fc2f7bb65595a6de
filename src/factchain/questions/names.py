"""How entities are named: labels, aliases, and a name that tells homonyms apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from factchain.chains.records import FactChain
from factchain.kg.records import number, qid
from factchain.kg.store import Store
from factchain.questions import queries


@dataclass(frozen=True, slots=True)
class EntityName:
    """What an entity is called."""

    id: str
    label: str
    description: str
    aliases: tuple[str, ...]
    classes: frozenset[str]
    """Q-ids of its classes."""
    is_ambiguous: bool
    """Whether another entity of the store has the same label, or Wikipedia's page is named with a
    qualifier in parentheses because something else has it."""

    @property
    def all(self) -> tuple[str, ...]:
        """Label and aliases."""
        return (self.label, *self.aliases)


def entity_names(store: Store, chains: Iterable[FactChain]) -> dict[str, EntityName]:
    """The names of every entity that the chains touch, by Q-id."""
    ids = {
        entity
        for chain in chains
        for hop in chain.hops
        for fact in hop.facts
        for entity in (fact.s, fact.o)
        if entity is not None
    }
    homonyms = {label for (label,) in store.rows(queries.HOMONYMS)}
    rows = store.rows(queries.NAMES, sorted(number(entity) for entity in ids))
    return {
        qid(entity): EntityName(
            id=qid(entity),
            label=label,
            description=description or "",
            aliases=tuple(aliases),
            classes=frozenset(qid(c) for c in classes),
            is_ambiguous=label.lower() in homonyms or (page or "").startswith(f"{label} ("),
        )
        for entity, label, description, aliases, classes, page in rows
    }
