"""A retriever by its name on the command line."""

from __future__ import annotations

from factchain.errors import ConfigError
from factchain.retrieval_corpus.retrievers.bm25 import BM25Retriever
from factchain.retrieval_corpus.retrievers.dense import DenseRetriever
from factchain.retrieval_corpus.retrievers.hybrid import HybridRetriever
from factchain.retrieval_corpus.retrievers.protocol import Retriever
from factchain.retrieval_corpus.retrievers.rank_bm25 import RankBM25Retriever
from factchain.retrieval_corpus.retrievers.reranker import Reranker

NAMES = "bm25, rank-bm25, dense:MODEL, dense-approximate:MODEL or hybrid:MODEL"


def retriever_by_name(name: str, *, reranker: str | None = None) -> Retriever:
    """The retriever that `name` names, with a reranking model after it where one is given.

    Raises ConfigError for an unknown name, MissingExtraError where a library is missing.
    """
    kind, _, model = name.partition(":")
    found: Retriever
    if name == "bm25":
        found = BM25Retriever()
    elif name == "rank-bm25":
        found = RankBM25Retriever()
    elif kind == "dense" and model:
        found = DenseRetriever(model)
    elif kind == "dense-approximate" and model:
        found = DenseRetriever(model, search="approximate")
    elif kind == "hybrid" and model:
        found = HybridRetriever(BM25Retriever(), DenseRetriever(model))
    else:
        raise ConfigError(f"{name!r} is no retriever: {NAMES}")
    return Reranker(found, reranker) if reranker else found
