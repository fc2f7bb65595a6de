"""One entity of a dump -> its truthy facts.

Best rank (SPEC.md 6.4): per subject and property the preferred statements, else the normal
ones, never the deprecated. Then `somevalue` and `novalue` are dropped, and statements that had
ended by the snapshot's date (P582).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal

import msgspec

ENTITY_TYPES = frozenset({"wikibase-item", "wikibase-entityid"})
LITERAL_TYPES = frozenset(
    {"time", "quantity", "string", "monolingualtext", "globe-coordinate", "url"}
)
START_TIME, END_TIME = "P580", "P582"
DAY, MONTH, YEAR = 11, 10, 9
FINEST = 14
"""Precision of a second."""
LARGEST_NUMBER = 2**31 - 1
"""Of an id: it fits 32 bits, so that two of them make one 64-bit key (`chains.graph_index`)."""


class Snak(msgspec.Struct):
    """A property with a value, or the statement that there is none or an unknown one."""

    snaktype: Literal["value", "somevalue", "novalue"]
    property: str
    datatype: str = ""
    datavalue: dict[str, Any] | None = None


class Claim(msgspec.Struct):
    """A statement."""

    mainsnak: Snak
    rank: Literal["preferred", "normal", "deprecated"] = "normal"
    qualifiers: dict[str, list[Snak]] | list[Any] = {}


class Value(msgspec.Struct, frozen=True):
    """The object of a fact: an item (`o`) or a literal (`value`)."""

    o: int | None = None
    value: str | None = None
    unit: int | None = None
    precision: int | None = None


class Fact(msgspec.Struct, frozen=True):
    """A truthy fact of one subject."""

    p: int
    value: Value
    datatype: str
    rank: str
    start_time: str | None
    end_time: str | None


def truthy_facts(
    claims: dict[str, list[Claim]], date: str, keep_ended: bool, skipped: Counter[str]
) -> Iterator[Fact]:
    """Yield the facts of `claims` (by property) that hold on `date` (ISO).

    Adds to `skipped` how many statements were left out, by reason. Raises ValueError for a
    value that has not the shape of its datatype.
    """
    for group in claims.values():
        best = "preferred" if any(c.rank == "preferred" for c in group) else "normal"
        for claim in group:
            if claim.rank != best:
                skipped["rank"] += 1
                continue
            snak = claim.mainsnak
            if snak.snaktype != "value":
                skipped[snak.snaktype] += 1
                continue
            if snak.datatype not in ENTITY_TYPES and snak.datatype not in LITERAL_TYPES:
                skipped["datatype"] += 1
                continue
            qualifiers = claim.qualifiers if isinstance(claim.qualifiers, dict) else {}
            if not keep_ended and _has_ended(qualifiers.get(END_TIME, []), date):
                skipped["ended"] += 1
                continue
            value = parse_value(snak)
            if value is None:
                skipped["not an item"] += 1
                continue
            yield Fact(
                p=entity_number(snak.property),
                value=value,
                datatype=snak.datatype,
                rank=claim.rank,
                start_time=_first_time(qualifiers.get(START_TIME, [])),
                end_time=_first_time(qualifiers.get(END_TIME, [])),
            )


def parse_value(snak: Snak) -> Value | None:
    """The value of a snak; None for an entity that is not an item (a lexeme, a property)."""
    data = snak.datavalue
    if not isinstance(data, dict) or "value" not in data:
        raise ValueError(f"{snak.property} has no value")
    value, kind = data["value"], data.get("type")
    try:
        if kind == "wikibase-entityid":
            entity = value.get("id") or f"Q{value['numeric-id']}"
            return Value(o=entity_number(entity)) if entity[0] == "Q" else None
        if kind == "time":
            return parse_time(value["time"], value["precision"])
        if kind == "quantity":
            unit = value.get("unit", "1").rpartition("/")[2]
            amount = value["amount"].lstrip("+")
            float(amount)
            return Value(value=amount, unit=None if unit == "1" else entity_number(unit))
        if kind == "monolingualtext":
            return Value(value=f"{value['text']}@{value['language']}")
        if kind == "globecoordinate":
            return Value(value=f"{value['latitude']},{value['longitude']}")
        if kind == "string" and isinstance(value, str):
            return Value(value=value)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        raise ValueError(f"{snak.property}: {value!r} is not a {kind}") from error
    raise ValueError(f"{snak.property}: unknown kind of value {kind!r}")


def entity_number(entity: str) -> int:
    """The number of a Q- or P-id. Raises ValueError for anything else."""
    if re.fullmatch("[QP][0-9]{1,10}", entity) and int(entity[1:]) <= LARGEST_NUMBER:
        return int(entity[1:])
    raise ValueError(f"{entity!r} is not the id of an entity")


def parse_time(text: str, precision: int) -> Value:
    """An ISO date cut to its precision: `+1879-03-14T00:00:00Z` at 9 (year) -> `1879`.

    Raises ValueError for anything that is no such date.
    """
    if not isinstance(precision, int) or not 0 <= precision <= FINEST:
        raise ValueError(f"{precision!r} is no precision of a date")
    sign = "-" if text.startswith("-") else ""
    year, month, day = text.lstrip("+-").partition("T")[0].split("-")
    parts = [f"{int(year):04d}", month, day][: max(1, min(precision, DAY) - YEAR + 1)]
    return Value(value=sign + "-".join(parts), precision=precision)


def _first_time(snaks: list[Snak]) -> str | None:
    for snak in snaks:
        if snak.snaktype == "value" and snak.datavalue and snak.datavalue.get("type") == "time":
            parsed = parse_value(snak)
            return parsed.value if parsed else None
    return None


def _has_ended(ends: list[Snak], date: str) -> bool:
    """Whether an end is stated that lies, or may lie, on or before `date`."""
    if any(snak.snaktype == "somevalue" for snak in ends):
        return True
    end = _first_time(ends)
    return end is not None and (end.startswith("-") or end <= date)
