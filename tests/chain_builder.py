"""Small chains of every hop kind, written down as one would say them.

A start is a hop's number or the label of a topic entity; entities get ids as they come. Results
of operations are reckoned by `factchain.chains.operations.operations`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from factchain.chains.operations import operations
from factchain.chains.records import (
    ChainFact,
    EntityRef,
    FactChain,
    Hop,
    Operand,
    Operation,
    Query,
    TypedValue,
)
from factchain.kg.literals import literal_text
from factchain.questions.names import EntityName

HUMAN, FILM, CITY, COUNTRY, BOOK, RIVER = "Q5", "Q11424", "Q515", "Q6256", "Q7725634", "Q4022"
Start = int | str


def day(text: str) -> TypedValue:
    """A date; its precision follows from its length."""
    precision = 9 + text.lstrip("-").count("-")
    label = literal_text(text, "time", None, precision)
    return TypedValue(datatype="time", value=text, label=label, precision=precision)


def amount(number: int | str, unit: str | None = None, unit_id: str = "Q11573") -> TypedValue:
    """A quantity, with a unit or bare."""
    return TypedValue(
        datatype="quantity",
        value=str(number),
        label=literal_text(str(number), "quantity", unit, None),
        unit=unit_id if unit else None,
        unit_label=unit,
    )


class ChainBuilder:
    """Hops one after the other; `chain()` gives the whole."""

    def __init__(self) -> None:
        self.names: dict[str, EntityName] = {}
        self.hops: list[Hop] = []
        self._ids: dict[str, str] = {}

    def entity(
        self,
        label: str,
        classes: str = "",
        *,
        description: str = "",
        ambiguous: bool = False,
        aliases: Sequence[str] = (),
        class_labels: Sequence[str] = (),
        id: str | None = None,
    ) -> EntityRef:
        """The entity of that label; said to be of these classes the first time."""
        if label not in self._ids:
            key = self._ids[label] = id or f"Q{900_001 + len(self._ids)}"
            self.names[key] = EntityName(
                key,
                label,
                description,
                tuple(aliases),
                frozenset(classes.split()),
                ambiguous,
                tuple(class_labels),
            )
        return EntityRef(id=self._ids[label], label=label)

    def fact(self, s: EntityRef, p: str, o: EntityRef | TypedValue) -> ChainFact:
        """A fact; `p` is id and label, such as `P57 director`."""
        pid, _, label = p.partition(" ")
        if isinstance(o, EntityRef):
            return ChainFact(s=s.id, s_label=s.label, p=pid, p_label=label, o=o.id, o_label=o.label)
        return ChainFact(s=s.id, s_label=s.label, p=pid, p_label=label, o_label=o.label, value=o)

    def lookup(self, p: str, start: Start, answer: str | TypedValue, *others: str) -> int:
        """(start, p, ?)."""
        o = self._answer(answer)
        extra = tuple(self.entity(label) for label in others)
        facts = [self.fact(self._entity(start), p, o)]
        return self._add("lookup", [start], o, facts, other_answers=extra)

    def intersect(self, *conditions: tuple[str, Start], answer: str, subject: bool = True) -> int:
        """(?, p, a) and (?, q, b), or (a, p, ?) and (b, q, ?)."""
        found = self.entity(answer)
        facts = []
        for p, start in conditions:
            other = self._start(start)
            if subject:
                facts.append(self.fact(found, p, other))
            else:
                assert isinstance(other, EntityRef)
                facts.append(self.fact(other, p, found))
        return self._add("intersect", [start for _, start in conditions], found, facts)

    def count(self, p: str, start: Start, things: Sequence[str], subject: bool = False) -> int:
        """How many (start, p, ?), or (?, p, start)."""
        one = self._entity(start)
        others = [self.entity(label) for label in things]
        facts = [self.fact(o, p, one) if subject else self.fact(one, p, o) for o in others]
        return self._operate("count", [start], facts, operations.count(len(others)))

    def arithmetic(self, operator: Any, *operands: int | TypedValue) -> int:
        """An operation with answers of earlier hops (by number) and constants."""
        inputs = [operand for operand in operands if isinstance(operand, int)]
        values = [
            Operand(hop=o, value=self.hops[o - 1].answer) if isinstance(o, int) else o
            for o in operands
        ]
        return self._operate("arithmetic", inputs, [], operations.build(operator, values))

    def compare(self, operator: Any, p: str, *values: tuple[Start, Any]) -> int:
        """The same property of two; a value is a literal or an entity's label."""
        facts, operands = [], []
        for start, value in values:
            subject, o = self._entity(start), self._answer(value)
            facts.append(self.fact(subject, p, o))
            chooses = operator in operations.CHOICES
            operands.append(Operand(value=o, entity=subject if chooses else None))
        built = operations.build(operator, operands)
        return self._operate("compare", [start for start, _ in values], facts, built)

    def aggregate(
        self, operator: Any, p: str, start: Start, q: str, values: Mapping[str, TypedValue]
    ) -> int:
        """(start, p, o) for several o, then (o, q, value): the sum, or the first of them."""
        things = [self.entity(label) for label in values]
        facts = [self.fact(self._entity(start), p, thing) for thing in things]
        facts += [self.fact(thing, q, values[thing.label]) for thing in things]
        choice = operator in operations.CHOICES
        built = operations.build(
            operator,
            [
                Operand(value=values[thing.label], entity=thing if choice else None)
                for thing in things
            ],
        )
        return self._operate("compare" if choice else "arithmetic", [start], facts, built)

    def chain(self, topology: str = "chain", snapshot: str = "2024-06-05") -> FactChain:
        """The chain of all hops so far."""
        topics = [topic for hop in self.hops for topic in hop.topics]
        return FactChain(
            id="c-1",
            axis="none",
            topology=topology,
            topics=tuple(dict.fromkeys(topics)),
            answer=self.hops[-1].answer.key,
            hops=tuple(self.hops),
            query=Query(sparql=""),
            snapshot=snapshot,
            seed=0,
        )

    def _start(self, start: Start) -> EntityRef | TypedValue:
        return self.hops[start - 1].answer if isinstance(start, int) else self.entity(start)

    def _entity(self, start: Start) -> EntityRef:
        found = self._start(start)
        assert isinstance(found, EntityRef)
        return found

    def _answer(self, answer: str | TypedValue) -> EntityRef | TypedValue:
        return self.entity(answer) if isinstance(answer, str) else answer

    def _operate(
        self, kind: Any, starts: Sequence[Start], facts: Sequence[ChainFact], built: Operation
    ) -> int:
        return self._add(kind, starts, built.result, facts, operation=built)

    def _add(
        self,
        kind: Any,
        starts: Sequence[Start],
        answer: EntityRef | TypedValue,
        facts: Sequence[ChainFact],
        **more: Any,
    ) -> int:
        index = len(self.hops) + 1
        self.hops.append(
            Hop(
                index=index,
                kind=kind,
                inputs=tuple(start for start in starts if isinstance(start, int)),
                topics=tuple(self.entity(s).id for s in starts if isinstance(s, str)),
                answer=answer,
                facts=tuple(facts),
                **more,
            )
        )
        return index
