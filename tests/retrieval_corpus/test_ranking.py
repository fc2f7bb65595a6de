"""The best of a sparse matrix: as sorting all scores gives them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from factchain.retrieval_corpus.retrievers.ranking import best

PASSAGES = 12
COLUMN = st.dictionaries(st.integers(0, PASSAGES - 1), st.sampled_from([0.0, 0.25, 0.5, 1.0]))


@given(
    st.lists(COLUMN, min_size=1, max_size=5),
    st.lists(st.integers(0, 4), max_size=5),
    st.integers(1, PASSAGES),
)
def test_as_sorting_gives_them(columns: list[dict[int, float]], words: list[int], k: int) -> None:
    words = [word % len(columns) for word in words]
    data = np.array([v for column in columns for v in column.values()], np.float32)
    indices = np.array([i for column in columns for i in column], np.int32)
    indptr = np.cumsum([0, *map(len, columns)])
    totals = dict.fromkeys(range(PASSAGES), 0.0)
    for word in words:
        for passage, value in columns[word].items():
            totals[passage] += value
    expected = sorted((-score, passage) for passage, score in totals.items() if score > 0)[:k]
    scratch = np.zeros(PASSAGES, np.float32)
    numbers, scores = best(np.array(words, np.int64), k, data, indices, indptr, scratch)
    assert list(zip(numbers.tolist(), scores.tolist(), strict=True)) == [
        (passage, -score) for score, passage in expected
    ]
    assert not scratch.any()
