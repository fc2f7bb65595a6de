"""How entities and properties are named: labels, aliases, and what tells homonyms apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from factchain.chains.records import EntityRef, FactChain, Hop, TypedValue
from factchain.kg.records import number, pid, qid
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
    class_labels: tuple[str, ...] = ()
    """Labels of its classes, in the order of the classes' ids."""

    @property
    def all(self) -> tuple[str, ...]:
        """Label and aliases."""
        return (self.label, *self.aliases)


def entity_names(store: Store, chains: Iterable[FactChain]) -> dict[str, EntityName]:
    """The names of every entity that the chains touch, units too, by Q-id."""
    ids = {entity for chain in chains for hop in chain.hops for entity in _entities(hop)}
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
            class_labels=tuple(class_labels),
        )
        for entity, label, description, aliases, classes, page, class_labels in rows
    }


def property_names(store: Store, chains: Iterable[FactChain]) -> dict[str, tuple[str, ...]]:
    """Label and aliases of every property of the chains, by P-id."""
    ids = {fact.p for chain in chains for hop in chain.hops for fact in hop.facts}
    rows = store.rows(queries.PROPERTY_NAMES, sorted(number(p) for p in ids))
    return {pid(p): (label, *aliases) for p, label, aliases in rows}


def property_meanings(store: Store, chains: Iterable[FactChain]) -> dict[str, str]:
    """The descriptions of the properties of the chains, by P-id, as far as there are any."""
    ids = {fact.p for chain in chains for hop in chain.hops for fact in hop.facts}
    rows = store.rows(queries.PROPERTY_MEANINGS, sorted(number(p) for p in ids))
    return {pid(p): description for p, description in rows}


def _entities(hop: Hop) -> Iterable[str]:
    yield from hop.topics
    for fact in hop.facts:
        yield fact.s
        if fact.o is not None:
            yield fact.o
    answers = [hop.answer, *hop.other_answers]
    literals = [fact.value for fact in hop.facts if fact.value is not None]
    if hop.operation is not None:
        answers += [operand.value for operand in hop.operation.operands]
    for answer in (*answers, *literals):
        if isinstance(answer, EntityRef):
            yield answer.id
        elif isinstance(answer, TypedValue) and answer.unit is not None:
            yield answer.unit
