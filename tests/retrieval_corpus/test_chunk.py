"""Chunks lose no fact, split none, and keep to their size."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factchain.errors import InputError
from factchain.retrieval_corpus.chunk import chunk, count_tokens
from factchain.retrieval_corpus.linearize import EntityVersion, StatedFact

NEW = "2024-06-05"


def version(sizes: list[int], title: str = "T", snapshot: str | None = None) -> EntityVersion:
    """One fact of as many words as each size says."""
    facts = [
        StatedFact(("Q42", "P1", f"Q{n}"), " ".join([f"w{n}"] * size))
        for n, size in enumerate(sizes)
    ]
    return EntityVersion("Q42", title, snapshot, facts)


def test_one_chunk_has_the_plain_id() -> None:
    (passage,) = chunk(version([2, 3]))
    assert passage.model_dump(mode="json") == {
        "_id": "Q42",
        "title": "T",
        "text": "w0 w0\nw1 w1 w1",
        "metadata": {
            "entity": "Q42",
            "snapshot": None,
            "facts": [["Q42", "P1", "Q0"], ["Q42", "P1", "Q1"]],
        },
    }


def test_every_chunk_opens_with_title_and_date() -> None:
    # A title of two words and an opening of three leave room for five.
    first, second = chunk(version([3, 2, 1], "A B", NEW), max_tokens=10)
    assert (first.id, second.id) == ("Q42@2024-06-05", "Q42@2024-06-05#2")
    assert (first.title, second.title) == ("A B", "A B")
    assert first.text == "As of 2024-06-05:\nw0 w0 w0\nw1 w1"
    assert second.text == "As of 2024-06-05:\nw2"
    assert second.metadata.snapshot == NEW
    assert second.metadata.facts == (("Q42", "P1", "Q2"),)


def test_a_fact_longer_than_a_chunk_is_refused() -> None:
    with pytest.raises(InputError, match=r"Q42 P1: the fact has 6 words .* room for 5"):
        list(chunk(version([1, 6]), max_tokens=6))


@given(
    st.lists(st.integers(1, 12), min_size=1, max_size=40),
    st.integers(16, 40),
    st.sampled_from([None, NEW]),
)
def test_no_fact_is_lost_or_split(sizes: list[int], limit: int, snapshot: str | None) -> None:
    whole = version(sizes, snapshot=snapshot)
    passages = list(chunk(whole, limit))
    opening = [] if snapshot is None else ["As of 2024-06-05:"]
    lines = [passage.text.split("\n")[len(opening) :] for passage in passages]
    assert [line for run in lines for line in run] == [fact.line for fact in whole.facts]
    triples = [triple for passage in passages for triple in passage.metadata.facts]
    assert triples == [fact.triple for fact in whole.facts]
    assert len({passage.id for passage in passages}) == len(passages)
    total = [count_tokens(passage.title) + count_tokens(passage.text) for passage in passages]
    assert max(total) <= limit
    for passage, used, following in zip(passages, total, lines[1:], strict=False):
        assert len(passage.metadata.facts) == len(passage.text.split("\n")) - len(opening)
        assert used + count_tokens(following[0]) > limit
