"""What the lexical baseline replies to each kind of prompt, read by what scores the replies."""

from __future__ import annotations

import json

import pytest

from factchain.eval import prompts, replies
from factchain.eval.baseline import NO_PASSAGES, NOT_FOUND, answer
from factchain.eval.prompts import Document, Step
from factchain.eval.strategy import CHOICES

EMMA = Document("Emma", "Emma author Cat.")
CAT = Document("Cat", "Cat place of birth Paris.\nCat date of birth 14 March 1879.")
TWO_HOPS = "Where was the author of the book Emma born?"
OPTIONS = {"A": "Rome", "B": "1882", "C": "Emma Bay", "D": "1883"}


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What is the sum of 3 and 2?", "5"),
        ("Which year is 3 years after 1879?", "1882"),
        ("Which year is as many years before 1879 as 25 years?", "1854"),
        ("How many years lie between 14 March 1879 and 1955?", "76 years"),
        ("What is the product of 2 and 12?", "24"),
    ],
)
def test_it_is_certain_of_what_follows_from_the_numbers_in_the_question(
    question: str, said: str
) -> None:
    assert replies.confident(answer(prompts.confident_answer(question))) == (said, True)
    assert answer(prompts.direct_answer(question)) == said
    assert replies.final_answer(answer(prompts.reasoned_answer(question))) == said
    assert answer(prompts.answer_step(question, [Step("Who?", "Ann")])) == said
    chosen = answer(prompts.choose_for_sub_question("Why?", ["Who?", question]))
    assert replies.choice(chosen, CHOICES["sub-question"]) == "answer"


@pytest.mark.parametrize(
    "question",
    [
        "Where was Cat born?",
        "Who was born in the year 3 years after 1879?",
        "Which of Ann and Bob was born earlier?",
        "What is the sum of the population of Rome and 3?",
        "How many children does Cat have?",
        "In which year was Blade Runner 2049 released?",
        "Is Rome the same as Rome?",
        "",
    ],
)
def test_of_nothing_else_it_is_certain(question: str) -> None:
    assert not replies.confident(answer(prompts.confident_answer(question))).certain
    assert answer(prompts.direct_answer(question)) == NO_PASSAGES
    chosen = answer(prompts.choose_for_sub_question("Why?", [question]))
    assert replies.choice(chosen, CHOICES["sub-question"]) == "retrieve"


def test_it_answers_from_all_passages_or_not_at_all() -> None:
    assert answer(prompts.answer_with_documents(TWO_HOPS, [CAT, EMMA])) == "Paris"
    assert answer(prompts.answer_with_documents(TWO_HOPS, [EMMA])) == NOT_FOUND
    assert answer(prompts.answer_with_documents(TWO_HOPS, [CAT])) == NOT_FOUND


def test_probed_with_a_part_it_makes_the_best_of_it() -> None:
    """With the author's passage missing, the words lead as far as the author."""
    said = json.loads(answer(prompts.supported_answer(TWO_HOPS, [EMMA])))
    assert said == {"answer": "Cat", "documents": [1]}
    whole = replies.supported(answer(prompts.supported_answer(TWO_HOPS, [EMMA, CAT])))
    assert whole == ("Paris", (1, 2))
    none = replies.supported(answer(prompts.supported_answer("Who wrote Dune?", [CAT])))
    assert none == (NOT_FOUND, ())


@pytest.mark.parametrize("think", [False, True])
def test_of_options_it_chooses_one_in_any_case(think: bool) -> None:
    def chosen(question: str) -> str:
        reply = answer(prompts.choose_option(question, OPTIONS, think=think))
        return replies.option(reply, OPTIONS)

    assert chosen("Which year is 4 years after 1879?") == "D"  # worked out
    assert chosen("Where is the bay of Emma?") == "C"  # both of its words
    assert chosen("Where was Cat born?") == "A"  # nothing speaks for any


def test_it_decomposes_what_has_several_hops() -> None:
    def strategy(question: str) -> str:
        return replies.choice(answer(prompts.choose_strategy(question)), CHOICES["question"])

    assert strategy(TWO_HOPS) == "decompose"
    assert strategy("Is the author of Emma the same as the author of Dune?") == "retrieve"
    assert strategy("Who is the author of Emma?") == "retrieve"


def test_it_asks_on_until_nothing_is_left() -> None:
    steps: list[Step] = []
    asked = []
    while text := replies.sub_question(answer(prompts.next_sub_question(TWO_HOPS, steps))):
        done = replies.choice(answer(prompts.judge_done(TWO_HOPS, steps)), CHOICES["synthesis"])
        assert done == "continue"
        asked.append(text)
        steps.append(Step(text, NOT_FOUND))
    assert asked == [
        "Who is the author of the book Emma?",
        "Where was the author of the book Emma born?",
    ]
    done = replies.choice(answer(prompts.judge_done(TWO_HOPS, steps)), CHOICES["synthesis"])
    assert done == "finish"
    assert answer(prompts.synthesise(TWO_HOPS, steps)) == NOT_FOUND
    assert answer(prompts.synthesise(TWO_HOPS, [])) == NO_PASSAGES
