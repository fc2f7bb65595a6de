"""Values of the same property that are near to a number or a date, from the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from factchain.chains.operations.typed_values import NotComparable, typed_value
from factchain.chains.records import TypedValue
from factchain.kg.records import number
from factchain.kg.store import Store
from factchain.questions.literal_forms import date_parts
from factchain.questions.options import queries
from factchain.questions.options.slots import Candidate, Slot
from factchain.questions.options.values import in_words

NEAREST = 8
"""Values that are taken on either side of the answer."""

_Kind = tuple[int, str, int | None, int | None, int | None]
"""Property, datatype, unit, precision and calendar: values of one kind can be put in order."""


@dataclass(frozen=True)
class NearValue:
    """A value of the property, and the fact that states it."""

    value: TypedValue
    fact: int


def near_values(store: Store, slots: Sequence[Slot]) -> list[list[NearValue]]:
    """For every slot that looks a literal up, the values around its answer; else none."""
    asked = [slot.plan.properties[0] if _looks_up(slot) else None for slot in slots]
    with store.incoming(property=pa.table({"p": pa.array(sorted({p for p in asked if p}))})):
        table = store.connection.sql(queries.VALUES).to_arrow_table()
    kinds = zip(*(table.column(name).to_pylist() for name in _KIND), strict=True)
    rows: dict[_Kind, list[int]] = {}
    for row, kind in enumerate(kinds):
        rows.setdefault(kind, []).append(row)
    places = table.column("place").to_numpy()
    ordered = {kind: places[own] for kind, own in rows.items()}
    values, facts = table.column("value"), table.column("fact")
    found: list[list[NearValue]] = []
    for p, slot in zip(asked, slots, strict=True):
        wanted = _kind(p, slot.gold.value) if p and slot.gold.value else None
        if wanted is None or wanted not in rows:
            found.append([])
            continue
        near = [rows[wanted][at] for at in _around(ordered[wanted], _place(slot))]
        found.append(
            [NearValue(_value(values[at].as_py(), slot), facts[at].as_py()) for at in near]
        )
    return found


def stated_values(store: Store, slots: Sequence[Slot]) -> dict[int, list[TypedValue]]:
    """By slot, the values that any snapshot states of its subject and property."""
    rows = [
        {"slot": at, "s": slot.starts[0], "p": slot.plan.properties[0]}
        for at, slot in enumerate(slots)
        if _looks_up(slot)
    ]
    found: dict[int, list[TypedValue]] = {}
    if rows:
        with store.incoming(asked=pa.Table.from_pylist(rows)):
            for at, *columns in store.rows(queries.VALUES_OF):
                try:
                    found.setdefault(at, []).append(typed_value(*columns))
                except NotComparable:
                    continue
    return found


def to_candidate(near: NearValue, evidence: str) -> Candidate:
    """The candidate of a value."""
    return Candidate(near.value, near.value.label, (near.value.label,), "near value", evidence)


_KIND = ("p", "datatype", "unit", "precision", "calendar")


def _looks_up(slot: Slot) -> bool:
    value = slot.gold.value
    looked_up = slot.plan.shape == "lookup" and isinstance(slot.starts[0], int)
    return looked_up and value is not None and value.datatype != "boolean"


def _kind(p: int, value: TypedValue) -> _Kind:
    unit = number(value.unit) if value.unit else None
    calendar = number(value.calendar) if value.calendar else None
    return p, value.datatype, unit, value.precision, calendar


def _place(slot: Slot) -> float:
    """As `queries.VALUES` reckons it."""
    value = slot.gold.value
    assert value is not None  # by _looks_up
    if value.datatype == "quantity":
        return float(Decimal(value.value))
    parts = (*date_parts(value), 0, 0, 0)
    return 400.0 * parts[0] + 32 * parts[1] + parts[2]


def _around(places: Any, place: float) -> list[int]:
    """Positions of the nearest on either side, the nearest first."""
    first = int(np.searchsorted(places, place, "left"))
    last = int(np.searchsorted(places, place, "right"))
    below = range(max(0, first - NEAREST), first)
    above = range(last, min(len(places), last + NEAREST))
    return sorted([*below, *above], key=lambda at: (abs(float(places[at]) - place), at))


def _value(text: str, slot: Slot) -> TypedValue:
    gold = slot.gold.value
    assert gold is not None  # by _looks_up
    bare = gold.model_copy(update={"value": text, "lower": None, "upper": None})
    return in_words(bare, gold)
