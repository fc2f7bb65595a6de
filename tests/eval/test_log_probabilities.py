"""The confidence of an answer, by hand and for every way to cut a reply into tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.model import Logprob, Logprobs, ModelOutput

from factchain.eval.log_probabilities import answer_log_probability
from factchain.eval.prompts import ANSWER, CONFIDENCE


def output(*tokens: tuple[str, float]) -> ModelOutput:
    said = ModelOutput.from_content("m", "".join(token for token, _ in tokens))
    content = [Logprob(token=token, logprob=logprob) for token, logprob in tokens]
    said.choices[0].logprobs = Logprobs(content=content)
    return said


REPLY = output(('{"ans', -1), ('wer": "a', -2), (" ", -4), ('b"', -6), (', "documents": [1]}', -8))


@pytest.mark.parametrize(
    ("answer", "by_hand"),
    [
        ("a b", -4),  # of the three tokens that have a part of it
        ("b", -6),
        ("1", -8),
        ("ans", -21 / 5),  # not after the key: over all
        ("", -21 / 5),
        ("Zürich", -21 / 5),
    ],
)
def test_by_hand(answer: str, by_hand: float) -> None:
    assert answer_log_probability(REPLY, answer, '"answer"') == pytest.approx(by_hand)


def test_of_a_confident_answer_the_answer_alone_counts() -> None:
    said = output((ANSWER, -9), (" ", -9), ("Warsaw", -0.1), (f"\n{CONFIDENCE} certain", -9))
    assert answer_log_probability(said, "Warsaw", ANSWER) == -0.1


def test_a_reply_without_the_key_is_searched_from_its_start() -> None:
    assert answer_log_probability(REPLY, "ans", "Answer:") == -1


def test_none_are_given() -> None:
    assert answer_log_probability(ModelOutput.from_content("m", "x"), "x", "") is None
    assert answer_log_probability(output(), "x", "") is None
    assert answer_log_probability(ModelOutput(model="m"), "x", "") is None


@given(st.lists(st.text("ab ", min_size=1, max_size=3), min_size=1, max_size=6), st.data())
def test_however_the_reply_is_cut(tokens: list[str], data: st.DataObject) -> None:
    """One log-probability a character: tokens of one character give the mean over the answer."""
    text = "".join(tokens)
    first = data.draw(st.integers(0, len(text) - 1))
    answer = text[first : data.draw(st.integers(first + 1, len(text)))]
    first = text.find(answer)
    alone = output(*((character, -float(n)) for n, character in enumerate(text)))
    of_answer = [-float(n) for n in range(first, first + len(answer))]
    assert answer_log_probability(alone, answer, "") == pytest.approx(
        sum(of_answer) / len(of_answer)
    )
    same = output(*((token, -0.5) for token in tokens))
    assert answer_log_probability(same, answer, "") == -0.5
