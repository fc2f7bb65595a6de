"""Templates: every shape and kind in exact words; no hop lost, nothing given away."""

from __future__ import annotations

import csv
import re
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain_builder import (
    BOOK,
    CITY,
    COUNTRY,
    FILM,
    HUMAN,
    RIVER,
    ChainBuilder,
    amount,
    day,
)
from factchain.chains.records import Hop, TypedValue
from factchain.questions.coverage import unsaid
from factchain.questions.leaks import leaks
from factchain.questions.names import EntityName
from factchain.questions.verbalize.english import indefinite, listing, pluralise
from factchain.questions.verbalize.phrases import Phrases
from factchain.questions.verbalize.protocol import Wording
from factchain.questions.verbalize.table_rows import check_row
from factchain.questions.verbalize.template import TemplateVerbalizer

VERBALIZER = TemplateVerbalizer()
DIRECTOR, AUTHOR, BIRTHPLACE = "P57 director", "P50 author", "P19 place of birth"
CITIZENSHIP, COUNTRY_OF, BORN = "P27 country of citizenship", "P17 country", "P569 date of birth"
FOUNDED, CHILD, POPULATION = "P571 inception", "P40 child", "P1082 population"
PARTY = "Q7278"


def say(chain: ChainBuilder) -> Wording:
    return VERBALIZER.verbalize(chain.chain(), chain.names)


def name(
    id: str, label: str, classes: str = "", homonym: bool = False, description: str = ""
) -> EntityName:
    return EntityName(id, label, description, (), frozenset(classes.split()), homonym)


def test_noun_phrases_nest_from_the_topic_outwards() -> None:
    chain = ChainBuilder()
    chain.entity("Oppenheimer", FILM)
    chain.lookup(DIRECTOR, "Oppenheimer", "Christopher Nolan")
    chain.lookup(BIRTHPLACE, 1, "London")
    chain.lookup(COUNTRY_OF, 2, "United Kingdom")
    wording = say(chain)
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
    chain = ChainBuilder()
    chain.lookup("P6 head of government", "United Kingdom", "x")
    chain.lookup(BIRTHPLACE, 1, "y")
    wording = say(chain)
    assert wording.question == (
        "As of 5 June 2024, where was the head of government of the United Kingdom born?"
    )
    assert wording.sub_questions[1] == "Where was x born?"
    named = VERBALIZER.verbalize(chain.chain(snapshot="spring"), chain.names)
    assert named.question.startswith("As of spring, where")


def test_a_bridge_asks_for_what_meets_both_conditions() -> None:
    """Omanic's example (SPEC.md 5.1): the party founded 35 years before 1968 in Ireland."""
    chain = ChainBuilder()
    chain.entity("Candida", "Q25379")
    chain.entity("The Party", PARTY, class_labels=["political party"])
    chain.lookup(AUTHOR, "Candida", "Shaw")
    chain.lookup(CITIZENSHIP, 1, "Ireland")
    chain.arithmetic("years_before", day("1968"), amount(35))
    chain.intersect((FOUNDED, 3), (COUNTRY_OF, 2), answer="The Party")
    wording = say(chain)
    assert wording.question == (
        "Which political party was founded in the year 35 years before 1968, and also is based in "
        "the country of citizenship of the author of the play Candida?"
    )
    assert wording.templates[2:] == (
        "Which year is 35 years before 1968?",
        "Which political party was founded in #3 and is based in #2?",
    )
    assert wording.sub_questions[3] == (
        "Which political party was founded in 1933 and is based in Ireland?"
    )


def test_a_converging_chain_goes_on_from_the_join() -> None:
    chain = ChainBuilder()
    chain.entity("Ann", HUMAN)
    chain.lookup(DIRECTOR, "Film", "Bob")
    chain.lookup(AUTHOR, "Book", "Cat")
    chain.intersect((CHILD, 1), (CHILD, 2), answer="Ann", subject=False)
    chain.lookup(BIRTHPLACE, 3, "Paris")
    wording = say(chain)
    assert wording.question == (
        "What is the birthplace of the person who is a child of both the director of Film and the "
        "author of Book?"
    )
    assert wording.templates[2] == "Who is a child of both #1 and #2?"


def test_object_conditions_of_two_properties() -> None:
    chain = ChainBuilder()
    chain.entity("Ann", HUMAN)
    chain.intersect((DIRECTOR, "A"), (AUTHOR, "B"), answer="Ann", subject=False)
    chain.lookup(BIRTHPLACE, 1, "Paris")
    wording = say(chain)
    assert wording.templates[0] == "Who is both a director of A and an author of B?"
    assert wording.question == (
        "What is the birthplace of the person who is both a director of A and an author of B?"
    )


def test_three_conditions_and_a_class_that_only_the_store_names() -> None:
    chain = ChainBuilder()
    chain.entity("Opus", "Q777", class_labels=["sound sculpture"])
    conditions = [("P170 creator", "Ann"), ("P276 location", "Rome"), ("P9999 odd thing", "Oslo")]
    chain.intersect(*conditions, answer="Opus")
    assert say(chain).question == (
        "Which sound sculpture was created by Ann, has its location in Rome and has Oslo as odd "
        "thing?"
    )


def test_an_answer_without_a_class_is_what_has_the_property() -> None:
    chain = ChainBuilder()
    chain.intersect((DIRECTOR, "Ann"), ("P144 based on", "Book"), answer="Film")
    assert say(chain).question == "Which work was directed by Ann and is based on Book?"


def test_counts_both_ways() -> None:
    chain = ChainBuilder()
    for label in ("F1", "F2"):
        chain.entity(label, FILM)
    chain.count(CHILD, "Ann", ["Bob", "Cat"])
    chain.count("P166 award received", "Ann", ["A", "B", "C"])
    chain.count(DIRECTOR, "Ann", ["F1", "F2"], subject=True)
    chain.count(AUTHOR, "Ann", ["something", "F1"], subject=True)
    chain.count("P150 contains", "Ann", ["A", "B"])
    assert [question.partition(", ")[2] for question in say(chain).sub_questions] == [
        "how many children does Ann have?",
        "how many awards were received by Ann?",
        "how many films were directed by Ann?",
        "how many works were written by Ann?",
        "what is the number of administrative units contained in Ann?",
    ]


def test_a_count_goes_into_a_product() -> None:
    chain = ChainBuilder()
    chain.count(CHILD, "Ann", ["Bob", "Cat"])
    chain.count(DIRECTOR, "Ann", ["F1", "F2", "F3"], subject=True)
    chain.arithmetic("product", 1, 2)
    assert say(chain).question == (
        "As of 5 June 2024, what is the product of the number of children of Ann and the number "
        "of works that were directed by Ann?"
    )


@pytest.mark.parametrize(
    ("operator", "operands", "question"),
    [
        ("sum", (1, 2), "What is the sum of #1 and #2?"),
        ("sum", (1, 2, amount(7)), "What is the sum of #1, #2 and 7?"),
        ("difference", (1, 2), "What is the difference between #1 and #2?"),
        ("difference", (2, 1), "What is the result of subtracting #1 from #2?"),
        ("product", (amount(3), 1), "What is the product of 3 and #1?"),
        ("years_between", (3, 4), "How many years lie between #3 and #4?"),
        ("days_between", (3, 5), "How many days lie between #3 and #5?"),
        ("years_before", (3, 1), "Which year is #1 years before #3?"),
        ("years_after", (4, amount(1)), "Which year is 1 year after #4?"),
    ],
)
def test_arithmetic(operator: str, operands: tuple[object, ...], question: str) -> None:
    chain = ChainBuilder()
    chain.lookup("P1971 number of children", "Ann", amount(5))
    chain.lookup("P1971 number of children", "Bob", amount(2))
    chain.lookup(BORN, "Ann", day("1879-03-14"))
    chain.lookup(FOUNDED, "Acme", day("1900"))
    chain.lookup("P570 date of death", "Ann", day("1955-04-18"))
    chain.arithmetic(operator, *operands)  # type: ignore[arg-type]
    assert say(chain).templates[-1] == question


def test_dates_are_asked_as_precisely_as_they_are_known() -> None:
    chain = ChainBuilder()
    chain.lookup(BORN, "Ann", day("1879-03-14"))
    chain.lookup(BORN, "Bob", day("1879-03"))
    chain.lookup("P570 date of death", "Cat", day("1879"))
    chain.lookup("P9009 date of glory", "Dan", day("1700"))
    assert say(chain).sub_questions == (
        "On what date was Ann born?",
        "In which month was Bob born?",
        "In which year did Cat die?",
        "What is the date of glory of Dan?",
    )


def test_reckoning_with_years_asks_for_years() -> None:
    chain = ChainBuilder()
    chain.lookup(BORN, "Ann", day("1879-03-14"))
    chain.lookup(FOUNDED, "Acme", day("1900"))
    chain.arithmetic("years_between", 1, 2)
    wording = say(chain)
    assert wording.question == (
        "How many years lie between the year in which Ann was born and the year in which Acme was "
        "established?"
    )
    assert wording.sub_questions[2] == "How many years lie between 1879 and 1900?"
    days = ChainBuilder()
    days.lookup(BORN, "Ann", day("1879-03-14"))
    days.lookup("P570 date of death", "Ann", day("1955-04-18"))
    days.arithmetic("days_between", 1, 2)
    assert say(days).question == (
        "How many days lie between the date on which Ann was born and the date on which Ann died?"
    )


def test_a_year_as_far_away_as_a_number_that_is_looked_up() -> None:
    chain = ChainBuilder()
    chain.count(CHILD, "Ann", ["Bob", "Cat"])
    chain.arithmetic("years_after", day("1968"), 1)
    assert say(chain).question == (
        "As of 5 June 2024, which year is as many years after 1968 as the number of children of "
        "Ann?"
    )


def test_conditions_within_conditions_are_told_beforehand() -> None:
    chain = ChainBuilder()
    chain.intersect((DIRECTOR, "Ann"), (BIRTHPLACE, "Paris"), answer="Emma")
    chain.intersect((DIRECTOR, 1), (BIRTHPLACE, "Rome"), answer="Dora")
    question = say(chain).question
    assert question.startswith("Let X be the ")
    conditions, asked = question.split(". ")
    assert ("Ann" in conditions, "Paris" in conditions, "Rome" in conditions) == (True, True, False)
    assert ("X" in asked, "Rome" in asked, "Ann" in asked) == (True, True, False)


def test_a_choice_of_two_is_named_before_it_is_used() -> None:
    chain = ChainBuilder()
    chain.lookup(DIRECTOR, "Dune", "Ann")
    chain.lookup(DIRECTOR, "Alien", "Bob")
    chain.compare("earliest", BORN, (1, day("1967")), (2, day("1937")))
    chain.lookup(BIRTHPLACE, 3, "Paris")
    wording = say(chain)
    assert wording.question == (
        "Let X be whichever of the director of Dune and the director of Alien was born earlier. "
        "Where was X born?"
    )
    assert wording.templates[2:] == ("Which of #1 and #2 was born earlier?", "Where was #3 born?")
    assert wording.sub_questions[2] == "Which of Ann and Bob was born earlier?"


@pytest.mark.parametrize(
    ("operator", "p", "values", "question"),
    [
        ("latest", "P570 x", ("1955", "1988"), "Which of A and B died later?"),
        ("latest", "P9 x day", ("1955", "1988"), "Which of A and B has the later x day?"),
        ("largest", "P2046 area", (5, 3), "Which of A and B has the greater area?"),
        ("smallest", "P9 x", (5, 3), "Which of A and B has the smaller x?"),
        ("before", "P569 x", ("1955", "1988"), "Was A born before B?"),
        ("after", "P570 x", ("1955", "1988"), "Did A die after B?"),
        ("before", "P9 x day", ("1955", "1988"), "Is the x day of A before the x day of B?"),
        ("less", "P2043 x", (5, 3), "Does A have a shorter length than B?"),
        ("more", "P2044 x", (5, 3), "Does A have a higher elevation above sea level than B?"),
        ("same", "P17 x", ("C", "C"), "Is the country of A the same as the country of B?"),
    ],
)
def test_comparisons(operator: str, p: str, values: tuple[object, ...], question: str) -> None:
    chain = ChainBuilder()

    def value(of: object) -> object:
        if isinstance(of, int):
            return amount(of)
        return day(str(of)) if str(of).isdecimal() else of

    chain.compare(operator, p, ("A", value(values[0])), ("B", value(values[1])))
    assert say(chain).question == question


def test_aggregations() -> None:
    sizes = {"Io": amount(3643, "kilometre"), "Europa": amount(3122, "kilometre")}
    chain = ChainBuilder()
    chain.aggregate("largest", "P398 child body", "Jupiter", "P2386 diameter", sizes)
    chain.lookup("P61 discoverer or inventor", 1, "Galileo Galilei")
    assert say(chain).question == (
        "As of 5 June 2024, let X be whichever of the astronomical bodies that orbit Jupiter has "
        "the greatest diameter. Who discovered or invented X?"
    )
    first = ChainBuilder()
    born = {"Bob": day("1990"), "Cat": day("1980-01-01")}
    first.aggregate("earliest", CHILD, "Ann", BORN, born)
    assert say(first).question == (
        "As of 5 June 2024, which of the children of Ann was born first?"
    )
    total = ChainBuilder()
    total.aggregate("sum", "P150 contains", "Malta", POPULATION, {"A": amount(5), "B": amount(3)})
    assert say(total).question == (
        "As of 5 June 2024, what is the combined population of all administrative units contained "
        "in Malta?"
    )


def test_deep_chains_are_cut_into_sentences() -> None:
    chain = ChainBuilder()
    chain.entity("Emma", BOOK)
    for k, p in enumerate(["P50", "P19", "P17", "P36", "P131", "P30", "P22", "P159"], start=1):
        chain.lookup(f"{p} x", k - 1 or "Emma", f"answer {k}")
    assert say(chain).question == (
        "As of 5 June 2024, let X be the capital of the country of the birthplace of the author "
        "of the book Emma. Where is the father of the continent of the administrative region of X "
        "headquartered?"
    )


def test_an_answer_that_is_needed_twice_is_told_once() -> None:
    chain = ChainBuilder()
    chain.lookup(AUTHOR, "Emma", "Ann")
    chain.lookup(BORN, 1, day("1775-12-16"))
    chain.lookup("P570 date of death", 1, day("1817-07-18"))
    chain.arithmetic("years_between", 2, 3)
    assert say(chain).question == (
        "Let X be the author of Emma. How many years lie between the year in which X was born and "
        "the year in which X died?"
    )


def test_several_right_answers_are_asked_for_one() -> None:
    chain = ChainBuilder()
    chain.lookup(CHILD, "Ann", "Bob", "Cat")
    assert say(chain).question == "Who is a child of Ann?"


def test_a_property_without_a_phrase_uses_its_label() -> None:
    chain = ChainBuilder()
    chain.entity("Zoe", HUMAN)
    chain.lookup("P99998 foo", "A", "B")
    chain.lookup("P99997 part of the bar of", 1, "C")
    chain.lookup("P99999 chief baz", 2, "Zoe")
    assert say(chain).question == (
        "Let X be what the foo of A is part of the bar of. Who is the chief baz of X?"
    )


@pytest.mark.parametrize(
    ("entity", "mention"),
    [
        (name("Q1", "Dune", FILM), "the film Dune"),
        (name("Q1", "Dune", "Q8261", True, "1965 novel"), "Dune (1965 novel)"),
        (name("Q1", "The Hobbit", FILM), "the film The Hobbit"),
        (name("Q1", "Danube", RIVER), "the Danube"),
        (name("Q1", "The Hague", CITY), "The Hague"),
        (name("Q1", "Netherlands", COUNTRY), "the Netherlands"),
        (name("Q1", "University of Oxford"), "the University of Oxford"),
        (name("Q1", "Paris"), "Paris"),
    ],
)
def test_mentions(entity: EntityName, mention: str) -> None:
    assert VERBALIZER.mention(entity) == mention


def test_the_subject_s_class_chooses_the_phrase() -> None:
    chain = ChainBuilder()
    chain.entity("Acme", "Q4830453")
    chain.lookup(COUNTRY_OF, "Acme", "B")
    assert say(chain).question == "In which country is Acme based?"


@pytest.mark.parametrize(
    ("words", "plural"),
    [
        ("head of state", "heads of state"),
        ("country", "countries"),
        ("day", "days"),
        ("church", "churches"),
        ("person", "people"),
        ("film", "films"),
    ],
)
def test_plurals(words: str, plural: str) -> None:
    assert pluralise(words) == plural


def test_articles_and_lists() -> None:
    assert [indefinite(f"the {w}") for w in ("author", "university", "heir", "unmarried one")] == [
        "an author",
        "a university",
        "an heir",
        "an unmarried one",
    ]
    assert indefinite("what it is") == "what it is"
    assert listing(["A"]) == "A"
    assert listing(["A", "B", "C"]) == "A, B and C"


@pytest.mark.parametrize("table", ["phrases.tsv", "literals.tsv"])
def test_every_property_of_the_sample_has_a_phrase(table: str) -> None:
    tables = files("factchain.data") / "sample" / "tables" / "properties.tsv"
    with tables.open(encoding="utf-8") as lines:
        properties = {
            row["id"]
            for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
            if (row["datatype"] == "wikibase-item") is (table == "phrases.tsv")
        }
    with (files("factchain.questions.verbalize") / table).open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert properties - {row["property"] for row in rows} == set()
    for row in rows:
        assert row["changes"] in {"yes", "no"}, row
        assert row["subject"], row
        if table == "phrases.tsv":
            assert row["question"].count("{s}") == row["noun"].count("{s}") == 1, row
            assert row["plural"].count("{s}") == row["clause"].count("o}") == 1, row
            assert row["question"].endswith("?"), row
            assert not row["plural"].startswith(("the ", "a ")), row
            check_row(table, table, row, {})
        else:
            assert bool(row["event"]) != bool(row["measure"]), row


def test_no_pattern_keeps_a_brace_when_it_is_filled() -> None:
    phrases = Phrases()
    for present in phrases.every():
        for phrase in (present, phrases.past(present), present.dated(9), present.dated(10)):
            filled = [phrase.say("O", plural=number, preposition="in") for number in (True, False)]
            patterns = (phrase.question, phrase.noun, phrase.plural, phrase.how_many)
            filled += [p.replace("{s}", "S") for p in (*patterns, phrase.which, phrase.indefinite)]
            for text in filled:
                assert not re.search(r"[{}|]", text), phrase
                assert "  " not in text.strip(), phrase
                assert not re.search(r"\b(\w+) (or )?\1\b", text), phrase


ENTITY_PROPERTIES = ["P57 director", "P19 place of birth", "P17 country", "P50 author", "P40 child"]
ENTITY_PROPERTIES += ["P6 head of government", "P9001 odd relation", "P9002 member of odd group of"]
DATES, AMOUNTS = ["P569 date of birth", "P571 inception"], ["P1082 population", "P2043 length"]


@st.composite
def chains(draw: st.DrawFn) -> ChainBuilder:
    """A chain of any topology and kinds: every hop starts at earlier answers or at a topic."""
    chain = ChainBuilder()
    fresh = iter(f"{word}{k}" for k in range(1, 999) for word in ("Entity ", "Item "))
    unused: list[int] = []

    def start() -> int | str:
        entities = [k for k in unused if chain.hops[k - 1].answer.key.startswith("Q")]
        if entities and draw(st.booleans()):
            unused.remove(entities[0])
            return entities[0]
        label = next(fresh)
        classes = draw(st.sampled_from(["", HUMAN, FILM, CITY, COUNTRY, "Q4830453"]))
        chain.entity(label, classes)
        return label

    def literal(p: str, number: int) -> object:
        return day(f"{1100 + number}-02-03") if p in DATES else amount(70_000 + number)

    def numbers(datatype: str) -> list[int]:
        """Hops that answer with such a value, less the years and days between two dates."""
        answers = {k: chain.hops[k - 1].answer for k in unused}
        return [
            k
            for k, answer in answers.items()
            if isinstance(answer, TypedValue) and answer.datatype == datatype and not answer.unit
        ]

    entity_property = st.sampled_from(ENTITY_PROPERTIES)
    literal_property = st.sampled_from([*DATES, *AMOUNTS])
    for _ in range(draw(st.integers(1, 7))):
        kind = draw(st.sampled_from(["lookup", "literal", "intersect", "count", "compare", "sum"]))
        n = 11 * (len(chain.hops) + 1)
        if kind == "lookup":
            unused.append(chain.lookup(draw(entity_property), start(), next(fresh)))
        elif kind == "literal":
            p = draw(literal_property)
            unused.append(chain.lookup(p, start(), literal(p, n)))  # type: ignore[arg-type]
        elif kind == "intersect":
            conditions = [(draw(entity_property), start()), (draw(entity_property), start())]
            subject = draw(st.booleans())
            unused.append(chain.intersect(*conditions, answer=next(fresh), subject=subject))
        elif kind == "count":
            things = [next(fresh) for _ in range(23 + n)]
            p, one = draw(entity_property), start()
            unused.append(chain.count(p, one, things, subject=draw(st.booleans())))
        elif kind == "compare":
            p = draw(literal_property)
            operator = draw(st.sampled_from(["earliest", "latest"] if p in DATES else ["largest"]))
            values = [(start(), literal(p, n)), (start(), literal(p, n + 1))]
            unused.append(chain.compare(operator, p, *values))
        elif len(found := numbers("quantity")) > 1:
            operator = draw(st.sampled_from(["sum", "difference", "product"]))
            unused = [k for k in unused if k not in found[:2]]
            unused.append(chain.arithmetic(operator, *found[:2]))
        elif len(found := numbers("time")) > 1:
            operator = draw(st.sampled_from(["years_between", "days_between"]))
            unused = [k for k in unused if k not in found[:2]]
            unused.append(chain.arithmetic(operator, *found[:2]))
    return chain


def _reaching_the_last(chain: ChainBuilder) -> ChainBuilder:
    """Only the hops that the last one needs, numbered anew."""
    needed = {len(chain.hops)}
    for hop in reversed(chain.hops):
        needed |= set(hop.inputs) if hop.index in needed else set()
    number = {old: new for new, old in enumerate(sorted(needed), start=1)}

    def moved(hop: Hop) -> Hop:
        operation = hop.operation and hop.operation.model_copy(
            update={
                "operands": tuple(
                    o.model_copy(update={"hop": number[o.hop]}) if o.hop else o
                    for o in hop.operation.operands
                )
            }
        )
        inputs = tuple(number[k] for k in hop.inputs)
        changed = {"index": number[hop.index], "inputs": inputs, "operation": operation}
        return hop.model_copy(update=changed)

    chain.hops = [moved(hop) for hop in chain.hops if hop.index in needed]
    return chain


@given(chains().filter(lambda chain: bool(chain.hops)).map(_reaching_the_last))
def test_any_graph_of_any_kinds_is_said_whole_and_gives_nothing_away(builder: ChainBuilder) -> None:
    chain = builder.chain()
    wording = VERBALIZER.verbalize(chain, builder.names)
    for text in (wording.question, *wording.sub_questions, *wording.templates):
        assert text.endswith("?")
        assert not re.search(r"[{}|]", text)
        assert not re.search(r"\b(\w+) \1\b", text), text
        assert "  " not in text
    for hop, template, question in zip(
        chain.hops, wording.templates, wording.sub_questions, strict=True
    ):
        used = sorted(int(k) for k in re.findall(r"#(\d+)", template))
        assert used == sorted(hop.inputs)
        assert "#" not in question
    assert leaks(chain, wording.question, builder.names)[0] == []
    assert unsaid(chain, wording.question, VERBALIZER.wordings(chain)) == []
