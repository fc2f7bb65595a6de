"""Lines of the official Wikidata JSON dump -> Arrow tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from factchain.kg.dumps.chunks import NEWLINE, SHOWN, Chunk
from factchain.kg.dumps.entity_filter import EntityFilter
from factchain.kg.dumps.fact_columns import FactColumns
from factchain.kg.dumps.statements import Claim, FactFilter, Nothing, add_facts
from factchain.kg.dumps.values import entity_number
from factchain.kg.records import (
    ENTITY_SCHEMA,
    PROPERTY_SCHEMA,
    REDIRECT_SCHEMA,
    DumpTables,
    Reject,
)

DEFAULT_LANGUAGE = "mul"
"""Wikidata's code for names that hold in all languages; the last one in every fallback."""


class DumpSettings(msgspec.Struct, frozen=True):
    """What is kept of a dump."""

    facts: FactFilter = FactFilter()
    entities: EntityFilter = EntityFilter()
    languages: tuple[str, ...] = ("en",)
    """Of labels, descriptions and aliases; a label is the first one that there is."""

    @property
    def fallback(self) -> tuple[str, ...]:
        """The languages in their order, each once, `mul` the last."""
        chosen = (code for code in self.languages if code != DEFAULT_LANGUAGE)
        return (*dict.fromkeys(chosen), DEFAULT_LANGUAGE)

    @property
    def home_wiki(self) -> str:
        """The Wikipedia of the first language: `enwiki`."""
        return f"{self.fallback[0].replace('-', '_')}wiki"


class Term(msgspec.Struct, gc=False):
    """A label, a description or an alias."""

    value: str


class Page(msgspec.Struct, gc=False):
    """A page of a wiki."""

    title: str


class Parser:
    """Decodes only what the settings keep; the other fields of a line are skipped unread."""

    def __init__(self, settings: DumpSettings) -> None:
        self._settings = settings
        self._fields = tuple(f"language_{n}" for n in range(len(settings.fallback)))
        names = dict(zip(self._fields, settings.fallback, strict=True))
        texts = _struct("Texts", names, Term | None, None)
        aliases = _struct("Aliases", names, list[Term], ())
        wikis = dict.fromkeys([settings.home_wiki, *settings.entities.wikis])
        self._wikis = tuple(f"wiki_{n}" for n in range(len(wikis)))
        pages = _struct("Pages", dict(zip(self._wikis, wikis, strict=True)), Page | None, None)
        kept = [
            *((name, str, "") for name in ("id", "type", "datatype", "entity", "redirect")),
            ("labels", texts | Nothing, None),
            ("descriptions", texts | Nothing, None),
            ("aliases", aliases | Nothing, None),
            ("claims", dict[str, list[Claim]] | Nothing, None),
            ("sitelinks", pages | Nothing, None),
        ]
        self._decoder = msgspec.json.Decoder(msgspec.defstruct("DumpEntity", kept, gc=False))
        # The home wiki is decoded for its titles, whether or not it is asked for.
        asked = zip(self._wikis, wikis, strict=True)
        self._asked = tuple(name for name, wiki in asked if wiki in settings.entities.wikis)

    def parse(self, chunk: Chunk) -> DumpTables:
        """The entities of a chunk's lines; what cannot be used becomes a `Reject`."""
        rows = _Rows()
        # The decoder does not look into the fields that it skips.
        valid = _is_utf8(chunk.data)
        for number, line in enumerate(_lines(chunk.data), start=chunk.line):
            if not line:
                continue
            mark = len(rows.facts)
            try:
                if not valid:
                    bytes(line).decode()
                self._add(self._decoder.decode(line), rows)
            except (ValueError, msgspec.MsgspecError, RecursionError) as error:
                rows.facts.cut(mark)
                text = bytes(line[:SHOWN]).decode(errors="replace")
                rows.rejects.append(Reject(number, str(error), text, chunk.file))
        if chunk.after is not None:
            rows.rejects.append(chunk.after)
        return rows.tables()

    def _add(self, entity: Any, rows: _Rows) -> None:
        """Add the entity to the rows. Raises ValueError where it cannot be used."""
        if entity.redirect:
            if entity.entity[:1] == "Q" and entity.redirect[:1] == "Q":
                pair = entity_number(entity.entity), entity_number(entity.redirect)
                rows.redirects.append(pair)
            rows.skipped["redirect"] += 1
        elif entity.type == "item":
            self._add_item(entity, rows)
        elif entity.type == "property":
            names = self._names(entity, "P")
            rows.properties.append((*names, entity.datatype))
        elif entity.type == "lexeme":
            rows.skipped["lexeme"] += 1
        elif entity.type == "mediainfo":
            raise ValueError("this is a file of Wikimedia Commons, not an entity of Wikidata")
        else:
            raise ValueError(f"the entity has no known type: {entity.type!r}")

    def _add_item(self, entity: Any, rows: _Rows) -> None:
        names = self._names(entity, "Q")
        first = len(rows.facts)
        classes = add_facts(entity.claims or {}, self._settings.facts, rows.skipped, rows.facts)
        pages = entity.sitelinks
        has_page = bool(pages) and any(getattr(pages, wiki) is not None for wiki in self._asked)
        against = self._settings.entities.reason_against(names[0], classes, has_page)
        if against:
            rows.skipped[f"entity: {against}"] += 1
            rows.facts.cut(first)
            return
        home = getattr(pages, self._wikis[0]) if pages else None
        rows.entities.append((*names, classes, home.title if home else None))
        rows.facts.end_subject(names[0], first)

    def _names(self, entity: Any, prefix: str) -> tuple[int, str | None, str | None, list[str]]:
        """Id, label, description and aliases; raises ValueError for a malformed id."""
        if not entity.id.startswith(prefix):
            raise ValueError(f"{entity.id!r} is not a {prefix}-id")
        number = entity_number(entity.id)
        label = self._first(entity.labels)
        description = self._first(entity.descriptions)
        if not entity.aliases:
            return number, label, description, []
        names = {term.value for field in self._fields for term in getattr(entity.aliases, field)}
        return number, label, description, sorted(names - {label})

    def _first(self, texts: Any) -> str | None:
        """The text in the first language that has one."""
        if texts:
            for field in self._fields:
                term = getattr(texts, field)
                if term is not None:
                    return str(term.value)
        return None


@lru_cache(maxsize=1)
def parser_of(settings: DumpSettings) -> Parser:
    """The parser for the settings, made once in each process."""
    return Parser(settings)


class _Rows:
    """Rows in the order of the schemas' columns."""

    def __init__(self) -> None:
        self.entities: list[tuple[Any, ...]] = []
        self.properties: list[tuple[Any, ...]] = []
        self.facts = FactColumns()
        self.redirects: list[tuple[int, int]] = []
        self.rejects: list[Reject] = []
        self.skipped: Counter[str] = Counter()

    def tables(self) -> DumpTables:
        return DumpTables(
            entities=_table(self.entities, ENTITY_SCHEMA),
            properties=_table(self.properties, PROPERTY_SCHEMA),
            facts=self.facts.table(),
            redirects=_table(self.redirects, REDIRECT_SCHEMA),
            rejects=self.rejects,
            skipped=dict(self.skipped),
        )


def _lines(data: bytes) -> Iterator[bytes | memoryview]:
    """The lines without the blanks around them and the comma at their end."""
    view = memoryview(data)
    start = 0
    while start <= len(data):
        end = data.find(NEWLINE, start)
        if end < 0:
            end = len(data)
        if data.startswith(b"{", start) and data.endswith(b"},", start, end):
            yield view[start : end - 1]  # as nearly all are, and these are not copied
        else:
            yield data[start:end].strip().rstrip(b",")
        start = end + 1


def _is_utf8(data: bytes) -> bool:
    """As `data.decode()` would tell, which is slower and takes as much memory as the data."""
    ends = pa.py_buffer(np.array([0, len(data)], np.int64))
    text = pa.LargeStringArray.from_buffers(1, ends, pa.py_buffer(data))
    try:
        text.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _table(rows: list[Any], schema: pa.Schema) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else [() for _ in schema]
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)


def _struct(name: str, fields: dict[str, str], kind: Any, default: Any) -> Any:
    """A struct whose fields have the names on the left here, those on the right in JSON."""
    return msgspec.defstruct(
        name, [(field, kind, default) for field in fields], rename=fields, gc=False
    )
