"""Verification: execution decides, and nothing is given away."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import claim, item, item_snak, property_entity, write_dump
from factchain.chains.build import sample_chains
from factchain.chains.execute import execute
from factchain.chains.records import FactChain
from factchain.chains.sampler import SampleSettings
from factchain.chains.selection import Caps
from factchain.kg.ingest import ingest
from factchain.kg.store import Store
from factchain.questions.build import generate_questions
from factchain.questions.names import EntityName, entity_names
from factchain.questions.records import Question
from factchain.questions.verbalize.protocol import Wording
from factchain.questions.verbalize.template import TemplateVerbalizer
from factchain.questions.verify import distinguishable, no_leak, occurs, symbolic
from factchain.records import read_records

ENTITIES = [
    property_entity("P57", "director"),
    property_entity("P19", "place of birth"),
    item("Q1", "Amélie", [claim(item_snak("P57", "Q2"))], "2001 film"),
    item("Q2", "Jean-Pierre Jeunet", [claim(item_snak("P19", "Q3"))], aliases=["Jeunet"]),
    item("Q3", "Roanne", aliases=["Rouanne", "US"]),
    item("Q4", "Roanne Story", [claim(item_snak("P19", "Q5"))]),
    item("Q5", "Story"),
    item("Q6", "Twin", [claim(item_snak("P19", "Q5"))]),
    item("Q7", "Twin", [claim(item_snak("P57", "Q5"))]),
]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store.create(tmp_path / "kg")
    ingest(store, write_dump(tmp_path / "dump.json", ENTITIES), "2024-06-05", "2024-06-05")
    return store


@pytest.fixture
def chains(store: Store, tmp_path: Path) -> list[FactChain]:
    settings = SampleSettings("none", (1, 2), 10, 1, Caps(1.0, 9, 9))
    sample_chains(store, [settings], tmp_path / "chains.jsonl")
    return list(read_records(tmp_path / "chains.jsonl", FactChain))


def test_kept_questions_carry_their_proof(
    store: Store, chains: list[FactChain], tmp_path: Path
) -> None:
    summary = generate_questions(store, chains, TemplateVerbalizer(), tmp_path / "q.jsonl")
    questions = {q.id: q for q in read_records(tmp_path / "q.jsonl", Question)}
    assert summary.rejected == {"distinguishable": 2, "leak": 1}
    (question,) = questions.values()
    assert question.question == "Where was the director of Amélie born?"
    assert question.answer.label == "Roanne"
    assert question.answer.aliases == ("Rouanne", "US")
    assert [sub.template for sub in question.sub_questions] == [
        "Who directed Amélie?",
        "Where was #1 born?",
    ]
    assert {v.check: v.passed for v in question.provenance.verdicts} == {
        "symbolic": True,
        "distinguishable": True,
        "leak": True,
    }
    assert question.provenance.verdicts[0].evidence == "executed: {Q2} -> {Q3}"


def test_a_wrong_answer_is_not_proved(store: Store, chains: list[FactChain]) -> None:
    (film,) = [chain for chain in chains if chain.topics == ("Q1",)]
    (executed,) = execute(store, [film])
    assert symbolic(film, executed).passed
    hop = film.hops[-1]
    wrong = hop.model_copy(update={"answer": hop.answer.model_copy(update={"id": "Q5"})})
    verdict = symbolic(film.model_copy(update={"hops": (*film.hops[:-1], wrong)}), executed)
    assert not verdict.passed
    assert verdict.evidence == "executed: {Q2} -> {Q3}"


@pytest.mark.parametrize(
    ("question", "leaks"),
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
def test_leaks(store: Store, chains: list[FactChain], question: str, leaks: bool) -> None:
    (film,) = [chain for chain in chains if chain.topics == ("Q1",)]
    wording = Wording(question, (), ())
    assert no_leak(film, wording, entity_names(store, [film])).passed is not leaks


def test_a_page_title_with_a_qualifier_makes_a_label_ambiguous(tmp_path: Path) -> None:
    film = item("Q1", "Heat", [claim(item_snak("P57", "Q2"))], "1995 film")
    page = {"enwiki": {"site": "enwiki", "title": "Heat (1995 film)"}}
    director = item("Q2", "Michael Mann", [claim(item_snak("P19", "Q3"))])
    entities = [film | {"sitelinks": page}, director, item("Q3", "Chicago")]
    with Store.create(tmp_path / "kg") as store:
        ingest(store, write_dump(tmp_path / "dump.json", entities), "2024-06-05", "2024-06-05")
        settings = SampleSettings("none", (2,), 10, 1, Caps(1.0, 9, 9))
        sample_chains(store, [settings], tmp_path / "chains.jsonl")
        (chain,) = read_records(tmp_path / "chains.jsonl", FactChain)
        wording = TemplateVerbalizer().verbalize(chain, entity_names(store, [chain]))
    assert wording.question == "Where was the director of Heat (1995 film) born?"


def test_homonyms_need_a_description(chains: list[FactChain]) -> None:
    (film,) = [chain for chain in chains if chain.topics == ("Q1",)]

    def named(homonym: bool, description: str) -> dict[str, EntityName]:
        return {"Q1": EntityName("Q1", "Amélie", description, (), frozenset(), homonym)}

    assert distinguishable(film, named(False, "")).passed
    assert distinguishable(film, named(True, "2001 film")).passed
    assert not distinguishable(film, named(True, "")).passed


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
