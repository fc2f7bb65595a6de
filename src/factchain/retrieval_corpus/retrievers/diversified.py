"""HopWeaver's diversified selection: relevant, unlike the source, unlike each other.

Greedy: the next passage d maximises  w1 rel(q, d) - w2 cos(d, source) - w3 max cos(d, chosen),
the last term floored at 0 and 0 while nothing is chosen (SPEC.md 3.1, step 3). The weights are
divided by their sum. The pool is three times what is asked for, less the source.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from factchain.retrieval_corpus.retrievers.dense import DenseRetriever, Vectors
from factchain.retrieval_corpus.retrievers.protocol import Hit

WEIGHTS = (0.87, 0.03, 0.1)
"""Those of HopWeaver's run examples and ablation, the likeliest of its four sets."""
POOL_FACTOR = 3


def select_diverse(
    retriever: DenseRetriever,
    queries: Sequence[str],
    sources: Sequence[str],
    k: int,
    weights: tuple[float, float, float] = WEIGHTS,
) -> list[list[Hit]]:
    """Up to `k` passages a query, in the order in which they are chosen.

    `sources` are the passage ids that the queries lead away from, one a query.
    """
    pools = retriever.search(queries, POOL_FACTOR * k + 1)
    chosen: list[list[Hit]] = []
    for pool, source in zip(pools, sources, strict=True):
        candidates = [hit for hit in pool if hit.passage_id != source][: POOL_FACTOR * k]
        if not candidates:
            chosen.append([])
            continue
        vectors = retriever.passage_vectors([hit.passage_id for hit in candidates])
        (away,) = retriever.passage_vectors([source])
        relevance = np.array([hit.score for hit in candidates], np.float32)
        order = diversify(relevance, vectors, away, k, weights)
        chosen.append([candidates[place] for place in order])
    return chosen


def diversify(
    relevance: Vectors,
    vectors: Vectors,
    source: Vectors,
    k: int,
    weights: tuple[float, float, float] = WEIGHTS,
) -> list[int]:
    """Rows of `vectors` (of length one) in the order of choice; ties go to the first row."""
    to_query, to_source, to_chosen = np.array(weights) / sum(weights)
    base = to_query * relevance - to_source * (vectors @ source)
    nearest = np.zeros(len(vectors), np.float32)
    order: list[int] = []
    while len(order) < min(k, len(vectors)):
        scores = base - to_chosen * nearest
        scores[order] = -np.inf
        best = int(np.argmax(scores))
        order.append(best)
        nearest = np.maximum(nearest, vectors @ vectors[best])
    return order
