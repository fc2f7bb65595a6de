"""The bundled sample's readable tables -> typed statements.

The sample is written by hand as wide tables, one row an entity, one column a property
(`P36 capital`). This module reads them; `factchain.data.render` turns them into dumps.

A cell holds values separated by ` | `. A value is

    [^|~] text [ [start..end] ] [ @2021 | @2024 ]

`^` marks the preferred rank and `~` the deprecated one; `?` alone is *somevalue* and `!` alone
*novalue*; `[start..end]` gives the qualifiers P580 and P582 (either may be empty); `@2021`
says that only the earlier snapshot has the statement, `@2024` only the later one. An entity is
named by its label, or by its Q-id where two entities share a label.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from typing import Literal

from factchain.errors import InputError

Rank = Literal["preferred", "normal", "deprecated"]

SEPARATOR = " | "
_RANKS: dict[str, Rank] = {"^": "preferred", "~": "deprecated"}
_VALUE = re.compile(
    r"(?P<rank>[\^~]?)(?P<text>.*?)"
    r"(?: \[(?P<start>[-\d]*)\.\.(?P<end>[-\d]*)\])?"
    r"(?: @(?P<only>2021|2024))?"
)
_COLUMN = re.compile(r"(P\d+) .+")


@dataclass(frozen=True, slots=True)
class Property:
    """One row of `properties.tsv`."""

    id: str
    label: str
    datatype: str
    aliases: tuple[str, ...]
    description: str
    unit: str
    """Label of the unit's entity for quantities, empty for dimensionless ones."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One value of one cell; `value` is a Q-id for items, the text as written otherwise."""

    property: str
    value: str
    snaktype: Literal["value", "somevalue", "novalue"] = "value"
    rank: Rank = "normal"
    start: str = ""
    end: str = ""
    only: str = ""
    """`2021`, `2024`, or empty for both snapshots."""


@dataclass(frozen=True, slots=True)
class Entity:
    """One row of an entity table."""

    id: str
    label: str
    description: str
    aliases: tuple[str, ...]
    wikipedia: str
    """Title of the English Wikipedia page, empty where there is none."""
    since: str
    """`2024` where only the later snapshot has the entity, else empty."""
    statements: tuple[Statement, ...]
    table: str = ""


@dataclass(frozen=True)
class SampleTables:
    """All entities and properties of the sample, in the order of the tables."""

    entities: dict[str, Entity]
    properties: dict[str, Property]
    ids_by_label: dict[str, list[str]] = field(default_factory=dict)


def _rows(table: Traversable) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield (place, row) for each line of a tab-separated table."""
    with table.open("r", encoding="utf-8") as lines:
        reader = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        for row in reader:
            place = f"{table.name}:{reader.line_num}"
            if None in row or any(cell is None for cell in row.values()):
                raise InputError(f"{place}: the row has not as many cells as the header")
            yield place, {name: cell.strip() for name, cell in row.items()}


def _split(cell: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in cell.split(SEPARATOR) if part.strip())


def read_tables(folder: Traversable) -> SampleTables:
    """Read every table of `folder`.

    Raises InputError, naming table and line, for a malformed row, an unknown property, a
    duplicate id, or a label that no entity or more than one entity has.
    """
    properties = {
        row["id"]: Property(
            id=row["id"],
            label=row["label"],
            datatype=row["datatype"],
            aliases=_split(row["aliases"]),
            description=row["description"],
            unit=row["unit"],
        )
        for _, row in _rows(folder / "properties.tsv")
    }
    rows = [
        (table.name.removesuffix(".tsv"), place, row)
        for table in sorted(folder.iterdir(), key=lambda t: t.name)
        if table.name.endswith(".tsv") and table.name != "properties.tsv"
        for place, row in _rows(table)
    ]
    ids_by_label: dict[str, list[str]] = {}
    seen: dict[str, str] = {}
    for _, place, row in rows:
        if not re.fullmatch(r"Q[1-9]\d*", row["id"]):
            raise InputError(f"{place}: {row['id']!r} is not a Q-id")
        if row["id"] in seen:
            raise InputError(f"{place}: {row['id']} stands already at {seen[row['id']]}")
        seen[row["id"]] = place
        ids_by_label.setdefault(row["label"], []).append(row["id"])
    entities = {}
    for table, place, row in rows:
        statements = []
        for column, cell in row.items():
            if match := _COLUMN.fullmatch(column):
                if match[1] not in properties:
                    raise InputError(f"{place}: {match[1]} is not in properties.tsv")
                is_item = properties[match[1]].datatype == "wikibase-item"
                statements += [
                    _statement(match[1], text, is_item, ids_by_label, seen, place)
                    for text in _split(cell)
                ]
        entities[row["id"]] = Entity(
            id=row["id"],
            label=row["label"],
            description=row["description"],
            aliases=_split(row["aliases"]),
            wikipedia=row.get("wikipedia") or row["label"],
            since=row.get("since") or "",
            statements=tuple(statements),
            table=table,
        )
    return SampleTables(entities, properties, ids_by_label)


def _statement(
    property_id: str,
    text: str,
    is_item: bool,
    ids_by_label: dict[str, list[str]],
    known: dict[str, str],
    place: str,
) -> Statement:
    match = _VALUE.fullmatch(text)
    assert match is not None  # every part of the pattern is optional
    value = match["text"].strip()
    snaktype: Literal["value", "somevalue", "novalue"] = "value"
    if value == "?":
        snaktype, value = "somevalue", ""
    elif value == "!":
        snaktype, value = "novalue", ""
    elif is_item and value not in known:
        ids = ids_by_label.get(value, [])
        if len(ids) != 1:
            problem = "no entity has" if not ids else f"{', '.join(ids)} all have"
            raise InputError(f"{place}: {property_id}: {problem} the label {value!r}")
        value = ids[0]
    return Statement(
        property=property_id,
        value=value,
        snaktype=snaktype,
        rank=_RANKS.get(match["rank"], "normal"),
        start=match["start"] or "",
        end=match["end"] or "",
        only=match["only"] or "",
    )
