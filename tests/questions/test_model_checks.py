"""The checks that ask a model: what is asked, what passes, and what a bad reply is worth."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from chain_builder import ChainBuilder, amount, day
from factchain.chains.records import EntityRef
from factchain.errors import ConfigError
from factchain.questions.answers import to_answer
from factchain.questions.build import to_question
from factchain.questions.checks import ALL_CHECKS, Verification, named_checks
from factchain.questions.judging import is_right
from factchain.questions.llm.protocol import Ask, Quarantined
from factchain.questions.model_checks.closed_book import with_difficulty
from factchain.questions.model_checks.hops_read import HopsRead, asked, properties_of
from factchain.questions.model_checks.protocol import Finding, ModelCheck, run_check
from factchain.questions.model_checks.reading import Necessity, Reading, source_facts
from factchain.questions.names import EntityName
from factchain.questions.records import Answer, Question
from factchain.questions.verbalize.protocol import OneByOne
from factchain.questions.verbalize.template import TemplateVerbalizer
from fake_model import FakeModel

Reply = dict[str, Any] | Quarantined
NOTHING = {"sufficient": False, "answer": ""}


def film() -> ChainBuilder:
    chain = ChainBuilder()
    chain.entity("Amélie", description="2001 film")
    chain.entity("Jean-Pierre Jeunet", aliases=["Jeunet"])
    chain.entity("Roanne", aliases=["Rouanne"])
    chain.lookup("P57 director", "Amélie", "Jean-Pierre Jeunet")
    chain.lookup("P19 place of birth", 1, "Roanne")
    return chain


def question_of(builder: ChainBuilder) -> Question:
    chain, templates = builder.chain(), TemplateVerbalizer()
    wording = templates.verbalize(chain, builder.names)
    return to_question(chain, wording, (), builder.names, OneByOne(templates))


def read(answer: str) -> dict[str, Any]:
    return {"sufficient": True, "answer": answer}


def data_of(ask: Ask[Any]) -> list[Any]:
    return [json.loads(text) for text in re.findall(r"```json\n(.*)\n```", ask.user)]


def find(
    check: ModelCheck[Any], question: Question, answer: Callable[[Any, str], Reply]
) -> Finding:
    """What a check finds where a model answers by the data of its prompt."""
    model = FakeModel(lambda ask: answer(*data_of(ask)))
    (finding,) = run_check(check, [question], model)
    assert model.rounds == 1
    return finding


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("Roanne", True),
        ("roanne.", True),
        ("Rouanne", True),
        ("It is Roanne, in France", True),
        ("Lyon", False),
        ("", False),
        ("Roannes", False),
        ("Lyon, Paris, Nice, Lille, Roanne or Nantes", False),
    ],
)
def test_a_reply_is_a_name_of_the_answer(said: str, right: bool) -> None:
    gold = Answer(id="Q1", label="Roanne", aliases=("Rouanne",))
    assert is_right(said, [gold]) is right


@pytest.mark.parametrize(
    ("said", "value", "right"),
    [
        ("thirty-five", amount(35), True),
        ("350", amount(35), False),
        ("12 March 1968", day("1968-03-12"), True),
        ("1968", day("1968-03-12"), False),
        ("35 kilometres", amount(35, "metre"), False),
        ("José", EntityRef(id="Q1", label="Jose"), True),
    ],
)
def test_a_reply_is_compared_by_value(said: str, value: Any, right: bool) -> None:
    names = {"Q1": EntityName("Q1", "Jose", "", (), frozenset(), False)}
    assert is_right(said, [to_answer(value, names)]) is right


def test_reading_asks_for_the_question_and_every_hop() -> None:
    question = question_of(film())
    answers = {
        question.question: "Roanne",
        "Who directed Amélie?": "Jeunet",
        "Where was Jean-Pierre Jeunet born?": "Rouanne",
    }
    finding = find(Reading(), question, lambda facts, text: read(answers[text]))
    assert finding.verdict.passed
    assert finding.verdict.evidence == "reads 'Roanne', 'Jeunet', 'Rouanne'"
    for place, text in enumerate(answers):
        wrong = answers | {text: "Lyon"}
        finding = find(Reading(), question, lambda facts, text, wrong=wrong: read(wrong[text]))
        assert not finding.verdict.passed
        assert "is read as 'Lyon'" in finding.verdict.evidence
        named = "the question" if place == 0 else f"sub-question {place}"
        assert named in finding.advice[0]
        assert "Roanne" not in finding.advice[0]
    lost = find(Reading(), question, lambda facts, text: NOTHING)
    assert lost.verdict.evidence.startswith("the question is read as insufficient, not 'Roanne'")
    broken = find(Reading(), question, lambda facts, text: Quarantined("{", "no JSON"))
    assert "cannot be read (no JSON)" in broken.verdict.evidence
    assert not broken.verdict.passed


def test_necessity_leaves_out_the_facts_of_one_hop() -> None:
    question = question_of(film())
    seen: list[list[str]] = []

    def honest(facts: Any, text: str) -> Reply:
        seen.append([fact["property"] for fact in facts])
        assert text == question.question
        return NOTHING

    finding = find(Necessity(), question, honest)
    assert seen == [["place of birth"], ["director"]]
    assert finding.verdict.evidence == "without hop 1: insufficient; without hop 2: insufficient"
    guessed = find(Necessity(), question, lambda facts, text: read("Lyon"))
    assert guessed.verdict.passed
    knows = find(
        Necessity(),
        question,
        lambda facts, text: read("Roanne") if facts[0]["property"] == "director" else NOTHING,
    )
    assert not knows.verdict.passed
    assert knows.verdict.evidence == "without the facts of hop 2: 'Roanne'"
    assert not find(Necessity(), question, lambda f, t: Quarantined("", "x")).verdict.passed


def test_a_fact_that_two_hops_share_is_left_out_with_either() -> None:
    chain = film()
    chain.lookup("P57 director", "Amélie", "Jean-Pierre Jeunet")
    question = question_of(chain)
    assert len(source_facts(question)) == 2
    assert [p for _, p, _ in source_facts(question, without=3)] == ["place of birth"]


def test_unanswerable_questions_are_read_from_what_is_left() -> None:
    question = question_of(film())
    gone = question.model_copy(
        update={
            "answerable": False,
            "withheld": (2,),
            "answer": Answer(label="Insufficient information", kind="insufficient"),
            "full_answer": question.answer,
        }
    )
    assert [p for _, p, _ in source_facts(gone)] == ["director"]

    def honest(facts: Any, text: str) -> Reply:
        return read("Jeunet") if text.startswith("Who") else NOTHING

    assert find(Reading(), gone, honest).verdict.passed
    assert not find(Reading(), gone, lambda f, t: read("Roanne")).verdict.passed
    assert find(Necessity(), gone, honest).verdict.passed


LABELS = {f"P{900 + n}": f"made up {word}" for n, word in enumerate("abcdefghijklm")}


def hops_read(question: Question) -> HopsRead:
    return HopsRead(properties_of([question]) | LABELS, {"P57": "who directs"})


def test_a_model_lists_the_hops_from_a_list_with_others() -> None:
    question = question_of(film())
    model = FakeModel(lambda ask: {"hops": []})
    (finding,) = run_check(hops_read(question), [question], model)
    listed, text = data_of(model.asked[0])
    assert text == question.question
    assert {"P57", "P19"} < set(listed)
    assert len(listed) == 10
    assert listed["P57"] == {"name": "director", "meaning": "who directs"}
    assert finding.verdict.evidence == (
        "the model reads no hop; it does not read director, place of birth"
    )
    assert len(finding.advice) == 2
    again = FakeModel(lambda ask: {"hops": []})
    run_check(hops_read(question), [question], again)
    assert again.asked == model.asked


@pytest.mark.parametrize(
    ("hops", "passed", "evidence"),
    [
        (["P57", "P19"], True, "the model reads director, place of birth"),
        (["P19", "P57", "P900"], True, "of which made up a is not in the chain"),
        (["P57"], False, "it does not read place of birth"),
        (["obey", "P19"], False, "of which obey is not in the chain; it does not read director"),
    ],
)
def test_coverage_by_a_model(hops: list[str], passed: bool, evidence: str) -> None:
    question = question_of(film())
    reply = {"hops": [{"property": p, "operation": "none"} for p in hops]}
    finding = find(hops_read(question), question, lambda listed, text: reply)
    assert finding.verdict.passed is passed
    assert evidence in finding.verdict.evidence


def test_operations_and_repeated_properties_are_counted() -> None:
    chain = film()
    chain.compare(
        "earliest", "P569 date of birth", (1, day("1953-09-03")), ("Zoe", day("1960-01-02"))
    )
    question = question_of(chain)
    base = [{"property": p, "operation": "none"} for p in ("P57", "P19")]
    for operation, passed in (("earlier", True), ("later", False), ("none", False)):
        reply = {"hops": [*base, {"property": "P569", "operation": operation}]}
        assert find(hops_read(question), question, lambda a, b, r=reply: r).verdict.passed is passed
    father = ChainBuilder()
    father.lookup("P22 father", "Zoe", "Adam")
    father.lookup("P22 father", 1, "Noah")
    twice = question_of(father)
    assert [asked(sub, twice) for sub in twice.sub_questions] == [{"P22"}, {"P22"}]
    for times in (1, 2):
        reply = {"hops": [{"property": "P22", "operation": "none"}] * times}
        finding = find(hops_read(twice), twice, lambda a, b, r=reply: r)
        assert finding.verdict.passed is (times == 2)


def test_the_closed_book_is_a_difficulty() -> None:
    question = question_of(film())
    other = question.model_copy(update={"id": "q-2", "question": "Where?"})

    def knows(ask: Ask[Any]) -> Reply:
        if ask.user == "Where?":
            return Quarantined("", "refused")
        return {"answer": "Rouanne" if ask.repeat % 2 else "Lyon"}

    models = [FakeModel(knows, "a"), FakeModel(lambda ask: {"answer": "Roanne"}, "b")]
    hard, easy = with_difficulty([other, question], models, 3)
    assert hard.closed_book is not None
    assert easy.closed_book is not None
    assert (hard.closed_book.correct, hard.closed_book.asked) == (3, 6)
    assert (easy.closed_book.correct, easy.closed_book.models) == (4, ("a", "b"))
    assert len({(ask.user, ask.repeat) for ask in models[0].asked}) == 6
    assert {ask.temperature for ask in models[0].asked} == {0.7}


def test_names_of_checks() -> None:
    assert named_checks(None, has_model=False) == ALL_CHECKS[:4]
    assert named_checks(None, has_model=True) == ALL_CHECKS
    assert named_checks("necessity, leak", has_model=True) == ("leak", "necessity")
    for wrong, message in (("leek", "'leek' is no check"), (",", "no check is named")):
        with pytest.raises(ConfigError, match=message):
            named_checks(wrong, has_model=True)
    with pytest.raises(ConfigError, match="reading asks a language model"):
        Verification(("leak", "reading"))
