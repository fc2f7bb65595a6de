"""Sentences built from phrases: intersections, counts, comparisons, sums over several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from factchain.chains.records import Operator
from factchain.questions.verbalize.nouns import Noun, indefinite, listing
from factchain.questions.verbalize.phrases import YEAR, Phrase, inverted

_AMOUNTS = {"smallest": "smallest", "largest": "greatest", "less": "smaller", "more": "greater"}
_TIMES = {"earliest": "earlier", "latest": "later"}

AND_ALSO = ", and also "
"""Before the last of several conditions."""


@dataclass(frozen=True, slots=True)
class Term:
    """What stands for an entity or a value in a sentence."""

    text: str
    """A name, a literal, `#k`, or a noun phrase."""
    year: str = ""
    """The year of a date, as a phrase of its own."""
    hops: int = 0
    """How many hops the phrase puts into words; none for a name, a literal or `#k`."""
    preposition: str = "in"
    """What stands before a date."""
    is_long: bool = False
    """Whether a relative clause is part of it, so that it best stands at the end."""


@dataclass(frozen=True, slots=True)
class Said:
    """A hop in words."""

    question: str
    noun: str
    """The same as a noun phrase, to be put into a later hop."""
    year: str = ""
    """Of a date: the noun phrase for its year."""
    changes: bool = False
    """Whether the answer changes with time."""
    is_long: bool = False
    """Whether the noun phrase has a relative clause."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of an intersection: a phrase and what stands on its other side."""

    phrase: Phrase
    term: Term


def satisfying(conditions: Sequence[Condition], head: Noun) -> Said:
    """The one thing that has all these objects: `the film that was directed by A and ...`."""
    clauses = [
        c.phrase.say(_all_of([t.text for t in terms]), preposition=c.term.preposition)
        for c, terms in _grouped(conditions)
    ]
    joined = _joined(clauses, any(c.term.hops for c in conditions[:-1]))
    return Said(
        question=f"{head.asked} {joined}?",
        noun=f"the {head.singular} {head.pronoun} {joined}",
        changes=any(c.phrase.changes for c in conditions),
        is_long=True,
    )


def shared(conditions: Sequence[Condition], head: Noun) -> Said:
    """The one object that all these subjects have: `who is both a director of A and ...`.

    No condition alone has one answer, so the phrases are indefinite.
    """
    nouns = [
        indefinite(c.phrase.noun).replace("{s}", _all_of([t.text for t in terms]))
        for c, terms in _grouped(conditions)
    ]
    said = f"both {listing(nouns)}" if len(nouns) == 2 else listing(nouns)
    return Said(
        question=f"{head.asked} is {said}?",
        noun=f"the {head.singular} {head.pronoun} is {said}",
        changes=any(c.phrase.changes for c in conditions),
        is_long=True,
    )


def counted_objects(phrase: Phrase, subject: Term) -> Said:
    """How many objects a subject has."""
    return Said(
        question=phrase.how_many().replace("{s}", subject.text),
        noun=f"the number of {phrase.plural.replace('{s}', subject.text)}",
        changes=True,
    )


def counted_subjects(phrase: Phrase, object: Term, head: Noun) -> Said:
    """How many subjects have an object."""
    clause = phrase.say(object.text, plural=True, preposition=object.preposition)
    return Said(
        question=f"How many {head.plural} {clause}?",
        noun=f"the number of {head.plural} {head.pronoun} {clause}",
        changes=True,
        is_long=True,
    )


def chosen(operator: Operator, phrase: Phrase, a: Term, b: Term) -> Said:
    """Which of two is first, last, smallest or largest."""
    pair = f"of {a.text} and {b.text}"
    said = _comparative(operator, phrase)
    return Said(f"Which {pair} {said}?", f"whichever {pair} {said}", changes=phrase.changes)


def chosen_among(operator: Operator, phrase: Phrase, several: str) -> Said:
    """Which of several is first, last, smallest or largest; `several` is a plural phrase."""
    if phrase.measure:
        said = f"has the {_AMOUNTS[operator]} {phrase.measure}"
    elif phrase.event:
        said = f"{phrase.event} {'first' if operator == 'earliest' else 'last'}"
    else:
        said = f"has the {operator} {phrase.label}"
    return Said(
        f"Which of the {several} {said}?", f"whichever of the {several} {said}", changes=True
    )


def judged(operator: Operator, phrase: Phrase, a: Term, b: Term) -> Said:
    """Whether the first is before, after, less than, more than or the same as the second."""
    first, second = (phrase.noun.replace("{s}", term.text) for term in (a, b))
    if operator == "same":
        question = f"Is {first} the same as {second}?"
    elif operator in _AMOUNTS:
        degree = indefinite(f"the {_AMOUNTS[operator]} {phrase.measure or phrase.label}")
        question = f"Does {a.text} have {degree} than {b.text}?"
    elif phrase.event:
        question = f"{inverted(phrase.event, phrase.infinitive, a.text)} {operator} {b.text}?"
    else:
        question = f"Is {first} {operator} {second}?"
    return Said(question, f"the answer to “{question}”", changes=phrase.changes)


def summed(phrase: Phrase, several: str) -> Said:
    """The sum of a quantity over several things; `several` is a plural phrase."""
    noun = f"the combined {phrase.measure or phrase.label} of all {several}"
    return Said(f"What is {noun}?", noun, changes=True)


def reckoned(operator: Operator, operands: Sequence[Term], negative: bool = False) -> Said:
    """Arithmetic with numbers and dates; `negative` tells the sign of a difference."""
    if operator in ("years_before", "years_after"):
        return _shifted(operator.removeprefix("years_"), *operands)
    if operator == "years_between":
        a, b = (term.year or term.text for term in operands)
        return Said(
            f"How many years lie between {a} and {b}?", f"the number of years between {a} and {b}"
        )
    texts = [term.text for term in operands]
    if operator == "days_between":
        a, b = texts
        return Said(
            f"How many days lie between {a} and {b}?", f"the number of days between {a} and {b}"
        )
    if operator == "difference" and negative:
        noun = f"the result of subtracting {texts[1]} from {texts[0]}"
    else:
        noun = f"the {operator} {'between' if operator == 'difference' else 'of'} {listing(texts)}"
    return Said(f"What is {noun}?", noun)


def _shifted(direction: str, date: Term, years: Term) -> Said:
    start = date.year or date.text
    if years.hops:
        noun = f"the year that is as many years {direction} {start} as {years.text}"
        return Said(f"Which year is as many years {direction} {start} as {years.text}?", noun, noun)
    # A number of years says so itself where it has that unit.
    number = years.text.removesuffix(" years").removesuffix(" year")
    unit = "year" if number == "1" else "years"
    noun = f"the year {number} {unit} {direction} {start}"
    return Said(f"Which year is {number} {unit} {direction} {start}?", noun, noun)


def _comparative(operator: Operator, phrase: Phrase) -> str:
    if operator in _AMOUNTS:
        degree = {"smallest": "smaller", "largest": "greater"}[operator]
        return f"has the {degree} {phrase.measure or phrase.label}"
    if phrase.event:
        return f"{phrase.event} {_TIMES[operator]}"
    return f"has the {_TIMES[operator]} {phrase.label}"


def _grouped(conditions: Sequence[Condition]) -> list[tuple[Condition, list[Term]]]:
    """Conditions of one property together, in the order in which they come first."""
    groups: dict[str, tuple[Condition, list[Term]]] = {}
    for condition in conditions:
        groups.setdefault(condition.phrase.noun, (condition, []))[1].append(condition.term)
    return list(groups.values())


def _all_of(texts: Sequence[str]) -> str:
    return f"both {listing(texts)}" if len(texts) == 2 else listing(texts)


def _joined(clauses: Sequence[str], nested: bool) -> str:
    """Clauses of one subject; after a nested phrase it must be plain what goes on."""
    if nested and len(clauses) > 1:
        return f"{', '.join(clauses[:-1])}{AND_ALSO}{clauses[-1]}"
    return listing(clauses)


def preposition(precision: int | None) -> str:
    """What stands before a date of that precision."""
    return "on" if precision is not None and precision > YEAR + 1 else "in"
