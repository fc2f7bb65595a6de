"""Ids of passages as they are read: which one stands twice; beyond a bound they lie on disk."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa

from factchain.errors import InputError
from factchain.kg.text import queries

MEMORY = "256MiB"
BATCH = 50_000
"""Ids that are handed over at a time."""
_SCHEMA = pa.schema([("id", pa.string()), ("file", pa.int32()), ("line", pa.int64())])


class PassageIds:
    """Takes the ids of passages in the order in which they are read."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._connection.execute(queries.CREATE_IDS)
        self._files: dict[Path, int] = {}
        self._waiting: tuple[list[str], list[int], list[int]] = ([], [], [])

    def add(self, passages: Sequence[str], file: Path, first: int) -> None:
        """Take the ids that stand in a file, one a line from the line `first` on."""
        ids, positions, lines = self._waiting
        ids += passages
        positions += [self._files.setdefault(file, len(self._files))] * len(passages)
        lines += range(first, first + len(passages))
        if len(ids) >= BATCH:
            self._flush()

    def check(self) -> None:
        """Raise InputError where an id stands twice, for the first that does."""
        self._flush()
        found = self._connection.execute(queries.FIRST_REPEATED).fetchone()
        if found is not None:
            passage, position, line = found
            raise InputError(
                f"{list(self._files)[position]}:{line}: the passage id {passage!r} stands twice: "
                "each passage needs an id of its own"
            )

    def _flush(self) -> None:
        incoming = pa.table(list(self._waiting), schema=_SCHEMA)
        self._waiting = ([], [], [])
        self._connection.register("incoming", incoming)
        self._connection.execute(queries.ADD_IDS)
        self._connection.unregister("incoming")


@contextmanager
def passage_ids() -> Iterator[PassageIds]:
    """Take ids; when the block succeeds they are checked. Raises InputError as `check` does."""
    with (
        tempfile.TemporaryDirectory(prefix="factchain-") as folder,
        duckdb.connect() as connection,
    ):
        connection.execute(queries.LIMIT_MEMORY, [MEMORY])
        connection.execute(queries.SPILL_TO, [folder])
        ids = PassageIds(connection)
        yield ids
        ids.check()
