"""The triple store: one DuckDB file that holds entities, facts, snapshots and mentions."""

from __future__ import annotations

import datetime
import glob
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any

import duckdb
import pyarrow as pa

from factchain.errors import OutputError, StoreError
from factchain.kg import queries

MEMORY = 384 << 20
"""Bytes that DuckDB takes at most, by default: about what readers of a dump have taken before."""
MEMORY_OF_THREAD = 96 << 20
"""Bytes that DuckDB has for each thread, at least: each holds rows of its own while it works."""
TEXTS_TOGETHER = 8192
"""Rows with texts or names that a thread holds until it writes them to a file aside."""
_FULL = (
    *(duckdb.IOException, duckdb.OutOfMemoryException, duckdb.FatalException),
    duckdb.TransactionException,  # a commit that fails
)
"""What DuckDB raises where disk or memory do not suffice."""


def what_ran_out(error: Exception) -> str:
    """A question with the remedy: was it the disk that was full, or the memory?"""
    # Where the disk is full, DuckDB says that a block cannot be offloaded from memory.
    if isinstance(error, duckdb.OutOfMemoryException) and "offload" not in str(error):
        return "may DuckDB take more memory (--memory), or fewer threads (--workers)?"
    return "is the disk full, or a folder read-only?"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A state of the knowledge graph on one day."""

    id: int
    name: str
    date: datetime.date
    source: str
    checksum: str
    languages: Sequence[str] = ()
    """Of its names, the preferred one first; none where that is not known."""


class Store:
    """An open triple store; close it, or use it as a context manager."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, path: Path) -> None:
        # DuckDB draws a bar of its own on standard output where it takes Python for interactive.
        connection.execute("SET enable_progress_bar = false")
        self.connection = connection
        self.path = path
        self._memory = MEMORY
        self._changing = False

    @classmethod
    def create(cls, path: Path) -> Store:
        """Make an empty store. Raises StoreError where there is a file already."""
        if path.exists():
            raise StoreError(f"{path}: exists already")
        connection = duckdb.connect(str(path))
        connection.execute((files("factchain.kg") / "schema.sql").read_text(encoding="utf-8"))
        return cls(connection, path)

    @classmethod
    def open(cls, path: Path, *, read_only: bool = True) -> Store:
        """Open an existing store. Raises StoreError where there is none, or it is damaged."""
        if not path.is_file():
            raise StoreError(
                f"{path}: no such store; `factchain build` makes one, as kg.duckdb in its folder"
            )
        try:
            connection = duckdb.connect(str(path), read_only=read_only)
            connection.execute("SELECT 1 FROM fact_snapshot LIMIT 1").fetchall()
        except duckdb.Error as error:
            first = str(error).splitlines()[0]
            if "Could not set lock" in first:
                raise StoreError(
                    f"{path}: another process has it open, and one that writes must have it alone: "
                    f"wait until that has ended ({first})"
                ) from error
            raise StoreError(f"{path}: is no factchain store: {first}") from error
        ((newest,),) = connection.execute(queries.HAS_LAYOUT).fetchall()
        if not newest:
            connection.close()
            raise StoreError(f"{path}: has the layout of an earlier factchain: build it anew")
        return cls(connection, path)

    def checkpoint(self) -> None:
        """Put everything into the one file; raises where the disk is full, as `close` does not."""
        self.connection.execute("CHECKPOINT")

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run a query with bound values and fetch its rows."""
        return self.connection.execute(sql, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All statements of the block, or none of them; within another such block, part of it.

        Raises OutputError where they cannot be written: disk or memory do not suffice.
        """
        if self._changing:
            yield
            return
        self.connection.begin()
        self._changing = True
        with self.writing():
            try:
                yield
            except BaseException:
                self.connection.rollback()
                raise
            finally:
                self._changing = False
            self.connection.commit()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Raise OutputError, with the remedy, where disk or memory do not suffice to write."""
        try:
            yield
        except _FULL as error:
            first = str(error).splitlines()[0]
            raise OutputError(
                f"{self.path}: cannot be written: {first}: {what_ran_out(error)} The store is as "
                "it was; run the same command again to go on"
            ) from error

    @contextmanager
    def incoming(self, **tables: pa.Table | str) -> Iterator[None]:
        """Arrow tables, or Parquet shards by a pattern, that the block sees as `incoming_<name>`.

        Use it inside a transaction.
        """
        for name, table in tables.items():
            rows = self.connection.read_parquet(table) if isinstance(table, str) else table
            self.connection.register(f"incoming_{name}", rows)
        try:
            yield
        finally:
            for name in tables:
                # An aborted transaction forbids it, and its error is the one to be told.
                with suppress(duckdb.TransactionException):
                    self.connection.unregister(f"incoming_{name}")

    def limit(self, memory: int, threads: int) -> None:
        """Let DuckDB use so many bytes of memory, and the disk beside the store beyond them.

        It has fewer threads where that is not enough for each.
        """
        self._memory = memory
        threads = max(1, min(threads, memory // MEMORY_OF_THREAD))
        self.connection.execute("SET memory_limit = ?", [f"{memory // 2**20} MiB"])
        self.connection.execute("SET threads = ?", [threads])

    def check_is_new(self, name: str, date: str) -> None:
        """Raise StoreError where the store holds a snapshot of that name or date."""
        for snapshot in self.snapshots():
            if snapshot.name == name or snapshot.date.isoformat() == date:
                raise StoreError(
                    f"{self.path}: holds the snapshot {snapshot.name!r} of {snapshot.date} already"
                )

    @contextmanager
    def aside(
        self,
        name: str,
        query: str,
        *values: Mapping[str, Any],
        numbered: bool = False,
        texts: bool = False,
    ) -> Iterator[None]:
        """A view of a query's rows, which lie in files beside the store until the block ends.

        The query is run for each of the `values`, one after the other: what does not fit into
        memory at once is joined in parts. Where the rows are `numbered`, which those of one run can
        be, the view has their positions from 0 as `file_row_number`, which threads read side by
        side; a window over rows in order takes one thread. Rows that hold `texts` are written
        fewer at a time.
        Of temporary tables as large DuckDB keeps more in memory than it can sort beside.
        """
        folder = self.path.with_name(f"{self.path.name}.{name}.aside")
        shutil.rmtree(folder, ignore_errors=True)  # of a run that was killed
        try:
            folder.mkdir()
            for number, bound in enumerate(values or (None,)):
                self.connection.sql(query, params=bound).write_parquet(
                    str(folder / f"{number:06}.parquet"),
                    compression="lz4",
                    row_group_size=TEXTS_TOGETHER if texts else None,
                )
            files = f"{glob.escape(str(folder))}/*.parquet"
            rows = self.connection.read_parquet(files, file_row_number=numbered)
            self.connection.register(name, rows)
            yield
            self.connection.unregister(name)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def reach(self, each: int) -> int:
        """How many rows DuckDB's memory suffices for, where it takes so many bytes for each."""
        return max(1, self._memory // each)

    def parts(
        self, sample: str, rows: int, each: int, bounds: tuple[Any, Any] = (0, 2**63 - 1)
    ) -> list[dict[str, Any]]:
        """Ranges `first` to `end` of keys, a sample of which is queried, that memory suffices for.

        What sorting or joining takes at least grows with the rows, on disk or not. No range is
        without keys. `bounds` is where the keys begin and end.
        """
        number = -(-rows // self.reach(each))
        keys = sorted(one for (one,) in self.rows(sample)) if number > 1 else []
        # Keys that repeat fill ranges together.
        found = {keys[len(keys) * part // number] for part in range(1, number) if keys}
        cuts = sorted(found - {*keys[:1]})
        ends = pairwise([bounds[0], *cuts, bounds[1]])
        return [{"first": first, "end": end} for first, end in ends] if number else []

    def snapshots(self) -> list[Snapshot]:
        """The snapshots, oldest first."""
        return [Snapshot(*row) for row in self.rows(queries.SNAPSHOTS)]

    def newest(self) -> Snapshot:
        """The newest snapshot. Raises StoreError where there is none."""
        snapshots = self.snapshots()
        if not snapshots:
            raise StoreError(f"{self.path}: holds no snapshot: build it anew")
        return snapshots[-1]

    def dump(self) -> dict[str, list[tuple[Any, ...]]]:
        """Every table as sorted rows, to compare two stores."""
        names = [
            name
            for (name,) in self.rows("SELECT table_name FROM duckdb_tables() ORDER BY table_name")
        ]
        return {name: self.connection.table(name).order("ALL").fetchall() for name in names}
