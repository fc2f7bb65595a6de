"""Chunks lose no fact, split none, and keep to their size, however the lines arrive."""

from __future__ import annotations

import json
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factchain.errors import InputError
from factchain.retrieval_corpus.chunk import Chunk, Chunker
from factchain.retrieval_corpus.tokenizers import Words

NEW = "2024-06-05"
SNAPSHOTS = (None, "2021-06-21", NEW)
Line = tuple[int, int, str]
"""An entity, a version, and a line about it."""


def lines(sizes: list[int], entity: int = 42, version: int = 0, title: str = "T") -> list[Line]:
    """One line of as many words as each size says, at least as many as the title's."""
    own = len(title.split())
    return [
        (entity, version, " ".join([title, *[f"w{n}"] * (size - own)]) + "\n")
        for n, size in enumerate(sizes)
    ]


def batch(rows: list[Line], title: str = "T") -> pa.RecordBatch:
    columns = {
        "about": pa.array([row[0] for row in rows], pa.int64()),
        "version": pa.array([row[1] for row in rows], pa.int8()),
        "title": pa.nulls(len(rows), pa.string()),
        "opening": pa.array([len(title)] * len(rows), pa.int32()),
        "line": pa.array([row[2] for row in rows], pa.string()),
        "triple": pa.array([f'["Q{row[0]}","P1","{n}"],' for n, row in enumerate(rows)]),
        "evidence": pa.array([n if n % 3 == 0 else None for n in range(len(rows))], pa.int32()),
        "node": pa.array([n if n % 2 == 0 else None for n in range(len(rows))], pa.int64()),
    }
    return pa.record_batch(columns)


def cut(*batches: pa.RecordBatch, limit: int = 512) -> list[Chunk]:
    return list(Chunker(Words(), limit, SNAPSHOTS).chunks(batches))


def test_one_chunk_has_the_plain_id() -> None:
    (chunk,) = cut(batch(lines([2, 3])))
    assert (chunk.id, chunk.title, chunk.entity, chunk.snapshot) == ("Q42", "T", 42, None)
    assert chunk.text == "T w0\nT w1 w1"
    assert json.loads(chunk.facts) == [["Q42", "P1", "0"], ["Q42", "P1", "1"]]


def test_every_chunk_opens_with_title_and_date() -> None:
    # A title of two words and an opening of three leave room for seven.
    first, second = cut(batch(lines([4, 3, 3], version=2, title="A B"), "A B"), limit=12)
    assert (first.id, second.id) == ("Q42@2024-06-05", "Q42@2024-06-05#2")
    assert (first.title, second.title) == ("A B", "A B")
    assert first.text == "As of 2024-06-05:\nA B w0 w0\nA B w1"
    assert second.text == "As of 2024-06-05:\nA B w2"
    assert second.snapshot == NEW
    assert json.loads(second.facts) == [["Q42", "P1", "2"]]


def test_a_fact_longer_than_a_chunk_is_refused() -> None:
    with pytest.raises(InputError, match=r"Q42 P1: the fact has 6 tokens .* room for 5"):
        cut(batch(lines([1, 6])), limit=6)


SIZES = st.lists(st.integers(1, 12), min_size=1, max_size=30)


@given(
    st.lists(st.tuples(SIZES, st.sampled_from([0, 2])), min_size=1, max_size=4),
    st.integers(16, 40),
    st.sets(st.integers(1, 119)),
)
def test_no_fact_is_lost_or_split(
    versions: list[tuple[list[int], int]], limit: int, breaks: set[int]
) -> None:
    rows = [
        row
        for entity, (sizes, version) in enumerate(versions, start=1)
        for row in lines(sizes, entity, version)
    ]
    whole = batch(rows)
    chunks = cut(whole, limit=limit)
    # Wherever the rows are divided into batches, the passages are the same.
    places = sorted({0, len(rows), *(b for b in breaks if b < len(rows))})
    parts = [whole.slice(a, b - a) for a, b in pairwise(places)]
    assert cut(*parts, limit=limit) == chunks

    def said(chunk: Chunk) -> list[str]:
        return chunk.text.split("\n")[chunk.snapshot is not None :]

    assert [f"{line}\n" for chunk in chunks for line in said(chunk)] == [row[2] for row in rows]
    triples = [triple for chunk in chunks for triple in json.loads(chunk.facts)]
    assert triples == [[f"Q{row[0]}", "P1", str(n)] for n, row in enumerate(rows)]
    assert [n for chunk in chunks for n in chunk.evidence] == list(range(0, len(rows), 3))
    assert [n for chunk in chunks for n in chunk.nodes] == list(range(0, len(rows), 2))
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    sizes = [len(f"{chunk.title} {chunk.text}".split()) for chunk in chunks]
    assert max(sizes) <= limit
    for chunk, used, following in zip(chunks, sizes, chunks[1:], strict=False):
        assert chunk.size == len(said(chunk))
        if (chunk.entity, chunk.snapshot) == (following.entity, following.snapshot):
            assert used + len(said(following)[0].split()) > limit
