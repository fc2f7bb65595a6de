"""Dense retrieval: passages and queries as vectors of a sentence-transformers model.

`dense_models.tsv` gives what a model family wants before a query and before a passage; a model
without a line (Contriever, GTR) gets plain text, or the prompts `query` and `document` that its
own configuration names. Vectors have length one, so that their product is the cosine.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from factchain.errors import ConfigError, InputError, MissingExtraError, OutputError
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

Vectors = npt.NDArray[np.float32]
Search = Literal["exact", "approximate"]

_INDEX = "vectors.faiss"
_NEIGHBOURS = 32
"""Links of a passage in the approximate index (HNSW's M)."""
_BREADTH = 128
"""Candidates that the approximate search keeps (HNSW's efSearch); more find more, slower."""


class DenseRetriever:
    """Cosine similarity of a model's vectors, exact or approximate (HNSW), by faiss.

    The approximate search may miss a passage that the exact one finds.
    """

    def __init__(
        self, model: str, *, search: Search = "exact", device: str | None = None, batch: int = 64
    ) -> None:
        self._name = f"dense {model} {search}"
        self._search: Search = search
        self._batch = batch
        self._model = _load_model(model, device)
        self._query, self._passage = _prefixes(model, self._model)

    def index(self, passages: Collection[Passage]) -> None:
        """Index `passages`. Raises InputError where there is none."""
        if not passages:
            raise InputError("the corpus has no passage to index")
        vectors = self._encode([self._passage + contents(passage) for passage in passages])
        self._faiss = _new_index(vectors.shape[1], self._search)
        self._faiss.add(vectors)
        self._know(passages)

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """Up to `k` hits a query; raises as `Retriever.search` does."""
        check_request(queries, k)
        vectors = self.query_vectors(queries)
        scores, places = self._faiss.search(vectors, min(k, len(self._ids)))
        return [
            sorted(
                (Hit(self._ids[i], float(s)) for s, i in zip(row, at, strict=True) if i >= 0),
                key=lambda hit: (-hit.score, hit.passage_id),
            )
            for row, at in zip(scores, places, strict=True)
        ]

    def query_vectors(self, queries: Sequence[str]) -> Vectors:
        """The vectors of queries, one a row."""
        return self._encode([self._query + query for query in queries])

    def passage_vectors(self, ids: Sequence[str]) -> Vectors:
        """The vectors of indexed passages, one a row."""
        rows: Vectors = np.stack([self._faiss.reconstruct(self._place[one]) for one in ids])
        return rows

    def save(self, folder: Path) -> None:
        """Write the index into `folder`. Raises OutputError where it cannot be written."""
        import faiss

        try:
            folder.mkdir(parents=True, exist_ok=True)
            remove_stamp(folder)
            faiss.write_index(self._faiss, str(folder / _INDEX))
        except (OSError, RuntimeError) as error:
            raise OutputError(f"{folder}: cannot be written: {error}") from error
        write_stamp(folder, self._name, self._checksum)

    def load(self, folder: Path, passages: Collection[Passage]) -> None:
        """Read an index of `passages` back; raises InputError as `Retriever.load` does."""
        import faiss

        check_stamp(folder, self._name, corpus_checksum(passages))
        try:
            self._faiss = faiss.read_index(str(folder / _INDEX))
        except RuntimeError as error:
            raise InputError(f"{folder}: the index is damaged: build it anew") from error
        self._know(passages)

    def _know(self, passages: Collection[Passage]) -> None:
        self._ids = [passage.id for passage in passages]
        self._place = {one: place for place, one in enumerate(self._ids)}
        self._checksum = corpus_checksum(passages)

    def _encode(self, texts: list[str]) -> Vectors:
        vectors: Vectors = self._model.encode(
            texts,
            batch_size=self._batch,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return vectors.astype(np.float32)


def _load_model(model: str, device: str | None) -> Any:
    """A sentence-transformers model by name or path; its own code is never run."""
    try:
        import faiss  # noqa: F401  (told here rather than after the encoding)
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise MissingExtraError("a dense retriever", "dense") from error
    try:
        return SentenceTransformer(model, device=device, model_kwargs={"use_safetensors": True})
    except (OSError, ValueError) as error:
        first = str(error).splitlines()[0]
        raise ConfigError(
            f"{model}: no model of sentence-transformers could be loaded ({first}): give the name "
            "of one on the model hub, or the folder of one, with its weights as safetensors"
        ) from error


def _prefixes(name: str, model: Any) -> tuple[str, str]:
    """What stands before a query and before a passage."""
    table = files("factchain.retrieval_corpus.retrievers") / "dense_models.tsv"
    with table.open("r", encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            if re.search(row["model"], name, re.IGNORECASE):
                return row["query"], row["passage"]
    prompts = getattr(model, "prompts", None) or {}
    return prompts.get("query") or "", prompts.get("document") or ""


def _new_index(width: int, search: Search) -> Any:
    import faiss

    if search == "exact":
        return faiss.IndexFlatIP(width)
    index = faiss.IndexHNSWFlat(width, _NEIGHBOURS, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efSearch = _BREADTH
    return index
