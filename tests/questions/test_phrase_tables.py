"""The tables of phrases: real properties, the ones that are used, past tense, English rules."""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain_builder import COUNTRY, FILM, HUMAN, ChainBuilder, day
from factchain.chains.properties import SAYS_NOTHING
from factchain.questions.coverage import unsaid
from factchain.questions.verbalize import english
from factchain.questions.verbalize.tables import LITERALS, NOUNS, PHRASES, read_table
from factchain.questions.verbalize.template import TemplateVerbalizer

VERBALIZER = TemplateVerbalizer()
ABOUT_PROPERTIES = "P2302"
"""Property constraint: of no item."""

Reference = Callable[[str], Path]


def ask(chain: ChainBuilder) -> str:
    return VERBALIZER.verbalize(chain.chain(), chain.names).question


def end_last(chain: ChainBuilder) -> None:
    """Let the facts of the last hop have ended."""
    hop = chain.hops[-1]
    facts = tuple(fact.model_copy(update={"ended": True}) for fact in hop.facts)
    chain.hops[-1] = hop.model_copy(update={"facts": facts})


def test_the_label_of_every_property_is_wikidata_s(reference: Reference) -> None:
    with reference("property_labels.csv").open(encoding="utf-8") as file:
        labels = {f"P{row['property_id']}": row["property_label"] for row in csv.DictReader(file)}
    told = {
        row["property"]: row["label"] for table in (PHRASES, LITERALS) for row in read_table(table)
    }
    assert len(told) > 300
    assert {p: label for p, label in told.items() if labels.get(p) != label} == {}


def shares(reference: Reference) -> list[Counter[str]]:
    """How often each property is used in three collections of real statements."""
    with gzip.open(reference("wd50k_labelled.tsv.gz"), "rt", encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        wd50k = Counter(row["p"] for row in rows)
    with reference("rebel_sample.jsonl").open(encoding="utf-8") as lines:
        rebel = Counter(
            triple["predicate"]["uri"] for line in lines for triple in json.loads(line)["triples"]
        )
    dump: Counter[str] = Counter()
    with gzip.open(reference("wikidata_real_sample.json.gz"), "rt", encoding="utf-8") as lines:
        for line in lines:
            if len(line) < 5:
                continue
            for p, claims in (json.loads(line.rstrip(",\n"))["claims"] or {}).items():
                kinds = Counter(claim["mainsnak"].get("datatype") for claim in claims)
                dump[p] += sum(kinds[kind] for kind in ("wikibase-item", "time", "quantity"))
    return [wd50k, rebel, dump]


def test_the_most_used_properties_have_phrases(reference: Reference) -> None:
    """Those of 297 of the 300 most used that can be in a chain, and of nearly all statements."""
    known = {row["property"] for table in (PHRASES, LITERALS) for row in read_table(table)}
    mute = {f"P{p}" for p in SAYS_NOTHING} | {ABOUT_PROPERTIES}
    used = shares(reference)
    rank: Counter[str] = Counter()
    for counts in used:
        for p, count in counts.items():
            rank[p] += count / counts.total() * (p not in mute)  # type: ignore[assignment]
    most_used = [p for p, _ in rank.most_common(300)]
    assert [p for p in most_used if p not in known] == []
    for counts in used:
        asked = {p: n for p, n in counts.items() if p not in mute}
        said = sum(n for p, n in asked.items() if p in known)
        assert said / sum(asked.values()) > 0.97


def test_every_verb_of_the_tables_has_a_past() -> None:
    pairs = {
        match[1]
        for row in read_table(PHRASES)
        for cell in row.values()
        for match in re.finditer(r"\{(\w[\w ]*\|[\w ]+)\}", cell)
    }
    assert pairs <= {"is|are", "was|were", "has|have", "does|do", "its|their", "his or her|their"}


def test_no_class_is_named_by_two_nouns() -> None:
    classes = Counter(c for row in read_table(NOUNS) for c in row["classes"].split())
    assert [c for c, times in classes.items() if times > 1] == []


@pytest.mark.parametrize(
    ("p", "question", "noun"),
    [
        ("P6 x", "Who was the head of government of A?", "the former head of government of A"),
        ("P39 x", "Which position did A hold?", "the former position held by A"),
        ("P127 x", "Who owned A?", "the former owner of A"),
        ("P1376 x", "What was A the capital of?", "what A was the capital of"),
        ("P551 x", "Where did A live?", "the former residence of A"),
        ("P1532 x", "Which country did A represent in sport?", "the country that A represented"),
        ("P69 x", "At which institution was A educated?", "the alma mater of A"),
        ("P17 x", "In which country was A located?", "the former country of A"),
        ("P99999 odd link", "What was the odd link of A?", "the former odd link of A"),
        ("P99999 part of", "What was A part of?", "what A was part of"),
    ],
)
def test_what_has_ended_is_asked_for_in_the_past(p: str, question: str, noun: str) -> None:
    chain = ChainBuilder()
    chain.lookup(p, "A", "B")
    end_last(chain)
    assert ask(chain) == question
    chain.lookup("P36 capital", 1, "C")
    asked = ask(chain)
    assert noun in asked
    assert not asked.startswith("As of")
    built = chain.chain()
    assert unsaid(built, asked, VERBALIZER.wordings(built)) == []


def test_conditions_and_counts_of_what_has_ended() -> None:
    chain = ChainBuilder()
    chain.entity("Emma", HUMAN)
    chain.intersect(("P54 team", "Ajax"), ("P39 x", "mayor"), answer="Emma")
    end_last(chain)
    assert ask(chain) == "Who played for Ajax and held the position of mayor?"
    coaches = ChainBuilder()
    coaches.count("P286 head coach", "Ajax", ["A", "B"])
    end_last(coaches)
    assert ask(coaches) == "How many head coaches did Ajax have?"
    coaches.arithmetic("product", 1, 1)
    assert "the number of former head coaches of Ajax" in ask(coaches)


def test_the_object_s_class_gives_the_question_word() -> None:
    words = {"": "What", HUMAN: "Who", COUNTRY: "Which country", FILM: "Which film"}
    for classes, word in words.items():
        chain = ChainBuilder()
        chain.entity("B", classes)
        chain.lookup("P138 named after", "A", "B")
        assert ask(chain) == f"{word} is A named after?"


def test_a_nested_phrase_of_another_property_does_not_hide_its_own() -> None:
    chain = ChainBuilder()
    chain.lookup("P2238 official symbol", "Rome", "a colour")
    chain.intersect(("P462 color", 1), ("P17 country", "Italy"), answer="Flag")
    assert "has the official symbol of Rome as color" in ask(chain)
    plain = ChainBuilder()
    plain.intersect(("P462 color", "red"), ("P452 x", "car industry"), answer="Flag")
    assert "has the color red and is active in the car industry" in ask(plain)


def test_names_in_the_plural() -> None:
    chain = ChainBuilder()
    chain.entity("Alps", "Q46831")
    chain.entity("Toronto Raptors", "Q13393265")
    chain.entity("Utah Jazz", "Q13393265")
    chain.count("P17 country", "Alps", ["A", "B"])
    chain.lookup("P740 location of formation", "Toronto Raptors", "Toronto")
    chain.lookup("P740 location of formation", "Utah Jazz", "Salt Lake City")
    wording = VERBALIZER.verbalize(chain.chain(), chain.names)
    assert wording.sub_questions == (
        "As of 5 June 2024, in how many countries are the Alps located?",
        "Where were the Toronto Raptors formed?",
        "Where was the Utah Jazz formed?",
    )


def test_a_stadium_is_not_founded_with_the_club() -> None:
    chain = ChainBuilder()
    chain.entity("Club", "Q476028")
    values = [("Ground", "1910"), ("Club", "1878")]
    chain.compare("before", "P571 inception", *((s, day(year)) for s, year in values))
    assert ask(chain) == "Was Ground established before Club?"


def test_descriptions_are_told_without_saying_the_class_twice() -> None:
    chain = ChainBuilder()
    chain.entity("Ran", FILM, ambiguous=True, description="1985 film")
    chain.entity("Up", FILM, ambiguous=True, description="by Pixar (2009)")
    chain.lookup("P57 director", "Ran", "A")
    chain.lookup("P57 director", "Up", "B")
    assert VERBALIZER.verbalize(chain.chain(), chain.names).sub_questions == (
        "Who directed Ran (1985 film)?",
        "Who directed the film Up (by Pixar, 2009)?",
    )


WORD = st.sampled_from(["is", "was", "does", "has", "owns", "owned", "the", "head", "of", "{s}"])


@given(st.lists(WORD, max_size=8).map(" ".join), st.booleans(), st.booleans())
def test_settled_text_is_settled(text: str, plural: bool, past: bool) -> None:
    pattern = f"{text} {{plays|play|played}} {{is|are}} {{its|their}}"
    settled = english.settle(pattern, plural=plural, past=past)
    assert english.settle(settled, plural=plural) == settled
    assert "|" not in settled
    assert english.past_question(english.past_question(text)).count("{s}") == text.count("{s}")
