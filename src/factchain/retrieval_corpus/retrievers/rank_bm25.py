"""BM25 by rank_bm25, the reference: the same tokens and order as `bm25`, far slower."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from factchain.errors import InputError, MissingExtraError
from factchain.retrieval_corpus.records import Passage
from factchain.retrieval_corpus.retrievers.bm25 import tokenize
from factchain.retrieval_corpus.retrievers.protocol import (
    Hit,
    check_request,
    check_stamp,
    contents,
    corpus_checksum,
    write_stamp,
)

_NAME = "rank-bm25"


class RankBM25Retriever:
    """`rank_bm25.BM25Okapi`; ties are broken by passage id, passages without a match left out."""

    def __init__(self) -> None:
        try:
            from rank_bm25 import BM25Okapi
        except ImportError as error:
            raise MissingExtraError("the retriever rank-bm25", "dense") from error
        self._kind = BM25Okapi

    def index(self, passages: Collection[Passage]) -> None:
        """Index `passages`. Raises InputError where they hold no word at all."""
        tokens = tokenize(contents(passage) for passage in passages)
        if not any(tokens):
            raise InputError("the corpus has no words to index")
        self._bm25 = self._kind(tokens)
        self._ids = np.array([passage.id for passage in passages])
        self._checksum = corpus_checksum(passages)

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """Up to `k` hits a query; raises as `Retriever.search` does."""
        check_request(queries, k)
        return [self._top(words, k) for words in tokenize(queries)]

    def save(self, folder: Path) -> None:
        """Declare whose index it is: the library keeps none, so `load` builds it anew."""
        write_stamp(folder, _NAME, self._checksum)

    def load(self, folder: Path, passages: Collection[Passage]) -> None:
        """Build the index anew. Raises InputError where the folder is of another corpus."""
        check_stamp(folder, _NAME, corpus_checksum(passages))
        self.index(passages)

    def _top(self, words: list[str], k: int) -> list[Hit]:
        scores = self._bm25.get_scores(words)
        found = np.flatnonzero(scores > 0)
        order = np.lexsort((self._ids[found], -scores[found]))[:k]
        return [Hit(str(self._ids[i]), float(scores[i])) for i in found[order]]
