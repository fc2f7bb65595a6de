"""Verification: execution decides, every hop is said, and nothing is given away."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain_builder import ChainBuilder, amount, day
from conftest import claim, item, item_snak, property_entity, write_dump
from factchain.chains.proof.execute import execute
from factchain.chains.records import FactChain
from factchain.kg.dumps.ingest import ingest
from factchain.kg.store import Store
from factchain.questions.build import generate_questions
from factchain.questions.coverage import CUES, unsaid
from factchain.questions.leaks import leaks, occurs
from factchain.questions.names import EntityName, entity_names, property_names
from factchain.questions.records import Question
from factchain.questions.verbalize.protocol import Wording
from factchain.questions.verbalize.template import TemplateVerbalizer
from factchain.questions.verify import coverage, distinguishable, no_leak, symbolic
from factchain.records import read_records


def date_snak(prop: str, date: str) -> dict[str, Any]:
    value = {
        "time": f"+{date}T00:00:00Z",
        "precision": 11,
        "calendarmodel": "http://www.wikidata.org/entity/Q1985727",
        "timezone": 0,
        "before": 0,
        "after": 0,
    }
    return {
        "snaktype": "value",
        "property": prop,
        "datatype": "time",
        "datavalue": {"type": "time", "value": value},
    }


DIRECTOR, BIRTHPLACE, BORN = "P57 director", "P19 place of birth", "P569 date of birth"
ENTITIES = [
    property_entity("P57", "director"),
    property_entity("P19", "place of birth"),
    property_entity("P569", "date of birth") | {"datatype": "time"},
    item("Q1", "Amélie", [claim(item_snak("P57", "Q2"))], "2001 film"),
    item(
        "Q2",
        "Jean-Pierre Jeunet",
        [claim(item_snak("P19", "Q3")), claim(date_snak("P569", "1953-09-03"))],
        aliases=["Jeunet"],
    ),
    item("Q3", "Roanne", aliases=["Rouanne", "US"]),
    item("Q4", "Roanne Story", [claim(item_snak("P19", "Q5"))]),
    item("Q5", "Story"),
    item("Q6", "Twin", [claim(item_snak("P19", "Q5"))]),
    item("Q7", "Twin", [claim(item_snak("P57", "Q5"))]),
    item("Q8", "Zoe", [claim(date_snak("P569", "1960-01-02"))]),
]
LABELS = {one["id"]: one["labels"]["en"]["value"] for one in ENTITIES if one["id"][0] == "Q"}


def builder() -> ChainBuilder:
    chain = ChainBuilder()
    for key, label in LABELS.items():
        chain.entity(label, id=key)
    return chain


def film() -> ChainBuilder:
    chain = builder()
    chain.lookup(DIRECTOR, "Amélie", "Jean-Pierre Jeunet")
    chain.lookup(BIRTHPLACE, 1, "Roanne")
    return chain


@pytest.fixture
def store(tmp_path: Path) -> Iterable[Store]:
    with Store.create(tmp_path / "kg") as store:
        ingest(store, write_dump(tmp_path / "dump.json", ENTITIES), "2024-06-05", "2024-06-05")
        yield store


@pytest.fixture
def chains() -> list[FactChain]:
    story, twin, older = builder(), builder(), builder()
    story.lookup(BIRTHPLACE, "Roanne Story", "Story")
    twin.lookup(BIRTHPLACE, "Twin", "Story")
    older.lookup(DIRECTOR, "Amélie", "Jean-Pierre Jeunet")
    older.compare("earliest", BORN, (1, day("1953-09-03")), ("Zoe", day("1960-01-02")))
    drawn = [film(), story, twin, older]
    return [one.chain().model_copy(update={"id": f"c-{k}"}) for k, one in enumerate(drawn, start=1)]


def test_kept_questions_carry_their_proof(
    store: Store, chains: list[FactChain], tmp_path: Path
) -> None:
    again = chains[0].model_copy(update={"id": "c-5"})
    summary = generate_questions(
        store, [*chains, again], TemplateVerbalizer(), tmp_path / "q.jsonl"
    )
    questions = {q.id: q for q in read_records(tmp_path / "q.jsonl", Question)}
    assert summary.rejected == {"distinguishable": 1, "duplicate": 1}
    assert summary.named_by_topic == 1
    question = questions["q-1"]
    assert question.question == "Where was the director of Amélie born?"
    assert question.answer.label == "Roanne"
    assert question.answer.aliases == ("Rouanne", "US")
    assert [sub.template for sub in question.sub_questions] == [
        "Who directed Amélie?",
        "Where was #1 born?",
    ]
    assert {v.check: v.passed for v in question.provenance.verdicts} == dict.fromkeys(
        ("symbolic", "distinguishable", "leak", "coverage"), True
    )
    assert question.provenance.verdicts[0].evidence == "executed: {Q2} -> {Q3}"
    assert questions["q-2"].provenance.verdicts[2].evidence == (
        "names no answer of any hop; Story is part of a topic's name"
    )


def test_a_comparison_carries_its_operation(
    store: Store, chains: list[FactChain], tmp_path: Path
) -> None:
    generate_questions(store, chains[3:], TemplateVerbalizer(), tmp_path / "q.jsonl")
    (question,) = read_records(tmp_path / "q.jsonl", Question)
    assert question.question == "Which of the director of Amélie and Zoe was born earlier?"
    last = question.sub_questions[-1]
    assert (last.kind, last.inputs, len(last.facts)) == ("compare", (1,), 2)
    assert last.operation is not None
    assert last.operation.operator == "earliest"
    assert question.kinds == ("compare", "lookup")


def test_a_wrong_answer_is_not_proved(store: Store) -> None:
    right = film().chain()
    (executed,) = execute(store, [right])
    assert symbolic(right, executed).passed
    hop = right.hops[-1]
    wrong = hop.model_copy(update={"answer": hop.answer.model_copy(update={"id": "Q5"})})
    verdict = symbolic(right.model_copy(update={"hops": (*right.hops[:-1], wrong)}), executed)
    assert not verdict.passed
    assert verdict.evidence == "executed: {Q2} -> {Q3}"


def test_an_operation_is_reckoned_again(store: Store, chains: list[FactChain]) -> None:
    older = chains[3]
    (executed,) = execute(store, [older])
    assert symbolic(older, executed).passed
    hop = older.hops[-1]
    assert hop.operation is not None
    latest = hop.operation.model_copy(update={"operator": "latest"})
    wrong = hop.model_copy(update={"operation": latest})
    verdict = symbolic(older.model_copy(update={"hops": (older.hops[0], wrong)}), executed)
    assert not verdict.passed
    assert verdict.evidence == "executed: {Q2} -> {Q2}; hop 2 comes to Zoe"


@pytest.mark.parametrize(
    ("question", "given_away"),
    [
        ("Where was the director of Amélie born?", False),
        ("Where was Jean-Pierre Jeunet born?", True),
        ("Where was jeunet, the director, born?", True),
        ("Was he born in ROANNE?", True),
        ("Was he born in Roannes?", False),
        ("Do tell us where.", False),
        ("Was it in the US?", True),
    ],
)
def test_leaks(store: Store, question: str, given_away: bool) -> None:
    chain = film().chain()
    verdict = no_leak(chain, Wording(question, (), ()), entity_names(store, [chain]))
    assert verdict.passed is not given_away


def test_numbers_and_dates_leak_in_every_form() -> None:
    chain = ChainBuilder()
    chain.lookup(BORN, "Ann", day("1879-03-14"))
    chain.lookup("P1971 number of children", "Bob", amount(35))
    chain.arithmetic("years_after", 1, 2)
    built = chain.chain(snapshot="1914-01-01")

    def found(question: str) -> list[str]:
        return leaks(built, question, chain.names)[0]

    assert found("Was it on 14 March 1879?") == ["14 March 1879", "1879"]
    assert found("Was it on March 14, 1879?") == ["March 14, 1879", "1879"]
    assert found("Was it on 1879-03-14?") == ["1879-03-14", "1879"]
    assert found("Thirty-five years later?") == ["thirty-five"]
    assert found("Did 35 or 351 people come?") == ["35"]
    assert found("Was it in 1914?") == ["1914"]
    assert found("As of 1 January 1914, when was it?") == []


def test_constants_choices_and_names_of_topics_are_no_leaks() -> None:
    chain = ChainBuilder()
    chain.lookup("P1971 number of children", "Apollo 13", amount(13))
    chain.arithmetic("product", 1, amount(13))
    question = "What is the product of the number of children of Apollo 13 and 13?"
    assert leaks(chain.chain(), question, chain.names) == (
        [],
        {"13": "a constant of an operation", "thirteen": "a constant of an operation"}
        if "thirteen" in question
        else {"13": "a constant of an operation"},
    )
    chosen = ChainBuilder()
    chosen.compare("earliest", BORN, ("Ann", day("1900")), ("Bob", day("1950")))
    assert leaks(chosen.chain(), "Which of Ann and Bob was born earlier?", chosen.names) == (
        [],
        {"Ann": "one of the choices that the question offers"},
    )
    named = ChainBuilder()
    named.lookup("P17 country", "University of Oxford", "Oxford")
    assert leaks(named.chain(), "Where is the University of Oxford?", named.names)[1] == {
        "Oxford": "part of a topic's name"
    }
    assert leaks(named.chain(), "Is the University of Oxford in Oxford?", named.names)[0] == [
        "Oxford"
    ]


def test_a_hop_that_is_not_said_is_found() -> None:
    """MINTQA's question that omits the mother (SPEC.md 7.1, item 7)."""
    chain = ChainBuilder()
    chain.lookup("P50 author", "The Life You Can Save", "Peter Singer")
    chain.lookup("P25 mother", 1, "Cora Singer")
    chain.lookup("P22 father", 2, "David Oppenheim")
    chain.lookup("P512 academic degree", 3, "doctorate")
    lost = "What academic degree does the father of the author of The Life You Can Save hold?"
    verdict = coverage(chain.chain(), Wording(lost, (), ()), chain.names, {"P25": {"mom"}})
    assert (verdict.passed, verdict.evidence) == (False, "does not say mother")
    for word in ("mother", "Mom's"):
        whole = f"What academic degree had the father of the {word} of the author of The Book?"
        assert coverage(chain.chain(), Wording(whole, (), ()), chain.names, {"P25": {"mom"}}).passed


def test_a_property_of_two_hops_must_be_said_twice() -> None:
    chain = ChainBuilder()
    chain.lookup("P22 father", "Ann", "Bob")
    chain.lookup("P22 father", 1, "Dan")
    assert unsaid(chain.chain(), "Who is the father of Ann?", {}) == ["father"]
    assert unsaid(chain.chain(), "Who is the father of the father of Ann?", {}) == []
    # A word of the topic's name says no hop.
    assert unsaid(chain.chain(), "Who is the father of Father Ann?", {}, ["Father Ann"])


def test_operations_must_be_said() -> None:
    chain = ChainBuilder()
    chain.count("P40 child", "Ann", ["Bob", "Cat"])
    assert unsaid(chain.chain(), "Who are the children of Ann?", {"P40": {"children"}}) == ["count"]
    assert unsaid(chain.chain(), "How many children has Ann?", {"P40": {"children"}}) == []
    assert set(CUES) >= {"sum", "same", "years_before"}


def test_a_page_title_with_a_qualifier_makes_a_label_ambiguous(tmp_path: Path) -> None:
    page = {"enwiki": {"site": "enwiki", "title": "Heat (1995 film)"}}
    heat = item("Q1", "Heat", [claim(item_snak("P57", "Q2"))], "1995 film")
    director = item("Q2", "Michael Mann", [claim(item_snak("P19", "Q3"))])
    entities = [heat | {"sitelinks": page}, director, item("Q3", "Chicago")]
    chain = ChainBuilder()
    for key, label in (("Q1", "Heat"), ("Q2", "Michael Mann"), ("Q3", "Chicago")):
        chain.entity(label, id=key)
    chain.lookup(DIRECTOR, "Heat", "Michael Mann")
    chain.lookup(BIRTHPLACE, 1, "Chicago")
    with Store.create(tmp_path / "kg") as store:
        ingest(store, write_dump(tmp_path / "dump.json", entities), "2024-06-05", "2024-06-05")
        names = entity_names(store, [chain.chain()])
    wording = TemplateVerbalizer().verbalize(chain.chain(), names)
    assert wording.question == "Where was the director of Heat (1995 film) born?"


def test_names_of_properties_and_classes_come_from_the_store(tmp_path: Path) -> None:
    prop = property_entity("P57", "director")
    prop["aliases"] = {"en": [{"language": "en", "value": "directed by"}]}
    entities = [
        prop,
        item("Q1", "Heat", [claim(item_snak("P31", "Q9")), claim(item_snak("P57", "Q2"))]),
        item("Q2", "Mann", [claim(item_snak("P31", "Q8"))]),
        item("Q9", "heist film"),
    ]
    chain = ChainBuilder()
    for key, label in (("Q1", "Heat"), ("Q2", "Mann")):
        chain.entity(label, id=key)
    chain.lookup(DIRECTOR, "Heat", "Mann")
    with Store.create(tmp_path / "kg") as store:
        ingest(store, write_dump(tmp_path / "dump.json", entities), "2024-06-05", "2024-06-05")
        names = entity_names(store, [chain.chain()])
        assert property_names(store, [chain.chain()]) == {"P57": ("director", "directed by")}
    assert names["Q1"].class_labels == ("heist film",)
    assert names["Q2"].class_labels == ()


def test_homonyms_need_a_description() -> None:
    chain = film().chain()

    def named(homonym: bool, description: str) -> dict[str, EntityName]:
        return {"Q1": EntityName("Q1", "Amélie", description, (), frozenset(), homonym)}

    assert distinguishable(chain, named(False, "")).passed
    assert distinguishable(chain, named(True, "2001 film")).passed
    assert not distinguishable(chain, named(True, "")).passed


NAMES = st.text(alphabet="abcdéÉüAB", min_size=4, max_size=8)


@given(
    name=NAMES,
    before=st.sampled_from(["", "in ", "(", "“"]),
    after=st.sampled_from(["", ".", "'s"]),
)
def test_a_name_is_found_whatever_its_case_and_accents(name: str, before: str, after: str) -> None:
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    for form in (name, name.upper(), name.lower(), plain):
        assert occurs(name, before + form + after)
    assert not occurs(name, f"x{name}")
    assert not occurs(name, f"{name}x")
