"""The files of a corpus folder, in BEIR layout (SPEC.md 2).

`corpus.jsonl`, `queries.jsonl`, `qrels/<split>.tsv` with the gold passages of every question,
and, beyond BEIR, `hop_qrels/<split>.tsv` with those of every hop and, for imported datasets that
show every question passages of its own, `candidates/<split>.tsv`. The readers refuse what does not
fit together.
"""

from __future__ import annotations

import codecs
import csv
from collections.abc import Container, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from factchain.errors import InputError
from factchain.files import write_atomically
from factchain.records import read_records
from factchain.retrieval_corpus.records import Candidate, CorpusQuery, HopGold, Passage

CORPUS, QUERIES = "corpus.jsonl", "queries.jsonl"
_QRELS_HEADER = ("query-id", "corpus-id", "score")
_HOP_QRELS_HEADER = ("query-id", "hop", "corpus-id", "score")
_CANDIDATES_HEADER = ("query-id", "rank", "corpus-id")

T = TypeVar("T", Passage, CorpusQuery)
Qrels = dict[str, dict[str, int]]
"""Relevance by question and passage; above 0 is gold."""


def qrels_file(folder: Path, split: str) -> Path:
    """The gold passages of a split's questions."""
    return folder / "qrels" / f"{split}.tsv"


def hop_qrels_file(folder: Path, split: str) -> Path:
    """The gold passages of a split's hops."""
    return folder / "hop_qrels" / f"{split}.tsv"


def candidates_file(folder: Path, split: str) -> Path:
    """The passages that a dataset shows with each of a split's questions."""
    return folder / "candidates" / f"{split}.tsv"


def write_qrels(path: Path, qrels: Qrels) -> None:
    """Write gold passages, complete or not at all."""
    rows = ((q, p, score) for q, passages in qrels.items() for p, score in passages.items())
    _write_table(path, _QRELS_HEADER, rows)


def write_hop_qrels(path: Path, gold: Iterable[HopGold]) -> None:
    """Write the gold passages of hops, complete or not at all."""
    _write_table(path, _HOP_QRELS_HEADER, ((g.question, g.hop, g.passage, 1) for g in gold))


def write_candidates(path: Path, candidates: Iterable[Candidate]) -> None:
    """Write the passages that questions are shown with, complete or not at all."""
    _write_table(path, _CANDIDATES_HEADER, ((c.question, c.rank, c.passage) for c in candidates))


def read_corpus(folder: Path) -> dict[str, Passage]:
    """The passages of a corpus folder by id, in the order of the file.

    Raises InputError, naming file, line and field, for what is no passage or comes twice.
    """
    return _read_unique(folder / CORPUS, Passage)


def read_queries(folder: Path) -> dict[str, CorpusQuery]:
    """The questions of a corpus folder by id; raises InputError as `read_corpus` does."""
    return _read_unique(folder / QUERIES, CorpusQuery)


def read_qrels(folder: Path, passages: Container[str], split: str = "test") -> Qrels:
    """The gold passages of a split, in the order of the file.

    `passages` are the ids that the corpus has (`read_corpus` gives them). Raises InputError,
    naming file, line and field, for a broken row, a missing passage or a row that comes twice.
    """
    path = qrels_file(folder, split)
    qrels: Qrels = {}
    for place, (question, passage, score) in _read_table(path, _QRELS_HEADER):
        _check_passage(place, passage, passages)
        gold = qrels.setdefault(question, {})
        if passage in gold:
            raise InputError(f"{place}: {question} and {passage} stand together already")
        gold[passage] = _integer(place, "score", score)
    return qrels


def read_hop_qrels(folder: Path, passages: Container[str], split: str = "test") -> list[HopGold]:
    """The gold passages of a split's hops, in the order of the file.

    Raises InputError as `read_qrels` does.
    """
    path = hop_qrels_file(folder, split)
    rows: dict[HopGold, None] = {}
    for place, (question, hop, passage, _) in _read_table(path, _HOP_QRELS_HEADER):
        _check_passage(place, passage, passages)
        row = HopGold(question=question, hop=_integer(place, "hop", hop), passage=passage)
        if row in rows:
            raise InputError(f"{place}: hop {hop} of {question} has {passage} already")
        rows[row] = None
    return list(rows)


def read_candidates(
    folder: Path, passages: Container[str], split: str = "test"
) -> dict[str, list[str]]:
    """The passages that each question of a split is shown with, in the order of their ranks.

    A corpus without such a file gives none. Raises InputError as `read_qrels` does, and where the
    ranks of a question are not 1, 2, 3 and so on.
    """
    path = candidates_file(folder, split)
    shown: dict[str, list[str]] = {}
    for place, (question, rank, passage) in (
        _read_table(path, _CANDIDATES_HEADER) if path.is_file() else ()
    ):
        _check_passage(place, passage, passages)
        pool = shown.setdefault(question, [])
        if _integer(place, "rank", rank) != len(pool) + 1:
            raise InputError(f"{place}: rank: {rank} where {len(pool) + 1} comes next")
        pool.append(passage)
    return shown


def _read_unique(path: Path, kind: type[T]) -> dict[str, T]:
    records: dict[str, T] = {}
    for number, record in enumerate(read_records(path, kind), start=1):
        if record.id in records:
            raise InputError(f"{path}:{number}: _id: {record.id!r} stands on an earlier line")
        records[record.id] = record
    return records


def _write_table(path: Path, header: Sequence[str], rows: Iterable[tuple[str | int, ...]]) -> None:
    with write_atomically(path) as out:
        table = csv.writer(codecs.getwriter("utf-8")(out), delimiter="\t", lineterminator="\n")
        table.writerow(header)
        table.writerows(rows)


def _read_table(path: Path, header: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the place and the cells of every row below the header."""
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            rows = csv.reader(lines, delimiter="\t", strict=True)
            if next(rows, None) != list(header):
                raise InputError(f"{path}:1: the header is not {' '.join(header)!r} with tabs")
            for row in rows:
                place = f"{path}:{rows.line_num}"
                if len(row) != len(header):
                    raise InputError(f"{place}: {len(row)} cells where {', '.join(header)} belong")
                yield place, row
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: is no table of tab-separated UTF-8 text: {error}") from error


def _check_passage(place: str, passage: str, passages: Container[str]) -> None:
    if passage not in passages:
        raise InputError(f"{place}: corpus-id: the corpus has no passage {passage!r}")


def _integer(place: str, field: str, text: str) -> int:
    if not text.isdecimal():
        raise InputError(f"{place}: {field}: {text!r} is no whole number")
    return int(text)
