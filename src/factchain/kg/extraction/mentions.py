"""What an extraction found -> the store: the passages and the mentions in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from factchain.errors import InputError
from factchain.kg.extraction import queries
from factchain.kg.extraction.protocol import ExtractorSettings
from factchain.kg.extraction.run import ExtractionRun, extract
from factchain.kg.shared_folder import join, let_duckdb_read
from factchain.kg.store import MEMORY, Store
from factchain.parallel import Engine

MEMORY_OF_JOINED = 200
"""Bytes that DuckDB has for each mention that it joins with the others of its passage, at least."""
MEMORY_OF_SORTED = 40
"""The same for each mention of a fact that it sorts."""


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


def put_text(store: Store, folder: str, run: ExtractionRun) -> None:
    """Put the passages of a run and the mentions in them into the store, in one transaction.

    Passages of another text go, with all that was found in them, and so does what this
    extractor found before; what others found in the same passages stays. Popularity goes too:
    it has to be counted again.
    """
    shards = {"shards": shards_of(store, folder, run)}
    extractor = {"extractor": run.extractor}
    execute = store.connection.execute
    with store.transaction():
        with store.aside("same_passage", queries.SAME_PASSAGES, shards):
            keep(store, "passage", queries.KEPT_PASSAGES)
            keep(store, "mention", queries.KEPT_MENTIONS, extractor)
            keep(store, "entity_mention", queries.KEPT_ENTITY_MENTIONS, extractor)
            execute(queries.ADD_PASSAGES, shards)
        with (
            store.aside("numbered_passage", queries.NUMBERED_PASSAGES, shards, texts=True),
            store.aside("named_entity", queries.NAMED_ENTITIES),
            store.aside("distinct_named", queries.DISTINCT_NAMED),
            store.aside("named_edge", queries.NAMED_EDGES),
        ):
            execute(queries.ADD_ENTITY_MENTIONS, extractor)
            _add_cooccurring_facts(store, extractor)
        execute(queries.DROP_COUNTS)


def keep(store: Store, table: str, rows: str, values: Mapping[str, Any] | None = None) -> None:
    """Keep only the rows of a query in a table that holds text or mentions."""
    bound = [values] if values else []
    ((kept,),) = store.connection.sql(rows, params=values).count("*").fetchall()
    ((held,),) = store.connection.table(table).count("*").fetchall()
    if kept == held:
        return
    with store.aside("kept", rows, *bound, texts=True):
        store.connection.execute(queries.EMPTY[table])
        # What DuckDB inserts in parallel after an insertion of nothing, in one transaction, it does
        # not show before the next checkpoint.
        if kept:
            store.connection.execute(queries.FILL[table])


def _add_cooccurring_facts(store: Store, extractor: dict[str, str]) -> None:
    ((named,),) = store.rows(queries.COUNT_NAMED)
    for part in store.parts(queries.NAMING_PASSAGES, named, MEMORY_OF_JOINED):
        with store.aside("cooccurring_fact", queries.COOCCURRING_FACTS, part):
            ((stated,),) = store.rows(queries.COUNT_COOCCURRING)
            for piece in store.parts(queries.STATING_PASSAGES, stated, MEMORY_OF_SORTED):
                store.connection.execute(queries.ADD_COOCCURRING_FACTS, piece | extractor)


def shards_of(store: Store, folder: str, run: ExtractionRun) -> list[str]:
    """The files of a run, for `read_parquet` on this store's connection."""
    if not run.shards:
        raise InputError(f"{folder}: the extraction read no passage")
    let_duckdb_read(store.connection, folder)
    return [join(folder, name) for name in run.shards]
