"""MuSiQue: BM25 and the metrics on real data, against rank_bm25 and counting by hand."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from statistics import mean
from typing import Any

import bm25s.stopwords
import ir_measures
import pytest
from rank_bm25 import BM25Okapi

from factchain.retrieval_corpus.metrics import QuestionScore, score_questions
from factchain.retrieval_corpus.records import Passage
from factchain.retrieval_corpus.retrievers.bm25 import BM25Retriever

DATA = Path(__file__).parents[3] / "shared" / "data"
CUTOFFS = (1, 5, 20)
BY_HOPS = {
    "all": (100, 0.4992, 0.14),
    "2": (68, 0.5662, 0.2059),
    "3": (27, 0.358, 0.0),
    "4": (5, 0.35, 0.0),
}

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="the reference data of ../shared/data is not here"
)


def by_hand(text: str) -> list[str]:
    words = re.findall(r"\w+", text.lower())
    return [word for word in words if word not in bm25s.stopwords.STOPWORDS_EN]


@pytest.fixture(scope="module")
def corpus() -> list[Passage]:
    rows = json.loads((DATA / "musique_train_corpus.json").read_text())
    return [
        Passage(id=f"d{n:04d}", title=row["title"], text=row["text"]) for n, row in enumerate(rows)
    ]


@pytest.fixture(scope="module")
def questions() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((DATA / "musique_train.json").read_text())
    return rows


def test_recall_is_that_of_rank_bm25(
    corpus: list[Passage], questions: list[dict[str, Any]]
) -> None:
    ids = {(passage.title, passage.text): passage.id for passage in corpus}
    gold = {
        question["id"]: {
            ids[paragraph["title"], paragraph["paragraph_text"]]
            for paragraph in question["paragraphs"]
            if paragraph["is_supporting"]
        }
        for question in questions
    }
    retriever = BM25Retriever()
    retriever.index(corpus)
    found = retriever.search([question["question"] for question in questions], max(CUTOFFS))
    hits = {question["id"]: ranked for question, ranked in zip(questions, found, strict=True)}
    qrels = {question: dict.fromkeys(golden, 1) for question, golden in gold.items()}
    scores = {(s.question, s.k): s for s in score_questions(hits, qrels, CUTOFFS)}
    assert len(scores) == len(questions) * len(CUTOFFS) == 300

    reference = BM25Okapi([by_hand(f"{passage.title}\n{passage.text}") for passage in corpus])
    for question in questions:
        tokens = by_hand(question["question"])
        # No word of a question is in half of the passages, where the two would differ.
        assert all(reference.idf.get(token, 1) > 0 for token in tokens)
        values = reference.get_scores(tokens)
        ranked = sorted(zip(-values, (p.id for p in corpus), strict=True))
        golden = gold[question["id"]]
        for k in CUTOFFS:
            top = golden.intersection(passage for value, passage in ranked[:k] if value < 0)
            score = scores[question["id"], k]
            assert score.recall == pytest.approx(len(top) / len(golden))
            assert score.complete == (top == golden)
    by_hops: dict[str, list[QuestionScore]] = defaultdict(list)
    for question in questions:
        for group in ("all", question["id"][0]):
            by_hops[group].append(scores[question["id"], 5])
    found_at_5 = {
        group: (
            len(members),
            round(mean(score.recall for score in members), 4),
            round(mean(score.complete for score in members), 4),
        )
        for group, members in by_hops.items()
    }
    # The table of benchmarks/README.md: questions, recall@5, complete@5.
    assert found_at_5 == BY_HOPS
    # And by ir_measures on rank_bm25's ranking, used by hand.
    run = {
        question["id"]: dict(
            zip(
                (p.id for p in corpus),
                reference.get_scores(by_hand(question["question"])).tolist(),
                strict=True,
            )
        )
        for question in questions
    }
    measured = ir_measures.calc_aggregate([ir_measures.R @ 5], qrels, run)
    assert measured[ir_measures.R @ 5] == pytest.approx(found_at_5["all"][1], abs=1e-4)
