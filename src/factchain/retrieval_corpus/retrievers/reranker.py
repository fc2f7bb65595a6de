"""A cross-encoder that orders what another retriever found."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from factchain.errors import ConfigError, MissingExtraError
from factchain.retrieval_corpus.records import Passage
from factchain.retrieval_corpus.retrievers.protocol import (
    Hit,
    Retriever,
    check_request,
    contents,
)

POOL = 20
"""Passages that are ordered anew: MultiHop-RAG reranks the first 20 (SPEC.md 1.5)."""


class Reranker:
    """Takes the first `pool` passages of a retriever and orders them by a `CrossEncoder`."""

    def __init__(
        self, retriever: Retriever, model: str, *, pool: int = POOL, device: str | None = None
    ) -> None:
        try:
            from sentence_transformers import CrossEncoder
        except ImportError as error:
            raise MissingExtraError("a reranker", "dense") from error
        try:
            self._model = CrossEncoder(model, device=device, model_kwargs={"use_safetensors": True})
        except (OSError, ValueError) as error:
            first = str(error).splitlines()[0]
            raise ConfigError(
                f"{model}: no cross-encoder could be loaded ({first}): give the name of one on "
                "the model hub, or the folder of one, with its weights as safetensors"
            ) from error
        self._retriever = retriever
        self._pool = pool

    def index(self, passages: Collection[Passage]) -> None:
        """Index `passages` in the retriever; raises as it does."""
        self._retriever.index(passages)
        self._know(passages)

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """Up to `k` of the pool; raises as `Retriever.search` does."""
        check_request(queries, k)
        pools = self._retriever.search(queries, max(k, self._pool))
        pairs = [
            (query, self._texts[hit.passage_id])
            for query, pool in zip(queries, pools, strict=True)
            for hit in pool
        ]
        scores = iter(self._model.predict(pairs, show_progress_bar=False).tolist() if pairs else [])
        ranked = [[Hit(hit.passage_id, float(next(scores))) for hit in pool] for pool in pools]
        return [sorted(hits, key=lambda hit: (-hit.score, hit.passage_id))[:k] for hits in ranked]

    def save(self, folder: Path) -> None:
        """Write the retriever's index into `folder`."""
        self._retriever.save(folder)

    def load(self, folder: Path, passages: Collection[Passage]) -> None:
        """Read the retriever's index of `passages` back; raises as it does."""
        self._retriever.load(folder, passages)
        self._know(passages)

    def _know(self, passages: Collection[Passage]) -> None:
        self._texts = {passage.id: contents(passage) for passage in passages}
