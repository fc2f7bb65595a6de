"""What a block of a triple file gives, before ids become numbers: triples and names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from factchain.kg.records import Reject
from factchain.kg.shared_folder import join, write_parquet

KEPT_REJECTS = 1_000
"""Of one block; all are counted."""
TRIPLES = "triples"
NAMES = "names"
TRIPLE_SCHEMA = pa.schema(
    [
        ("s", pa.string()),
        ("p", pa.string()),
        ("o", pa.string()),
        ("value", pa.string()),
        ("datatype", pa.string()),
        ("precision", pa.int32()),
    ]
)
NAME_SCHEMA = pa.schema(
    [
        ("kind", pa.string()),
        ("id", pa.string()),
        ("field", pa.string()),
        ("place", pa.int32()),
        ("text", pa.string()),
        ("count", pa.int64()),
    ]
)

REDIRECT = "redirect"
"""The field that holds what a removed item was merged into."""
ITEM, PROPERTY = "Q", "P"
"""Kinds of things that have names."""
Triple = tuple[str, str, str | None, str | None, str, int | None]
"""A row of `TRIPLE_SCHEMA`."""
Name = tuple[str, str, str, int, str]
"""Kind, id, field, place of its language, text; a field is label, alias, description, wikipedia,
datatype or redirect."""


@dataclass(slots=True)
class Found:
    """What a block of a file holds."""

    triples: list[Triple] = field(default_factory=list)
    names: Counter[Name] = field(default_factory=Counter)
    rejects: list[Reject] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    lines: int = 0


@dataclass(frozen=True, slots=True)
class Staged:
    """What became of a block whose triples and names lie in shards now."""

    triples: int
    rejected: int
    rejects: list[Reject]
    """The first of the rejected lines."""
    skipped: dict[str, int]
    lines: int


def stage(found: Found, folder: str, block: str) -> Staged:
    """Write the triples and names of a block, whose name is unique, as shards of a folder."""
    if found.triples:
        write_parquet(
            join(folder, f"{TRIPLES}-{block}.parquet"), _table(found.triples, TRIPLE_SCHEMA)
        )
    if found.names:
        rows = [(*name, count) for name, count in found.names.items()]
        write_parquet(join(folder, f"{NAMES}-{block}.parquet"), _table(rows, NAME_SCHEMA))
    return Staged(
        triples=len(found.triples),
        rejected=len(found.rejects),
        rejects=found.rejects[:KEPT_REJECTS],
        skipped=dict(found.skipped),
        lines=found.lines,
    )


def _table(rows: Sequence[tuple[object, ...]], schema: pa.Schema) -> pa.Table:
    columns = zip(*rows, strict=True)
    arrays = [pa.array(column, kept.type) for column, kept in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)
