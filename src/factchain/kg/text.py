"""A text corpus (JSON Lines of passages) -> the store's passages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from factchain.errors import InputError
from factchain.kg import queries
from factchain.kg.records import TextPassage, number
from factchain.kg.store import Store
from factchain.records import read_records


def read_passages(path: Path) -> Iterator[TextPassage]:
    """Yield the passages; raises InputError for a malformed line or a repeated id."""
    seen = set()
    for passage in read_records(path, TextPassage):
        if passage.id in seen:
            raise InputError(f"{path}: the passage id {passage.id!r} stands twice")
        seen.add(passage.id)
        yield passage
    if not seen:
        raise InputError(f"{path}: holds no passage")


def replace_passages(store: Store, passages: Iterator[TextPassage]) -> int:
    """Put the passages in place of those of the store, with all that came from them."""
    rows = [
        passage.model_dump() | {"entity": number(passage.entity) if passage.entity else None}
        for passage in passages
    ]
    schema = pa.schema(
        [
            ("id", pa.string()),
            ("title", pa.string()),
            ("entity", pa.int64()),
            ("text", pa.string()),
        ]
    )
    store.connection.execute(queries.CLEAR_TEXT)
    with store.incoming(passage=pa.Table.from_pylist(rows, schema=schema)):
        store.connection.execute(queries.ADD_PASSAGES)
    return len(rows)
