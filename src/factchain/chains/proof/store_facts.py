"""Facts of the newest snapshot, asked for in batches: one query answers for many chains."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from factchain.chains import queries
from factchain.chains.operations.dates import parse_date, year_text
from factchain.chains.operations.typed_values import (
    NotComparable,
    number_text,
    quantity,
    typed_value,
)
from factchain.chains.records import TypedValue
from factchain.kg.records import number
from factchain.kg.store import Store

Node: TypeAlias = int | TypedValue
"""An entity by its number, or a literal."""
Pair: TypeAlias = tuple[int, int]

MOST_SUBJECTS = 1000
"""Facts that are listed of those that lead to one object; their number is always known."""


class StoreFact(NamedTuple):
    """A fact of the newest snapshot."""

    fact: int
    object: Node | None
    """None where it is neither an entity nor a date nor a quantity."""
    end_time: str | None


class Subjects(NamedTuple):
    """What leads to an object by a property."""

    total: int
    facts: tuple[int, ...]
    """The first of the facts."""
    subjects: tuple[int, ...]
    """Their subjects."""


class Condition(NamedTuple):
    """What an entity is asked to meet: (?, p, node), or (node, p, ?) where `forward`."""

    p: int
    node: Node
    forward: bool


@dataclass
class StoreFacts:
    """Questions to the store; what was asked once is remembered."""

    store: Store
    _objects: dict[Pair, tuple[StoreFact, ...]] = field(default_factory=dict)
    _subjects: dict[Pair, Subjects] = field(default_factory=dict)

    def ask_objects(self, pairs: Iterable[Pair]) -> None:
        """Look up all objects of pairs of subject and property."""
        asked = dict.fromkeys(pair for pair in pairs if pair not in self._objects)
        found: dict[Pair, list[StoreFact]] = {pair: [] for pair in asked}
        with self.store.incoming(pair=_table(["s", "p"], asked)):
            for s, p, fact, o, *literal, end in self.store.rows(queries.OBJECTS_OF):
                found[s, p].append(StoreFact(fact, o if o is not None else _literal(literal), end))
        self._objects |= {pair: tuple(facts) for pair, facts in found.items()}

    def objects(self, s: int, p: int) -> tuple[StoreFact, ...]:
        """All objects of a subject and a property, which were asked for before."""
        return self._objects[s, p]

    def ask_subjects(self, pairs: Iterable[Pair]) -> None:
        """Look up how many subjects lead to pairs of property and object."""
        asked = dict.fromkeys(pair for pair in pairs if pair not in self._subjects)
        self._subjects |= dict.fromkeys(asked, Subjects(0, (), ()))
        with self.store.incoming(pair=_table(["p", "o"], asked)):
            rows = self.store.connection.execute(queries.SUBJECTS_OF, {"most": MOST_SUBJECTS})
            for p, o, total, facts, subjects in rows.fetchall():
                self._subjects[p, o] = Subjects(total, tuple(facts), tuple(subjects))

    def subjects(self, p: int, o: int) -> Subjects:
        """What leads to an object by a property, which was asked for before."""
        return self._subjects[p, o]

    def joined(self, pairs: Iterable[Pair]) -> set[Pair]:
        """Those pairs (a, b) of which a fact of any property and snapshot leads from a to b."""
        with self.store.incoming(pair=_table(["s", "o"], dict.fromkeys(pairs))):
            return set(self.store.rows(queries.JOINED_BY_FACTS))

    def meeting_all(self, tasks: Sequence[Sequence[Condition]]) -> list[dict[int, tuple[int, ...]]]:
        """Per task the entities that meet all its conditions, with the facts that say so."""
        found: list[dict[int, tuple[int, ...]]] = [{} for _ in tasks]
        for task, entity, facts in self._run_tasks(tasks, queries.MEET_ALL):
            found[task][entity] = tuple(facts)
        return found

    def count_meeting_all(self, tasks: Sequence[Sequence[Condition]]) -> list[int]:
        """Per task how many entities meet all its conditions."""
        counts = dict(self._run_tasks(tasks, queries.COUNT_MEETING_ALL))
        return [counts.get(task, 0) for task in range(len(tasks))]

    def _run_tasks(self, tasks: Sequence[Sequence[Condition]], sql: str) -> list[tuple[Any, ...]]:
        if not tasks:
            return []
        known = {c: n for n, c in enumerate(dict.fromkeys(chain.from_iterable(tasks)))}
        conditions = [row for c, n in known.items() if (row := _condition_row(n, c))]
        with self.store.incoming(condition=pa.Table.from_pylist(conditions, schema=_CONDITION)):
            self.store.connection.execute(queries.MAKE_MEETINGS)
        sizes = dict(self.store.rows(queries.COUNT_MEETINGS))
        rows = []
        for task, asked in enumerate(tasks):
            distinct = list(dict.fromkeys(known[c] for c in asked))
            fewest = min(distinct, key=lambda c: sizes.get(c, 0))
            rows += [(task, c, c == fewest, len(distinct)) for c in distinct]
        columns = [
            pa.array(column, kind)
            for column, kind in zip(zip(*rows, strict=True), _TASK.types, strict=True)
        ]
        with self.store.incoming(task=pa.table(columns, schema=_TASK)):
            return self.store.rows(sql)


_TASK = pa.schema(
    [
        *[("task", pa.int64()), ("condition", pa.int64())],
        *[("lead", pa.bool_()), ("conditions", pa.int64())],
    ]
)
_CONDITION = pa.schema(
    [
        *[("condition", pa.int64()), ("form", pa.string()), ("p", pa.int64())],
        *[("entity", pa.int64()), ("key", pa.string()), ("value", pa.string())],
        *[("datatype", pa.string()), ("unit", pa.int64())],
        *[("precision", pa.int64()), ("calendar", pa.int64())],
    ]
)


def _condition_row(condition_number: int, condition: Condition) -> dict[str, object] | None:
    """A row of `incoming_condition`; None where no literal could ever meet the condition."""
    p, node, forward = condition
    row: dict[str, object] = {"condition": condition_number, "p": p}
    if isinstance(node, int):
        return row | {"form": "object" if forward else "subject", "entity": node}
    if forward:
        return None
    row |= {"form": "literal", "datatype": node.datatype}
    try:
        if node.datatype == "quantity":
            amount = number_text(quantity(node).amount)
            return row | {"key": amount, "unit": number(node.unit) if node.unit else None}
        date = parse_date(node.value, node.precision, node.calendar)
    except NotComparable:
        return None
    year = year_text(date.year)
    text = "-".join([year, *(f"{part:02d}" for part in date.cut(date.precision)[1:])])
    calendar = number(date.calendar) if date.calendar else None
    return row | {
        "key": year,
        "value": text,
        "precision": date.precision,
        "calendar": calendar,
    }


def _literal(columns: Sequence[object]) -> TypedValue | None:
    try:
        return typed_value(*columns)  # type: ignore[arg-type]
    except NotComparable:
        return None


def _table(names: Sequence[str], rows: Iterable[Pair]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    return pa.table(
        {name: pa.array(column, pa.int64()) for name, column in zip(names, columns, strict=True)}
    )
