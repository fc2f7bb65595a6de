"""One entity of a dump -> its truthy facts.

Best rank (SPEC.md 6.4): per subject and property the preferred statements, else the normal
ones, never the deprecated. Then `somevalue` and `novalue` are dropped, and statements that had
ended by the snapshot's date (P582).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from factchain.kg.dumps.fact_columns import NORMAL, PREFERRED, FactColumns
from factchain.kg.dumps.values import (
    DATATYPES,
    KEPT_TYPES,
    OTHER_TYPES,
    Snak,
    parse_value,
    property_number,
)

INSTANCE_OF = 31
Nothing = Annotated[list[Any], Meta(max_length=0)]
"""An empty map is `[]` in dumps."""


class Qualifiers(msgspec.Struct, gc=False):
    """The qualifiers that are kept: when a statement began to hold, and when it ended."""

    starts: tuple[Snak, ...] = msgspec.field(default=(), name="P580")
    ends: tuple[Snak, ...] = msgspec.field(default=(), name="P582")


class Claim(msgspec.Struct, gc=False):
    """A statement."""

    mainsnak: Snak
    rank: Literal["preferred", "normal", "deprecated"]
    qualifiers: Qualifiers | Nothing | None = None


_UNKEPT = dict.fromkeys(DATATYPES | OTHER_TYPES, "datatype")
"""Why statements of known datatypes are left out."""


class FactFilter(msgspec.Struct, frozen=True):
    """Which facts of an entity are kept."""

    date: str = ""
    """ISO date on which they hold."""
    keep_ended: bool = False
    """Also those that had ended by then."""
    datatypes: frozenset[str] = KEPT_TYPES
    properties: frozenset[int] | None = None
    """Only these, where given."""
    dropped: frozenset[int] = frozenset()
    """Not these."""


def add_facts(
    claims: dict[str, list[Claim]], kept: FactFilter, skipped: Counter[str], facts: FactColumns
) -> list[int]:
    """Add an item's facts that hold on the filter's date; return its classes (P31).

    Adds to `skipped` how many statements were left out, by reason. Raises ValueError for a
    value that has not the shape of its datatype.
    """
    classes: set[int] = set()
    dropped, chosen = kept.dropped, kept.properties
    for prop, group in claims.items():
        p = property_number(prop)
        if p in dropped or (chosen is not None and p not in chosen):
            skipped["property"] += len(group)
            if p != INSTANCE_OF:
                continue
            unkept = FactColumns()
            _add_group(p, prop, group, kept, Counter(), unkept)
            classes.update(o for o in unkept.o if o is not None)
            continue
        if p != INSTANCE_OF:
            _add_group(p, prop, group, kept, skipped, facts)
            continue
        first = len(facts)
        _add_group(p, prop, group, kept, skipped, facts)
        classes.update(o for o in facts.o[first:] if o is not None)
    return sorted(classes)


def _add_group(
    p: int,
    prop: str,
    group: list[Claim],
    kept: FactFilter,
    skipped: Counter[str],
    facts: FactColumns,
) -> None:
    """Add the facts of one subject and property."""
    best = NORMAL
    for claim in group:
        if claim.rank == PREFERRED:
            best = PREFERRED
            break
    datatypes = kept.datatypes
    for claim in group:
        if claim.rank != best:
            skipped["rank"] += 1
            continue
        snak = claim.mainsnak
        if snak.snaktype != "value":
            skipped[snak.snaktype] += 1
            continue
        datatype = snak.datatype
        if datatype not in datatypes:
            skipped[_UNKEPT.get(datatype, "unknown datatype")] += 1
            continue
        start = end = None
        qualifiers = claim.qualifiers
        if type(qualifiers) is Qualifiers and (qualifiers.starts or qualifiers.ends):
            start, end = _first_time(qualifiers.starts), _first_time(qualifiers.ends)
            if not kept.keep_ended and _has_ended(qualifiers.ends, end, kept.date):
                skipped["ended"] += 1
                continue
        if snak.property != prop:
            raise ValueError(f"a statement of {snak.property} stands under {prop}")
        value = parse_value(snak)
        if isinstance(value, tuple):
            facts.o.append(None)
            facts.value.append(value[0])
            for name, detail in value[1]:
                facts.sparse[name][len(facts.p)] = detail
        elif value is None:
            skipped["not an item"] += 1
            continue
        else:
            facts.o.append(value)
            facts.value.append(None)
        if best is PREFERRED:
            facts.sparse["rank"][len(facts.p)] = best
        if start:
            facts.sparse["start_time"][len(facts.p)] = start
        if end:
            facts.sparse["end_time"][len(facts.p)] = end
        facts.p.append(p)
        facts.datatype.append(datatype)


def _first_time(snaks: Sequence[Snak]) -> str | None:
    for snak in snaks:
        if snak.snaktype == "value":
            if snak.datatype != "time":
                raise ValueError(f"{snak.property}: {snak.datatype!r} is no datatype of a time")
            value = parse_value(snak)
            assert isinstance(value, tuple)  # as dates are
            return value[0]
    return None


def _has_ended(ends: Sequence[Snak], end: str | None, date: str) -> bool:
    """Whether an end is stated (`end` is the first one) that may lie on or before `date`."""
    if not ends:
        return False
    if any(snak.snaktype == "somevalue" for snak in ends):
        return True
    if end is None or end.startswith("-"):
        return end is not None
    return len(end.partition("-")[0]) <= len("2024") and end <= date
