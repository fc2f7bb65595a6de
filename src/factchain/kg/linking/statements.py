"""Statements in words, of an extraction or a file of triples -> what the store's passages state."""

from __future__ import annotations

import glob
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from factchain.errors import InputError
from factchain.kg.extraction.mentions import shards_of
from factchain.kg.extraction.run import read_run
from factchain.kg.linking import queries
from factchain.kg.linking.link import LinkSummary, check_index, link
from factchain.kg.shared_folder import local_path, open_new
from factchain.kg.store import MEMORY, Store
from factchain.parallel import Engine
from factchain.records import Record, read_records

BATCH = 50_000
TRIPLE_SCHEMA = pa.schema([(name, pa.string()) for name in ("passage", "head", "relation", "tail")])


class StatedTriple(Record):
    """One line of a file of triples in words, from whatever read them out of passages."""

    passage: str
    """Id of the passage that states the triple."""
    head: str
    """Its subject, in the passage's words."""
    relation: str
    """Label or alias of a property."""
    tail: str
    """Its object, in the passage's words."""


def link_statements(
    kg_file: Path,
    source: str,
    index: Path,
    extractor: str,
    *,
    workers: int = 1,
    engine: Engine = "local",
    memory: int = MEMORY,
) -> LinkSummary:
    """Link the statements of a source, and put what is found in the store.

    The source is the folder of a finished extraction (a path or fsspec address) or a JSON Lines
    file of StatedTriple. What the spans mean is written to that address, else into a folder beside
    the store, which workers on other machines see where they see the store. Raises InputError where
    the source is neither, and OutputError where the disk is full.
    """
    check_index(index)
    path = local_path(source)
    with (
        Store.open(kg_file, read_only=False) as store,
        tempfile.TemporaryDirectory(prefix=".link.", dir=kg_file.parent) as scratch,
    ):
        store.limit(memory, workers)
        folder = scratch if path is not None else source
        with store.transaction(), _stated(store, source, Path(scratch)):
            summary = link(store, index, extractor, folder, workers=workers, engine=engine)
        store.checkpoint()
    return summary


@contextmanager
def _stated(store: Store, source: str, scratch: Path) -> Iterator[None]:
    """The statements of a source as the store's view `stated`, until the block ends."""
    path = local_path(source)
    if path is not None and path.is_file():
        file = scratch / "triples.parquet"
        _gather(read_records(path, StatedTriple), str(file))
        with (
            store.incoming(triple=glob.escape(str(file))),
            store.aside("stated", queries.GATHERED_STATEMENTS, texts=True),
        ):
            yield
        return
    if path is not None and not path.is_dir():
        raise InputError(f"{source}: no such file of triples, nor folder of an extraction")
    run = read_run(source)
    if not run.statements:
        raise InputError(
            f"{source}: the extractor {run.extractor} found no statement to link; those of "
            "`factchain kg extract --extractor rebel` are linked"
        )
    shards = {"shards": shards_of(store, source, run)}
    with store.aside("stated", queries.STATEMENTS, shards, texts=True):
        yield


def _gather(triples: Iterable[StatedTriple], address: str) -> None:
    rest = iter(triples)
    with open_new(address) as file, pq.ParquetWriter(file, TRIPLE_SCHEMA) as out:
        while batch := list(islice(rest, BATCH)):
            rows = [one.model_dump() for one in batch]
            out.write_table(pa.Table.from_pylist(rows, schema=TRIPLE_SCHEMA))
