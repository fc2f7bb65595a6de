"""Ids, and the Arrow tables in which entities and facts flow from a dump to the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, Self

import pyarrow as pa
from pydantic import Field, model_validator

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
        ("calendar", pa.int64()),
        ("lower", pa.string()),
        ("upper", pa.string()),
        ("rank", pa.string()),
        ("start_time", pa.string()),
        ("end_time", pa.string()),
    ]
)


class Link(Record):
    """A link of a passage to another page of its wiki."""

    start: int = Field(ge=0)
    """Where the link's text begins in the passage's text, in characters."""
    end: int = Field(ge=1)
    """Where it ends: `text[start:end]` is the link's text."""
    title: str
    """Title of the page that it leads to, with spaces."""


REDIRECT_SCHEMA = pa.schema([("source", pa.int64()), ("target", pa.int64())])


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
    links: tuple[Link, ...] = ()
    """Its links to other pages, where the source has them."""

    @model_validator(mode="after")
    def _check_links(self) -> Self:
        """Refuse links that do not lie in the text."""
        for link in self.links:
            if not link.start < link.end <= len(self.text):
                raise ValueError(
                    f"a link from {link.start} to {link.end} in a text of {len(self.text)}"
                )
        return self


class LinkView(Protocol):
    """What is read of a link: `Link`, or one that was decoded faster."""

    @property
    def start(self) -> int:
        """See `Link`."""

    @property
    def end(self) -> int:
        """See `Link`."""

    @property
    def title(self) -> str:
        """See `Link`."""


class PassageView(Protocol):
    """What is read of a passage: `TextPassage`, or one that was decoded faster."""

    @property
    def id(self) -> str:
        """See `TextPassage`."""

    @property
    def title(self) -> str:
        """See `TextPassage`."""

    @property
    def entity(self) -> str | None:
        """See `TextPassage`."""

    @property
    def text(self) -> str:
        """See `TextPassage`."""

    @property
    def links(self) -> Sequence[LinkView]:
        """See `TextPassage`."""


@dataclass(frozen=True, slots=True)
class Reject:
    """A line of a dump that could not be used."""

    line: int
    """Line number, from 1."""
    reason: str
    """What is wrong."""
    text: str
    """The line's beginning."""
    file: int = 0
    """Position of its file among the dump's files."""


@dataclass(slots=True)
class DumpTables:
    """What a stretch of a dump holds."""

    entities: pa.Table
    properties: pa.Table
    facts: pa.Table
    redirects: pa.Table = field(default_factory=REDIRECT_SCHEMA.empty_table)
    rejects: list[Reject] = field(default_factory=list)
    skipped: dict[str, int] = field(default_factory=dict)
    """How many entities or statements were left out on purpose, by reason."""


@dataclass(frozen=True, slots=True)
class DumpShards:
    """The same in Parquet shards: patterns that match their files, or a table where none is."""

    entities: pa.Table | str
    properties: pa.Table | str
    facts: pa.Table | str
    redirects: pa.Table


def number(entity_id: str) -> int:
    """The number of a Q- or P-id: `Q42` -> 42."""
    return int(entity_id[1:])


def qid(entity: int) -> str:
    """The id of an item: 42 -> `Q42`."""
    return f"Q{entity}"


def pid(property_number: int) -> str:
    """The id of a property: 31 -> `P31`."""
    return f"P{property_number}"
