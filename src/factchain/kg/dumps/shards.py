"""The folder in which a dump lies half-way: one Parquet shard a chunk, so that a run resumes.

`ingestion.json` says of which dump and settings the shards are; `done-<n>.json` is written last
and says that shard n is complete, and what it holds.
"""

from __future__ import annotations

import glob
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from factchain.errors import OutputError
from factchain.garbage import collector_off
from factchain.kg import shared_folder
from factchain.kg.dumps.chunks import Chunk
from factchain.kg.dumps.dump import DumpSettings, parser_of
from factchain.kg.records import Reject

KEPT_REJECTS = 1_000
"""Of one shard; all are counted."""
BESIDE = ".ingest"
"""Ending of the folder beside the store that holds one such folder for each date."""
IDENTITY = "ingestion.json"
KINDS = ("entities", "properties", "facts", "redirects")


class ShardSummary(msgspec.Struct, frozen=True):
    """What one shard holds."""

    line: int
    """Number of its first line."""
    bytes: int
    """Size of its lines."""
    entities: int
    properties: int
    facts: int
    redirects: int
    skipped: dict[str, int]
    rejected: int
    rejects: list[Reject]
    """The first of the rejected lines."""


@dataclass(frozen=True, slots=True)
class ShardTask:
    """A chunk on its way to a worker."""

    chunk: Chunk
    lines: str = ""
    """The file with its lines, where they do not travel with the chunk."""


@dataclass(frozen=True, slots=True)
class ShardFolder:
    """A folder of shards: a path, or an address that workers on other machines can reach."""

    address: str

    def resume(self, identity: dict[str, Any]) -> dict[int, ShardSummary]:
        """The finished shards of the same dump with the same settings; others are removed."""
        wanted = msgspec.json.encode(identity)
        shared_folder.make_folder(self.address)
        if shared_folder.read_if_there(self.place(IDENTITY)) != wanted:
            self.clear()
            shared_folder.make_folder(self.address)
            with self._writing(IDENTITY) as out:
                out.write(wanted)
        finished = {}
        for address in shared_folder.shards_of(self.address, "done-*.json"):
            name = address.rpartition("/")[2]
            with suppress(msgspec.MsgspecError):
                data = shared_folder.read_if_there(self.place(name)) or b""
                summary = msgspec.json.decode(data, type=ShardSummary)
                finished[int(name.removeprefix("done-").removesuffix(".json"))] = summary
        return finished

    def clear(self) -> None:
        """Remove the shards, and the folder where it then is empty."""
        names = [IDENTITY, "listed-*.npy", "done-*.json", "lines-*"]
        names += [f"{kind}-*.parquet" for kind in KINDS]
        shared_folder.clear(self.address, names, BESIDE)

    def shards(self, kind: str) -> str | None:
        """The pattern that matches all shards of a kind; none where there are none."""
        if not shared_folder.shards_of(self.address, f"{kind}-*.parquet"):
            return None
        path = shared_folder.local_path(self.address)
        folder = self.address if path is None else glob.escape(str(path))
        return shared_folder.join(folder, f"{kind}-*.parquet")

    def place(self, name: str) -> str:
        """The address of a file of the folder."""
        return shared_folder.join(self.address, name)

    def keep(self, indices: set[int]) -> None:
        """Remove the shards of all other chunks."""
        for kind in KINDS:
            for address in shared_folder.shards_of(self.address, f"{kind}-*.parquet"):
                if int(address.rpartition("-")[2].removesuffix(".parquet")) not in indices:
                    shared_folder.remove_file(address)

    def _writing(self, name: str) -> Any:
        return shared_folder.open_new(self.place(name))


class LineFiles:
    """Files in which lines go to other processes, faster than through a pipe.

    A file whose lines are parsed is written over: fresh pages take longer than the copying.
    """

    def __init__(self, folder: ShardFolder) -> None:
        self._folder = folder
        self._free: list[Path] = []
        self._held: dict[int, Path] = {}

    def hand_over(self, task: ShardTask) -> ShardTask:
        """The task for another process. Raises OutputError where the file cannot be written."""
        chunk = task.chunk
        path = self._free.pop() if self._free else Path(self._folder.place(f"lines-{chunk.index}"))
        try:
            path.touch()
            with path.open("r+b") as file:
                file.write(chunk.data)
                file.truncate()
        except OSError as error:
            raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error
        self._held[chunk.index] = path
        return ShardTask(replace(chunk, data=b""), str(path))

    def release(self, index: int) -> None:
        """The chunk is parsed, whether or not it was handed over."""
        if index in self._held:
            self._free.append(self._held.pop(index))


def write_shard(task: ShardTask, settings: DumpSettings, folder: ShardFolder) -> ShardSummary:
    """Parse a chunk and write its shard; may run twice."""
    chunk = task.chunk
    if task.lines:
        with shared_folder.open_shard(task.lines) as file:
            chunk = replace(chunk, data=file.read())
    with collector_off():  # what is parsed holds no cycles
        tables = parser_of(settings).parse(chunk)
    parts = (tables.entities, tables.properties, tables.facts, tables.redirects)
    for kind, table in zip(KINDS, parts, strict=True):
        if table.num_rows:
            _write(folder.place(f"{kind}-{chunk.index:06}.parquet"), table)
    summary = ShardSummary(
        chunk.line,
        len(chunk.data),
        tables.entities.num_rows,
        tables.properties.num_rows,
        tables.facts.num_rows,
        tables.redirects.num_rows,
        tables.skipped,
        len(tables.rejects),
        tables.rejects[:KEPT_REJECTS],
    )
    with shared_folder.open_new(folder.place(f"done-{chunk.index:06}.json")) as out:
        out.write(msgspec.json.encode(summary))
    return summary


def _write(address: str, table: pa.Table) -> None:
    with shared_folder.open_new(address) as out:
        pq.write_table(table, out, compression="lz4", write_statistics=False)
