"""References to earlier answers, and the topology that they make."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factchain.formats.letters import letter, number_of
from factchain.formats.references import inputs_of, put_in, take_out, topology_of


@pytest.mark.parametrize(
    ("template", "index", "inputs"),
    [
        ("Who was the first president of #1 ?", 2, (1,)),
        ("Midway (near Pleasant Plains), #2 , #1 >> country", 3, (1, 2)),
        ("What is #2 's ranking in #3 ?", 4, (2, 3)),
        ("who sang #1", 1, ()),  # nothing comes before the first hop
        ("who sang #3 after #1", 3, (1,)),
        ("who is #1 most listened to on spotify?", 2, ()),
        ("what is #12 of #01", 3, ()),
        ("no reference", 4, ()),
    ],
)
def test_only_earlier_hops_are_referred_to(
    template: str, index: int, inputs: tuple[int, ...]
) -> None:
    assert inputs_of(template, index) == inputs


def test_answers_stand_in_place_of_references() -> None:
    answers = ["Hans #2", "Sweden", "x"]
    assert put_in("#1 of #2 at #3", (1, 2), answers) == "Hans #2 of Sweden at #3"


@pytest.mark.parametrize(
    ("question", "index", "answers", "template", "inputs"),
    [
        ("Where was Ann Lee born?", 2, ["Ann Lee", "York"], "Where was #1 born?", (1,)),
        ("Who leads new york?", 2, ["New York", "x"], "Who leads #1?", (1,)),
        ("Is Yorkshire in York?", 2, ["York", "x"], "Is Yorkshire in #1?", (1,)),
        ("New York or York?", 3, ["York", "New York", "x"], "#2 or #1?", (1, 2)),
        ("Who?", 2, ["", "x"], "Who?", ()),
        ("What is C++ (1)?", 2, ["C++ (1)", "x"], "What is #1?", (1,)),
        ("What of Rome?", 3, ["Rome", "Rome", "x"], "What of #2?", (2,)),
    ],
)
def test_earlier_answers_are_found(
    question: str, index: int, answers: list[str], template: str, inputs: tuple[int, ...]
) -> None:
    assert take_out(question, index, answers) == (template, inputs)
    assert put_in(template, inputs, answers).casefold() == question.casefold()


@pytest.mark.parametrize(
    ("inputs", "topology"),
    [
        ([()], "chain"),
        ([(), (1,)], "chain"),
        ([(), (1,), (2,), (3,)], "chain"),
        ([(), (), (1, 2)], "converging"),
        ([(), (), (1, 2), (3,)], "converging"),  # MuSiQue's 4hop2
        ([(), (1,), (), (2, 3)], "bridge"),  # MuSiQue's 4hop3
        ([(), (), (2,), (1, 3)], "bridge"),  # the same in another order
        ([(), ()], "other"),
        ([(), (1,), (1,), (2, 3)], "other"),
        ([], "unknown"),
    ],
)
def test_edges_decide_the_topology(inputs: list[tuple[int, ...]], topology: str) -> None:
    assert topology_of(inputs) == topology


@given(st.integers(0, 100_000))
def test_letters_count(number: int) -> None:
    assert number_of(letter(number)) == number


def test_letters_are_those_of_options() -> None:
    assert [letter(n) for n in (0, 3, 25, 26, 27, 701, 702)] == [
        "A",
        "D",
        "Z",
        "AA",
        "AB",
        "ZZ",
        "AAA",
    ]
