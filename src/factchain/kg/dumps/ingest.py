"""A dump -> one snapshot of the store.

The dump is cut into chunks, which workers parse into Parquet shards, of which DuckDB makes the
snapshot. Memory does not grow with the dump. The shards lie beside the store until it is made; a
run that was killed continues after the last of them.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from factchain.errors import InputError
from factchain.files import write_atomically
from factchain.kg import shared_folder
from factchain.kg.dumps.chunks import CHUNK_BYTES, Chunk, ChunkReader, dump_files
from factchain.kg.dumps.decompress import STANDARD_INPUT, size_of
from factchain.kg.dumps.dump import DumpSettings
from factchain.kg.dumps.entity_filter import read_list, save_list
from factchain.kg.dumps.redirects import resolve
from factchain.kg.dumps.shards import (
    BESIDE,
    LineFiles,
    ShardFolder,
    ShardSummary,
    ShardTask,
    write_shard,
)
from factchain.kg.records import (
    ENTITY_SCHEMA,
    FACT_SCHEMA,
    PROPERTY_SCHEMA,
    REDIRECT_SCHEMA,
    DumpShards,
    Reject,
)
from factchain.kg.snapshot import add_snapshot
from factchain.kg.store import MEMORY, Store
from factchain.parallel import Engine, map_shards
from factchain.progress import measuring, say

LAYOUT = 1
"""Of the shards; another number lets a run begin anew."""


@dataclass(frozen=True)
class IngestSummary:
    """What one dump gave."""

    entities: int
    properties: int
    facts: int
    rejects: int
    skipped: dict[str, int] = field(default_factory=dict)


def ingest(
    store: Store,
    dumps: Path | Sequence[Path],
    name: str,
    date: str,
    *,
    settings: DumpSettings | None = None,
    listed: Path | None = None,
    checksums: Sequence[str] = (),
    max_rejects: float = 0.001,
    rejects_file: Path | None = None,
    memory: int = MEMORY,
    workers: int = 1,
    engine: Engine = "local",
    work: str | None = None,
    chunk_bytes: int = CHUNK_BYTES,
) -> IngestSummary:
    """Add the dump as the snapshot `name`, whose facts hold on `date` (ISO).

    `dumps` are files, folders of files, or `-`; `listed` is a file of Q-ids that are kept;
    `work` the address of the folder for the shards, where not beside the store. Malformed lines
    are written to `rejects_file` with number and reason. Raises InputError where more than the
    share `max_rejects` of the lines is malformed, or the dump is damaged; the store is then as it
    was.
    """
    store.check_is_new(name, date)
    files = dump_files([dumps] if isinstance(dumps, Path) else dumps)
    folder = ShardFolder(work or beside(store.path, date))
    settings = settings or DumpSettings()
    facts = msgspec.structs.replace(settings.facts, date=date)
    settings = msgspec.structs.replace(settings, facts=facts)
    numbers = read_list(listed) if listed else []
    finished = folder.resume(_identity(files, settings, numbers, chunk_bytes))
    if listed:
        # Under a name of its own: workers keep what they have read from a name.
        address = folder.place(f"listed-{uuid4().hex}.npy")
        save_list(address, numbers)
        kept = msgspec.structs.replace(settings.entities, listed=address)
        settings = msgspec.structs.replace(settings, entities=kept)
    reader = ChunkReader(files, checksums, workers, chunk_bytes)
    try:
        totals = _read(reader, folder, finished, settings, workers, engine)
        _check(totals, files, max_rejects, rejects_file)
        summary = _add(
            store, folder, totals, name, date, settings.fallback, reader, memory, workers
        )
    except InputError:
        folder.clear()
        raise
    folder.clear()
    return summary


def beside(kg: Path, date: str) -> str:
    """The folder of the shards for a store's snapshot of that date."""
    return str(kg.with_name(kg.name + BESIDE) / date)


@dataclass
class _Totals:
    """What all shards hold together."""

    shards: dict[int, ShardSummary]

    def count(self, what: str) -> int:
        return sum(getattr(shard, what) for shard in self.shards.values())

    @property
    def usable(self) -> int:
        return self.count("entities") + self.count("properties")

    @property
    def rejects(self) -> list[Reject]:
        return [reject for _, shard in sorted(self.shards.items()) for reject in shard.rejects]

    @property
    def skipped(self) -> Counter[str]:
        skipped: Counter[str] = Counter()
        for shard in self.shards.values():
            skipped.update(shard.skipped)
        return skipped

    def is_finished(self, chunk: Chunk) -> bool:
        """Whether an earlier run has parsed this very chunk."""
        shard = self.shards.get(chunk.index)
        return shard is not None and (shard.line, shard.bytes) == (chunk.line, len(chunk.data))


def _identity(
    files: Sequence[Path], settings: DumpSettings, numbers: Sequence[int], chunk_bytes: int
) -> dict[str, Any]:
    """What must be the same for shards to be used again; standard input never is."""
    dumps: list[Any] = [uuid4().hex]
    if STANDARD_INPUT not in files:
        status = [path.stat() for path in files]
        dumps = [
            [str(path.resolve()), one.st_size, one.st_mtime_ns]
            for path, one in zip(files, status, strict=True)
        ]
    listed = hashlib.sha256(repr(numbers).encode()).hexdigest()
    kept = msgspec.json.encode(
        [settings.facts, settings.entities, settings.fallback], order="sorted"
    )
    return {
        "layout": LAYOUT,
        "chunk_bytes": chunk_bytes,
        "dumps": dumps,
        "settings": kept.decode(),
        "listed": listed,
    }


def _read(
    reader: ChunkReader,
    folder: ShardFolder,
    finished: dict[int, ShardSummary],
    settings: DumpSettings,
    workers: int,
    engine: Engine,
) -> _Totals:
    """Parse the chunks that no earlier run has parsed."""
    totals = _Totals(finished)
    given: list[Chunk] = []
    found: set[int] = set()
    local = engine == "local"
    parsers = _parsers(reader.paths, workers) if local else workers
    lines = LineFiles(folder)

    def tasks() -> Iterator[ShardTask]:
        for chunk in reader:
            found.add(chunk.index)
            if not totals.is_finished(chunk):
                given.append(replace(chunk, data=b""))
                yield ShardTask(chunk)

    if finished:
        say(f"  {len(finished)} shards are there from an earlier run")
    sizes = [size_of(path) or 0 for path in reader.paths]
    what = "reading " + (reader.paths[0].name if len(reader.paths) == 1 else "the dump")
    function = partial(write_shard, settings=settings, folder=folder)
    with measuring(what, sum(sizes) or None) as reader.on_read:
        hand_over = lines.hand_over if local else None
        for summary in map_shards(function, tasks(), parsers, engine, hand_over):
            chunk = given.pop(0)
            totals.shards[chunk.index] = summary
            lines.release(chunk.index)
    folder.keep(found)
    totals.shards = {index: totals.shards[index] for index in found}
    return totals


def _parsers(files: Sequence[Path], workers: int) -> int:
    """How many processes parse, beside the threads that decompress.

    bzip2 takes four times as long to decompress as to parse; a process more would take from that.
    """
    return 1 + workers // 4 if all(path.suffix == ".bz2" for path in files) else workers


def _check(
    totals: _Totals, files: Sequence[Path], max_rejects: float, rejects_file: Path | None
) -> None:
    """Raise InputError where too many lines are malformed, or nothing is usable."""
    rejected, rejects = totals.count("rejected"), totals.rejects
    lines = totals.usable + rejected
    if rejects:
        if rejects_file is not None:
            _write_rejects(rejects_file, files, rejects)
        if rejected > max_rejects * lines:
            first = rejects[0]
            where = f" (they are in {rejects_file})" if rejects_file else ""
            raise InputError(
                f"{files[first.file]}:{first.line}: {first.reason}; {rejected} of {lines} lines "
                f"are malformed{where}, more than the {max_rejects:.1%} that `max_rejects` "
                "allows: mend the dump, or raise that (--max-rejects)"
            )
    if not totals.usable:
        reasons = ", ".join(f"{count} {why}" for why, count in sorted(totals.skipped.items()))
        raise InputError(
            f"{files[0]}: holds no item and no property"
            + (f" that is kept (left out: {reasons})" if reasons else "")
        )


def _add(
    store: Store,
    folder: ShardFolder,
    totals: _Totals,
    name: str,
    date: str,
    languages: Sequence[str],
    reader: ChunkReader,
    memory: int,
    workers: int,
) -> IngestSummary:
    """Make the snapshot of the shards."""
    say("  building the snapshot")
    redirects, cyclic = _redirects(folder)
    shards = DumpShards(
        entities=folder.shards("entities") or ENTITY_SCHEMA.empty_table(),
        properties=folder.shards("properties") or PROPERTY_SCHEMA.empty_table(),
        facts=folder.shards("facts") or FACT_SCHEMA.empty_table(),
        redirects=redirects,
    )
    shared_folder.let_duckdb_read(store.connection, folder.address)
    store.limit(memory, workers)
    source = ", ".join(path.name for path in reader.paths)
    facts = add_snapshot(store, name, date, source, _checksum(reader), shards, languages)
    skipped = totals.skipped
    skipped["cyclic redirect"] = cyclic
    if cyclic:
        say(f"  {cyclic} redirects lead in a circle, and are left out")
    return IngestSummary(
        entities=totals.count("entities"),
        properties=totals.count("properties"),
        facts=facts,
        rejects=totals.count("rejected"),
        skipped=dict(sorted((+skipped).items())),
    )


def _redirects(folder: ShardFolder) -> tuple[pa.Table, int]:
    """The redirects to where they end, and how many lead in a circle."""
    parts = [REDIRECT_SCHEMA.empty_table()]
    for address in shared_folder.shards_of(folder.address, "redirects-*.parquet"):
        with shared_folder.open_shard(address) as file:
            parts.append(pq.read_table(file))
    table = pa.concat_tables(parts)
    source, target, cyclic = resolve(table["source"].to_numpy(), table["target"].to_numpy())
    return pa.table({"source": source, "target": target}, schema=REDIRECT_SCHEMA), cyclic


def _checksum(reader: ChunkReader) -> str:
    """The SHA-256 of the dump; of several files, that of the list that `sha256sum` prints."""
    if len(reader.paths) == 1:
        return reader.sha256[0]
    pairs = zip(reader.sha256, reader.paths, strict=True)
    listing = "".join(f"{digest}  {path.name}\n" for digest, path in pairs)
    return hashlib.sha256(listing.encode()).hexdigest()


def _write_rejects(path: Path, files: Sequence[Path], rejects: list[Reject]) -> None:
    with write_atomically(path) as out:
        for reject in rejects:
            out.write(orjson.dumps(asdict(reject) | {"file": files[reject.file].name}) + b"\n")
