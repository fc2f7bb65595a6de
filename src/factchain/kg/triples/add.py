"""Files of triples (Wikidata truthy N-Triples, TSV, Parquet) -> one snapshot of the store."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import sha256 as new_sha256
from pathlib import Path

import orjson
import pyarrow as pa

from factchain.errors import InputError
from factchain.files import sha256, write_atomically
from factchain.kg import doors_queries
from factchain.kg.dumps.ingest import MEMORY
from factchain.kg.records import Reject
from factchain.kg.store import Store
from factchain.kg.triples import ntriples as triples_ntriples
from factchain.kg.triples import table as triples_table
from factchain.kg.triples.lines import Block, blocks, open_stream
from factchain.kg.triples.numbering import KNOWN, Numbered, number
from factchain.kg.triples.staging import Staged, stage
from factchain.parallel import map_shards
from factchain.progress import track

COMPRESSED = frozenset({".gz", ".bz2", ".zst"})
_FORMATS = {".nt": "ntriples", ".tsv": "tsv", ".tab": "tsv", ".parquet": "parquet"}


@dataclass(frozen=True)
class TriplesSummary:
    """What the files gave."""

    entities: int
    properties: int
    facts: int
    outside_ids: int
    """Ids that are not Wikidata's and were new to the store."""
    rejects: int
    skipped: dict[str, int]


def add_triples(
    store: Store,
    files: Sequence[Path],
    name: str,
    date: str,
    *,
    languages: tuple[str, ...] = ("en", "mul"),
    max_rejects: float = 0.001,
    rejects_file: Path | None = None,
    workers: int = 1,
    memory: int = MEMORY,
) -> TriplesSummary:
    """Add the files, together, as the snapshot `name`, whose facts hold on `date` (ISO).

    Malformed lines are written to `rejects_file` with number and reason. Raises InputError where
    more than the share `max_rejects` of the lines is malformed, or a file is damaged or of
    another kind; the store is then as it was.
    """
    store.check_is_new(name, date)
    for file in files:
        _format(file)
    with tempfile.TemporaryDirectory(prefix=".triples.", dir=store.path.parent) as folder:
        read = Counter[str]()
        rejects: list[tuple[Path, Reject]] = []
        skipped = Counter[str]()
        for position, file in enumerate(files):
            staged = _stage(file, folder, f"{position:04d}", languages, workers)
            for part in track(staged, f"reading {file.name}"):
                read.update(lines=part.lines, triples=part.triples, rejected=part.rejected)
                rejects += [(file, reject) for reject in part.rejects]
                skipped.update(part.skipped)
        _judge(rejects, read, max_rejects, rejects_file)
        if not read["triples"]:
            raise InputError(
                f"{files[0]}: holds no fact about an item ({dict(sorted(skipped.items()))}): "
                "N-Triples are read as Wikidata's truthy dump; turn other graphs into TSV"
            )
        store.limit(memory, workers)
        known = store.connection.sql(doors_queries.OUTSIDE_IDS)
        known.write_parquet(str(Path(folder) / KNOWN))
        numbered = number(Path(folder), memory, workers)
        facts = _add(store, numbered, files, name, date)
    skipped["datatype"] += numbered.dropped
    return TriplesSummary(
        entities=numbered.entities,
        properties=numbered.properties,
        facts=facts,
        outside_ids=numbered.fresh_ids,
        rejects=read["rejected"],
        skipped=dict(sorted((+skipped).items())),
    )


def _format(file: Path) -> str:
    """The kind of a file by its name. Raises InputError for any other."""
    suffixes = [suffix for suffix in file.suffixes if suffix not in COMPRESSED]
    kind = _FORMATS.get(suffixes[-1] if suffixes else "")
    if kind is None or (kind == "parquet" and file.suffix in COMPRESSED):
        raise InputError(
            f"{file}: expected a name that ends in .nt or .tsv (also .gz, .bz2, .zst) or .parquet"
        )
    return kind


def _stage(
    file: Path,
    folder: str,
    prefix: str,
    languages: tuple[str, ...],
    workers: int,
) -> Iterator[Staged]:
    """Write the triples and names of a file as shards of a folder."""
    kind = _format(file)
    if kind == "parquet":
        rows = partial(_stage_rows, folder=folder, prefix=prefix)
        yield from map_shards(rows, triples_table.parquet_rows(file), workers)
        return
    with open_stream(file, workers) as stream:
        columns, first = None, 1
        if kind == "tsv":
            columns, first = triples_table.read_header(file, stream), 2
        lines = partial(
            _stage_block, folder=folder, prefix=prefix, languages=languages, columns=columns
        )
        yield from map_shards(lines, blocks(stream, first), workers)


def _stage_block(
    block: Block,
    *,
    folder: str,
    prefix: str,
    languages: tuple[str, ...],
    columns: tuple[str, ...] | None,
) -> Staged:
    if columns is None:
        found = triples_ntriples.parse_block(block, languages)
    else:
        found = triples_table.parse_tsv(block, columns)
    return stage(found, folder, f"{prefix}-{block.first:015d}")


def _stage_rows(rows: tuple[int, pa.Table], *, folder: str, prefix: str) -> Staged:
    return stage(triples_table.parse_rows(rows), folder, f"{prefix}-{rows[0]:015d}")


def _judge(
    rejects: list[tuple[Path, Reject]],
    read: Counter[str],
    most: float,
    rejects_file: Path | None,
) -> None:
    """Keep the malformed lines in a file. Raises InputError where they are too many."""
    if not rejects:
        return
    if rejects_file is not None:
        with write_atomically(rejects_file) as out:
            for file, reject in rejects:
                out.write(orjson.dumps(asdict(reject) | {"file": file.name}) + b"\n")
    if read["rejected"] > most * read["lines"]:
        file, first = rejects[0]
        where = f" (they are in {rejects_file})" if rejects_file else ""
        raise InputError(
            f"{file}:{first.line}: {first.reason}; {read['rejected']} of {read['lines']} lines "
            f"are malformed{where}, more than the {most:.1%} that `max_rejects` allows: mend "
            "the file, or raise that setting"
        )


def _add(store: Store, numbered: Numbered, files: Sequence[Path], name: str, date: str) -> int:
    """Add the graph and its new ids to the store; return how many facts it has."""
    source = ", ".join(file.name for file in files)
    with store.transaction():
        facts = store.add_snapshot(name, date, source, checksum(files), numbered.shards)
        store.connection.execute(doors_queries.ADD_OUTSIDE_IDS, [numbered.fresh])
    return facts


def checksum(files: Sequence[Path]) -> str:
    """The SHA-256 of a file; of several, that of the lines `<SHA-256>  <name>`."""
    sums = [sha256(file) for file in files]
    if len(sums) == 1:
        return sums[0]
    lines = "".join(f"{one}  {file.name}\n" for one, file in zip(sums, files, strict=True))
    return new_sha256(lines.encode()).hexdigest()
