"""Recall and complete sets, by hops and labels, against counting by hand."""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import log2
from statistics import stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factchain.errors import MissingExtraError
from factchain.questions.records import Question
from factchain.retrieval_corpus.metrics import QuestionScore, score_groups, score_questions
from factchain.retrieval_corpus.retrievers.protocol import Hit

QuestionMaker = Callable[..., Question]
FACTS = [("Q1", "P1", "Q2"), ("Q2", "P1", "Q3"), ("Q3", "P1", "Q4")]
PASSAGES = st.sampled_from(list("abcdefgh"))
QUESTIONS = st.sampled_from(["q1", "q2", "q3"])


@given(
    st.dictionaries(QUESTIONS, st.lists(PASSAGES, unique=True), min_size=1),
    st.dictionaries(QUESTIONS, st.sets(PASSAGES, min_size=1), min_size=1),
    st.sets(st.integers(1, 9), min_size=1),
)
def test_scores_are_those_of_counting(
    ranked: dict[str, list[str]], gold: dict[str, set[str]], cutoffs: set[int]
) -> None:
    # All scores tie: the order of the hits alone decides.
    hits = {q: [Hit(passage, 1.0) for passage in found] for q, found in ranked.items()}
    qrels = {q: dict.fromkeys(found, 1) for q, found in gold.items()}
    expected = []
    for q, golden in sorted(gold.items()):
        for k in sorted(cutoffs):
            top = golden.intersection(ranked.get(q, [])[:k])
            marks = [passage in golden for passage in ranked.get(q, [])[:k]]
            at = [rank for rank, mark in enumerate(marks, start=1) if mark]
            precisions = [(n + 1) / rank for n, rank in enumerate(at)]
            gain = sum(1 / log2(rank + 1) for rank in at)
            best = sum(1 / log2(rank + 1) for rank in range(1, min(k, len(golden)) + 1))
            expected.append(
                QuestionScore(
                    q,
                    k,
                    recall=pytest.approx(len(top) / len(golden)),
                    complete=top == golden,
                    hit=bool(at),
                    average_precision=pytest.approx(sum(precisions) / len(golden)),
                    reciprocal_rank=pytest.approx(1 / at[0] if at else 0.0),
                    ndcg=pytest.approx(gain / best),
                )
            )
    assert score_questions(hits, qrels, sorted(cutoffs)) == expected


def test_groups_are_means_with_standard_errors(make_question: QuestionMaker) -> None:
    questions = [
        make_question("q1", FACTS[0], labels=("old",)),
        make_question("q2", *FACTS[:2], labels=("old", "new")),
        make_question("q3", *FACTS[:2], labels=("new", "new")),
        make_question("q4", *FACTS[:2], axis="popularity", labels=("popular", "unpopular")),
        make_question("unscored", *FACTS),
    ]
    scores = [
        QuestionScore("q1", 5, 1.0, True, 1.0, 0.5, 0.5, 0.6),
        QuestionScore("q2", 5, 0.5, False, 1.0, 0.3, 0.2, 0.4),
        QuestionScore("q3", 5, 1.0, True, 1.0, 0.7, 0.8, 0.9),
        QuestionScore("q4", 5, 0.0, False, 0.0, 0.0, 0.0, 0.0),
    ]
    rows = {(g.axis, g.by, g.group): g for g in score_groups(questions, scores)}
    means = {
        key: (g.k, g.questions, pytest.approx(g.recall), pytest.approx(g.complete))
        for key, g in rows.items()
    }
    assert means == {
        ("popularity", "all", "all"): (5, 1, 0.0, 0.0),
        ("popularity", "hops", "2"): (5, 1, 0.0, 0.0),
        ("popularity", "topology", "chain"): (5, 1, 0.0, 0.0),
        ("popularity", "labels", "popular-unpopular"): (5, 1, 0.0, 0.0),
        ("recency", "all", "all"): (5, 3, 2.5 / 3, 2 / 3),
        ("recency", "hops", "1"): (5, 1, 1.0, 1.0),
        ("recency", "hops", "2"): (5, 2, 0.75, 0.5),
        ("recency", "topology", "chain"): (5, 3, 2.5 / 3, 2 / 3),
        ("recency", "labels", "old"): (5, 1, 1.0, 1.0),
        ("recency", "labels", "old-new"): (5, 1, 0.5, 0.0),
        ("recency", "labels", "new-new"): (5, 1, 1.0, 1.0),
    }
    two = rows["recency", "hops", "2"]
    assert (two.hit, two.average_precision, two.reciprocal_rank, two.ndcg) == pytest.approx(
        (1.0, 0.5, 0.5, 0.65)
    )
    assert rows["recency", "hops", "2"].recall_stderr == pytest.approx(0.25)
    assert rows["recency", "hops", "2"].complete_stderr == pytest.approx(0.5)
    assert rows["recency", "all", "all"].recall_stderr == pytest.approx(
        stdev([1.0, 0.5, 1.0]) / 3**0.5
    )
    assert rows["recency", "hops", "1"].recall_stderr == 0.0


def test_a_question_without_labels_has_no_pattern(make_question: QuestionMaker) -> None:
    groups = score_groups(
        [make_question("q", FACTS[0], axis="none")],
        [QuestionScore("q", 1, 1.0, True, 1.0, 1.0, 1.0, 1.0)],
    )
    assert [(g.by, g.group) for g in groups] == [
        ("all", "all"),
        ("hops", "1"),
        ("topology", "chain"),
    ]


def test_without_the_extra_it_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'factchain\[eval\]'"):
        score_questions({}, {}, [5])
