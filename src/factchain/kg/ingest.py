"""A dump file -> one snapshot of the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

import orjson
import pyarrow as pa

from factchain.errors import InputError
from factchain.files import sha256, write_atomically
from factchain.kg.dump import read_dump
from factchain.kg.records import DumpTables, Reject
from factchain.kg.store import Store
from factchain.progress import track


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
    dump: Path,
    name: str,
    date: str,
    *,
    keep_ended: bool = False,
    max_rejects: float = 0.001,
    rejects_file: Path | None = None,
    workers: int = 1,
) -> IngestSummary:
    """Add the dump as the snapshot `name`, whose facts hold on `date` (ISO).

    Malformed lines are written to `rejects_file` with number and reason. Raises InputError
    where more than the share `max_rejects` of the lines is malformed, or the dump is damaged;
    the store is then as it was.
    """
    shards = read_dump(dump, date, keep_ended=keep_ended, workers=workers)
    tables = _together(track(shards, f"reading {dump.name}"))
    usable = tables.entities.num_rows + tables.properties.num_rows
    if tables.rejects:
        if rejects_file is not None:
            _write_rejects(rejects_file, dump, tables.rejects)
        lines = usable + len(tables.rejects)
        if len(tables.rejects) > max_rejects * lines:
            first = tables.rejects[0]
            where = f" (all of them: {rejects_file})" if rejects_file else ""
            raise InputError(
                f"{dump}:{first.line}: {first.reason}; {len(tables.rejects)} of {lines} lines are "
                f"malformed{where}, more than the {max_rejects:.1%} that `max_rejects` allows: "
                "mend the dump, or raise that setting"
            )
    if not usable:
        raise InputError(f"{dump}: holds no item and no property")
    facts = store.add_snapshot(name, date, dump.name, sha256(dump), tables)
    return IngestSummary(
        entities=tables.entities.num_rows,
        properties=tables.properties.num_rows,
        facts=facts,
        rejects=len(tables.rejects),
        skipped=tables.skipped,
    )


def _together(shards: Iterable[DumpTables]) -> DumpTables:
    parts = list(shards)
    skipped: Counter[str] = Counter()
    for part in parts:
        skipped.update(part.skipped)
    return DumpTables(
        entities=pa.concat_tables([part.entities for part in parts]),
        properties=pa.concat_tables([part.properties for part in parts]),
        facts=pa.concat_tables([part.facts for part in parts]),
        rejects=[reject for part in parts for reject in part.rejects],
        skipped=dict(sorted(skipped.items())),
    )


def _write_rejects(path: Path, dump: Path, rejects: list[Reject]) -> None:
    with write_atomically(path) as out:
        for reject in rejects:
            out.write(orjson.dumps({"file": dump.name} | asdict(reject)) + b"\n")
