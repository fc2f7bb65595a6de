"""The store and the questions -> the corpus folder, with the gold passages of every hop."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import duckdb

from factchain.errors import InputError, StoreError
from factchain.questions.records import Question
from factchain.records import write_records
from factchain.retrieval_corpus.chunk import MAX_TOKENS, chunk
from factchain.retrieval_corpus.formats import (
    CORPUS,
    QUERIES,
    Qrels,
    hop_qrels_file,
    qrels_file,
    write_hop_qrels,
    write_qrels,
)
from factchain.retrieval_corpus.linearize import Triple, count_entities, linearize
from factchain.retrieval_corpus.records import CorpusQuery, CorpusSummary, HopGold, Passage

Stated = dict[Triple, list[tuple[str | None, str]]]
"""By fact the passages that state it: the snapshot that they name, and their id."""

_SPLIT = re.compile(r"[A-Za-z0-9_-]+")


def build_corpus(
    connection: duckdb.DuckDBPyConnection,
    questions: Sequence[Question],
    out: Path,
    *,
    max_tokens: int = MAX_TOKENS,
) -> CorpusSummary:
    """Linearize the whole store into `out`: passages, queries, and gold passages by split.

    The gold passages of a hop are those that state its facts, all of them, in the snapshot in
    which the question holds; a hop that reckons with earlier answers alone has none. Raises
    InputError for a question whose evidence is not in the corpus, for two questions with one id
    and for a split that cannot name a file, StoreError for a store that gives no passage; then
    nothing is written.
    """
    _check(questions)
    stated: Stated = {
        fact.key: []
        for question in questions
        for hop in question.sub_questions
        for fact in hop.facts
    }
    counts: Counter[str] = Counter()
    gold: dict[str, list[HopGold]] = {}

    def passages() -> Iterator[Passage]:
        yield from _passages(connection, max_tokens, stated, counts)
        if not counts["passages"]:
            raise StoreError("the triple store has no entity with a label and facts")
        # Here, so that missing evidence stops the writing of the corpus.
        gold.update((question.id, _gold(question, stated)) for question in questions)

    write_records(out / CORPUS, passages())
    write_records(out / QUERIES, (CorpusQuery(id=q.id, text=q.question) for q in questions))
    rows = 0
    for split, group in groupby(sorted(questions, key=_split), key=_split):
        ids = [question.id for question in group]
        qrels: Qrels = {key: {row.passage: 1 for row in gold[key]} for key in ids}
        write_qrels(qrels_file(out, split), qrels)
        write_hop_qrels(hop_qrels_file(out, split), (row for key in ids for row in gold[key]))
        rows += sum(map(len, qrels.values()))
    entities, unlabelled, factless = count_entities(connection)
    return CorpusSummary(
        entities=entities,
        unlabelled=unlabelled,
        factless=factless,
        passages=counts["passages"],
        dated=counts["dated"],
        facts=counts["facts"],
        questions=len(questions),
        gold=rows,
    )


def _split(question: Question) -> str:
    return question.split


def _check(questions: Sequence[Question]) -> None:
    for question_id, count in Counter(question.id for question in questions).items():
        if count > 1:
            raise InputError(f"question {question_id}: {count} questions have this id")
    for question in questions:
        if not _SPLIT.fullmatch(question.split):
            raise InputError(
                f"question {question.id}: split {question.split!r} cannot name a file: "
                "use letters, digits, '-' and '_'"
            )


def _passages(
    connection: duckdb.DuckDBPyConnection, max_tokens: int, stated: Stated, counts: Counter[str]
) -> Iterator[Passage]:
    """Yield all passages; fill in who states the facts of `stated`, and `counts`."""
    for version in linearize(connection):
        counts["facts"] += len(version.facts)
        for passage in chunk(version, max_tokens):
            counts["passages"] += 1
            counts["dated"] += version.snapshot is not None
            for triple in passage.metadata.facts:
                if triple in stated:
                    stated[triple].append((version.snapshot, passage.id))
            yield passage


def _gold(question: Question, stated: Stated) -> list[HopGold]:
    """The gold passages of every hop, in the order of hops and facts."""
    gold: dict[HopGold, None] = {}
    for hop in question.sub_questions:
        for fact in hop.facts:
            holds_in = (None, question.provenance.snapshot)
            passages = [passage for snapshot, passage in stated[fact.key] if snapshot in holds_in]
            if not passages:
                raise InputError(
                    f"question {question.id}: hop {hop.index}: no passage of the snapshot "
                    f"{question.provenance.snapshot!r} states {' '.join(fact.key)} "
                    f"({fact.s_label} {fact.p_label} {fact.o_label}): build the corpus from "
                    "the store that the question was made from"
                )
            for passage in passages:
                gold[HopGold(question=question.id, hop=hop.index, passage=passage)] = None
    return list(gold)
