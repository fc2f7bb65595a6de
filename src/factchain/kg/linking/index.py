"""A wiki's SQL dumps (`page`, `page_props`, `redirect`) -> an index for `wikimapper`.

wikimapper's own `create_index` makes the index, from dumps that are written anew for it: one
INSERT a line, articles only. It could not read the dumps as they come where a VALUES list runs
over several lines (nothing would be found), a title is NULL (two of them break its unique index)
or holds bytes that are no UTF-8 (it would stop); and it follows redirects in one pass, so that a
redirect to a redirect depends on their order. Here those are followed to their end, and those
that run in a circle are left out. The index gets a table of its disambiguation pages as well.
"""

from __future__ import annotations

import gzip
import re
import sqlite3
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import duckdb
import pyarrow as pa
from wikimapper import create_index

from factchain.errors import InputError
from factchain.files import write_atomically
from factchain.kg.linking import queries
from factchain.progress import track

TABLES = ("page", "page_props", "redirect")
DUMP = "cleanwiki-1"
"""Name under which the dumps are written anew."""
ROWS = 100_000
"""Rows that are held in memory."""
ROWS_A_LINE = 1000
FARTHEST = 16
"""Redirects that are followed one after the other; more are a circle."""

# A quote within a string is escaped, so these cannot match there. Number, number or name, text.
_STRING = rb"NULL|'(?:[^'\\]|\\.)*'"
_ROW = {
    "page": re.compile(rb"\((\d+),(-?\d+),(" + _STRING + rb")", re.DOTALL),
    "page_props": re.compile(
        rb"\((\d+),'(wikibase_item|disambiguation)',(" + _STRING + rb")", re.DOTALL
    ),
    "redirect": re.compile(rb"\((\d+),(-?\d+),(" + _STRING + rb")", re.DOTALL),
}
_ESCAPE = re.compile(rb"\\(.)", re.DOTALL)
_ITEM = re.compile(r"Q[1-9][0-9]{0,9}")
_CONTROL = re.compile(r"[\0-\x1f]")
ARTICLES = b"0"
"""The namespace of articles."""

Row = tuple[int, str, str]


@dataclass(frozen=True)
class IndexSummary:
    """What an index holds, and what was left out of it."""

    pages: int
    items: int
    """Pages that lead to an item."""
    disambiguations: int
    left_out: dict[str, int]


def build_index(folder: Path, index: Path) -> IndexSummary:
    """Make the index from the SQL dumps of the one wiki in `folder`, complete or not at all.

    Raises InputError where dumps are missing, damaged or hold no page.
    """
    dumps = _dumps_of(folder)
    left_out: Counter[str] = Counter()
    with (
        tempfile.TemporaryDirectory(prefix="factchain-") as scratch,
        duckdb.connect(f"{scratch}/rows.duckdb") as connection,
    ):
        connection.execute(queries.CREATE_ROWS)
        for table, path in dumps.items():
            rows = track(_rows(path, table, left_out), f"reading {path.name}")
            while batch := list(islice(rows, ROWS)):
                columns = zip(*batch, strict=True)
                connection.register(
                    "incoming", pa.table(list(columns), names=["id", "kind", "text"])
                )
                connection.execute(queries.ADD_ROWS, [table])
                connection.unregister("incoming")
        connection.execute(queries.RESOLVE_REDIRECTS, [FARTHEST])
        ((pages, repeated, circles),) = connection.execute(queries.SIZES).fetchall()
        if not pages:
            raise InputError(
                f"{dumps['page']}: holds no article: is it the SQL dump of a wiki's `page` table?"
            )
        left_out.update({"repeated page": repeated, "redirect in a circle": circles})
        for table, sql in queries.CLEAN_ROWS.items():
            _write(Path(scratch) / f"{DUMP}-{table}.sql.gz", table, connection.execute(sql))
        made = Path(create_index(DUMP, scratch, f"{scratch}/index.db"))
        ambiguous = connection.execute(queries.DISAMBIGUATION_PAGES).fetchall()
        items = _finish(made, ambiguous)
        with write_atomically(index) as out, made.open("rb") as content:
            while block := content.read(1 << 20):
                out.write(block)
    return IndexSummary(pages, items, len(ambiguous), dict(sorted((+left_out).items())))


def _dumps_of(folder: Path) -> dict[str, Path]:
    wikis = sorted(path.name.removesuffix("-page.sql.gz") for path in folder.glob("*-page.sql.gz"))
    if len(wikis) != 1:
        found = f"those of {', '.join(wikis)}" if wikis else "none"
        raise InputError(
            f"{folder}: needs the SQL dumps of one wiki, as in enwiki-20240605-page.sql.gz, and "
            f"holds {found}"
        )
    dumps = {table: folder / f"{wikis[0]}-{table}.sql.gz" for table in TABLES}
    for path in dumps.values():
        if not path.is_file():
            raise InputError(f"{path}: is missing: page, page_props and redirect are needed")
    return dumps


def _rows(path: Path, table: str, left_out: Counter[str]) -> Iterator[Row]:
    """Rows that can be used: page or source id, kind (page_props'), and title or item."""
    of_pages = table == "page_props"
    try:
        with gzip.open(path, "rb") as lines:
            for line in lines:
                for number, kind, quoted in _ROW[table].findall(line):
                    if not of_pages and kind != ARTICLES:
                        continue
                    text = _text(quoted)
                    why = _unusable(text, kind)
                    if why or text is None:
                        left_out[why] += 1
                    else:
                        yield int(number), kind.decode(), text
    except (EOFError, gzip.BadGzipFile, zlib.error, OSError) as error:
        raise InputError(f"{path}: is damaged or no gzip file ({error}): fetch it again") from error


def _text(quoted: bytes) -> str | None:
    """A string of SQL; None where it is NULL or no UTF-8."""
    if quoted == b"NULL":
        return None
    text = quoted[1:-1]
    if b"\\" in text:
        text = _ESCAPE.sub(rb"\1", text)
    try:
        return text.decode()
    except UnicodeDecodeError:
        return None


def _unusable(text: str | None, kind: bytes) -> str:
    """Why a row is left out, or nothing."""
    if kind == b"disambiguation":
        return ""
    if not text:
        return "NULL, empty or undecodable title" if kind == ARTICLES else "no item id"
    if kind == b"wikibase_item":
        return "" if _ITEM.fullmatch(text) else "no item id"
    return "title with a control character" if _CONTROL.search(text) else ""


def _write(path: Path, table: str, rows: duckdb.DuckDBPyConnection) -> None:
    """A dump as wikimapper reads it: what it needs, and a last column that is no string."""
    with gzip.open(path, "wb", compresslevel=1) as out:
        while batch := rows.fetchmany(ROWS_A_LINE):
            values = ",".join(f"({id},{_sql(kind)},{_sql(text)},0)" for id, kind, text in batch)
            out.write(f"INSERT INTO `{table}` VALUES {values};\n".encode())


def _sql(value: str | int) -> str:
    if isinstance(value, int):
        return str(value)
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'").replace('"', '\\"') + "'"


def _finish(index: Path, ambiguous: list[tuple[str]]) -> int:
    """Add the disambiguation pages; return how many pages lead to an item."""
    with closing(sqlite3.connect(index)) as connection, connection:
        # wikimapper takes the title NULL for a NULL.
        connection.execute(queries.RESTORE_NULL_TITLE)
        connection.execute(queries.CREATE_DISAMBIGUATION)
        connection.executemany(queries.ADD_DISAMBIGUATION, ambiguous)
        ((items,),) = connection.execute(queries.COUNT_ITEMS).fetchall()
    return int(items)
