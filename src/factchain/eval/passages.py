"""What stands before a question: the passages that a retriever finds, or the gold ones.

Retrieval is done once for each retriever and query, whatever the number of tasks and runs. The
queries that are known beforehand are searched many at a time.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Protocol

from factchain.errors import ConfigError, InputError
from factchain.eval.dataset import rests_on
from factchain.eval.dealing import deal
from factchain.eval.kept_hits import Hits, KeptHits
from factchain.eval.prompts import Document
from factchain.questions.records import Question
from factchain.retrieval_corpus.formats import CORPUS, hop_qrels_file, read_corpus, read_hop_qrels
from factchain.retrieval_corpus.records import HopGold, Passage
from factchain.retrieval_corpus.retrievers.by_name import NAMES, retriever_by_name
from factchain.retrieval_corpus.retrievers.protocol import Retriever

TOP_K = 5
"""How many passages a retriever gives a question (SPEC.md 4.5)."""

NONE, GOLD = "none", "gold"
"""Contexts that no retriever gives."""

FOLDER = Path("corpus")
"""Where a workspace has its corpus."""

INDEXES = Path("eval") / "indexes"
"""Where a workspace keeps the indexes that are dear to make."""

HITS = Path("eval") / "hits"
"""Where a workspace keeps what retrievers found."""

BATCH = 64
"""Queries that are searched together."""


class Search(Protocol):
    """Finds the best passages of a query."""

    def __call__(self, query: str, together: Sequence[str] = ()) -> Sequence[str]:
        """Their ids; `together` are queries that may as well be searched with it."""


class PassageSource(Protocol):
    """Gives passages, by their ids."""

    def of_question(self, question: Question) -> Sequence[str]:
        """Those for the question as a whole."""

    def of_hop(self, question: Question, hop: int, asked: str) -> Sequence[str]:
        """Those for a hop, whose sub-question is put as `asked`."""

    def of_text(self, asked: str) -> Sequence[str]:
        """Those for a sub-question of the model's own.

        Raises ConfigError where only given questions have passages.
        """


class Retrieved:
    """The best passages of a retriever."""

    def __init__(self, search: Search, questions: Iterable[Question]) -> None:
        self._search = search
        dealt = deal(questions)  # the order in which they are asked
        self._batches: dict[str, Sequence[str]] = {}
        for queries in (
            [question.question for question in dealt],
            [sub.question for question in dealt for sub in question.sub_questions],
        ):
            for first in range(0, len(queries), BATCH):
                batch = queries[first : first + BATCH]
                self._batches |= dict.fromkeys(batch, batch)

    def of_question(self, question: Question) -> Sequence[str]:
        """The best for the question's text."""
        return self.of_text(question.question)

    def of_hop(self, question: Question, hop: int, asked: str) -> Sequence[str]:
        """The best for the sub-question."""
        return self.of_text(asked)

    def of_text(self, asked: str) -> Sequence[str]:
        """The best for the sub-question; none for one without any word."""
        return self._search(asked, self._batches.get(asked, ()))


class Gold:
    """The gold passages of hops."""

    def __init__(self, questions: Iterable[Question], gold: Iterable[HopGold]) -> None:
        """Raises InputError for a hop that needs a passage and has none."""
        self._by_hop: dict[tuple[str, int], list[str]] = {}
        self._by_question: dict[str, list[str]] = {}
        # Imported questions have gold passages of hops though they have no sub-questions.
        for row in sorted(gold, key=lambda row: row.hop):
            self._by_hop.setdefault((row.question, row.hop), []).append(row.passage)
            self._by_question.setdefault(row.question, []).append(row.passage)
        for question in questions:
            for sub in question.sub_questions:
                # A hop that only reckons with earlier answers rests on no passage of its own.
                stated = sub.facts or sub.triples
                if stated and (question.id, sub.index) not in self._by_hop:
                    raise InputError(
                        f"question {question.id}: hop {sub.index} has no gold passage: build the "
                        "corpus anew"
                    )

    def of_question(self, question: Question) -> Sequence[str]:
        """Those of all hops, in the order of the hops, each once."""
        return tuple(dict.fromkeys(self._by_question.get(question.id, ())))

    def of_hop(self, question: Question, hop: int, asked: str) -> Sequence[str]:
        """Those of the hop."""
        return tuple(self._by_hop.get((question.id, hop), ()))

    def of_text(self, asked: str) -> Sequence[str]:
        """None: raises ConfigError."""
        raise ConfigError("gold passages belong to the given sub-questions: use questions=given")


class Contexts:
    """The passages of a workspace, and who gives them."""

    def __init__(self, workspace: Path, questions: Sequence[Question]) -> None:
        """Raises InputError where the workspace has no corpus."""
        self.files = rests_on(workspace, [(FOLDER / CORPUS).as_posix()])
        """Checksums of the files read so far."""
        self._workspace, self._questions = workspace, questions
        self._passages = _corpus(workspace, self.files[(FOLDER / CORPUS).as_posix()])

    def documents(self, ids: Iterable[str]) -> list[Document]:
        """The passages of these ids, as they stand in a prompt."""
        found = (self._passages[one] for one in ids)
        return [Document(passage.title, passage.text) for passage in found]

    def source(self, context: str, k: int = TOP_K) -> PassageSource:
        """Who gives the passages: a retriever by its name, or `gold`.

        Raises ConfigError for another name, InputError where gold passages lack.
        """
        if context != GOLD:
            checksum = self.files[(FOLDER / CORPUS).as_posix()]
            return Retrieved(_search(self._workspace, checksum, context, k), self._questions)
        splits = sorted({question.split for question in self._questions})
        names = [hop_qrels_file(FOLDER, split).as_posix() for split in splits]
        self.files |= rests_on(self._workspace, names)
        folder = self._workspace / FOLDER
        rows = (row for split in splits for row in read_hop_qrels(folder, self._passages, split))
        return Gold(self._questions, rows)


def context_at(context: str, k: int) -> str:
    """How a context is called in tables: `bm25`, or `bm25@10` where not five are taken."""
    return context if context in (NONE, GOLD) or k == TOP_K else f"{context}@{k}"


def searcher(
    retriever: Retriever,
    passages: Collection[Passage],
    k: int = TOP_K,
    index: Path | None = None,
    kept: KeptHits | None = None,
) -> Search:
    """The ids of a query's best passages; indexed at the first query, a query searched once.

    The index is read from the folder `index`, and written there where it has none of this corpus.
    """

    @functools.cache
    def indexed() -> Retriever:
        if index is None:
            retriever.index(passages)
            return retriever
        try:
            retriever.load(index, passages)
        except InputError:
            retriever.index(passages)
            retriever.save(index)
        return retriever

    known: dict[str, Hits] = {}

    def search(query: str, together: Sequence[str] = ()) -> Hits:
        if not query.strip():
            return ()
        if query not in known:
            wanted = dict.fromkeys(q for q in (query, *together) if q.strip() and q not in known)
            if kept is not None:
                known.update(kept.get(wanted))
            left = [one for one in wanted if one not in known]
            if left:
                every = indexed().search(left, k)
                ids = (tuple(hit.passage_id for hit in hits) for hits in every)
                found = dict(zip(left, ids, strict=True))
                known.update(found)
                if kept is not None:
                    kept.put(found)
        return known[query]

    return search


@functools.lru_cache(maxsize=2)
def _corpus(workspace: Path, _checksum: str) -> dict[str, Passage]:
    return read_corpus(workspace / FOLDER)


@functools.lru_cache(maxsize=8)
def _search(workspace: Path, checksum: str, context: str, k: int) -> Search:
    try:
        retriever = retriever_by_name(context)
    except ConfigError as error:
        raise ConfigError(f"context {context!r}: there is {GOLD}, and {NAMES}") from error
    quick = context in ("bm25", "rank-bm25")
    name = "".join(c if c.isalnum() else "-" for c in context)
    index = None if quick else workspace / INDEXES / name
    kept = KeptHits(workspace / HITS / f"{name}.sqlite", f"{context} {checksum}", k)
    return searcher(retriever, _corpus(workspace, checksum).values(), k, index, kept)
