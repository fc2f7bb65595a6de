"""The triple store: one DuckDB file that holds entities, facts, snapshots and mentions."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import TracebackType
from typing import Any

import duckdb
import pyarrow as pa

from factchain.errors import OutputError, StoreError
from factchain.kg import queries
from factchain.kg.records import DumpShards, DumpTables

MEMORY = 384 << 20
"""Bytes that DuckDB takes at most, by default: about what readers of a dump have taken before."""
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

        Shards are views of the store until the block ends: use it inside a transaction.
        """
        for name, table in tables.items():
            if isinstance(table, str):
                self.connection.read_parquet(table).create_view(f"incoming_{name}")
            else:
                self.connection.register(f"incoming_{name}", table)
        try:
            yield
        finally:
            for name, table in tables.items():
                # An aborted transaction forbids it, and its error is the one to be told.
                with suppress(duckdb.TransactionException):
                    if isinstance(table, str):
                        self.connection.execute(queries.DROP_INCOMING[name])
                    else:
                        self.connection.unregister(f"incoming_{name}")

    def limit(self, memory: int, threads: int) -> None:
        """Let DuckDB use so many bytes of memory, and the disk beside the store beyond them."""
        self.connection.execute("SET memory_limit = ?", [f"{memory // 2**20} MiB"])
        self.connection.execute("SET threads = ?", [threads])

    def check_is_new(self, name: str, date: str) -> None:
        """Raise StoreError where the store holds a snapshot of that name or date."""
        for snapshot in self.snapshots():
            if snapshot.name == name or snapshot.date.isoformat() == date:
                raise StoreError(
                    f"{self.path}: holds the snapshot {snapshot.name!r} of {snapshot.date} already"
                )

    def add_snapshot(
        self,
        name: str,
        date: str,
        source: str,
        checksum: str,
        tables: DumpTables | DumpShards,
        languages: Sequence[str] = (),
    ) -> int:
        """Add the facts of one dump, with names in `languages`; return how many facts it has.

        Raises StoreError where the store holds a snapshot of that name or date.
        """
        self.check_is_new(name, date)
        with (
            self.transaction(),
            self.incoming(
                entity=tables.entities,
                property=tables.properties,
                fact=tables.facts,
                redirect=tables.redirects,
            ),
        ):
            ((snapshot,),) = self.rows(
                queries.ADD_SNAPSHOT, name, date, source, checksum, list(languages)
            )
            self._add_entities(snapshot)
            count = self._add_facts(snapshot)
            self.connection.execute(queries.DROP_STAGED)
        return count

    def _add_entities(self, snapshot: int) -> None:
        self.connection.execute(queries.REPEATED_ENTITIES)
        self.connection.execute(queries.STAGE_ENTITIES)
        for query in (
            queries.MERGE_ENTITIES,
            queries.ADD_PROPERTIES,
            queries.MERGE_REDIRECTS,
        ):
            self.connection.execute(query, {"snapshot": snapshot})
        self.connection.execute(queries.REPLACE_ENTITIES)
        self.connection.execute(queries.REPLACE_REDIRECTS)

    def _add_facts(self, snapshot: int) -> int:
        """Return how many facts the snapshot has."""
        self.connection.execute(queries.REPEATED_FACTS)
        self.connection.execute(queries.MATCH_FACTS)
        self.connection.execute(queries.STAGE_FACTS)
        ((last,),) = self.rows(queries.LAST_FACT)
        self.connection.execute(queries.ADD_FACTS, {"last": last})
        self.connection.execute(queries.ADD_FACT_SNAPSHOTS, {"last": last, "snapshot": snapshot})
        ((count,),) = self.rows("SELECT count(*) FROM staged_fact")
        return int(count)

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
