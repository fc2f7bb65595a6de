"""How well a retriever finds the gold passages of a corpus folder."""

from __future__ import annotations

import codecs
import csv
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from factchain.errors import InputError
from factchain.files import write_atomically
from factchain.questions.records import Question
from factchain.records import Record
from factchain.retrieval_corpus.compat_metrics import (
    Scores,
    found_facts,
    hopweaver_compat,
    mean_scores,
    multihop_rag_compat,
)
from factchain.retrieval_corpus.formats import (
    Qrels,
    hop_qrels_file,
    read_corpus,
    read_hop_qrels,
    read_qrels,
)
from factchain.retrieval_corpus.hop_metrics import HopScore, Pieces, pieces_by_hop, score_hops
from factchain.retrieval_corpus.metrics import GroupScore, score_groups, score_questions
from factchain.retrieval_corpus.records import HopGold, Passage
from factchain.retrieval_corpus.retrievers.protocol import Hit, Retriever, contents

DEEPEST_COMPAT = 20


@dataclass(frozen=True, slots=True)
class RetrieverScores:
    """What a retriever was worth on a corpus."""

    groups: list[GroupScore]
    """By hops, topology and label pattern."""
    hops: list[HopScore]
    """Evidence recall by hop; empty where the folder has no gold passages of hops."""
    compat: dict[str, Scores]
    """The printed variants of MultiHop-RAG and HopWeaver; empty where they were not asked for."""


def evaluate_retriever(
    retriever: Retriever, folder: Path, questions: Sequence[Question], cutoffs: Sequence[int]
) -> list[GroupScore]:
    """Index the corpus, search for every question, and score it by hops and label pattern.

    Raises InputError for a broken corpus folder, MissingExtraError without the extra `eval`.
    """
    return evaluate_in_full(retriever, folder, questions, cutoffs).groups


def evaluate_in_full(
    retriever: Retriever,
    folder: Path,
    questions: Sequence[Question],
    cutoffs: Sequence[int],
    *,
    index: Path | None = None,
    compat: bool = False,
) -> RetrieverScores:
    """Index the corpus, search for every question, and score what is found.

    `index` is where the index is kept: it is read where there is one, and written otherwise.
    Gold passages of other questions than these are passed over. Raises InputError for a broken
    corpus folder, a question without text, and an index of another corpus or retriever,
    MissingExtraError without the extra `eval`.
    """
    for question in questions:
        if not question.question.strip():
            raise InputError(f"question {question.id}: has no text to search for: leave it out")
    passages = read_corpus(folder)
    qrels, hop_gold = _gold(folder, passages, questions)
    _make_ready(retriever, passages, index)
    depth = max(*cutoffs, DEEPEST_COMPAT if compat else 1)
    found = retriever.search([question.question for question in questions], depth)
    hits = {question.id: ranked for question, ranked in zip(questions, found, strict=True)}
    pieces = {
        question.id: pieces_by_hop(question, hop_gold[question.id], passages)
        for question in questions
        if question.id in hop_gold
    }
    return RetrieverScores(
        score_groups(questions, score_questions(hits, qrels, cutoffs)),
        score_hops(questions, pieces, hits, cutoffs),
        _compat(questions, passages, qrels, pieces, hits) if compat else {},
    )


def _make_ready(retriever: Retriever, passages: Mapping[str, Passage], index: Path | None) -> None:
    corpus = list(passages.values())
    if index is not None and any(index.rglob("index.json")):
        retriever.load(index, corpus)
        return
    retriever.index(corpus)
    if index is not None:
        retriever.save(index)


def _gold(
    folder: Path, passages: Mapping[str, Passage], questions: Sequence[Question]
) -> tuple[Qrels, dict[str, list[HopGold]]]:
    """The gold passages of the questions, and of their hops where the folder has them."""
    asked = {question.id for question in questions}
    qrels: Qrels = {}
    by_question: dict[str, list[HopGold]] = defaultdict(list)
    for split in sorted({question.split for question in questions}):
        read = read_qrels(folder, passages, split)
        qrels |= {question: gold for question, gold in read.items() if question in asked}
        if hop_qrels_file(folder, split).is_file():
            for row in read_hop_qrels(folder, passages, split):
                by_question[row.question].append(row)
    return qrels, by_question


def _compat(
    questions: Sequence[Question],
    passages: Mapping[str, Passage],
    qrels: Qrels,
    pieces: Mapping[str, Mapping[int, Pieces]],
    hits: Mapping[str, Sequence[Hit]],
) -> dict[str, Scores]:
    """Both printed variants, each over the questions that it does not skip."""
    multihop_rag: list[Scores] = []
    hopweaver: list[Scores] = []
    for question in questions:
        ranked = [hit.passage_id for hit in hits[question.id]]
        gold = {passage for passage, score in qrels.get(question.id, {}).items() if score > 0}
        sentences = _evidence_sentences(question)
        if question.type != "null" and sentences:
            found = found_facts((contents(passages[one]) for one in ranked), sentences)
            multihop_rag.append(multihop_rag_compat(found, len(sentences)))
        elif question.type != "null" and gold:
            evidence = [
                piece for of_hop in pieces.get(question.id, {}).values() for piece in of_hop
            ]
            evidence = evidence or [frozenset([passage]) for passage in sorted(gold)]
            found = [{n for n, piece in enumerate(evidence) if one in piece} for one in ranked]
            multihop_rag.append(multihop_rag_compat(found, len(evidence)))
        if gold and ranked:
            hopweaver.append(hopweaver_compat(ranked, gold))
    return {"MultiHop-RAG": mean_scores(multihop_rag), "HopWeaver": mean_scores(hopweaver)}


def _evidence_sentences(question: Question) -> list[str]:
    """The sentences that an imported MultiHop-RAG question gives as its evidence."""
    evidence = question.metadata.get("evidence_list")
    rows = evidence if isinstance(evidence, list) else []
    return [str(row["fact"]) for row in rows if isinstance(row, dict) and "fact" in row]


def write_scores(path: Path, scores: Sequence[Record]) -> None:
    """Write scores of one kind as CSV, complete or not at all."""
    with write_atomically(path) as out:
        table = csv.writer(codecs.getwriter("utf-8")(out), lineterminator="\n")
        if scores:
            table.writerow(type(scores[0]).model_fields)
        table.writerows(score.model_dump().values() for score in scores)
