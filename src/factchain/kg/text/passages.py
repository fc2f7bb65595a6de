"""A text corpus (JSON Lines of passages) -> the store's passages."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pyarrow as pa

from factchain.errors import InputError
from factchain.kg import queries
from factchain.kg.records import TextPassage, number
from factchain.kg.store import Store
from factchain.records import read_records

BATCH = 10_000
"""Passages that are added at a time."""
PASSAGE_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("title", pa.string()),
        ("entity", pa.int64()),
        ("text", pa.string()),
    ]
)


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
    store.connection.execute(queries.CLEAR_TEXT)
    count = 0
    while batch := list(islice(passages, BATCH)):
        rows = [
            {
                "id": passage.id,
                "title": passage.title,
                "entity": number(passage.entity) if passage.entity else None,
                "text": passage.text,
            }
            for passage in batch
        ]
        with store.incoming(passage=pa.Table.from_pylist(rows, schema=PASSAGE_SCHEMA)):
            store.connection.execute(queries.ADD_PASSAGES)
        count += len(rows)
    return count
