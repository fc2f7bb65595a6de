"""Replies are read through all that models wrap them in, and never made up."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from factchain.questions.llm.exchanges import Choice
from factchain.questions.llm.replies import UnreadableError, read_reply, refused


class Hop(BaseModel):
    question: str
    inputs: list[int]


class Wording(BaseModel):
    model_config = ConfigDict(extra="forbid")

    question: str
    hops: list[Hop]


texts = st.text(max_size=30)
wordings = st.builds(
    Wording,
    question=texts,
    hops=st.lists(st.builds(Hop, question=texts, inputs=st.lists(st.integers(1, 9))), max_size=3),
)
prose = st.text(st.characters(exclude_characters="{}[]<>\"'`", exclude_categories=["Cs"]))


def read(text: str, finish: str = "stop") -> Wording:
    return read_reply(Choice(text, finish), Wording)


@given(wordings, prose, prose, st.sampled_from([None, 2]), st.booleans(), st.booleans())
def test_an_object_is_read_through_its_wrapping(
    wording: Wording, before: str, after: str, indent: int | None, fenced: bool, thinking: bool
) -> None:
    text = json.dumps(wording.model_dump(), indent=indent)
    if fenced:
        text = f"```json\n{text}\n```"
    text = f"{before}\n{text}\n{after}"
    if thinking:
        text = '<think>perhaps {"question": "no", "hops": []}?</think>' + text
    assert read(text) == wording


@given(wordings, st.data())
def test_what_breaks_off_is_never_completed(wording: Wording, data: st.DataObject) -> None:
    whole = wording.model_dump_json()
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(UnreadableError):
        read(whole[:cut])
    with pytest.raises(UnreadableError, match="breaks off at the limit"):
        read(whole, finish="length")


@given(wordings)
def test_slips_of_syntax_are_mended_or_told(wording: Wording) -> None:
    for escaped in (True, False):
        plain = json.dumps(wording.model_dump(), ensure_ascii=escaped)
        try:
            assert read(plain[:-1] + ",}") == wording
        except UnreadableError:
            assert re.search(r"[^ -~]|[{}\[\]\"':,\\\\/#]", "".join(strings(wording)))


def strings(wording: Wording) -> list[str]:
    return [wording.question, *(hop.question for hop in wording.hops)]


def test_slips_of_everyday_replies_are_mended() -> None:
    wording = Wording(question="Où est né l’auteur?", hops=[Hop(question="Who?", inputs=[1])])
    plain = wording.model_dump_json()
    assert read(plain[:-1] + ",}") == wording
    assert read(f"Sure!\n```\n{plain[:-1]} ,\n}}\n``` Anything else?") == wording
    assert read(plain.replace("]}]", "],}],")) == wording


class Node(BaseModel):
    """An object that may stand inside another of its kind."""

    name: str = ""
    inside: Node | None = None


@pytest.mark.parametrize("text", ['{"inside": {"name": "x"},}', "{'inside': {\"name\": 'x'}}"])
def test_what_stands_inside_is_not_taken_for_the_whole(text: str) -> None:
    assert read_reply(Choice(text), Node) == Node(inside=Node(name="x"))
    with pytest.raises(UnreadableError):
        read_reply(Choice(text[:-1]), Node)


def test_single_quotes_and_bare_names_are_mended() -> None:
    assert read("{'question': 'Who?', 'hops': []}") == Wording(question="Who?", hops=[])
    assert read('{question: "Who?", hops: [],}') == Wording(question="Who?", hops=[])


def test_two_different_objects_are_no_reply_but_the_same_one_twice_is() -> None:
    one, other = '{"question": "a", "hops": []}', '{"question": "b", "hops": []}'
    with pytest.raises(UnreadableError, match="several different"):
        read(f"{one} or {other}")
    assert read(f"{one}. Again: {one}").question == "a"
    assert read(f'For example {{"x": 1}}, so {one}').question == "a"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        ("<think>so many hops</think>", "empty"),
        ("I cannot see any question.", "holds no JSON object"),
        ('{"question": "Who?", "hops": [{"question": "a"', "breaks off"),
        ('{"question": "Who?"}', "does not follow the schema: hops: Field required"),
        ('{"question": 1, "hops": [{"question": "a", "inputs": "b"}]}', "hops.0.inputs"),
        ('{"question": "Who?", "hops": [], "note": "!"}', "note: Extra inputs"),
        ("[1, 2]", "holds no JSON object"),
        ("{" * 5000, "malformed or breaks off"),
        ('{"a":' * 5000, "malformed or breaks off"),
        ('{"question": ]}', "malformed or breaks off"),
    ],
)
def test_the_problem_is_told_in_words(text: str, problem: str) -> None:
    with pytest.raises(UnreadableError, match=problem):
        read(text)


@given(st.text(st.sampled_from("{}[]\"':,\\ aqhn1"), max_size=60))
def test_any_text_is_read_or_told(text: str) -> None:
    outcome: Wording | str
    try:
        outcome = read(text)
    except UnreadableError as error:
        outcome = str(error)
    assert outcome


def test_refusals_are_told_apart() -> None:
    assert refused(Choice("fine")) is None
    refusal = refused(Choice("", refusal="I cannot help with that."))
    assert refusal is not None
    assert (refusal.text, refusal.problem) == ("I cannot help with that.", "the model refused")
    filtered = refused(Choice('{"question": "Wh', "content_filter"))
    assert filtered is not None
    assert "content filter" in filtered.problem
