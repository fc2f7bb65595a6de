"""A workspace -> Parquet files, one a configuration and split, in bounded memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

import pyarrow as pa
import pyarrow.parquet as pq

from factchain.chains.records import FactChain
from factchain.errors import InputError
from factchain.progress import track
from factchain.publish import columns
from factchain.publish.columns import Row, Table
from factchain.questions.records import Question
from factchain.records import read_records
from factchain.retrieval_corpus.formats import (
    CORPUS,
    candidates_file,
    hop_qrels_file,
    qrels_file,
    read_candidates,
    read_hop_qrels,
    read_qrels,
)
from factchain.retrieval_corpus.records import Passage

QUESTIONS = "questions.jsonl"
CHAINS = "chains.jsonl"
ROWS = 10_000
"""Rows held in memory before they are written: one row group."""
_SPLIT = re.compile(r"\w+")


@dataclass(frozen=True)
class Part:
    """One Parquet file."""

    table: Table
    split: str
    path: Path
    """Relative to the dataset's folder."""
    rows: int
    memory: int
    """Bytes of the rows in memory, as Arrow holds them."""


class Shelf:
    """Parquet files that are filled row by row; a context manager."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[tuple[str, str], _File] = {}
        self._stack = ExitStack()

    def __enter__(self) -> Shelf:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def add(self, table: Table, split: str, row: Row) -> None:
        """Append a row to a split of a table."""
        self.open(table, split).add(row)

    def open(self, table: Table, split: str) -> _File:
        """The file of a split of a table, which stands even if no row is added."""
        key = (table.name, split)
        if key not in self._files:
            path = Path("data") / table.name / f"{split}.parquet"
            (self._folder / path).parent.mkdir(parents=True, exist_ok=True)
            writer = pq.ParquetWriter(self._folder / path, table.schema, compression="zstd")
            self._stack.enter_context(writer)
            self._files[key] = _File(table, split, path, writer)
        return self._files[key]

    def finish(self) -> list[Part]:
        """Write what is left; the files in the order in which they were begun."""
        return [file.finish() for file in self._files.values()]


@dataclass
class _File:
    table: Table
    split: str
    path: Path
    writer: pq.ParquetWriter
    rows: list[Row] = field(default_factory=list)
    count: int = 0
    memory: int = 0

    def add(self, row: Row) -> None:
        self.rows.append(row)
        if len(self.rows) == ROWS:
            self._flush()

    def finish(self) -> Part:
        if self.rows or not self.count:
            self._flush()
        return Part(self.table, self.split, self.path, self.count, self.memory)

    def _flush(self) -> None:
        table = pa.Table.from_pylist(self.rows, schema=self.table.schema)
        self.writer.write_table(table)
        self.count += table.num_rows
        self.memory += table.nbytes
        self.rows.clear()


def write_tables(workspace: Path, folder: Path, see: Callable[[Question], None]) -> list[Part]:
    """Write every table that the workspace has into `folder`; `see` is told each question.

    Raises InputError, naming file and line, for a broken record, an id that comes twice, gold
    passages that the corpus lacks, and a split that cannot be published.
    """
    with Shelf(folder) as shelf:
        splits: dict[str, None] = {}
        for question in track(_questions(workspace / QUESTIONS), "questions"):
            see(question)
            splits[question.split] = None
            shelf.add(columns.QUESTIONS, question.split, columns.question_row(question))
            for row in columns.hop_rows(question):
                shelf.add(columns.HOPS, question.split, row)
        if not splits:
            raise InputError(f"{workspace / QUESTIONS}: holds no question: nothing to publish")
        if (workspace / "corpus" / CORPUS).exists():
            passages = _write_corpus(workspace / "corpus" / CORPUS, shelf)
            for split in splits:
                _write_gold(workspace / "corpus", split, passages, shelf)
        if (workspace / CHAINS).exists():
            for chain in track(read_records(workspace / CHAINS, FactChain), "chains"):
                shelf.add(columns.CHAINS, "chains", columns.chain_row(chain))
        return shelf.finish()


def _questions(path: Path) -> Iterator[Question]:
    seen: set[str] = set()
    for number, question in enumerate(read_records(path, Question), start=1):
        if question.id in seen:
            raise InputError(f"{path}:{number}: id: {question.id!r} stands on an earlier line")
        if not _SPLIT.fullmatch(question.split):
            raise InputError(
                f"{path}:{number}: split: {question.split!r} cannot be published: datasets take "
                "letters, digits and '_' in the name of a split"
            )
        seen.add(question.id)
        yield question


def _write_corpus(path: Path, shelf: Shelf) -> set[str]:
    """Write the passages; their ids."""
    passages: set[str] = set()
    for number, passage in enumerate(track(_passages(path), "passages"), start=1):
        if passage.id in passages:
            raise InputError(f"{path}:{number}: _id: {passage.id!r} stands on an earlier line")
        passages.add(passage.id)
        shelf.add(columns.CORPUS, "corpus", columns.passage_row(passage))
    return passages


def _passages(path: Path) -> Iterable[Passage]:
    return read_records(path, Passage)


def _write_gold(corpus: Path, split: str, passages: set[str], shelf: Shelf) -> None:
    if qrels_file(corpus, split).exists():
        file = shelf.open(columns.QRELS, split)
        for question, gold in read_qrels(corpus, passages, split).items():
            for passage, score in gold.items():
                file.add(columns.gold_row(question, passage, score))
    if hop_qrels_file(corpus, split).exists():
        file = shelf.open(columns.HOP_QRELS, split)
        for row in read_hop_qrels(corpus, passages, split):
            file.add(columns.hop_gold_row(row))
    if candidates_file(corpus, split).exists():
        file = shelf.open(columns.CANDIDATES, split)
        for question, shown in read_candidates(corpus, passages, split).items():
            for rank, passage in enumerate(shown, start=1):
                file.add(columns.candidate_row(question, rank, passage))
