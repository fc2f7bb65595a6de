"""Templates: nested phrases, dates, homonyms; no property lost."""

from __future__ import annotations

import csv
from importlib.resources import files

import pytest

from factchain.chains.records import ChainFact, EntityRef, FactChain, Hop, Query
from factchain.questions.names import EntityName
from factchain.questions.verbalize.template import TemplateVerbalizer

VERBALIZER = TemplateVerbalizer()
FILM, NOVEL, RIVER = "Q11424", "Q8261", "Q4022"


def name(
    id: str, label: str, classes: str = "", homonym: bool = False, description: str = ""
) -> EntityName:
    return EntityName(id, label, description, (), frozenset(classes.split()), homonym)


def chain(*facts: tuple[str, str, str], snapshot: str = "2024-06-05") -> FactChain:
    hops = tuple(
        Hop(
            index=index,
            kind="lookup",
            inputs=(index - 1,) if index > 1 else (),
            topics=(s,) if index == 1 else (),
            answer=EntityRef(id=o, label=o),
            facts=(ChainFact(s=s, s_label=s, p=p, p_label=f"label of {p}", o=o, o_label=o),),
        )
        for index, (s, p, o) in enumerate(facts, start=1)
    )
    return FactChain(
        id="c-1",
        axis="none",
        topology="chain",
        topics=(facts[0][0],),
        answer=facts[-1][2],
        hops=hops,
        query=Query(sparql=""),
        snapshot=snapshot,
        seed=0,
    )


def test_noun_phrases_nest_from_the_topic_outwards() -> None:
    names = {
        "Q1": name("Q1", "Oppenheimer", FILM),
        "Q2": name("Q2", "Christopher Nolan"),
        "Q3": name("Q3", "London"),
        "Q4": name("Q4", "United Kingdom"),
    }
    wording = VERBALIZER.verbalize(
        chain(("Q1", "P57", "Q2"), ("Q2", "P19", "Q3"), ("Q3", "P17", "Q4")), names
    )
    assert wording.question == (
        "In which country is the birthplace of the director of the film Oppenheimer located?"
    )
    assert wording.sub_questions == (
        "Who directed the film Oppenheimer?",
        "Where was Christopher Nolan born?",
        "In which country is London located?",
    )
    assert wording.templates == (
        "Who directed the film Oppenheimer?",
        "Where was #1 born?",
        "In which country is #2 located?",
    )


def test_what_changes_with_time_says_as_of_when() -> None:
    names = {"Q1": name("Q1", "United Kingdom"), "Q2": name("Q2", "x"), "Q3": name("Q3", "y")}
    steps = chain(("Q1", "P6", "Q2"), ("Q2", "P19", "Q3"))
    wording = VERBALIZER.verbalize(steps, names)
    assert wording.question == (
        "As of 5 June 2024, where was the head of government of the United Kingdom born?"
    )
    assert wording.sub_questions[1] == "Where was x born?"
    named = VERBALIZER.verbalize(steps.model_copy(update={"snapshot": "spring"}), names)
    assert named.question.startswith("As of spring, where")


def test_a_property_without_a_phrase_uses_its_label() -> None:
    names = {"Q1": name("Q1", "A"), "Q2": name("Q2", "B"), "Q3": name("Q3", "C")}
    wording = VERBALIZER.verbalize(chain(("Q1", "P99998", "Q2"), ("Q2", "P99999", "Q3")), names)
    assert wording.question == "What is the label of P99999 of the label of P99998 of A?"


@pytest.mark.parametrize(
    ("entity", "mention"),
    [
        (name("Q1", "Dune", FILM), "the film Dune"),
        (name("Q1", "Dune", NOVEL, True, "1965 novel"), "the novel Dune (1965 novel)"),
        (name("Q1", "The Hobbit", FILM), "the film The Hobbit"),
        (name("Q1", "Danube", RIVER), "the Danube"),
        (name("Q1", "The Hague"), "The Hague"),
        (name("Q1", "Netherlands"), "the Netherlands"),
        (name("Q1", "University of Oxford"), "the University of Oxford"),
        (name("Q1", "Paris"), "Paris"),
    ],
)
def test_mentions(entity: EntityName, mention: str) -> None:
    assert VERBALIZER.mention(entity) == mention


def test_the_subject_s_class_chooses_the_phrase() -> None:
    names = {"Q1": name("Q1", "Acme", "Q4830453"), "Q2": name("Q2", "B")}
    wording = VERBALIZER.verbalize(chain(("Q1", "P17", "Q2")), names)
    assert wording.question == "In which country is Acme based?"


def test_only_chains_of_lookups_are_covered() -> None:
    bridge = chain(("Q1", "P17", "Q2")).model_copy(update={"topology": "bridge"})
    with pytest.raises(ValueError, match="chains of lookups"):
        VERBALIZER.verbalize(bridge, {})


def test_every_entity_property_of_the_sample_has_a_phrase() -> None:
    tables = files("factchain.data") / "sample" / "tables" / "properties.tsv"
    with tables.open(encoding="utf-8") as lines:
        properties = {
            row["id"]
            for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
            if row["datatype"] == "wikibase-item"
        }
    phrases = files("factchain.questions.verbalize") / "phrases.tsv"
    with phrases.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert properties - {row["property"] for row in rows} == set()
    for row in rows:
        assert row["question"].count("{s}") == row["noun"].count("{s}") == 1, row
        assert row["question"].endswith("?"), row
        assert row["changes"] in {"yes", "no"}, row
