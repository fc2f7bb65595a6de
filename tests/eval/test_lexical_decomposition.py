"""Questions taken apart from their wording: against the chains that templates put into words."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain_builder import ChainBuilder, amount, day
from factchain.eval.lexical_decomposition import next_sub_question, read_by_hops, take_apart
from factchain.eval.lexical_operations import read
from factchain.eval.lexical_words import Hop
from factchain.eval.prompts import Document, Step
from factchain.questions.answers import to_answer
from factchain.questions.typed_answers import score_any
from factchain.questions.verbalize.tables import PHRASES, read_table
from factchain.questions.verbalize.template import TemplateVerbalizer

AUTHOR, DIRECTOR, BORN = "P50 author", "P57 director", "P569 date of birth"
COUNTRY, CITIZEN, CHILD = "P17 country", "P27 country of citizenship", "P40 child"
POPULATION, SPORT = "P1082 population", "P641 sport"
UNKNOWN = "I do not know"

Build = Callable[[ChainBuilder], None]


def chain_of_four(chain: ChainBuilder) -> None:
    chain.lookup(AUTHOR, "Emma", "Cat")
    chain.lookup("P19 place of birth", 1, "Paris")
    chain.lookup(COUNTRY, 2, "France")
    chain.lookup("P36 capital", 3, "Lutetia")


def bridge(chain: ChainBuilder) -> None:
    chain.entity("Ann", "Q5")
    chain.lookup(AUTHOR, "Emma", "Cat")
    chain.lookup("P19 place of birth", 1, "Paris")
    chain.lookup(SPORT, "Ajax", "chess")
    chain.intersect(("P19 place of birth", 2), (SPORT, 3), answer="Ann")


def converging(chain: ChainBuilder) -> None:
    chain.entity("Rhine", "Q4022")
    chain.lookup(CITIZEN, "Bob", "Peru")
    chain.lookup(COUNTRY, "Lyon", "Chad")
    chain.intersect((COUNTRY, 1), (COUNTRY, 2), answer="Rhine")
    chain.lookup("P403 mouth of the watercourse", 3, "North Sea")


def shared(chain: ChainBuilder) -> None:
    """The one object of two subjects."""
    chain.entity("Ann", "Q5")
    chain.lookup(DIRECTOR, "Dune", "Bob")
    chain.lookup(AUTHOR, "Emma", "Cat")
    chain.intersect((CHILD, 1), (CHILD, 2), answer="Ann", subject=False)


def defined(chain: ChainBuilder) -> None:
    """`Let X be whichever of ...`: with a name that has full stops."""
    chain.lookup(COUNTRY, "S.S. Lazio", "Italy")
    chain.lookup(COUNTRY, "Lyon", "France")
    chain.compare("latest", "P571 inception", (1, day("1861")), (2, day("1792")))
    chain.lookup("P36 capital", 3, "Rome")


def judged(chain: ChainBuilder) -> None:
    chain.lookup(DIRECTOR, "Dune", "Ann")
    chain.lookup(DIRECTOR, "Alien", "Bob")
    chain.compare("before", BORN, (1, day("1967-01-01")), (2, day("1937-01-01")))


def same(chain: ChainBuilder) -> None:
    chain.lookup(DIRECTOR, "Dune", "Ann")
    chain.lookup(DIRECTOR, "Alien", "Bob")
    chain.compare("same", CITIZEN, (1, "France"), (2, "France"))


def greater(chain: ChainBuilder) -> None:
    chain.lookup(COUNTRY, "Lyon", "France")
    chain.compare("more", POPULATION, (1, amount(60_000_000)), ("Bonn", amount(330_000)))


def one_comparison(chain: ChainBuilder) -> None:
    """Both facts belong to the one hop."""
    chain.compare("same", CITIZEN, ("Ann", "France"), ("Bob", "France"))


def aggregate(chain: ChainBuilder) -> None:
    chain.lookup(DIRECTOR, "Dune", "Ann")
    born = {"Bob": day("1990-01-01"), "Cat": day("1980-01-01"), "Dan": day("1985-05-05")}
    chain.aggregate("earliest", CHILD, 1, BORN, born)


def total(chain: ChainBuilder) -> None:
    chain.lookup(COUNTRY, "Valletta", "Malta")
    sizes = {"Gozo": amount(37_000), "Comino": amount(3)}
    chain.aggregate("sum", "P150 contains administrative unit", 1, POPULATION, sizes)


def product(chain: ChainBuilder) -> None:
    chain.lookup(DIRECTOR, "Dune", "Ann")
    chain.count(CHILD, 1, ["Bob", "Cat"])
    chain.count("P166 award received", "Eve", ["Oscar", "Palme", "Bear"])
    chain.arithmetic("product", 2, 3)


def reverse_count(chain: ChainBuilder) -> None:
    chain.lookup("P58 screenwriter", "Alien", "Bob")
    chain.count(DIRECTOR, 1, ["Dune", "Emma"], subject=True)


def years_between(chain: ChainBuilder) -> None:
    chain.lookup(BORN, "Ann", day("1879-03-14"))
    chain.lookup("P570 date of death", "Bob", day("1955-04-18"))
    chain.arithmetic("years_between", 1, 2)


def shifted(chain: ChainBuilder) -> None:
    """As many years after one date as a count says, and who was born then."""
    chain.entity("Gil", "Q5")
    chain.lookup(BORN, "Ann", day("1879-03-14"))
    chain.count(CHILD, "Bob", ["Dan", "Eve"])
    chain.arithmetic("years_after", 1, 2)
    chain.intersect((BORN, 3), (CITIZEN, "Malta"), answer="Gil")


SHAPES = [chain_of_four, bridge, converging, shared, defined, judged, same, greater, one_comparison]
SHAPES += [aggregate, total, product, reverse_count, years_between, shifted]


def built(build: Build) -> tuple[ChainBuilder, str]:
    """The chain, and the question that the templates make of it."""
    chain = ChainBuilder()
    build(chain)
    return chain, TemplateVerbalizer().verbalize(chain.chain(), chain.names).question


def documents(chain: ChainBuilder) -> list[Document]:
    """What a corpus says of the subjects of the chain's facts."""
    lines: dict[str, list[str]] = {}
    for hop in chain.hops:
        for fact in hop.facts:
            line = f"{fact.s_label} {fact.p_label} {fact.o_label}."
            lines.setdefault(fact.s_label, []).append(line)
    return [Document(title, "\n".join(said)) for title, said in lines.items()]


@pytest.mark.parametrize("build", SHAPES)
def test_each_hop_has_its_sub_question_and_this_its_answer(build: Build) -> None:
    chain, question = built(build)
    assert len(take_apart(question)) == len(chain.hops), question
    steps: list[Step] = []
    while asked := next_sub_question(question, steps, [UNKNOWN]):
        steps.append(Step(asked, read(asked, documents(chain))))
    for hop, step in zip(chain.hops, steps, strict=True):
        answer = to_answer(hop.answer, chain.names)
        assert step.answer, step
        assert score_any(step.answer, [answer])["accuracy"] == 1, step
    assert read_by_hops(question, documents(chain)) == steps[-1].answer


@pytest.mark.parametrize("build", [one for one in SHAPES if one not in (shared, reverse_count)])
def test_without_a_document_it_does_not_answer(build: Build) -> None:
    """Whatever hop lacks its facts, nothing is made of the rest. (What one of two subjects or of
    the counted ones would have added cannot be seen from the others.)"""
    chain, question = built(build)
    for missing in documents(chain):
        left = [document for document in documents(chain) if document != missing]
        assert read_by_hops(question, left) is None, missing


def test_the_words_of_sub_questions() -> None:
    _, question = built(bridge)
    asked = next_sub_question(question, [])
    assert asked == "Who is the author of Emma?"
    steps = [Step(asked, "Cat")]
    assert next_sub_question(question, steps) == "Where was Cat born?"
    steps += [Step("", "Paris"), Step("", "chess")]
    last = "Who was born in Paris, and also is associated with the sport chess?"
    assert next_sub_question(question, steps) == last
    assert next_sub_question(question, [*steps, Step(last, "Ann")]) is None


def test_what_is_not_known_is_named_by_its_phrase() -> None:
    _, question = built(chain_of_four)
    steps = [Step("", UNKNOWN)]
    assert next_sub_question(question, steps, [UNKNOWN]) == "Where was the author of Emma born?"
    steps.append(Step("", "Paris"))
    assert next_sub_question(question, steps, [UNKNOWN]) == "What is the country of Paris?"


def test_a_letter_stands_for_what_it_was_defined_as() -> None:
    _, question = built(defined)
    assert question.startswith("Let X be whichever of the country of S.S. Lazio and ")
    steps = [Step("", "Italy"), Step("", UNKNOWN)]
    asked = next_sub_question(question, steps, [UNKNOWN])
    assert asked == "Which of Italy and the country of Lyon was established later?"
    steps.append(Step("", "Italy"))
    assert next_sub_question(question, steps, [UNKNOWN]) == "What is the capital of Italy?"


@pytest.mark.parametrize(
    "question",
    [
        "",
        "?",
        "Who is the author of The Lord of the Rings?",
        "What is the capital of the United Kingdom?",
        "Were Scott Derrickson and Ed Wood of the same nationality?",
        "Let us see who wins.",
        "Let X be a number. What is it?",
    ],
)
def test_what_has_one_hop_or_another_form_stays_whole(question: str) -> None:
    (hop,) = take_apart(question)
    assert hop.question == (question,)
    assert next_sub_question(question, []) == question
    assert next_sub_question(question, [Step(question, "x")]) is None


@pytest.mark.parametrize(
    ("question", "first", "hops"),
    [
        ("Which of the book Love and War and the book Emma was first published earlier?", "", 1),
        (
            "Does Trinidad and Tobago have a greater population than the capital of Peru?",
            "What is the capital of Peru?",
            2,
        ),
        (
            "What is the sum of the area of Trinidad and Tobago and the area of Rome?",
            "What is the area of Trinidad and Tobago?",
            3,
        ),
        # A property that no table has.
        ("What is the mascot of the rival of Ajax?", "What is the rival of Ajax?", 2),
    ],
)
def test_names_stay_whole(question: str, first: str, hops: int) -> None:
    assert len(take_apart(question)) == hops
    assert next_sub_question(question, []) == (first or question)


PROPERTIES = [f"{row['property']} {row['label']}" for row in read_table(PHRASES)]


@given(st.lists(st.sampled_from(PROPERTIES), min_size=1, max_size=4))
def test_chains_of_any_properties(properties: list[str]) -> None:
    def build(chain: ChainBuilder) -> None:
        for k, name in enumerate(properties):
            chain.lookup(name, k or "Ada Lovelace", f"N{k}")

    _, question = built(build)
    assert len(take_apart(question)) == len(properties), question


WORDS = """Let X be the country of A and B . whichever Which has was born greater than Is same as
who that is both , and also “ ” How many years sum product As 2024, author Emma number ?"""


@given(st.lists(st.sampled_from(WORDS.split()), max_size=16))
def test_any_words_have_hops_in_their_order(words: list[str]) -> None:
    question = " ".join(words)
    hops = take_apart(question)
    assert hops
    for number, hop in enumerate(hops):
        needed = {part for part in hop.question if isinstance(part, Hop)}
        assert needed <= set(hops[:number])
    assert next_sub_question(question, [Step("", None)] * len(hops)) is None
