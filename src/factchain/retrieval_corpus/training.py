"""Training data for rerankers in FlagEmbedding's layout, as HopWeaver uses it (SPEC.md 3.3).

A row has a `query`, the passages `pos` that state what it asks for, and `neg`: passages that a
retriever ranks high for it though they state none of the question's facts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import orjson

from factchain.errors import ConfigError, InputError
from factchain.files import write_atomically
from factchain.progress import track
from factchain.questions.leaks import occurs
from factchain.questions.records import Question
from factchain.retrieval_corpus.formats import hop_qrels_file, read_corpus, read_hop_qrels
from factchain.retrieval_corpus.records import Passage
from factchain.retrieval_corpus.retrievers.protocol import Retriever, contents

Queries = Literal["hops", "questions"]
GROUP_SIZE = 4
"""One positive and three negatives (SPEC.md 3.3)."""
DEPTH = 50
"""How many passages a retriever gives, among which negatives are looked for."""


@dataclass(frozen=True)
class TripleCounts:
    """What became of the queries."""

    rows: int
    without_passage: int
    """Hops that rest on no passage of their own."""
    without_negative: int
    """Left out: every passage found states a fact of the question."""


@dataclass(frozen=True)
class _Query:
    text: str
    question: Question
    gold: tuple[str, ...]


def write_reranker_triples(
    folder: Path,
    questions: Sequence[Question],
    split: str,
    retriever: Retriever,
    out: Path,
    *,
    queries: Queries = "hops",
    group_size: int = GROUP_SIZE,
) -> TripleCounts:
    """Write a JSON line a query, in the order of the questions; complete or not at all.

    `folder` is a corpus folder, `questions` those of `split`. Raises InputError for a corpus that
    does not fit, and where no row comes out; ConfigError for a group of fewer than two.
    """
    if group_size < 2:
        raise ConfigError(f"a group of {group_size}: one positive and one negative are needed")
    passages = read_corpus(folder)
    gold: dict[tuple[str, int], list[str]] = {}
    for row in read_hop_qrels(folder, passages, split):
        gold.setdefault((row.question, row.hop), []).append(row.passage)
    asked, empty = _queries(questions, gold, queries)
    if not asked:
        raise InputError(
            f"{hop_qrels_file(folder, split)}: has no gold passage for these questions: build the "
            "corpus anew, or name another split"
        )
    retriever.index(passages.values())
    found = retriever.search([query.text for query in asked], DEPTH)
    rows = 0
    with write_atomically(out) as file:
        pairs = zip(asked, found, strict=True)
        for query, hits in track(pairs, "reranker triples", len(asked)):
            ids = [hit.passage_id for hit in hits]
            negatives = _negatives(query, ids, passages, gold)[: group_size - 1]
            if negatives:
                file.write(orjson.dumps(_row(query, negatives, passages)) + b"\n")
                rows += 1
        if not rows:
            raise InputError(f"{folder}: every passage found states a fact of its question")
    return TripleCounts(rows, empty, len(asked) - rows)


def _queries(
    questions: Sequence[Question], gold: Mapping[tuple[str, int], Sequence[str]], which: Queries
) -> tuple[list[_Query], int]:
    """What is asked, and how many hops have no gold passage."""
    asked, empty = [], 0
    for question in questions:
        by_hop = [(hop, gold.get((question.id, hop.index), ())) for hop in question.sub_questions]
        empty += sum(1 for _, ids in by_hop if not ids)
        if which == "hops":
            asked += [_Query(hop.question, question, tuple(ids)) for hop, ids in by_hop if ids]
        elif ids := tuple(dict.fromkeys(key for _, ids in by_hop for key in ids)):
            asked.append(_Query(question.question, question, ids))
    return asked, empty


def _negatives(
    query: _Query,
    ids: Sequence[str],
    passages: Mapping[str, Passage],
    gold: Mapping[tuple[str, int], Sequence[str]],
) -> list[str]:
    """The passages that state no fact of the question, in the order in which they were found."""
    hops = query.question.sub_questions
    stated = {key for hop in hops for key in gold.get((query.question.id, hop.index), ())}
    facts = {fact.key for hop in hops for fact in hop.facts}
    names = [name for hop in hops for name in hop.answer.names]
    return [key for key in ids if key not in stated and not _tells(passages[key], facts, names)]


def _tells(passage: Passage, facts: Collection[tuple[str, str, str]], names: Sequence[str]) -> bool:
    """Whether the passage states one of the facts; where its facts are not known, whether it
    names an answer."""
    if passage.metadata.facts:
        return any(fact in facts for fact in passage.metadata.facts)
    return any(occurs(name, passage.text) for name in names)


def _row(
    query: _Query, negatives: Sequence[str], passages: Mapping[str, Passage]
) -> dict[str, object]:
    return {
        "query": query.text,
        "pos": list(_texts(query.gold, passages)),
        "neg": list(_texts(negatives, passages)),
    }


def _texts(ids: Sequence[str], passages: Mapping[str, Passage]) -> Iterator[str]:
    for key in ids:
        yield contents(passages[key])
