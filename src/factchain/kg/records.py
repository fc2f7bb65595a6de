"""Ids, and the Arrow tables in which entities and facts flow from a dump to the store."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa

from factchain.records import ItemId, Record

ENTITY_SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("label", pa.string()),
        ("description", pa.string()),
        ("aliases", pa.list_(pa.string())),
        ("classes", pa.list_(pa.int64())),
        ("wikipedia", pa.string()),
    ]
)
PROPERTY_SCHEMA = pa.schema(
    [
        ("id", pa.int32()),
        ("label", pa.string()),
        ("description", pa.string()),
        ("aliases", pa.list_(pa.string())),
        ("datatype", pa.string()),
    ]
)
FACT_SCHEMA = pa.schema(
    [
        ("s", pa.int64()),
        ("p", pa.int32()),
        ("o", pa.int64()),
        ("value", pa.string()),
        ("datatype", pa.string()),
        ("unit", pa.int64()),
        ("precision", pa.int32()),
        ("rank", pa.string()),
        ("start_time", pa.string()),
        ("end_time", pa.string()),
    ]
)


class TextPassage(Record):
    """One line of a text corpus."""

    id: str
    """Unique id of the passage."""
    title: str
    """Title of its page."""
    entity: ItemId | None = None
    """Q-id of the entity that the page is about, where known."""
    text: str
    """The passage itself."""


@dataclass(frozen=True, slots=True)
class Reject:
    """A line of a dump that could not be used."""

    line: int
    """Line number, from 1."""
    reason: str
    """What is wrong."""
    text: str
    """The line's beginning."""


@dataclass(slots=True)
class DumpTables:
    """What a stretch of a dump holds."""

    entities: pa.Table
    properties: pa.Table
    facts: pa.Table
    rejects: list[Reject] = field(default_factory=list)
    skipped: dict[str, int] = field(default_factory=dict)
    """How many entities or statements were left out on purpose, by reason."""


def number(entity_id: str) -> int:
    """The number of a Q- or P-id: `Q42` -> 42."""
    return int(entity_id[1:])


def qid(entity: int) -> str:
    """The id of an item: 42 -> `Q42`."""
    return f"Q{entity}"


def pid(property_number: int) -> str:
    """The id of a property: 31 -> `P31`."""
    return f"P{property_number}"
