"""Files of triples (Wikidata truthy N-Triples, TSV, Parquet) -> one snapshot of the store."""

from __future__ import annotations

import tempfile
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from functools import partial
from hashlib import sha256 as new_sha256
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa

from factchain.errors import InputError
from factchain.files import sha256, write_atomically
from factchain.kg import doors_queries
from factchain.kg.records import Reject
from factchain.kg.snapshot import add_snapshot
from factchain.kg.store import MEMORY, Store
from factchain.kg.triples import lines
from factchain.kg.triples import ntriples as triples_ntriples
from factchain.kg.triples import table as triples_table
from factchain.kg.triples.lines import Block
from factchain.kg.triples.numbering import KNOWN, Numbered, number
from factchain.kg.triples.staged_folder import StagedFolder, beside
from factchain.kg.triples.staging import Staged
from factchain.parallel import Engine, map_shards
from factchain.progress import measuring, say

COMPRESSED = frozenset({".gz", ".bz2", ".zst"})
LAYOUT = 1
"""Of the shards; another number lets a run begin anew."""
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
    engine: Engine = "local",
    memory: int = MEMORY,
    work: str | None = None,
) -> TriplesSummary:
    """Add the files, together, as the snapshot `name`, whose facts hold on `date` (ISO).

    `work` is the address of the folder for the shards, where not beside the store; a run that was
    stopped goes on with those that are there. Malformed lines are written to `rejects_file` with
    number and reason. Raises InputError where more than the share `max_rejects` of the lines is
    malformed, or a file is damaged or of another kind; the store is then as it was.
    """
    store.check_is_new(name, date)
    folder = StagedFolder(work or beside(store.path, date))
    try:
        read, skipped = _read(files, folder, languages, max_rejects, rejects_file, workers, engine)
        say("  building the snapshot")
        with (
            store.writing(),
            tempfile.TemporaryDirectory(prefix=".numbers.", dir=store.path.parent) as scratch,
        ):
            store.limit(memory, workers)
            known = store.connection.sql(doors_queries.OUTSIDE_IDS)
            known.write_parquet(str(Path(scratch) / KNOWN))
            numbered = number(folder.address, Path(scratch), memory, workers)
            # A table says nothing of its language.
            tagged = all(_format(file) == "ntriples" for file in files)
            facts = _add(store, numbered, files, name, date, languages if tagged else ())
    except InputError:
        folder.clear()
        raise
    folder.clear()
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


def _read(
    files: Sequence[Path],
    folder: StagedFolder,
    languages: tuple[str, ...],
    max_rejects: float,
    rejects_file: Path | None,
    workers: int,
    engine: Engine,
) -> tuple[Counter[str], Counter[str]]:
    """Put all triples and names into the folder; return what was read, and what was left out."""
    kinds = [_format(file) for file in files]
    finished = folder.resume(_identity(files, languages))
    if finished:
        say(f"  {len(finished)} blocks are there from an earlier run")
    read, skipped = Counter[str](), Counter[str]()
    rejects: list[tuple[Path, Reject]] = []
    with measuring(
        "reading " + (files[0].name if len(files) == 1 else "the graph"),
        sum(file.stat().st_size for file in files),
    ) as advance:
        for position, (file, kind) in enumerate(zip(files, kinds, strict=True)):
            source = _Source(file, kind, f"{position:04d}", languages)
            for part in _staged(source, folder, finished, workers, engine, advance):
                read.update(lines=part.lines, triples=part.triples, rejected=part.rejected)
                rejects += [(file, reject) for reject in part.rejects]
                skipped.update(part.skipped)
    _judge(rejects, read, max_rejects, rejects_file)
    if not read["triples"]:
        raise InputError(
            f"{files[0]}: holds no fact about an item ({dict(sorted(skipped.items()))}): "
            "N-Triples are read as Wikidata's truthy dump; turn other graphs into TSV"
        )
    return read, skipped


def _identity(files: Sequence[Path], languages: tuple[str, ...]) -> dict[str, Any]:
    """What must be the same for shards to be used again."""
    try:
        status = [path.stat() for path in files]
    except OSError as error:
        raise InputError(f"{error.filename}: cannot be read: {error.strerror}") from error
    return {
        "layout": LAYOUT,
        "files": [
            [str(path.resolve()), one.st_size, one.st_mtime_ns]
            for path, one in zip(files, status, strict=True)
        ],
        "languages": languages,
        "block": lines.BLOCK,
    }


@dataclass(frozen=True, slots=True)
class _Source:
    """A file, and how it is read."""

    path: Path
    kind: str
    prefix: str
    languages: tuple[str, ...]
    columns: tuple[str, ...] = ()
    """Of a TSV."""


Part = Block | tuple[int, pa.Table]
"""Lines, or rows of a Parquet file with the number of the first."""


def _staged(
    source: _Source,
    folder: StagedFolder,
    finished: Mapping[str, Staged],
    workers: int,
    engine: Engine,
    on_read: Callable[[int], None],
) -> Iterator[Staged]:
    """What the blocks of a file hold, in order; those that are not finished are put there."""
    waiting: deque[Staged | None] = deque()
    """For each block that was read what it holds, or None where it is being worked on."""

    def unfinished(parts: Iterator[Part]) -> Iterator[Part]:
        for part in parts:
            done = finished.get(_block(source, part))
            waiting.append(done)
            if done is None:
                yield part

    def done_before() -> Iterator[Staged]:
        while waiting and (done := waiting[0]) is not None:
            waiting.popleft()
            yield done

    with ExitStack() as stack:
        if source.kind == "parquet":
            parts: Iterator[Part] = triples_table.parquet_rows(source.path, on_read)
        else:
            stream = stack.enter_context(lines.open_stream(source.path, workers, on_read))
            first = 1
            if source.kind == "tsv":
                columns = triples_table.read_header(source.path, stream)
                source, first = replace(source, columns=columns), 2
            parts = lines.blocks(stream, first)
        function = partial(_stage, source=source, folder=folder)
        for staged in map_shards(function, unfinished(parts), workers, engine):
            yield from done_before()
            waiting.popleft()
            yield staged
        yield from done_before()


def _block(source: _Source, part: Part) -> str:
    """The name of a block: its file's number, and that of its first line."""
    return f"{source.prefix}-{part[0]:015d}"


def _stage(part: Part, *, source: _Source, folder: StagedFolder) -> Staged:
    if not isinstance(part, Block):
        found = triples_table.parse_rows(part)
    elif source.kind == "tsv":
        found = triples_table.parse_tsv(part, source.columns)
    else:
        found = triples_ntriples.parse_block(part, source.languages)
    return folder.stage(found, _block(source, part))


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


def _add(
    store: Store,
    numbered: Numbered,
    files: Sequence[Path],
    name: str,
    date: str,
    languages: Sequence[str],
) -> int:
    """Add the graph and its new ids to the store; return how many facts it has."""
    source = ", ".join(file.name for file in files)
    with store.transaction():
        facts = add_snapshot(store, name, date, source, checksum(files), numbered.shards, languages)
        store.connection.execute(doors_queries.ADD_OUTSIDE_IDS, [numbered.fresh])
    return facts


def checksum(files: Sequence[Path]) -> str:
    """The SHA-256 of a file; of several, that of the lines `<SHA-256>  <name>`."""
    sums = [sha256(file) for file in files]
    if len(sums) == 1:
        return sums[0]
    lines = "".join(f"{one}  {file.name}\n" for one, file in zip(sums, files, strict=True))
    return new_sha256(lines.encode()).hexdigest()
