"""Staged triples and names -> the store's tables: ids become numbers, names are chosen.

Ids of Wikidata, up to nine digits, keep their numbers. The ids of any other graph are numbered
from `FIRST_OUTSIDE` on, in the order of their characters, those of a later snapshot above them;
the store keeps which number an id has (`outside_id`), so that it has the same in every snapshot.
"""

from __future__ import annotations

import glob
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa

from factchain.errors import InputError
from factchain.kg import doors_queries
from factchain.kg.dumps.redirects import resolve
from factchain.kg.dumps.values import KEPT_TYPES, LARGEST_NUMBER
from factchain.kg.records import REDIRECT_SCHEMA, DumpShards
from factchain.kg.shared_folder import let_duckdb_read, shards_of
from factchain.kg.triples.staging import NAMES, TRIPLES

FIRST_OUTSIDE = 1_000_000_000
"""Number of the first id that is not Wikidata's."""
INSTANCE_OF = 31
KNOWN = "known.parquet"


@dataclass(frozen=True, slots=True)
class Numbered:
    """What a graph holds, in the store's numbers."""

    shards: DumpShards
    entities: int
    properties: int
    fresh: str
    """The shard of ids that are not Wikidata's and new: kind, id, number."""
    fresh_ids: int
    dropped: int
    """Facts that were left out for the datatype of their property."""


def number(staged: str, folder: Path, memory: int, threads: int) -> Numbered:
    """Turn the shards at the address `staged` into the tables that a store takes in, in `folder`.

    `known.parquet` there are the ids that the store has numbered (kind, id, number); `memory` is
    in bytes, and what goes beyond goes to the folder. Raises InputError where the numbers do not
    suffice.
    """
    kept = sorted(KEPT_TYPES)
    with duckdb.connect() as staging:
        staging.execute("SET temp_directory = ?", [str(folder / "spilled")])
        staging.execute("SET memory_limit = ?", [f"{memory // 2**20} MiB"])
        staging.execute("SET threads = ?", [threads])
        staging.execute(doors_queries.KNOWN, [str(folder / KNOWN)])
        staging.execute(doors_queries.OWN_NUMBER)
        let_duckdb_read(staging, staged)
        staging.execute(doors_queries.TRIPLES, [shards_of(staged, f"{TRIPLES}-*.parquet")])
        names = shards_of(staged, f"{NAMES}-*.parquet")
        if names:
            staging.execute(doors_queries.NAMES, [names])
        else:
            staging.execute(doors_queries.NO_NAMES)
        staging.execute(doors_queries.OUTSIDE, {"below": FIRST_OUTSIDE - 1})
        ((largest,),) = staging.execute(doors_queries.LARGEST).fetchall()
        if largest > LARGEST_NUMBER:
            raise InputError(
                f"the graph has more than the {LARGEST_NUMBER - FIRST_OUTSIDE + 1:,} ids that a "
                "store can number: leave some out"
            )
        staging.execute(doors_queries.PROPERTY_TYPES)
        ((dropped,),) = staging.execute(doors_queries.DROPPED, [kept]).fetchall()
        staging.execute(doors_queries.FACTS, [kept])
        staging.execute(doors_queries.TERMS)
        entities, entity_count = _write(
            staging, folder, "entities", doors_queries.INCOMING_ENTITIES, [INSTANCE_OF]
        )
        properties, property_count = _write(
            staging, folder, "properties", doors_queries.INCOMING_PROPERTIES, []
        )
        facts, _ = _write(staging, folder, "facts", doors_queries.INCOMING_FACTS, [])
        fresh, fresh_count = _write(staging, folder, "fresh", doors_queries.FRESH, [])
        return Numbered(
            shards=DumpShards(entities, properties, facts, _redirects(staging)),
            entities=entity_count,
            properties=property_count,
            fresh=fresh,
            fresh_ids=fresh_count,
            dropped=int(dropped),
        )


def _write(
    staging: duckdb.DuckDBPyConnection, folder: Path, name: str, query: str, values: list[int]
) -> tuple[str, int]:
    """Write a query's result as a shard; return its pattern and how many rows it has."""
    path = folder / f"{name}.parquet"
    staging.sql(query, params=values).write_parquet(str(path), compression="lz4")
    ((rows,),) = staging.execute(doors_queries.COUNT_ROWS, [str(path)]).fetchall()
    return glob.escape(str(path)), int(rows)


def _redirects(staging: duckdb.DuckDBPyConnection) -> pa.Table:
    """Removed items with where their redirects end; those that end nowhere are left out."""
    table = staging.sql(doors_queries.INCOMING_REDIRECTS).to_arrow_table()
    source, target, _ = resolve(table["source"].to_numpy(), table["target"].to_numpy())
    return pa.table({"source": source, "target": target}, schema=REDIRECT_SCHEMA)
