"""The worked values of SPEC.md 1.1-1.6, where published code and the textbook differ."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factchain.eval import compat_scores as compat
from factchain.eval.compat_scores import Overlap
from factchain.questions.text_scores import token_f1

WORDS = st.lists(st.sampled_from(["paris", "rome", "the", "yes", "x"]), max_size=5).map(" ".join)


def test_normalisers_that_differ() -> None:
    text = "The U.S.A.’s AC/DC, a_b a"
    assert compat.normalise_hopweaver_bridge_compat(text) == "usas acdc a_b"
    assert compat.normalise_hopweaver_comparison_compat(text) == "usas acdc a_b a"
    assert compat.normalise_when_to_retrieve_compat("AC/DC a.m.") == "ac dc m"
    assert compat.normalise_omanic_reward_compat(" The AC/DC. ") == "the ac/dc"
    assert compat.normalise_two_wiki_evidence_compat("The AC/DC.") == "the acdc"


def test_yes_and_no() -> None:
    assert compat.overlap_hotpotqa_compat("yes it is", "yes") == Overlap(0, 0, 0)
    assert compat.overlap_hotpotqa_compat("yes", "Yes.") == Overlap(1, 1, 1)
    assert token_f1("yes it is", ["yes"]) == compat.f1_omanic_compat("yes it is", "yes") == 0.5


def test_nothing_against_nothing() -> None:
    assert compat.overlap_hotpotqa_compat("the", "a").f1 == 0
    assert compat.f1_omanic_compat("the", "a") == 1
    assert compat.f1_hopweaver_bridge_compat("the", "a") == 0
    assert compat.f1_hopweaver_comparison_compat("", "") == 1
    assert compat.overlap_best_compat("x", []) == Overlap(0, 0, 0)


def test_the_best_of_several_golds_is_taken_apart() -> None:
    # precision 1 with the long gold, recall 1 with the short one
    found = compat.overlap_best_compat("big paris", ["big paris of old", "paris"])
    assert found == Overlap(pytest.approx(2 / 3), 1, 1)


def test_repeated_tokens() -> None:
    assert token_f1("new new york", ["new york"]) == pytest.approx(0.8)
    assert compat.f1_hopweaver_bridge_compat("new new york", "new york") == 1
    # 2 shared over 3 said and 2 wanted
    assert compat.f1_hopweaver_comparison_compat("new new york", "new york") == pytest.approx(0.8)
    assert compat.f1_hopweaver_comparison_compat("york york", "york york") == pytest.approx(0.5)


def test_containment() -> None:
    assert compat.accuracy_popqa_compat("born in Paris", ["paris"]) == 1  # capitalised
    assert compat.accuracy_popqa_compat("BORN IN PARIS", ["paris"]) == 0
    assert compat.accuracy_flashrag_compat("the ACDC band", ["AC/DC"]) == 1
    assert compat.accuracy_flashrag_compat("anything", ["The"]) == 1
    assert compat.accuracy_flashrag_compat("Maine", ["Main"]) == 1
    assert compat.exact_match_curatedtrec_compat("The 19th century", [r"19(th)? century"]) == 1
    assert compat.exact_match_curatedtrec_compat("in the 19th century", ["19th century"]) == 0


def test_multihop_rag() -> None:
    right = compat.correct_multihop_rag_compat
    assert right('The answer to the question is "Yes".', "yes") == 1
    assert right("yes.", "yes") == 0
    assert right("the end", "The Verge") == 1
    assert right("Insufficient", "Insufficient information.") == 1
    assert compat.accuracy_multihop_rag_compat(0.56) == pytest.approx(0.532, abs=5e-4)
    assert compat.accuracy_multihop_rag_compat(0.28) == pytest.approx(0.410, abs=5e-4)


@given(WORDS, WORDS)
def test_scores_lie_between_0_and_1_and_equal_texts_score_1(said: str, gold: str) -> None:
    for name, score in compat.OF_ANSWERS.items():
        assert 0 <= score(said, [gold]) <= 1, name
    if len(set(said.split()) - {"the"}) == len(said.split()) > 0:
        for name, score in compat.OF_ANSWERS.items():
            assert score(said, [said]) == 1, name
