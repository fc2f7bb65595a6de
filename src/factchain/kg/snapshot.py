"""What one dump holds -> a snapshot of the store: entities merged, facts matched and numbered."""

from __future__ import annotations

from collections.abc import Sequence

from factchain.kg import snapshot_queries as queries
from factchain.kg.records import DumpShards, DumpTables
from factchain.kg.store import Store

MEMORY_OF_SORTED = 20
"""Bytes that DuckDB has for each row of a sort, at least."""


def add_snapshot(
    store: Store,
    name: str,
    date: str,
    source: str,
    checksum: str,
    tables: DumpTables | DumpShards,
    languages: Sequence[str] = (),
) -> int:
    """Add the facts of one dump, with names in `languages`; return how many facts it has.

    Raises StoreError where the store holds a snapshot of that name or date.
    """
    store.check_is_new(name, date)
    with (
        store.transaction(),
        store.incoming(
            entity=tables.entities,
            property=tables.properties,
            fact=tables.facts,
            redirect=tables.redirects,
        ),
    ):
        ((snapshot,),) = store.rows(
            queries.ADD_SNAPSHOT, name, date, source, checksum, list(languages)
        )
        _add_entities(store, snapshot)
        return _add_facts(store, snapshot)


def _add_entities(store: Store, snapshot: int) -> None:
    ((rows,),) = store.rows(queries.COUNT_ENTITIES)
    if rows:
        _merge_entities(store, snapshot, rows)
    store.connection.execute(queries.ADD_PROPERTIES, {"snapshot": snapshot})
    store.connection.execute(queries.MERGE_REDIRECTS, {"snapshot": snapshot})
    store.connection.execute(queries.REPLACE_REDIRECTS)


def _merge_entities(store: Store, snapshot: int, rows: int) -> None:
    parts = store.parts(queries.INCOMING_ENTITIES, rows, MEMORY_OF_SORTED)
    bounds = [part | {"snapshot": snapshot} for part in parts]
    with (
        store.aside("staged_entity", queries.STAGED_ENTITIES, *parts, texts=True),
        store.aside("merged_entity", queries.MERGED_ENTITIES, *bounds, texts=True),
    ):
        store.connection.execute(queries.EMPTY_ENTITIES)
        for part in parts:
            store.connection.execute(queries.ADD_ENTITIES, part)


def _add_facts(store: Store, snapshot: int) -> int:
    """Return how many facts the snapshot has."""
    execute = store.connection.execute
    ((incoming, stored),) = store.rows(queries.COUNT_INCOMING_FACTS)
    if not stored and incoming <= store.reach(MEMORY_OF_SORTED):
        # They are read once, so a file aside would only cost time.
        execute(queries.CREATE_MATCHED_FACTS)
        _add_new_facts(store, snapshot, incoming)
        execute(queries.DROP_MATCHED_FACTS)
    else:
        rows = max(incoming, stored)
        parts = store.parts(queries.INCOMING_SUBJECTS, rows, MEMORY_OF_SORTED)
        with store.aside("matched_fact", queries.MATCHED_FACTS, *parts, texts=True):
            ((new, known),) = store.rows(queries.COUNT_MATCHED_FACTS)
            _add_new_facts(store, snapshot, new)
            for part in store.parts(queries.KNOWN_IDS, known, MEMORY_OF_SORTED):
                execute(queries.ADD_KNOWN_FACT_SNAPSHOTS, part | {"snapshot": snapshot})
    ((count,),) = store.rows(queries.COUNT_SNAPSHOT_FACTS, snapshot)
    return int(count)


def _add_new_facts(store: Store, snapshot: int, count: int) -> None:
    execute = store.connection.execute
    for part in store.parts(queries.NEW_SUBJECTS, count, MEMORY_OF_SORTED):
        ((last,),) = store.rows(queries.LAST_FACT)
        with store.aside("staged_fact", queries.STAGED_FACTS, part, numbered=True):
            execute(queries.ADD_FACTS, {"last": last})
            execute(queries.ADD_FACT_SNAPSHOTS, {"last": last, "snapshot": snapshot})
