"""Rank fusion, diversification and the reference BM25, without a model."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factchain.errors import ConfigError
from factchain.retrieval_corpus.records import Passage
from factchain.retrieval_corpus.retrievers.bm25 import BM25Retriever
from factchain.retrieval_corpus.retrievers.by_name import retriever_by_name
from factchain.retrieval_corpus.retrievers.diversified import diversify
from factchain.retrieval_corpus.retrievers.hybrid import fuse
from factchain.retrieval_corpus.retrievers.protocol import Hit
from factchain.retrieval_corpus.retrievers.rank_bm25 import RankBM25Retriever

ranking = st.lists(st.sampled_from("abcdef"), unique=True).map(
    lambda ids: [Hit(passage, -float(rank)) for rank, passage in enumerate(ids)]
)


def test_fusion_adds_reciprocal_ranks() -> None:
    first = [Hit("a", 9.0), Hit("b", 8.0)]
    second = [Hit("b", 0.5), Hit("c", 0.4)]
    assert fuse([first, second], 3) == [
        Hit("b", 1 / 62 + 1 / 61),
        Hit("a", 1 / 61),
        Hit("c", 1 / 62),
    ]


@given(rankings=st.lists(ranking, min_size=1, max_size=4), k=st.integers(1, 8))
def test_fusion_does_not_depend_on_scores_nor_on_the_order_of_its_parts(
    rankings: list[list[Hit]], k: int
) -> None:
    fused = fuse(rankings, k)
    scaled = [[Hit(hit.passage_id, hit.score * 7 + 1) for hit in ranked] for ranked in rankings]
    assert fuse(scaled, k) == fused
    assert [h.passage_id for h in fuse([rankings[0]], k)] == [h.passage_id for h in rankings[0][:k]]
    assert len(fused) == min(k, len({hit.passage_id for ranked in rankings for hit in ranked}))


vectors = st.integers(0, 2**32 - 1).map(
    lambda seed: np.random.default_rng(seed).normal(size=(7, 4)).astype(np.float32)
)


@given(rows=vectors, k=st.integers(1, 8))
@settings(max_examples=50)
def test_diversification_is_the_formula_step_by_step(rows: np.ndarray, k: int) -> None:
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    source, query, found = rows[0], rows[1], rows[2:]
    relevance = found @ query
    order = diversify(relevance, found, source, k, (6.0, 1.0, 3.0))
    chosen: list[int] = []
    while len(chosen) < min(k, len(found)):
        scores = {
            place: 0.6 * relevance[place]
            - 0.1 * found[place] @ source
            - 0.3 * max([0.0, *(float(found[place] @ found[other]) for other in chosen)])
            for place in range(len(found))
            if place not in chosen
        }
        chosen.append(max(scores, key=lambda place: scores[place]))
    assert order == chosen


def test_only_relevance_counts_where_the_other_weights_are_zero() -> None:
    rows = np.eye(3, dtype=np.float32)
    relevance = np.array([0.1, 0.9, 0.5], np.float32)
    assert diversify(relevance, rows, rows[0], 3, (1.0, 0.0, 0.0)) == [1, 2, 0]


words = st.lists(st.sampled_from(["river", "bridge", "stone", "wind", "harbour"]), max_size=6)


@given(texts=st.lists(words, min_size=11, max_size=15), query=words.filter(bool))
@settings(max_examples=40)
def test_bm25_ranks_as_the_reference_does(texts: list[list[str]], query: list[str]) -> None:
    passages = [
        Passage(id=f"d{n:02d}", title=f"title{n}", text=" ".join(text))
        for n, text in enumerate(texts)
    ]
    # Words of half the passages or more have another weight in the reference (module docstring).
    common = {w for w in query if 2 * sum(w in text for text in texts) >= len(texts)}
    rare = " ".join(word for word in query if word not in common) or "title3"
    ours, reference = BM25Retriever(), RankBM25Retriever()
    found = []
    # bm25s leaves out the constant factor k1 + 1 = 2.5.
    for retriever, factor in ((ours, 2.5), (reference, 1.0)):
        retriever.index(passages)
        hits = retriever.search([rare], 15)[0]
        assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.passage_id))
        found.append({hit.passage_id: factor * hit.score for hit in hits})
    assert found[0] == pytest.approx(found[1], rel=1e-4)


@pytest.mark.parametrize("name", ["", "bm26", "dense:", "hybrid"])
def test_an_unknown_retriever_is_told(name: str) -> None:
    with pytest.raises(ConfigError, match="is no retriever: bm25"):
        retriever_by_name(name)
