"""Passages -> shards that hold them with what an extractor found in them, in a folder.

A shard is named by the hash of its passages and of the extractor's settings, so a run that was
stopped goes on with what is there, and nothing of another text or other settings is taken for
its own. `run.json` says which shards belong to a finished run; a folder without it is unfinished.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from factchain.errors import InputError
from factchain.kg.extraction.protocol import Evidence, Extractor, ExtractorSettings
from factchain.kg.records import PassageView, number
from factchain.kg.shared_folder import exists, join, open_new, open_shard, write_parquet
from factchain.kg.text.passages import check_corpus, corpus_blocks, passages_of
from factchain.kg.triples.lines import Block
from factchain.parallel import Engine, as_it_is, map_shards
from factchain.progress import measuring
from factchain.records import Record

RUN = "run.json"
COMPRESSION = "lz4"
"""Text is read again once, at once: speed counts for more than size."""
REJECTED = b"rejected"
"""Key of the shard's metadata: what was left out, by reason, as JSON."""
MENTION = pa.struct([("entity", pa.int64()), ("count", pa.int64())])
STATEMENT = pa.struct(
    [
        ("head", pa.string()),
        ("relation", pa.string()),
        ("tail", pa.string()),
        ("count", pa.int64()),
    ]
)
SHARD_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("title", pa.string()),
        ("entity", pa.int64()),
        ("text", pa.string()),
        ("mentions", pa.list_(MENTION)),
        ("statements", pa.list_(STATEMENT)),
    ]
)


class ExtractionRun(Record):
    """What a finished extraction gave (`run.json` of its folder)."""

    extractor: str
    """Name of the extractor."""
    settings: str
    """Its settings, in one line."""
    passages: int
    """How many passages were read."""
    mentions: int
    """How many (passage, entity) pairs were found."""
    statements: int
    """How many (passage, triple in words) pairs were found."""
    rejected: dict[str, int]
    """What was left out, by reason."""
    shards: tuple[str, ...]
    """Names of the files with passages, mentions and statements, in the order of the text."""


@dataclass(frozen=True, slots=True)
class Shard:
    """Some lines of a corpus, and where to put what they say."""

    address: str
    settings: ExtractorSettings
    source: Path
    block: Block


@dataclass(frozen=True, slots=True)
class ShardSummary:
    """What one shard gave."""

    address: str
    size: int
    """Bytes of its text."""
    passages: int
    mentions: int
    statements: int
    rejected: Mapping[str, int]


def extract(
    passages: Path,
    settings: ExtractorSettings,
    folder: str,
    *,
    workers: int = 1,
    engine: Engine = "local",
) -> ExtractionRun:
    """Extract from a file of passages into `folder`, a path or address; go on where it stopped.

    Memory holds a few shards at a time. Raises InputError where the file is no text corpus, and
    OutputError where the folder cannot be written.
    """
    size = check_corpus(passages)
    shards = _shards(passages, settings, folder)
    total: Counter[str] = Counter()
    rejected: Counter[str] = Counter()
    names = []
    with measuring("extracting", size) as advance:
        for done in map_shards(extract_shard, shards, workers, engine, hand_over=as_it_is):
            names.append(done.address.rpartition("/")[2])
            rejected.update(done.rejected)
            total.update(passages=done.passages, mentions=done.mentions, statements=done.statements)
            advance(done.size)
    run = ExtractionRun(
        extractor=settings.name,
        settings=settings.key(),
        passages=total["passages"],
        mentions=total["mentions"],
        statements=total["statements"],
        rejected=dict(sorted(rejected.items())),
        shards=tuple(names),
    )
    with open_new(join(folder, RUN)) as out:
        out.write(orjson.dumps(run.model_dump(), option=orjson.OPT_INDENT_2))
    return run


def read_run(folder: str) -> ExtractionRun:
    """What a finished run left in a folder. Raises InputError where there is none."""
    address = join(folder, RUN)
    if not exists(address):
        raise InputError(
            f"{folder}: holds no finished extraction: run `factchain kg extract` (again) to end it"
        )
    with open_shard(address) as file:
        try:
            return ExtractionRun.model_validate_json(file.read())
        except ValueError as error:
            raise InputError(f"{address}: is no record of an extraction: extract again") from error


def _shards(passages: Path, settings: ExtractorSettings, folder: str) -> Iterator[Shard]:
    for position, block in enumerate(corpus_blocks(passages, settings.shard_bytes)):
        digest = hashlib.sha256(settings.key().encode() + b"\n" + block.data).hexdigest()[:16]
        name = f"text-{position:06}-{digest}.parquet"
        yield Shard(join(folder, name), settings, passages, block)


def extract_shard(shard: Shard) -> ShardSummary:
    """Extract from the passages of a shard and write it, unless that is done already."""
    if exists(shard.address):
        with open_shard(shard.address) as file:
            table = pq.read_table(file, columns=["mentions", "statements"])
    else:
        passages = passages_of(shard.source, shard.block)
        table = shard_table(passages, _extractor(shard.settings).extract(passages))
        write_parquet(shard.address, table, COMPRESSION)
    return ShardSummary(
        shard.address,
        len(shard.block.data) + 1,
        table.num_rows,
        _values(table["mentions"]),
        _values(table["statements"]),
        orjson.loads(table.schema.metadata[REJECTED]),
    )


@lru_cache(maxsize=1)
def _extractor(settings: ExtractorSettings) -> Extractor:
    return settings.make()


def _values(column: pa.ChunkedArray) -> int:
    """How many values the lists of a column hold."""
    return sum(len(chunk.flatten()) for chunk in column.chunks)


def shard_table(passages: Sequence[PassageView], evidence: Evidence) -> pa.Table:
    """The passages, each with what it says, in SHARD_SCHEMA."""
    mentions, statements = evidence.mentions, evidence.statements
    mention_first = np.searchsorted(mentions.passage, np.arange(len(passages) + 1))
    mention_rows = pa.StructArray.from_arrays(
        [pa.array(mentions.entity), pa.array(mentions.count)], fields=list(MENTION)
    )
    rows = [
        [s._asdict() | {"count": n} for s, n in sorted(statements.get(at, {}).items())]
        for at in range(len(passages))
    ]
    columns = [
        [one.id for one in passages],
        [one.title for one in passages],
        [number(one.entity) if one.entity else None for one in passages],
        [one.text for one in passages],
        pa.ListArray.from_arrays(pa.array(mention_first, pa.int32()), mention_rows),
        rows,
    ]
    arrays = [
        column if isinstance(column, pa.Array) else pa.array(column, field.type)
        for column, field in zip(columns, SHARD_SCHEMA, strict=True)
    ]
    rejected = orjson.dumps(dict(sorted(evidence.rejected.items())))
    return pa.table(arrays, schema=SHARD_SCHEMA.with_metadata({REJECTED: rejected}))
