"""One entity of a dump -> its truthy facts.

Best rank (SPEC.md 6.4): per subject and property the preferred statements, else the normal
ones, never the deprecated. Then `somevalue` and `novalue` are dropped, and statements that had
ended by the snapshot's date (P582).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import msgspec

KEPT_TYPES = frozenset(
    {
        *("wikibase-item", "wikibase-entityid"),
        *("time", "quantity", "string", "monolingualtext", "globe-coordinate", "url"),
    }
)
"""Datatypes of the facts that are kept: no external ids, no media."""
START_TIME, END_TIME = "P580", "P582"
DAY, YEAR = 11, 9
"""Precisions of a date, in between them 10 for a month."""
FINEST = 14
"""Precision of a second."""
LARGEST_NUMBER = 2**31 - 1
"""Of an id: it fits 32 bits, so that two of them make one 64-bit key (`chains.graph_index`)."""


_ENTITY = re.compile("[QP][0-9]{1,10}")
_TIME = re.compile(r"([+-]?)(\d+)-(\d\d)-(\d\d)T.*", re.ASCII)


class Snak(msgspec.Struct, gc=False):
    """A property with a value, or the statement that there is none or an unknown one."""

    snaktype: Literal["value", "somevalue", "novalue"]
    property: str
    datatype: str = ""
    datavalue: dict[str, Any] | None = None


class Claim(msgspec.Struct, gc=False):
    """A statement."""

    mainsnak: Snak
    rank: Literal["preferred", "normal", "deprecated"] = "normal"
    qualifiers: dict[str, list[Snak]] | list[Any] = {}


class Value(NamedTuple):
    """The object of a fact: an item (`o`) or a literal (`value`)."""

    o: int | None = None
    value: str | None = None
    unit: int | None = None
    precision: int | None = None


class Fact(NamedTuple):
    """A truthy fact of one subject: the columns of `FACT_SCHEMA` after `s`."""

    p: int
    o: int | None
    value: str | None
    datatype: str
    unit: int | None
    precision: int | None
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
    for prop, group in claims.items():
        p = entity_number(prop)
        ranks = {claim.rank for claim in group}
        best = "preferred" if "preferred" in ranks else "normal"
        for claim in group:
            snak, start, end = claim.mainsnak, None, None
            if claim.rank != best:
                skipped["rank"] += 1
                continue
            if snak.snaktype != "value":
                skipped[snak.snaktype] += 1
                continue
            if snak.datatype not in KEPT_TYPES:
                skipped["datatype"] += 1
                continue
            if claim.qualifiers and isinstance(claim.qualifiers, dict):
                start = _first_time(claim.qualifiers.get(START_TIME, []))
                ends = claim.qualifiers.get(END_TIME, [])
                end = _first_time(ends)
                if not keep_ended and _has_ended(ends, end, date):
                    skipped["ended"] += 1
                    continue
            value = parse_value(snak)
            if value is None:
                skipped["not an item"] += 1
                continue
            o, text, unit, precision = value
            yield Fact(p, o, text, snak.datatype, unit, precision, claim.rank, start, end)


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
    if _ENTITY.fullmatch(entity) and (number := int(entity[1:])) <= LARGEST_NUMBER:
        return number
    raise ValueError(f"{entity!r} is not the id of an entity")


def parse_time(text: str, precision: int) -> Value:
    """An ISO date cut to its precision: `+1879-03-14T00:00:00Z` at 9 (year) -> `1879`.

    Raises ValueError for anything that is no such date.
    """
    if not isinstance(precision, int) or not 0 <= precision <= FINEST:
        raise ValueError(f"{precision!r} is no precision of a date")
    match = _TIME.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no date")
    sign, year, month, day = match.groups()
    parts = [f"{int(year):04d}", month, day][: max(1, min(precision, DAY) - YEAR + 1)]
    return Value(value=("-" if sign == "-" else "") + "-".join(parts), precision=precision)


def _first_time(snaks: list[Snak]) -> str | None:
    for snak in snaks:
        if snak.snaktype == "value" and snak.datavalue and snak.datavalue.get("type") == "time":
            parsed = parse_value(snak)
            return parsed.value if parsed else None
    return None


def _has_ended(ends: list[Snak], end: str | None, date: str) -> bool:
    """Whether an end is stated (`end` is the first one) that may lie on or before `date`."""
    if any(snak.snaktype == "somevalue" for snak in ends):
        return True
    return end is not None and (end.startswith("-") or end <= date)
