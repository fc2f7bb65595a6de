"""What an extraction found -> the store: passages and mentions, or statements to be linked."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

import pyarrow as pa

from factchain.errors import InputError
from factchain.kg.extraction import queries
from factchain.kg.extraction.protocol import ExtractorSettings
from factchain.kg.extraction.run import ExtractionRun, extract, read_run
from factchain.kg.linking import queries as linking_queries
from factchain.kg.linking.link import LinkSummary, check_index, link
from factchain.kg.shared_folder import join, let_duckdb_read, local_path
from factchain.kg.store import MEMORY, Store
from factchain.parallel import Engine
from factchain.records import Record, read_records

BATCH = 50_000
MEMORY_OF_JOINED = 100
"""Bytes that DuckDB has for each mention that it joins with the others of its passage, at least."""
MEMORY_OF_SORTED = 40
"""The same for each mention of a fact that it sorts."""
STATEMENT_SCHEMA = pa.schema(
    [(name, pa.string()) for name in ("passage", "head", "relation", "tail")]
)


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


def extract_text(
    kg_file: Path,
    passages: Path,
    settings: Callable[[Store], ExtractorSettings],
    folder: str,
    *,
    workers: int = 1,
    engine: Engine = "local",
    memory: int = MEMORY,
) -> ExtractionRun:
    """Extract from a file of passages by way of `folder`, and put what was found in the store.

    The store is open only before and after; DuckDB takes `memory` bytes and beyond them the disk.
    Raises InputError for a file that is no text corpus.
    """
    with Store.open(kg_file) as store:
        store.limit(memory, workers)
        made = settings(store)
    run = extract(passages, made, folder, workers=workers, engine=engine)
    with Store.open(kg_file, read_only=False) as store:
        store.limit(memory, workers)
        put_text(store, folder, run)
        store.checkpoint()
    return run


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
    """Link the statements of a source (see `take_statements`), and put what is found in the store.

    Beside an extraction the spans' meanings are written, else into a folder beside the
    store, which workers on other machines see where they see the store.
    """
    check_index(index)
    path = local_path(source)
    with (
        Store.open(kg_file, read_only=False) as store,
        tempfile.TemporaryDirectory(prefix=".link.", dir=kg_file.parent) as scratch,
    ):
        store.limit(memory, workers)
        take_statements(store, source)
        folder = scratch if path is not None else source
        summary = link(store, index, extractor, folder, workers=workers, engine=engine)
        store.checkpoint()
    return summary


def put_text(store: Store, folder: str, run: ExtractionRun) -> None:
    """Put the passages of a run and the mentions in them into the store, in one transaction.

    Passages of another text go, with all that was found in them, and so does what this
    extractor found before; what others found in the same passages stays. Popularity goes too:
    it has to be counted again.
    """
    shards = {"shards": _shards(store, folder, run)}
    extractor = {"extractor": run.extractor}
    execute = store.connection.execute
    with store.transaction():
        with store.aside("same_passage", queries.SAME_PASSAGES, shards):
            with (
                store.aside("kept_passage", queries.KEPT_PASSAGES),
                store.aside("kept_mention", queries.KEPT_MENTIONS, extractor),
                store.aside("kept_entity_mention", queries.KEPT_ENTITY_MENTIONS, extractor),
            ):
                execute(queries.KEEP_PASSAGES)
                execute(queries.KEEP_MENTIONS)
            execute(queries.ADD_PASSAGES, shards)
        with (
            store.aside("numbered_passage", queries.NUMBERED_PASSAGES, shards),
            store.aside("named_entity", queries.NAMED_ENTITIES),
            store.aside("named_edge", queries.NAMED_EDGES),
        ):
            execute(queries.ADD_ENTITY_MENTIONS, extractor)
            _add_cooccurring_facts(store, extractor)
        execute(queries.DROP_COUNTS)


def _add_cooccurring_facts(store: Store, extractor: dict[str, str]) -> None:
    ((named,),) = store.rows(queries.COUNT_NAMED)
    for part in store.parts(queries.NAMING_PASSAGES, named, MEMORY_OF_JOINED):
        with store.aside("cooccurring_fact", queries.COOCCURRING_FACTS, part):
            ((stated,),) = store.rows(queries.COUNT_COOCCURRING)
            for piece in store.parts(queries.STATING_PASSAGES, stated, MEMORY_OF_SORTED):
                store.connection.execute(queries.ADD_COOCCURRING_FACTS, piece | extractor)


def take_statements(store: Store, source: str) -> None:
    """Put statements into the store's temporary table `stated`, for `linking.link`.

    The source is the folder of a finished extraction (a path or fsspec address) or a JSON Lines
    file of StatedTriple. Raises InputError where it is neither.
    """
    path = local_path(source)
    if path is not None and path.is_file():
        _gather(store, read_records(path, StatedTriple))
        return
    if path is not None and not path.is_dir():
        raise InputError(f"{source}: no such file of triples, nor folder of an extraction")
    run = read_run(source)
    if not run.statements:
        raise InputError(
            f"{source}: the extractor {run.extractor} found no statement to link; those of "
            "`factchain kg extract --extractor rebel` are linked"
        )
    store.connection.execute(
        linking_queries.READ_STATEMENTS, {"shards": _shards(store, source, run)}
    )


def _gather(store: Store, triples: Iterable[StatedTriple]) -> None:
    store.connection.execute(linking_queries.CREATE_TAKEN)
    rows: Iterator[StatedTriple] = iter(triples)
    while batch := list(islice(rows, BATCH)):
        table = pa.Table.from_pylist([one.model_dump() for one in batch], schema=STATEMENT_SCHEMA)
        with store.incoming(statement=table):
            store.connection.execute(linking_queries.TAKE_STATEMENTS)
    store.connection.execute(linking_queries.GATHER_STATEMENTS)


def _shards(store: Store, folder: str, run: ExtractionRun) -> list[str]:
    """The files of a run, for `read_parquet` on this store's connection."""
    if not run.shards:
        raise InputError(f"{folder}: the extraction read no passage")
    let_duckdb_read(store.connection, folder)
    return [join(folder, name) for name in run.shards]
