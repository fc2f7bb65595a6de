"""BM25 (Robertson et al. 1994) on bm25s.

Robertson's idf, floored at zero: a word of half the passages or more says nothing. The ranking
is that of `rank_bm25.BM25Okapi` on the same tokens wherever its idf is not negative.

bm25s makes the index: what every word adds to the score of every passage that has it. Passages are
indexed in the order of their ids, so that of equal scores the lower number comes first.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from pathlib import Path

import bm25s
import numpy as np
import numpy.typing as npt

from factchain.errors import InputError, OutputError
from factchain.retrieval_corpus.records import Passage
from factchain.retrieval_corpus.retrievers.protocol import (
    Hit,
    check_request,
    check_stamp,
    contents,
    corpus_checksum,
    remove_stamp,
    write_stamp,
)
from factchain.retrieval_corpus.retrievers.ranking import best

# It sets itself to DEBUG, and speaks where anybody has made a root logger.
logging.getLogger("bm25s").setLevel(logging.WARNING)

_NAME = "bm25-by-id"
_tokenize = partial(bm25s.tokenize, token_pattern=r"\w+", stopwords="en", show_progress=False)


def tokenize(texts: Iterable[str]) -> list[list[str]]:
    """Lower-cased words of letters, digits and `_`, without bm25s's English stop words."""
    words: list[list[str]] = _tokenize(texts, return_ids=False)
    return words


class BM25Retriever:
    """The default retriever; ties are broken by passage id, passages without a match left out."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._checksum = ""
        self._bm25 = bm25s.BM25(method="robertson", k1=1.5, b=0.75)

    def index(self, passages: Collection[Passage]) -> None:
        """Index `passages`. Raises InputError where they hold no word at all."""
        # As ids, because bm25s numbers plain words in the order of a set, which varies.
        tokens = _tokenize(contents(passage) for passage in sorted(passages, key=_id))
        if not tokens.vocab:
            raise InputError("the corpus has no words to index")
        self._bm25.index(tokens, create_empty_token=False, show_progress=False)
        self._know(passages, corpus_checksum(passages))

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """Up to `k` hits a query, by falling score and then by passage id.

        Raises InputError for an empty query and ConfigError for a `k` below 1.
        """
        check_request(queries, k)
        scores = np.zeros(len(self._ids), np.float32)
        return [self._top(tokens, k, scores) for tokens in tokenize(queries)]

    def save(self, folder: Path) -> None:
        """Write the index into `folder`. Raises OutputError where it cannot be written."""
        try:
            remove_stamp(folder)
            self._bm25.save(folder, show_progress=False)
        except OSError as error:
            raise OutputError(f"{folder}: cannot be written: {error.strerror}") from error
        write_stamp(folder, _NAME, self._checksum)

    def load(self, folder: Path, passages: Collection[Passage]) -> None:
        """Read an index of `passages` back.

        Raises InputError where the folder holds no such index, or one of another corpus.
        """
        checksum = corpus_checksum(passages)
        check_stamp(folder, _NAME, checksum)
        try:
            self._bm25 = bm25s.BM25.load(folder, show_progress=False)
        except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{folder}: the index is damaged: build it anew") from error
        self._know(passages, checksum)

    def _know(self, passages: Iterable[Passage], checksum: str) -> None:
        self._ids = sorted(passage.id for passage in passages)
        self._checksum = checksum

    def _top(self, tokens: list[str], k: int, scores: npt.NDArray[np.float32]) -> list[Hit]:
        known = self._bm25.get_tokens_ids(tokens)
        if not known:
            return []
        index = self._bm25.scores
        numbers, values = best(
            np.asarray(known, np.int64),
            min(k, len(self._ids)),
            index["data"],
            index["indices"],
            index["indptr"],
            scores,
        )
        ids = self._ids
        return [
            Hit(ids[n], score) for n, score in zip(numbers.tolist(), values.tolist(), strict=True)
        ]


def _id(passage: Passage) -> str:
    return passage.id
