"""The printed variants of MultiHop-RAG and HopWeaver, on the values worked out in SPEC.md."""

from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factchain.retrieval_corpus.compat_metrics import (
    found_facts,
    hopweaver_compat,
    mean_scores,
    multihop_rag_compat,
)


@pytest.mark.parametrize(("facts", "ceiling"), [(1, 1.0), (2, 0.75), (3, 0.611), (4, 0.521)])
def test_a_perfect_ranking_has_a_ceiling(facts: int, ceiling: float) -> None:
    found: list[set[int]] = [{n} for n in range(facts)]
    scores = multihop_rag_compat([*found, set(), set()], facts)
    assert scores["MAP@10_compat"] == pytest.approx(ceiling, abs=5e-4)
    assert scores["hits@4_compat"] == scores["hits@10_compat"] == scores["MRR@10_compat"] == 1


def test_two_facts_in_one_chunk_score_one() -> None:
    assert multihop_rag_compat([{0, 1}], 2)["MAP@10_compat"] == 1.0
    # Seen already, they add nothing.
    assert multihop_rag_compat([{0, 1}, {0}, {1}], 2)["MAP@10_compat"] == 1.0


def test_ranks_after_the_tenth_are_not_looked_at() -> None:
    nothing: list[set[int]] = [set()] * 4
    assert multihop_rag_compat([*nothing, {0}], 1) == {
        "hits@4_compat": 0.0,
        "hits@10_compat": 1.0,
        "MRR@10_compat": 0.2,
        "MAP@10_compat": 0.2,
    }
    late: list[set[int]] = [*[set()] * 10, {0}]
    assert set(multihop_rag_compat(late, 1).values()) == {0.0}


def test_facts_are_found_in_the_text_whatever_its_spaces() -> None:
    texts = ["The  cat\nsat. A dog.", "the cat sat.", "The\tcat sat."]
    assert found_facts(texts, ["The cat sat.", "A dog."]) == [{0, 1}, set(), set()]
    # A fact given twice is found once and stays in the denominator; an empty one is everywhere.
    assert found_facts(["A dog."], ["A dog.", "A dog."]) == [{0}]
    assert multihop_rag_compat(found_facts(["A dog."], ["A dog."] * 2), 2)["MAP@10_compat"] == 0.5
    assert found_facts(["x"], [""]) == [{0}]


def test_hopweaver_by_hand() -> None:
    ranked = ["x", "a", "y", "b", "z", "u", "v", "w", "s", "t", "r"]
    scores = hopweaver_compat(ranked, {"a", "b"})
    best = 1 + 1 / log2(3)
    assert scores == pytest.approx(
        {
            "MAP_compat": (1 / 2 + 2 / 4) / 2,
            "recall@5_compat": 1.0,
            "recall@10_compat": 1.0,
            "recall@20_compat": 1.0,
            "nDCG@5_compat": (1 / log2(3) + 1 / log2(5)) / best,
            "nDCG@10_compat": (1 / log2(3) + 1 / log2(5)) / best,
            "support_F1_compat": 1 / 3,
        }
    )
    # The recall counts what comes twice twice, so that it can exceed 1.
    assert hopweaver_compat(["a", "a"], {"a"})["recall@5_compat"] == 2.0
    assert hopweaver_compat(["x"], {"a"})["support_F1_compat"] == 0.0


@given(st.permutations([*"abcdefghijklmnop"]))
def test_support_f1_is_a_third_of_recall(ranked: list[str]) -> None:
    scores = hopweaver_compat(ranked, {"a", "b"})
    assert scores["support_F1_compat"] == pytest.approx(scores["recall@10_compat"] / 3)


def test_means() -> None:
    assert mean_scores([{"x": 1.0}, {"x": 0.0}]) == {"x": 0.5}
    assert mean_scores([]) == {}
