"""A dataset folder (a build's workspace, or what an import wrote) -> questions with passages.

A question that comes without passages of its own is given some, as the published datasets do: its
gold passages, then those that BM25 finds best for the question, then random ones; in an order
drawn by the seed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path

import numpy as np

from factchain.errors import InputError
from factchain.formats.protocol import Entry
from factchain.progress import track
from factchain.questions.records import Question
from factchain.records import read_records
from factchain.retrieval_corpus.formats import (
    CORPUS,
    Qrels,
    hop_qrels_file,
    qrels_file,
    read_candidates,
    read_corpus,
    read_hop_qrels,
    read_qrels,
)
from factchain.retrieval_corpus.records import Passage
from factchain.retrieval_corpus.retrievers.bm25 import BM25Retriever

SPLIT = re.compile(r"[A-Za-z0-9_-]+")
"""What may name a split, and so a file."""

QUESTIONS, CORPUS_FOLDER = "questions.jsonl", "corpus"
_AT_ONCE = 256
_TRIES = 50


class DatasetFolder:
    """The questions and the corpus of a folder."""

    def __init__(
        self, folder: Path, *, split: str | None = None, limit: int | None = None, seed: int = 1
    ) -> None:
        """Take the questions of `split` (none: of all), and of them the first `limit`."""
        self._folder, self._split, self._limit, self._seed = folder, split, limit, seed
        self._gold: dict[str, dict[str, list[tuple[int, str]]]] = {}
        self._relevance: dict[str, Qrels] = {}
        self._candidates: dict[str, dict[str, list[str]]] = {}

    @property
    def has_corpus(self) -> bool:
        """Whether there are passages."""
        return (self._folder / CORPUS_FOLDER / CORPUS).is_file()

    @cached_property
    def passages(self) -> dict[str, Passage]:
        """The passages by id; none without a corpus. Raises InputError for a broken corpus."""
        return read_corpus(self._folder / CORPUS_FOLDER) if self.has_corpus else {}

    @cached_property
    def _ids(self) -> list[str]:
        return list(self.passages)

    @cached_property
    def _retriever(self) -> BM25Retriever:
        retriever = BM25Retriever()
        retriever.index(self.passages.values())
        return retriever

    def questions(self) -> Iterator[Question]:
        """The questions in the order of the file.

        Raises InputError for a broken record, an id that comes twice, a split that cannot name a
        file, and where there is no question.
        """
        path = self._folder / QUESTIONS
        seen: set[str] = set()
        count = 0
        for number, question in enumerate(read_records(path, Question), start=1):
            if question.id in seen:
                raise InputError(f"{path}:{number}: id: {question.id!r} stands on an earlier line")
            seen.add(question.id)
            if not SPLIT.fullmatch(question.split):
                raise InputError(
                    f"{path}:{number}: split: {question.split!r} cannot name a file: use letters, "
                    "digits, '-' and '_'"
                )
            if self._split in (None, question.split):
                if count == self._limit:
                    break
                count += 1
                yield question
        if not count:
            split = f" of the split {self._split!r}" if self._split else ""
            raise InputError(f"{path}: has no question{split}")

    def entries(self, pool: int = 0, *, one_a_title: bool = False) -> Iterator[Entry]:
        """The questions with their gold passages, and with the passages shown with them.

        Where `pool` is above 0, a question without passages of its own gets so many in all, if the
        corpus has them and the gold ones are not more; with `one_a_title` passages of so many
        titles, of which no distractor shares one. Raises InputError as `questions` does, and for
        a broken corpus.
        """
        if pool and not self.has_corpus:
            raise InputError(
                f"{self._folder}: has no {CORPUS_FOLDER}/{CORPUS}, though the format shows "
                "passages with every question: build a corpus, or export another format"
            )
        questions = track(self.questions(), "exporting")
        while batch := list(islice(questions, _AT_ONCE)):
            entries = [self._entry(question) for question in batch]
            poor = [e.question for e in entries if pool and not e.pool]
            found = dict(zip((q.id for q in poor), self._search(poor, pool), strict=True))
            for entry in entries:
                if entry.question.id in found:
                    ranked = found[entry.question.id]
                    entry = entry._replace(pool=self._pool(entry, ranked, pool, one_a_title))
                yield entry

    def _entry(self, question: Question) -> Entry:
        self._read_split(question.split)
        split, key = question.split, question.id
        shown = self._candidates[split].get(key, ())
        return Entry(
            question,
            tuple(self.passages[passage] for passage in shown),
            tuple(self._gold[split].get(key, ())),
            self._relevance[split].get(key, {}),
        )

    def _read_split(self, split: str) -> None:
        if split in self._gold:
            return
        folder = self._folder / CORPUS_FOLDER
        self._gold[split] = {}
        if hop_qrels_file(folder, split).is_file():
            for row in read_hop_qrels(folder, self.passages, split):
                self._gold[split].setdefault(row.question, []).append((row.hop, row.passage))
        there = qrels_file(folder, split).is_file()
        self._relevance[split] = read_qrels(folder, self.passages, split) if there else {}
        self._candidates[split] = read_candidates(folder, self.passages, split)

    def _search(self, questions: Sequence[Question], pool: int) -> list[list[str]]:
        if not questions:
            return []
        found = self._retriever.search([question.question for question in questions], 3 * pool)
        return [[hit.passage_id for hit in hits] for hits in found]

    def _pool(
        self, entry: Entry, ranked: Sequence[str], size: int, one_a_title: bool
    ) -> tuple[Passage, ...]:
        """Gold passages, the best others and random ones, in a random order."""
        digest = hashlib.sha256(entry.question.id.encode()).digest()
        rng = np.random.default_rng([self._seed, int.from_bytes(digest[:8])])
        chosen = [self.passages[passage] for passage in entry.gold]
        taken = {passage.id for passage in chosen}
        titles = {passage.title for passage in chosen}

        def others() -> Iterator[str]:
            yield from ranked
            for place in rng.integers(len(self._ids), size=_TRIES * size):
                yield self._ids[place]

        for key in others():
            if len(titles if one_a_title else chosen) >= size:
                break
            passage = self.passages[key]
            if key not in taken and not (one_a_title and passage.title in titles):
                chosen.append(passage)
                taken.add(key)
                titles.add(passage.title)
        return tuple(chosen[place] for place in rng.permutation(len(chosen)))
