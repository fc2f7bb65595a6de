"""The official Wikidata JSON dump (`.json`, `.json.gz`, `.json.bz2`) -> Arrow tables."""

from __future__ import annotations

import bz2
import gzip
import zlib
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

import msgspec
import pyarrow as pa

from factchain.errors import InputError
from factchain.kg.records import (
    ENTITY_SCHEMA,
    FACT_SCHEMA,
    PROPERTY_SCHEMA,
    DumpTables,
    Reject,
)
from factchain.kg.statements import Claim, entity_number, truthy_facts
from factchain.parallel import map_shards

LINES_PER_SHARD = 5_000
INSTANCE_OF = 31


class Term(msgspec.Struct, gc=False):
    """A label, a description or an alias."""

    value: str


class Texts(msgspec.Struct, gc=False):
    """Labels or descriptions: a field a language that is kept; the others are not decoded."""

    en: Term | None = None
    mul: Term | None = None


class Aliases(msgspec.Struct, gc=False):
    """Aliases by language, as in `Texts`."""

    en: list[Term] = []
    mul: list[Term] = []


class Page(msgspec.Struct, gc=False):
    """A page of a wiki."""

    title: str


class Sitelinks(msgspec.Struct, gc=False):
    """The page of the English Wikipedia."""

    enwiki: Page | None = None


class DumpEntity(msgspec.Struct, gc=False):
    """The fields that are kept of one line; empty maps are `[]` in dumps."""

    id: str = ""
    type: str = ""
    datatype: str = ""
    redirect: str = ""
    labels: Texts | list[Any] = []
    descriptions: Texts | list[Any] = []
    aliases: Aliases | list[Any] = []
    claims: dict[str, list[Claim]] | list[Any] = []
    sitelinks: Sitelinks | list[Any] = []


_decoder = msgspec.json.Decoder(DumpEntity)


def read_dump(
    path: Path, date: str, *, keep_ended: bool = False, workers: int = 1
) -> Iterator[DumpTables]:
    """Yield the truthy facts, entities and properties of a dump, shard by shard, in its order.

    `date` (ISO) is the day as of which facts hold; those that had ended by then are left out
    unless `keep_ended`. A malformed line becomes a `Reject`. Raises InputError where the file
    is missing, empty, cut off, damaged, or no such dump.
    """
    parse = partial(parse_lines, date=date, keep_ended=keep_ended)
    yield from map_shards(parse, _shards(path), workers)


def parse_lines(shard: list[tuple[int, bytes]], *, date: str, keep_ended: bool) -> DumpTables:
    """Parse the entity lines of one shard, each with its line number."""
    entities: list[dict[str, Any]] = []
    properties: list[dict[str, Any]] = []
    facts: list[tuple[Any, ...]] = []
    rejects: list[Reject] = []
    skipped: Counter[str] = Counter()
    for number, line in shard:
        try:
            entity = _decoder.decode(line)
            if entity.redirect or entity.type == "lexeme":
                skipped["redirect" if entity.redirect else "lexeme"] += 1
            elif entity.type == "property":
                properties.append(_terms(entity, "P") | {"datatype": entity.datatype})
            elif entity.type == "item":
                row, rows = _item(entity, date, keep_ended, skipped)
                entities.append(row)
                facts += rows
            else:
                raise ValueError(f"the entity has no known type: {entity.type!r}")
        except (ValueError, msgspec.MsgspecError) as error:
            text = line[:200].decode(errors="replace")
            rejects.append(Reject(number, str(error), text))
    return DumpTables(
        entities=pa.Table.from_pylist(entities, schema=ENTITY_SCHEMA),
        properties=pa.Table.from_pylist(properties, schema=PROPERTY_SCHEMA),
        facts=_fact_table(facts),
        rejects=rejects,
        skipped=dict(skipped),
    )


def _fact_table(rows: list[tuple[Any, ...]]) -> pa.Table:
    """Rows in the order of `FACT_SCHEMA`'s columns as a table."""
    columns = zip(*rows, strict=True) if rows else [[] for _ in FACT_SCHEMA]
    arrays = [
        pa.array(column, field.type) for column, field in zip(columns, FACT_SCHEMA, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=FACT_SCHEMA)


def _item(
    entity: DumpEntity, date: str, keep_ended: bool, skipped: Counter[str]
) -> tuple[dict[str, Any], list[tuple[Any, ...]]]:
    """The entity's row and its facts' rows."""
    terms = _terms(entity, "Q")
    s = terms["id"]
    claims = entity.claims if isinstance(entity.claims, dict) else {}
    facts = list(truthy_facts(claims, date, keep_ended, skipped))
    pages = entity.sitelinks if isinstance(entity.sitelinks, Sitelinks) else Sitelinks()
    row = terms | {
        "classes": sorted({f.o for f in facts if f.p == INSTANCE_OF and f.o is not None}),
        "wikipedia": pages.enwiki.title if pages.enwiki else None,
    }
    return row, [(s, *fact) for fact in facts]


def _terms(entity: DumpEntity, prefix: str) -> dict[str, Any]:
    """Id, label, description and aliases; raises ValueError for a malformed id."""
    if not entity.id.startswith(prefix):
        raise ValueError(f"{entity.id!r} is not a {prefix}-id")
    aliases = entity.aliases if isinstance(entity.aliases, Aliases) else Aliases()
    label = _first_language(entity.labels)
    names = {term.value for term in [*aliases.en, *aliases.mul]}
    return {
        "id": entity_number(entity.id),
        "label": label,
        "description": _first_language(entity.descriptions),
        "aliases": sorted(names - {label}),
    }


def _first_language(texts: Texts | list[Any]) -> str | None:
    """English, else `mul`, Wikidata's default for all languages."""
    if isinstance(texts, Texts):
        text = texts.en or texts.mul
        return text.value if text else None
    return None


def _shards(path: Path) -> Iterator[list[tuple[int, bytes]]]:
    """Stretches of entity lines with their line numbers; the brackets around them left out."""
    shard: list[tuple[int, bytes]] = []
    number, opened, closed, empty = 0, False, False, True
    for number, line in enumerate(_lines(path), start=1):
        content = line.strip().rstrip(b",")
        if not content:
            continue
        if content == b"[" and empty:
            opened = True
        elif content == b"]" and opened:
            closed = True
        elif empty and not content.startswith(b"{"):
            raise InputError(
                f"{path}:{number}: this is not a Wikidata JSON dump: one entity a line was "
                "expected, as in `latest-all.json.gz`"
            )
        else:
            empty = False
            shard.append((number, content))
            if len(shard) == LINES_PER_SHARD:
                yield shard
                shard = []
    if opened and not closed:
        raise InputError(
            f"{path}: the dump is cut off after line {number} (no closing `]`): "
            "download it again and compare its checksum"
        )
    if empty:
        raise InputError(f"{path}: the dump is empty")
    yield shard


def _lines(path: Path) -> Iterator[bytes]:
    """The decompressed lines of a dump."""
    try:
        with _open(path) as dump:
            yield from dump
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(
            f"{path}: the archive is cut off or damaged ({error}): download it again and compare "
            "its checksum"
        ) from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error


def _open(path: Path) -> BinaryIO:
    if path.suffix == ".gz":
        return cast(BinaryIO, gzip.open(path, "rb"))
    if path.suffix == ".bz2":
        return cast(BinaryIO, bz2.open(path, "rb"))
    return path.open("rb")
