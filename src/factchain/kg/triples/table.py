"""Tables of triples with labels, TSV or Parquet: columns `s, s_label, p, p_label, o, o_label`.

A TSV names its columns in the first line, and its fields are as they stand: no quotes, no
escapes. `s`, `p` and `o` are ids; labels may be empty or their columns absent; other columns are
not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from factchain.errors import InputError
from factchain.kg.records import Reject
from factchain.kg.triples.lines import SHOWN, Block
from factchain.kg.triples.staging import ITEM, PROPERTY, Found

IDS = ("s", "p", "o")
COLUMNS = ("s", "s_label", "p", "p_label", "o", "o_label")
ROWS = 100_000
"""Of a Parquet file that are read at once."""
_PROPERTY_ID = re.compile(r"P[1-9][0-9]*", re.ASCII)
_EXPECTED = f"tab-separated names of columns, `{', '.join(COLUMNS)}` (labels may be absent)"


def read_header(path: Path, stream: BinaryIO) -> tuple[str, ...]:
    """The names of a TSV's columns. Raises InputError where the first line is no such header."""
    line = stream.readline(2**16)
    try:
        names = tuple(line.decode("utf-8-sig").rstrip("\r\n").split("\t"))
    except UnicodeDecodeError:
        names = ()
    missing = [name for name in IDS if name not in names]
    if missing:
        shown = line[:SHOWN].decode(errors="replace").strip()
        raise InputError(
            f"{path}:1: the first line is no header, {', '.join(missing)} missing: expected "
            f"{_EXPECTED}, but it is {shown!r}"
        )
    _check_once(path, names)
    return names


def _check_once(path: Path, names: Sequence[str]) -> None:
    for name in COLUMNS:
        if names.count(name) > 1:
            raise InputError(f"{path}: the column {name!r} stands twice: leave one")


def parse_tsv(block: Block, columns: tuple[str, ...]) -> Found:
    """The triples and names of a block of lines."""
    places = [columns.index(name) if name in columns else None for name in COLUMNS]
    found = Found()
    for number, line in enumerate(block.data.split(b"\n"), start=block.first):
        if not line.strip():
            continue
        found.lines += 1
        try:
            if block.too_long:
                raise ValueError("the line is too long")
            fields = line.decode().rstrip("\r").split("\t")
            if len(fields) != len(columns):
                raise ValueError(f"{len(fields)} fields instead of {len(columns)}")
            add_row([fields[place] if place is not None else None for place in places], found)
        except ValueError as error:
            reason = str(error)
            if isinstance(error, UnicodeDecodeError):
                reason = f"the line is no UTF-8 (byte {error.start + 1})"
            found.rejects.append(Reject(number, reason, line[:SHOWN].decode(errors="replace")))
    return found


def parquet_rows(path: Path, on_read: Callable[[int], None]) -> Iterator[tuple[int, pa.Table]]:
    """Stretches of a Parquet file's rows, each with the number of its first, from 1.

    `on_read` is told about how many bytes of the file they take.

    Raises InputError where it is none, or lacks a column.
    """
    number = 1
    try:
        with pq.ParquetFile(path) as file:
            names = file.schema_arrow.names
            missing = [name for name in IDS if name not in names]
            if missing:
                raise InputError(
                    f"{path}: lacks the columns {', '.join(missing)}: expected "
                    f"`{', '.join(COLUMNS)}` (labels may be absent), but they are "
                    f"{', '.join(names)}"
                )
            _check_once(path, names)
            kept = [name for name in COLUMNS if name in names]
            size, rows = path.stat().st_size, max(1, file.metadata.num_rows)
            for batch in file.iter_batches(ROWS, columns=kept):
                table = pa.Table.from_batches([batch])
                yield number, pa.table({name: _texts(path, table, name) for name in kept})
                number += batch.num_rows
                on_read(size * batch.num_rows // rows)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        first = str(error).splitlines()[0]
        raise InputError(f"{path}: cannot be read as Parquet: {first}") from error


def _texts(path: Path, table: pa.Table, name: str) -> pa.ChunkedArray:
    """A column as text. Raises InputError where it holds anything else."""
    column = table[name]
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_null(kind)):
        raise InputError(f"{path}: the column {name!r} holds {column.type}, not text")
    return column.cast(pa.string())


def parse_rows(rows: tuple[int, pa.Table]) -> Found:
    """The triples and names of a stretch of a Parquet file."""
    first, table = rows
    found = Found(lines=table.num_rows)
    absent: list[str | None] = [None] * table.num_rows
    columns: Iterable[list[str | None]] = (
        table[name].to_pylist() if name in table.column_names else absent for name in COLUMNS
    )
    for number, fields in enumerate(zip(*columns, strict=True), start=first):
        try:
            add_row(fields, found)
        except ValueError as error:
            found.rejects.append(Reject(number, str(error), str(fields)[:SHOWN]))
    return found


def add_row(fields: Sequence[str | None], found: Found) -> None:
    """Add the triple and the names of one row. Raises ValueError where an id is missing."""
    s, s_label, p, p_label, o, o_label = fields
    if not s or not p or not o:
        absent = [name for name, value in zip(IDS, (s, p, o), strict=True) if not value]
        raise ValueError(f"the row has no {', '.join(absent)}")
    if _PROPERTY_ID.fullmatch(s) or _PROPERTY_ID.fullmatch(o):
        found.skipped["not an item"] += 1
        return
    found.triples.append((s, p, o, None, "wikibase-item", None))
    for kind, thing, label in ((ITEM, s, s_label), (PROPERTY, p, p_label), (ITEM, o, o_label)):
        if label:
            found.names[(kind, thing, "label", 0, label)] += 1
