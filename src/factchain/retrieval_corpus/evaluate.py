"""How well a retriever finds the gold passages of a corpus folder."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.table import Table

from factchain.files import write_atomically
from factchain.questions.records import Question
from factchain.retrieval_corpus.formats import read_corpus, read_qrels
from factchain.retrieval_corpus.metrics import GroupScore, score_groups, score_questions
from factchain.retrieval_corpus.retrievers.protocol import Retriever

_COLUMNS = {
    "recall": "recall",
    "complete": "complete",
    "hit": "hit",
    "average_precision": "MAP",
    "reciprocal_rank": "MRR",
    "ndcg": "nDCG",
}
_WIDTH = 120


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


def as_text(scores: Sequence[GroupScore]) -> str:
    """The scores as a table for a terminal."""
    table = Table(box=None, pad_edge=False, header_style="")
    for heading in ("axis", "by", "group"):
        table.add_column(heading)
    for heading in ("questions", "k", *_COLUMNS.values()):
        table.add_column(heading, justify="right")
    for score in scores:
        values = (f"{getattr(score, name):.3f}" for name in _COLUMNS)
        table.add_row(
            score.axis, score.by, score.group, str(score.questions), str(score.k), *values
        )
    text = StringIO()
    Console(width=_WIDTH, file=text).print(table)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())


def write_scores(path: Path, scores: Sequence[GroupScore]) -> None:
    """Write the scores as CSV, complete or not at all."""
    with write_atomically(path) as out:
        table = csv.writer(codecs.getwriter("utf-8")(out), lineterminator="\n")
        table.writerow(GroupScore.model_fields)
        table.writerows(score.model_dump().values() for score in scores)
