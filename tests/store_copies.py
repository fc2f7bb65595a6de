"""Copies of small stores, less some of their facts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from factchain.kg.records import number
from factchain.kg.store import Store

TABLES = ("snapshot", "entity", "property", "fact", "fact_snapshot")


def copy_store(store: Store, path: Path, without: Iterable[tuple[str, str, str]] = ()) -> Store:
    """What the store holds of a graph as a new file, but for these facts (s, p, object)."""
    copy = Store.create(path)
    for name in TABLES:
        rows = store.connection.table(name).to_arrow_table()
        copy.connection.register("rows", rows)
        copy.connection.execute(f"INSERT INTO {name} SELECT * FROM rows")
        copy.connection.unregister("rows")
    for s, p, o in without:
        entity = number(o) if o.startswith("Q") else None
        copy.connection.execute(
            "DELETE FROM fact WHERE s = ? AND p = ? AND (o = ? OR value = ?)",
            [number(s), number(p), entity, o.split()[0]],
        )
    copy.connection.execute("DELETE FROM fact_snapshot WHERE fact NOT IN (SELECT id FROM fact)")
    return copy
