"""The detector of refusals, on replies that say so, on titles that look like it, and on both."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factchain.eval.refusals import BARE, says_insufficient, verdict

REFUSED = """
I do not know: no passages were given.
I do not know: the passages do not say.
Unknown.
N/A
Insufficient information
The answer is: unknown
The answer is: Insufficient information.
Answer: not stated
I'm sorry, but I cannot determine this from the documents.
I don't have enough information to answer that question.
I don’t know.
The documents do not mention where he was born.
The provided documents don't state the capital.
None of the documents mention her spouse.
It is not possible to determine the country from the passages.
The author is William Shakespeare, but the documents do not say where he was born.
There is no information about the discoverer.
The question cannot be answered.
This is unanswerable.
The date is not specified in the context.
I can’t answer this from the given context. If you provide more documents, I can help.
Sorry. I don't know.
Unfortunately, the text does not provide that.
As an AI language model, I am unable to provide that information.
His birthplace is unknown.
<think>Perhaps Paris.</think> I don't know.
No such person exists.
I cannot answer. However, the documents do not say either.
"""

ANSWERED = """
Paris
No
no
0
Nobody
France: it is not a city but a country.
Unknown Pleasures
Unknown Pleasures by Joy Division
The None of the Above Party
Can't Buy Me Love
No Country for Old Men
Nothing Compares 2 U
The Unknown Soldier
Lost in Translation
I Don't Know How to Love Him
"I Don't Know How to Love Him"
The song is “I Don’t Know How to Love Him”.
What's Eating Gilbert Grape
Who's Afraid of Virginia Woolf?
The Insufficient Funds Band
He could not read; he was born in Warsaw.
I do not know for certain, but it is probably Paris.
I'm not sure, but I think it was Marie Curie.
The documents do not say so. My best guess is Paris.
Paris. The documents do not say so explicitly.
The answer is Paris. There is no information about its mayor.
Yes, although the documents do not mention the date.
It was Paris, though the documents do not state it.
<think>I don't know.</think>Paris
"""

CLARIFICATION = """
Could you clarify which Hamlet you mean?
Which Springfield do you mean?
Please specify the year.
I'm not sure which Paris you mean. Could you clarify?
Do you mean the book or the film?
I cannot determine this. Could you please provide more context?
"""


def lines(text: str) -> list[str]:
    return text.strip().splitlines()


@pytest.mark.parametrize("reply", lines(REFUSED))
def test_refusals(reply: str) -> None:
    assert verdict(reply) == "refused"
    assert says_insufficient(reply)


@pytest.mark.parametrize("reply", lines(ANSWERED))
def test_answers_that_look_like_refusals(reply: str) -> None:
    assert verdict(reply) == "answered"
    assert not says_insufficient(reply)


@pytest.mark.parametrize("reply", lines(CLARIFICATION))
def test_questions_back(reply: str) -> None:
    assert verdict(reply) == "clarification"
    # Bare, they are not acceptable; after a refusal they are.
    assert says_insufficient(reply) == reply.startswith("I cannot determine")


@pytest.mark.parametrize("reply", ["", " \n", "...", "<think>It is Paris.</think>"])
def test_nothing_said(reply: str) -> None:
    assert verdict(reply) == "unparsed"
    assert not says_insufficient(reply)


@given(st.sampled_from(sorted(BARE)), st.sampled_from(["", ".", "!"]), st.sampled_from(["", "**"]))
def test_a_bare_refusal_in_any_dress(words: str, end: str, bold: str) -> None:
    for said in (words, words.upper(), words.capitalize()):
        assert verdict(f"{bold}{said}{end}{bold}") == "refused"


@given(st.text(max_size=300))
def test_every_text_has_a_verdict(text: str) -> None:
    assert verdict(text) in ("answered", "refused", "clarification", "unparsed")
    assert not (says_insufficient(text) and verdict(text) == "answered")
