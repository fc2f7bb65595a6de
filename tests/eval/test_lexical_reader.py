"""The lexical reader and the provider that speaks for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.model import get_model

from factchain.errors import ConfigError
from factchain.eval import baseline, prompts
from factchain.eval.lexical_operations import read
from factchain.eval.prompts import Document

HAMLET = Document("Hamlet", "Hamlet author William Shakespeare.\nHamlet genre tragedy.")
SHAKESPEARE = Document(
    "William Shakespeare",
    "William Shakespeare date of birth 26 April 1564.\n"
    "William Shakespeare place of birth Stratford-upon-Avon.\n"
    "William Shakespeare place of death London.\n"
    "William Shakespeare country of citizenship Kingdom of England.",
)
STRATFORD = Document("Stratford-upon-Avon", "Stratford-upon-Avon country United Kingdom.")
KINGDOM = Document(
    "United Kingdom", "United Kingdom capital London.\nUnited Kingdom continent Europe."
)
OLD = Document(
    "United Kingdom", "As of 2021-06-21:\nUnited Kingdom head of government Boris Johnson."
)
NEW = Document(
    "United Kingdom", "As of 2024-06-05:\nUnited Kingdom head of government Rishi Sunak."
)
ALL = [KINGDOM, STRATFORD, SHAKESPEARE, HAMLET, NEW, OLD]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who is the author of Hamlet?", "William Shakespeare"),
        ("Who wrote Hamlet?", "William Shakespeare"),
        ("What is the genre of Hamlet?", "tragedy"),
        ("Where was William Shakespeare born?", "Stratford-upon-Avon"),
        ("When was William Shakespeare born?", "26 April 1564"),
        ("What is the birthplace of the author of Hamlet?", "Stratford-upon-Avon"),
        ("Where did the author of the play Hamlet die?", "London"),
        ("In which country is the place where the author of Hamlet was born?", "United Kingdom"),
        ("What is the capital of the country of the birthplace of the author of Hamlet?", "London"),
        ("As of 5 June 2024, who is the head of government of United Kingdom?", "Rishi Sunak"),
        ("What is the currency of United Kingdom?", None),
        ("Who is the author of Macbeth?", None),
        ("", None),
    ],
)
def test_it_follows_the_words_of_the_question(question: str, answer: str | None) -> None:
    assert read(question, ALL) == answer


def test_the_word_nearest_to_the_topic_comes_first() -> None:
    family = [
        Document("Ann", "Ann father Bob.\nAnn mother Cat."),
        Document("Bob", "Bob father Dan.\nBob mother Eve."),
        Document("Cat", "Cat father Fay.\nCat mother Gil."),
    ]
    assert read("Who is the mother of the father of Ann?", family) == "Eve"
    assert read("Who is the father of the mother of Ann?", family) == "Fay"
    assert read("Who is the father of the father of Ann?", family) == "Dan"


def test_a_missing_passage_ends_the_path() -> None:
    question = "What is the country of the birthplace of the author of Hamlet?"
    assert read(question, [HAMLET, STRATFORD]) == "William Shakespeare"


def test_the_longest_title_is_the_topic() -> None:
    documents = [
        Document("London", "London mayor Sadiq Khan."),
        Document("London Bridge", "London Bridge mayor Nobody Else."),
    ]
    assert read("Who is the mayor of London Bridge?", documents) == "Nobody Else"


def test_an_object_keeps_its_full_stop_and_its_small_words() -> None:
    document = Document(
        "X", "X capital Washington, D.C..\nX head of state Felipe VI of Spain.\nX sport chess."
    )
    spain = Document("Spain", "Spain capital Madrid.")
    assert read("What is the capital of X?", [document]) == "Washington, D.C."
    assert read("Who is the head of state of X?", [document, spain]) == "Felipe VI of Spain"
    assert read("What is the sport of X?", [document]) == "chess"


def test_the_order_of_the_passages_does_not_matter() -> None:
    question = "What is the capital of the country of the birthplace of the author of Hamlet?"
    assert read(question, ALL) == read(question, ALL[::-1])


@given(st.text(max_size=60), st.lists(st.tuples(st.text(max_size=12), st.text(max_size=60))))
def test_it_reads_any_text(question: str, documents: list[tuple[str, str]]) -> None:
    answer = read(question, [Document(*document) for document in documents])
    assert answer is None or any(answer in text for _, text in documents)


def test_many_linked_passages_are_read_in_time() -> None:
    names = [f"N{i}" for i in range(60)]
    documents = [Document(n, "\n".join(f"{n} friend {m}." for m in names)) for n in names]
    assert read("Who is the " + "friend of the " * 20 + "friend of N7?", documents) is not None


def test_it_says_what_it_lacks() -> None:
    assert baseline.answer(prompts.direct_answer("Who wrote Hamlet?")) == baseline.NO_PASSAGES
    prompt = prompts.answer_with_documents("Who wrote Macbeth?", [HAMLET])
    assert baseline.answer(prompt) == baseline.NOT_FOUND
    prompt = prompts.answer_with_documents("Who wrote Hamlet?", [HAMLET])
    assert baseline.answer(prompt) == "William Shakespeare"


def test_another_built_in_model_is_refused() -> None:
    with pytest.raises(ConfigError, match="factchain/oracle: no such model is built in"):
        get_model("factchain/oracle")
