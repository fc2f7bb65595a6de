"""What a retriever does, and the tie between an index and its corpus."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

import orjson
from pydantic import Field, ValidationError

from factchain.errors import ConfigError, InputError
from factchain.files import write_text
from factchain.records import Record
from factchain.retrieval_corpus.records import Passage


class Hit(NamedTuple):
    """A passage that a retriever found."""

    passage_id: str
    """Id of the passage."""
    score: float
    """The higher, the better; comparable within one query only."""


class Retriever(Protocol):
    """Finds passages for queries."""

    def index(self, passages: Collection[Passage]) -> None:
        """Make ready to search `passages`. Raises InputError where there is nothing to search."""

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """Up to `k` hits a query, by falling score and then by passage id.

        Raises InputError for an empty query and ConfigError for a `k` below 1.
        """

    def save(self, folder: Path) -> None:
        """Write the index into `folder`. Raises OutputError where it cannot be written."""

    def load(self, folder: Path, passages: Collection[Passage]) -> None:
        """Read an index of `passages` back.

        Raises InputError where the folder holds no such index, or one of another corpus.
        """


class _Stamp(Record):
    """`index.json`: whose index a folder holds. Written last, so that it vouches for the rest."""

    schema_version: Literal[1] = Field(1, alias="schema")
    retriever: str
    corpus: str


def contents(passage: Passage) -> str:
    """What a retriever reads of a passage: title and text (FlashRAG's `contents`)."""
    return f"{passage.title}\n{passage.text}"


def corpus_checksum(passages: Iterable[Passage]) -> str:
    """SHA-256 over id, title and text of the passages in their order."""
    digest = hashlib.sha256()
    for passage in passages:
        digest.update(orjson.dumps([passage.id, passage.title, passage.text]) + b"\n")
    return digest.hexdigest()


def check_request(queries: Sequence[str], k: int) -> None:
    """Refuse what no retriever can answer: raises InputError or ConfigError."""
    if k < 1:
        raise ConfigError(f"k is {k}: ask for at least 1 passage")
    for number, query in enumerate(queries, start=1):
        if not query.strip():
            raise InputError(f"query {number} of {len(queries)} is empty")


def write_stamp(folder: Path, retriever: str, checksum: str) -> None:
    """Declare that `folder` holds a whole index of that retriever and corpus."""
    stamp = _Stamp(retriever=retriever, corpus=checksum)
    write_text(folder / "index.json", stamp.model_dump_json() + "\n")


def remove_stamp(folder: Path) -> None:
    """Declare that `folder` is being written."""
    (folder / "index.json").unlink(missing_ok=True)


def check_stamp(folder: Path, retriever: str, checksum: str) -> None:
    """Raises InputError where `folder` has no whole index of that retriever and corpus."""
    path = folder / "index.json"
    try:
        stamp = _Stamp.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise InputError(f"{folder}: holds no index: build it anew") from error
    if stamp.retriever != retriever:
        raise InputError(f"{folder}: holds an index of {stamp.retriever}, not of {retriever}")
    if stamp.corpus != checksum:
        raise InputError(f"{folder}: the index is of another corpus: build it anew")
