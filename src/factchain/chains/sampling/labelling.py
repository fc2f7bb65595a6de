"""Labels for drawn chains, fetched from the store for these chains only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from factchain.chains.drafts import Draft, DraftFact
from factchain.chains.graph.graph_index import GraphIndex
from factchain.chains.operations import operations
from factchain.chains.records import ChainFact, EntityRef, Operand, Operation
from factchain.kg.records import number, pid, qid


@dataclass(frozen=True)
class Labels:
    """What the records of some drafts need from the store."""

    entities: dict[int, str]
    properties: dict[int, str]
    notes: dict[int, tuple[int | None, str | None]]
    """By fact: passages that state it, and recency."""
    ended: frozenset[int]
    """The facts that had ended, where the store keeps such."""

    @classmethod
    def of(cls, graph: GraphIndex, drafts: Sequence[Draft]) -> Labels:
        """The labels of everything in the drafts."""
        facts = [fact for draft in drafts for fact in draft.facts]
        numbers = {fact.s for fact in facts} | {fact.o for fact in facts if fact.o is not None}
        return cls(
            graph.entity_labels(numbers),
            graph.property_labels,
            graph.fact_notes(fact.fact for fact in facts),
            graph.ended(fact.fact for fact in facts),
        )

    def extended(self, graph: GraphIndex, entities: Iterable[int]) -> Labels:
        """The same with the labels of further entities."""
        return replace(self, entities=self.entities | graph.entity_labels(entities))

    def entity(self, entity: int) -> EntityRef:
        """An entity with its label; its id where it has none."""
        return EntityRef(id=qid(entity), label=self.entities.get(entity, qid(entity)))

    def fact(self, fact: DraftFact) -> ChainFact:
        """A fact with the labels of its parts."""
        popularity, recency = self.notes.get(fact.fact, (None, None))
        found = self.entity(fact.o) if fact.o is not None else fact.value
        assert found is not None
        return ChainFact(
            s=qid(fact.s),
            s_label=self.entity(fact.s).label,
            p=pid(fact.p),
            p_label=self.properties.get(fact.p, pid(fact.p)),
            o=None if fact.o is None else qid(fact.o),
            o_label=found.label,
            value=fact.value,
            popularity=popularity,
            recency=recency if recency in ("old", "new") else None,
            ended=fact.fact in self.ended,
        )

    def operation(self, operation: Operation) -> Operation:
        """An operation whose entities bear their labels."""
        return operations.build(operation.operator, [self._operand(o) for o in operation.operands])

    def _operand(self, operand: Operand) -> Operand:
        value, entity = operand.value, operand.entity
        if isinstance(value, EntityRef):
            value = self.entity(number(value.id))
        if entity is not None:
            entity = self.entity(number(entity.id))
        return Operand(hop=operand.hop, value=value, entity=entity)
