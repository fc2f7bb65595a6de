"""Replies as models write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factchain.eval import replies
from factchain.eval.replies import UNPARSED, Confident, Supported

STRATEGIES = {"A": "decompose", "B": "answer", "C": "retrieve"}
COMPLETION = {"A": "finish", "B": "continue"}


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [
        ('{"choice": "A"}', "decompose"),
        ('```json\n{"Choice": "b"}\n```', "answer"),
        ("{retrieval}", "retrieve"),
        ("{'CHOICE': 'C'}", "retrieve"),
        ("I choose C, because the answer is rare.", "retrieve"),
        ("<think>A or B?</think>\n{choice: B}", "answer"),
        ('{"choice": "sub-question"}', "decompose"),
        ("A", "decompose"),
        ("A or B", UNPARSED),
        ("", UNPARSED),
        ("{}", UNPARSED),
        ('{"choice": "D"}', UNPARSED),
        ("I think that a search is best.", UNPARSED),
        ("no idea", UNPARSED),
    ],
)
def test_a_choice(reply: str, chosen: str) -> None:
    assert replies.choice(reply, STRATEGIES) == chosen


def test_a_choice_of_two() -> None:
    assert replies.choice('{"choice": "B"}', COMPLETION) == "continue"
    assert replies.choice("finish", COMPLETION) == "finish"


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("B", "B"),
        ("(c)", "C"),
        ("B.", "B"),
        ("The answer is **C**", "C"),
        ("The answer is (D).", "D"),
        ("the answer is: option B", "B"),
        ("First A. is wrong; so \\boxed{D}", "D"),
        ("A is right.", "A"),
        ("The answer is A. No: the answer is B.", "B"),
        ("I think it is a dog", UNPARSED),
        ("A dog", UNPARSED),
        ("the answer is Bernard", UNPARSED),
        ("Definitely", UNPARSED),
        ("E", UNPARSED),
        ("", UNPARSED),
    ],
)
def test_an_option(reply: str, letter: str) -> None:
    assert replies.option(reply, "ABCD") == letter


@given(
    st.text(alphabet="abcdefgh ,.'", max_size=40).filter(lambda text: len(text.strip(" .'")) > 1)
)
def test_words_in_lower_case_are_no_option(text: str) -> None:
    assert replies.option(text, "ABCD") == UNPARSED


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("So it is so.\nThe answer is: Warsaw", "Warsaw"),
        ("**Final Answer:** *Warsaw*", "Warsaw"),
        ("The answer is Paris.\nNo.\nThe answer is: Warsaw", "Warsaw"),
        ("She was born there.\nWarsaw", "Warsaw"),
        ("The answer is:\nWarsaw", "Warsaw"),
        ("", ""),
    ],
)
def test_a_final_answer(reply: str, answer: str) -> None:
    assert replies.final_answer(reply) == answer


@pytest.mark.parametrize(
    ("reply", "asked"),
    [
        ("Next Subquestion: Who wrote Hamlet?", "Who wrote Hamlet?"),
        ("I go on.\nNext Subquestion: Who wrote Hamlet?\nThen more.", "Who wrote Hamlet?"),
        ("Who wrote Hamlet?", "Who wrote Hamlet?"),
        ("finish", None),
        ("`Finish`.", None),
        ("Next Subquestion: finish", None),
        ("Next Subquestion:", None),
        ("", None),
    ],
)
def test_a_sub_question(reply: str, asked: str | None) -> None:
    assert replies.sub_question(reply) == asked


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ("Answer: Warsaw\nConfidence: certain", Confident("Warsaw", True)),
        ("Answer: Warsaw\nConfidence: uncertain", Confident("Warsaw", False)),
        ("Answer: Warsaw\nConfidence: Certain.", Confident("Warsaw", True)),
        ("Answer: Warsaw", Confident("Warsaw", False)),
        ("Warsaw", Confident("Warsaw", False)),
        ("", Confident("", False)),
    ],
)
def test_confidence(reply: str, read: Confident) -> None:
    assert replies.confident(reply) == read


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ('{"answer": "Warsaw", "documents": [2, 1, 2]}', Supported("Warsaw", (2, 1))),
        ('Here: {"answer": "Warsaw", "documents": [1,]', Supported("Warsaw", (1,))),
        ('{"answer": 7, "documents": ["1", -1, 2]}', Supported("7", (2,))),
        ('{"answer": "Warsaw"}', Supported("Warsaw", ())),
        ('{"reply": "Warsaw"}', Supported('{"reply": "Warsaw"}', ())),
        ("Warsaw", Supported("Warsaw", ())),
    ],
)
def test_an_answer_and_its_documents(reply: str, read: Supported) -> None:
    assert replies.supported(reply) == read


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("Paris", "Paris"),
        ("<think>Rome?\nNo.</think>\nParis ", "Paris"),
        ("<THINK>Rome</THINK>Paris<think>or not</think>", "Paris"),
        ("Rome? No.\n</think>\nParis", "Paris"),  # the prompt ended with the opening tag
        ("<think>Rome, no, Paris, no, ", ""),  # cut off before it ended
        ("Paris <think>or", "Paris"),
    ],
)
def test_thoughts_are_no_part_of_an_answer(reply: str, said: str) -> None:
    assert replies.without_thoughts(reply) == said
