"""Several retrievers as one: reciprocal rank fusion (Cormack, Clarke and Büttcher 2009).

A passage scores the sum of 1 / (60 + rank) over the rankings that hold it, ranks from 1
(HopWeaver counts them from 0, SPEC.md 1.7).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from pathlib import Path

from factchain.retrieval_corpus.records import Passage
from factchain.retrieval_corpus.retrievers.protocol import Hit, Retriever, check_request

CONSTANT = 60
DEPTH = 100
"""Passages that each retriever contributes at least."""


class HybridRetriever:
    """Fuses the rankings of its parts."""

    def __init__(self, *parts: Retriever) -> None:
        self._parts = parts

    def index(self, passages: Collection[Passage]) -> None:
        """Index `passages` in every part; raises as the parts do."""
        for part in self._parts:
            part.index(passages)

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """Up to `k` hits a query; raises as `Retriever.search` does."""
        check_request(queries, k)
        rankings = [part.search(queries, max(k, DEPTH)) for part in self._parts]
        return [fuse([ranking[n] for ranking in rankings], k) for n in range(len(queries))]

    def save(self, folder: Path) -> None:
        """Write the index of every part into a folder of its own."""
        for number, part in enumerate(self._parts, start=1):
            part.save(folder / str(number))

    def load(self, folder: Path, passages: Collection[Passage]) -> None:
        """Read the indexes of `passages` back; raises as the parts do."""
        for number, part in enumerate(self._parts, start=1):
            part.load(folder / str(number), passages)


def fuse(rankings: Sequence[Sequence[Hit]], k: int) -> list[Hit]:
    """The first `k` of the fused ranking; ties are broken by passage id."""
    scores: dict[str, float] = defaultdict(float)
    for ranking in rankings:
        for rank, hit in enumerate(ranking, start=1):
            scores[hit.passage_id] += 1 / (CONSTANT + rank)
    order = sorted(scores, key=lambda passage: (-scores[passage], passage))
    return [Hit(passage, scores[passage]) for passage in order[:k]]
