"""How well a retriever finds the gold passages of a corpus folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from factchain.questions.records import Question
from factchain.retrieval_corpus.formats import read_corpus, read_qrels
from factchain.retrieval_corpus.metrics import GroupScore, score_groups, score_questions
from factchain.retrieval_corpus.retrievers.protocol import Retriever


def evaluate_retriever(
    retriever: Retriever, folder: Path, questions: Sequence[Question], cutoffs: Sequence[int]
) -> list[GroupScore]:
    """Index the corpus, search for every question, and score it by hops and label pattern.

    Raises InputError for a broken corpus folder, MissingExtraError without the extra `eval`.
    """
    passages = read_corpus(folder)
    splits = sorted({question.split for question in questions})
    qrels = {q: gold for split in splits for q, gold in read_qrels(folder, passages, split).items()}
    retriever.index(passages.values())
    found = retriever.search([question.question for question in questions], max(cutoffs))
    hits = {question.id: ranked for question, ranked in zip(questions, found, strict=True)}
    return score_groups(questions, score_questions(hits, qrels, cutoffs))
