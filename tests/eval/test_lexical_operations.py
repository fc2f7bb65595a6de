"""The lexical reader on what questions reckon with: template questions, from the chains' facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain_builder import FILM, HUMAN, ChainBuilder, amount, day
from factchain.eval.lexical_operations import read
from factchain.eval.prompts import Document
from factchain.questions.answers import to_answer
from factchain.questions.typed_answers import score_any
from factchain.questions.verbalize.template import TemplateVerbalizer

AUTHOR, DIRECTOR, BORN = "P50 author", "P57 director", "P569 date of birth"
CHILD, COUNTRY, POPULATION = "P40 child", "P17 country", "P1082 population"


def documents(chain: ChainBuilder, more: str = "") -> list[Document]:
    """What a corpus says of the subjects of the chain's facts."""
    lines: dict[str, list[str]] = defaultdict(list)
    for hop in chain.hops:
        for fact in hop.facts:
            lines[fact.s_label].append(f"{fact.s_label} {fact.p_label} {fact.o_label}.")
    for line in filter(None, more.split("\n")):
        lines[line.split()[0]].append(line)
    return [Document(title, "\n".join(said)) for title, said in lines.items()]


def bridge(chain: ChainBuilder) -> None:
    chain.entity("The Party", "Q7278")
    chain.lookup(AUTHOR, "Candida", "Shaw")
    chain.lookup("P27 country of citizenship", 1, "Ireland")
    chain.arithmetic("years_before", day("1968"), amount(35))
    chain.intersect(("P571 inception", 3), ("P159 headquarters location", 2), answer="The Party")


def converging(chain: ChainBuilder) -> None:
    chain.entity("Ann", HUMAN)
    chain.lookup(DIRECTOR, "Dune", "Bob")
    chain.lookup(AUTHOR, "Emma", "Cat")
    chain.intersect((CHILD, 1), (CHILD, 2), answer="Ann", subject=False)
    chain.lookup("P19 place of birth", 3, "Paris")


def subjects(chain: ChainBuilder) -> None:
    chain.entity("Alien", FILM)
    chain.intersect((DIRECTOR, "Scott"), ("P136 genre", "Horror"), answer="Alien")


def count(chain: ChainBuilder) -> None:
    chain.lookup(DIRECTOR, "Dune", "Bob")
    chain.count(CHILD, 1, ["Ann", "Cat", "Dan"])


def reverse_count(chain: ChainBuilder) -> None:
    chain.count(DIRECTOR, "Bob", ["Dune", "Emma"], subject=True)


def product(chain: ChainBuilder) -> None:
    chain.count(CHILD, "Ann", ["Bob", "Cat"])
    chain.count("P166 award received", "Ann", ["Oscar", "Palme", "Bear"])
    chain.arithmetic("product", 1, 2)


def years(chain: ChainBuilder) -> None:
    chain.lookup(BORN, "Ann", day("1879-03-14"))
    chain.lookup("P570 date of death", "Bob", day("1955-04-18"))
    chain.arithmetic("years_between", 1, 2)


def days(chain: ChainBuilder) -> None:
    chain.lookup(BORN, "Ann", day("1879-03-14"))
    chain.lookup("P570 date of death", "Ann", day("1879-04-18"))
    chain.arithmetic("days_between", 1, 2)


def shift(chain: ChainBuilder) -> None:
    chain.count(CHILD, "Ann", ["Bob", "Cat"])
    chain.lookup(BORN, "Ann", day("1879-03-14"))
    chain.arithmetic("years_after", 2, 1)


def difference(chain: ChainBuilder) -> None:
    chain.lookup(POPULATION, "Rome", amount(2_800_000))
    chain.lookup(POPULATION, "Bonn", amount(330_000))
    chain.arithmetic("difference", 1, 2)


def choice(chain: ChainBuilder) -> None:
    chain.lookup(DIRECTOR, "Dune", "Ann")
    chain.lookup(DIRECTOR, "Alien", "Bob")
    chain.compare("latest", BORN, (1, day("1967-01-01")), (2, day("1937-01-01")))
    chain.lookup("P19 place of birth", 3, "Paris")


def verdict(chain: ChainBuilder) -> None:
    chain.lookup(DIRECTOR, "Dune", "Ann")
    chain.compare("before", BORN, (1, day("1967-01-01")), ("Bob", day("1937-01-01")))


def more(chain: ChainBuilder) -> None:
    chain.compare("more", POPULATION, ("Rome", amount(2_800_000)), ("Bonn", amount(330_000)))


def same(chain: ChainBuilder) -> None:
    chain.compare("same", "P27 country of citizenship", ("Ann", "France"), ("Bob", "France"))


def members(chain: ChainBuilder) -> None:
    born = {"Bob": day("1990-01-01"), "Cat": day("1980-01-01"), "Dan": day("1985-05-05")}
    chain.aggregate("earliest", CHILD, "Ann", BORN, born)


def total(chain: ChainBuilder) -> None:
    sizes = {"Gozo": amount(37_000), "Comino": amount(3)}
    chain.aggregate("sum", "P150 contains administrative unit", "Malta", POPULATION, sizes)


def role(chain: ChainBuilder) -> None:
    """The property of a condition stands after its object: `as its capital`."""
    chain.entity("France", "Q6256")
    chain.lookup("P19 place of birth", "Ann", "Paris")
    chain.lookup("P30 continent", "Norway", "Europe")
    chain.intersect(("P36 capital", 1), ("P30 continent", 2), answer="France")


def inner(chain: ChainBuilder) -> None:
    """The conditions are those of what is asked about."""
    chain.entity("Acme", "Q4830453")
    chain.entity("Cat", HUMAN)
    chain.lookup("P127 owned by", "Bolt", "Dora")
    chain.lookup("P19 place of birth", "Eve", "Rome")
    chain.intersect(("P127 owned by", 1), ("P159 headquarters location", 2), answer="Acme")
    chain.lookup("P112 founded by", 3, "Cat")


def plurals(chain: ChainBuilder) -> None:
    """`countries` are those of the lines that say `country`."""
    chain.count("P17 country", "Rhine", ["Austria", "France", "Germany"])
    chain.count("P840 narrative location", "Dune", ["Rome", "Oslo"])
    chain.arithmetic("product", 1, 2)


SHAPES = [
    bridge,
    role,
    inner,
    plurals,
    converging,
    subjects,
    count,
    reverse_count,
    product,
    years,
    days,
    shift,
]
SHAPES += [difference, choice, verdict, more, same, members, total]


@pytest.mark.parametrize("shape", SHAPES)
def test_it_answers_template_questions_from_their_facts(
    shape: Callable[[ChainBuilder], None],
) -> None:
    builder = ChainBuilder()
    shape(builder)
    chain = builder.chain()
    question = TemplateVerbalizer().verbalize(chain, builder.names).question
    answer = to_answer(chain.hops[-1].answer, builder.names)
    said = read(question, documents(builder, "Ann residence Bonn\nDune genre Horror"))
    assert said is not None, question
    assert score_any(said, [answer])["accuracy"] == 1, (question, said)


@pytest.mark.parametrize("shape", SHAPES)
def test_without_the_facts_it_abstains_or_is_wrong_but_never_fails(
    shape: Callable[[ChainBuilder], None],
) -> None:
    builder = ChainBuilder()
    shape(builder)
    question = TemplateVerbalizer().verbalize(builder.chain(), builder.names).question
    assert read(question, []) is None
    for document in documents(builder):
        read(question, [document])


def test_a_stated_number_is_read() -> None:
    acme = Document("Acme", "Acme number of employees 5000.\nAcme country France.")
    assert read("What is the number of employees of Acme?", [acme]) == "5000"


def test_a_date_is_no_founder() -> None:
    lines = ["inception 1 May 1998", "founded by Ann", "founded by Bob"]
    acme = Document("Acme", "\n".join(f"Acme {line}." for line in lines))
    assert read("How many founders does Acme have?", [acme]) == "2"


def test_an_object_begins_after_the_label_of_its_property() -> None:
    ann = Document("Ann", "Ann position played on team / speciality midfielder.")
    assert read("In which position does Ann play?", [ann]) == "midfielder"


def test_a_tie_and_a_missing_value_are_no_answer() -> None:
    ann, bob = Document("Ann", "Ann date of birth 1950."), Document("Bob", "Bob child Cat.")
    assert read("Which of Ann and Bob was born earlier?", [ann, bob]) is None
    twin = Document("Bob", "Bob date of birth 1950.")
    assert read("Which of Ann and Bob was born earlier?", [ann, twin]) is None
    assert read("Was Ann born before Bob?", [ann, twin]) is None


def test_years_have_no_year_zero() -> None:
    ann = Document("Ann", "Ann date of birth 5.")
    assert read("Which year is 10 years before the year in which Ann was born?", [ann]) == "6 BC"


VOCABULARY = """Which of the A B and Let X be . was born earlier ? How many years lie between as
before after number sum product combined all who is both 12 1950 As of 5 June 2024,"""
WORDS = st.sampled_from(VOCABULARY.split())


@given(st.lists(WORDS, max_size=14), st.lists(WORDS, max_size=12))
def test_it_reads_any_question(question: list[str], line: list[str]) -> None:
    text = " ".join(line)
    answer = read(" ".join(question), [Document("A", f"A {text}."), Document("B", f"B {text}.")])
    assert answer is None or isinstance(answer, str)


@pytest.mark.parametrize("country", ["Canada", "Trinidad and Tobago"])
def test_a_condition_stands_before_two_others_that_share_a_clause(country: str) -> None:
    passages = [
        Document(
            title,
            f"{title} instance of film.\n{title} country of origin {origin}.\n"
            f"{title} narrative location Rome.\n{title} narrative location Paris.",
        )
        for title, origin in (("Alien", "France"), ("Dune", country))
    ]
    asked = f"Which film has {country} as its country of origin and is set in both Rome and Paris?"
    assert read(asked, passages) == "Dune"
