"""Duplicates: by definition on random sets, and the texts that are and are not near."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz

from factchain.chains.records import ChainFact
from factchain.questions.filtering.duplicates import (
    DEFAULT_RULES,
    RULES,
    comparable_text,
    drop_duplicates,
    facts_of,
    find_duplicates,
)
from factchain.questions.filtering.near_texts import NearTexts, telling_words
from factchain.questions.records import Answer, Provenance, Question, SubQuestion


def question(
    key: int,
    text: str | None = None,
    facts: tuple[str, ...] = (),
    answer: str = "Paris",
    axis: str = "none",
) -> Question:
    """Facts are `subject property object` in numbers: `1 2 3` is Q1 P2 Q3."""
    hops = [
        SubQuestion(
            index=at,
            question="?",
            template="?",
            inputs=(),
            answer=Answer(label=answer, kind="text"),
            facts=(
                ChainFact(
                    s=f"Q{s}", s_label=f"thing {s}", p=f"P{p}", p_label="", o=f"Q{o}", o_label=""
                ),
            ),
        )
        for at, (s, p, o) in enumerate((fact.split() for fact in facts), start=1)
    ]
    return Question.model_validate(
        {
            "id": f"q-{key}",
            "axis": axis,
            "topology": "chain",
            "hops": 1,
            "question": text or f"Unlike number{key * 7919}?",
            "answer": Answer(label=answer, kind="text"),
            "sub_questions": hops,
            "labels": (),
            "provenance": Provenance(
                verbalizer="test", verifier="test", verdicts=(), snapshot=None, seed=0
            ),
        }
    )


FACTS = st.sets(
    st.tuples(*[st.integers(1, 3)] * 3).map(lambda f: " ".join(map(str, f))), min_size=1, max_size=4
)


@given(st.lists(st.tuples(FACTS, st.sampled_from(["popularity", "recency"])), max_size=12))
def test_facts_are_compared_as_sets(drawn: list[tuple[set[str], str]]) -> None:
    questions = [
        question(at, facts=tuple(sorted(facts)), axis=axis)
        for at, (facts, axis) in enumerate(drawn)
    ]
    rules = ("same facts", "part of another", "all facts but one")
    kept: list[Question] = []
    for one in questions:
        own = facts_of(one)
        alike = [
            other
            for other in kept
            if other.axis == one.axis
            and (
                own <= facts_of(other)
                or own >= facts_of(other)
                or (
                    len(own) == len(facts_of(other)) >= 3
                    and len(own & facts_of(other)) == len(own) - 1
                )
            )
        ]
        if not alike:
            kept.append(one)
    stay, found, summary = drop_duplicates(questions, rules)
    assert stay == kept
    assert sum(summary.dropped.values()) == len(questions) - len(kept) == len(found)
    order = {one.id: at for at, one in enumerate(questions)}
    assert all(order[one.kept] < order[one.question] for one in found)
    assert drop_duplicates(stay, rules)[0] == stay


WORDS = st.lists(
    st.sampled_from(["who", "is", "the", "father", "mother", "of", "Anna", "Berta", "1968"]),
    max_size=7,
)


@given(st.lists(st.tuples(WORDS.map(" ".join), st.sampled_from(["x", "y"])), max_size=10))
def test_near_texts_are_found_as_by_comparing_all(drawn: list[tuple[str, str]]) -> None:
    """Blocks lose no pair that names the same and shares one of its longest words."""
    questions = [
        question(at, text or "?", answer=answer) for at, (text, answer) in enumerate(drawn)
    ]
    kept: list[Question] = []
    for one in questions:
        words = comparable_text(one.question)
        alike = any(
            fuzz.token_sort_ratio(words, comparable_text(other.question)) >= 90
            and telling_words(one.question) == telling_words(other.question)
            and one.answer == other.answer
            and (telling_words(one.question) or longest(one) & longest(other))
            for other in kept
        )
        if not alike:
            kept.append(one)
    assert drop_duplicates(questions, ("near text",), 90)[0] == kept


def longest(one: Question) -> set[str]:
    words = set(comparable_text(one.question).split())
    return set(sorted(words, key=lambda word: (-len(word), word))[:2])


@pytest.mark.parametrize(
    ("a", "b", "near"),
    [
        ("Who directed Alien?", "Who directed Aliens II?", False),
        ("Who is the father of Marie Curie?", "Who is the spouse of Marie Curie?", False),
        (
            "In which country was the director of Amélie born?",
            "In which country was the director of Amelie born",
            True,
        ),
        (
            "Who was the wife of the man who wrote Candida?",
            "Who was the wife of the man that wrote Candida?",
            True,
        ),
        (
            "In what year was the founder of Apple born?",
            "In what year was the founder of Apple's born?",
            True,
        ),
        ("What came 35 years before 1968?", "What came 35 years before 1969?", False),
    ],
)
def test_what_is_near(a: str, b: str, near: bool) -> None:
    texts = NearTexts(90)
    texts.add(0, comparable_text(a), telling_words(a))
    assert texts.near(comparable_text(b), telling_words(b)) == ([0] if near else [])


def test_each_rule_is_counted_and_the_earlier_stays() -> None:
    text = "Who was the wife of the man who wrote Candida?"
    questions = [
        question(1, text, ("1 2 3", "3 4 5", "5 6 7")),
        question(2, text.upper(), ("8 2 3",)),
        question(3, "Who was the wife of the man that wrote Candida?", ("1 2 9",)),
        question(4, facts=("5 6 7", "1 2 3", "3 4 5")),
        question(5, facts=("3 4 5", "5 6 7")),
        question(6, facts=("1 2 3", "3 4 5", "5 6 8")),
        question(7, text, answer="London"),
        # Its facts say that it is about something else, whatever its words.
        question(8, "Who was the wife of the man that wrote Candida?", ("9 2 8",)),
    ]
    stay, found, summary = drop_duplicates(questions, RULES)
    assert {one.question: (one.kept, one.rule) for one in found} == {
        "q-2": ("q-1", "same text"),
        "q-3": ("q-1", "near text"),
        "q-4": ("q-1", "same facts"),
        "q-5": ("q-1", "part of another"),
        "q-6": ("q-1", "all facts but one"),
        "q-7": ("q-1", "same text"),
    }
    assert summary.other_answers == 1
    assert [one.id for one in stay] == ["q-1", "q-8"]
    by_default = drop_duplicates(questions, DEFAULT_RULES)[0]
    assert [one.id for one in by_default] == ["q-1", "q-6", "q-8"]


def test_twenty_thousand_questions_make_few_comparisons(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of questions from one template only those about the same thing are compared."""
    compared = 0

    def near(self: NearTexts, text: str, telling: frozenset[str]) -> list[int]:
        nonlocal compared
        compared += len(self._blocks.get((telling, ""), ()))
        return []

    monkeypatch.setattr(NearTexts, "near", near)
    asked = [
        question(at, f"In which country was the director of Film{at // 2} born?", answer=str(at))
        for at in range(2_000)
    ]
    assert find_duplicates(asked, ("near text",)) == []
    assert compared == 1_000
