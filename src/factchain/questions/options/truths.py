"""Which candidates are, or may be taken for, true answers: those are no wrong options.

By execution: what the hop's own query, or the question's, gives on the newest snapshot (the slot
knows it). Stricter than that: what meets every condition by facts of any snapshot, in either
direction (a spouse may be stated on one side); what the answer is part of, or is part of the
answer, in one or more steps (born in Manhattan, so born in New York City); and what shares a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import lru_cache

import pyarrow as pa

from factchain.chains.operations.dates import parse_date
from factchain.chains.operations.typed_values import NotComparable, quantity
from factchain.chains.records import TypedValue
from factchain.kg.records import number
from factchain.kg.store import Store
from factchain.questions.lexis import fold
from factchain.questions.options import queries
from factchain.questions.options.slots import Slot
from factchain.questions.text_scores import normalise

PART_OF = (131, 361, 17, 276, 706, 30, 279, 749, 171, 179)
"""Properties whose subject is part of the object: located in, part of, country, location, on the
terrain of, continent, subclass of, parent organisation, parent taxon, part of the series."""
HAS_PART = (527, 150, 355)
"""Properties whose object is part of the subject: has part, contains the region, subsidiary."""
MOST_STEPS = 8
"""Steps from a part to a whole that are followed."""

Pair = tuple[int, int]
"""A slot's place, and an entity."""


def excluded(store: Store, slots: Sequence[Slot], pairs: Sequence[Pair]) -> set[Pair]:
    """Those pairs whose entity is a true answer of the slot, or is part of one or its whole."""
    return _meeting_all(store, slots, pairs) | _overlapping(store, slots, pairs)


def _meeting_all(store: Store, slots: Sequence[Slot], pairs: Sequence[Pair]) -> set[Pair]:
    rows = [
        (at, entity, n, *((start, p, entity) if ahead else (entity, p, start)))
        for at, entity in pairs
        for n, (p, start) in enumerate(_conditions(slots[at]))
        for ahead in (True, False)
    ]
    if not rows:
        return set()
    names = ["slot", "x", "condition", "s", "p", "o"]
    columns = [pa.array(column, pa.int64()) for column in zip(*rows, strict=True)]
    with store.incoming(triple=pa.table(dict(zip(names, columns, strict=True)))):
        found = store.rows(queries.CONDITIONS_MET)
    return {(at, x) for at, x, met in found if met == len(_conditions(slots[at]))}


def _conditions(slot: Slot) -> list[tuple[int, int]]:
    """The property and the entity of each condition; literals are left to the execution."""
    if slot.plan.shape not in ("lookup", "intersect"):
        return []
    pairs = zip(slot.plan.properties, slot.starts, strict=True)
    return [(p, start) for p, start in pairs if isinstance(start, int)]


def _overlapping(store: Store, slots: Sequence[Slot], pairs: Sequence[Pair]) -> set[Pair]:
    rows = [
        (at, entity, number(gold.id))
        for at, entity in pairs
        for gold in slots[at].golds
        if gold.id is not None
    ]
    if not rows:
        return set()
    slot, x, gold = ([row[k] for row in rows] for k in range(3))
    parts = pa.table(
        {
            "p": pa.array([*PART_OF, *HAS_PART], pa.int64()),
            "forward": [True] * len(PART_OF) + [False] * len(HAS_PART),
        }
    )
    with store.incoming(
        part=parts,
        entity=pa.table({"id": pa.array(sorted({*x, *gold}), pa.int64())}),
        pair=pa.table({"slot": slot, "x": x, "gold": gold}),
    ):
        store.connection.execute(queries.MAKE_HOLDERS)
        result = store.connection.execute(queries.HELD_BY, {"most": MOST_STEPS})
        return {(at, entity) for at, entity in result.fetchall()}


def may_be_equal(a: TypedValue, b: TypedValue) -> bool:
    """Whether two literals are the same, or may be: `1968` and `March 1968`; 12 within 10 to 15.

    So are values of which that cannot be told: other units, other calendars.
    """
    if a.datatype != b.datatype:
        return True
    try:
        if a.datatype == "time":
            first, second = (parse_date(v.value, v.precision, v.calendar) for v in (a, b))
            common = min(first.precision, second.precision)
            calendars = first.calendar != second.calendar
            return calendars or first.cut(common) == second.cut(common)
        (low, high), (least, most) = _bounds(a), _bounds(b)
    except NotComparable:
        return True
    return a.unit != b.unit or (low <= most and least <= high)


def _bounds(value: TypedValue) -> tuple[Decimal, Decimal]:
    exact = TypedValue(datatype="quantity", value=value.value, label="")
    amounts = [
        quantity(exact.model_copy(update={"value": text})).amount
        for text in (value.value, value.lower, value.upper)
        if text is not None
    ]
    return min(amounts), max(amounts)


@lru_cache(maxsize=1 << 17)
def comparable_name(name: str) -> str:
    """A name as options are told apart: without case, accents, punctuation and articles."""
    return normalise(fold(name)) or fold(name)


def share_a_name(names: Iterable[str], others: Iterable[str]) -> bool:
    """Whether one of the names is one of the others."""
    return bool({*map(comparable_name, names)} & {*map(comparable_name, others)})
