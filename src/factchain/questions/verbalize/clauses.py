"""Sentences built from phrases: intersections, counts, comparisons, sums over several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from factchain.chains.records import Operator
from factchain.questions.verbalize import english
from factchain.questions.verbalize.frames import Frames
from factchain.questions.verbalize.nouns import Noun
from factchain.questions.verbalize.phrases import MONTH, Phrase

_DEGREES = {"smallest": "smaller", "largest": "greater", "less": "smaller", "more": "greater"}
_SUPERLATIVES = {"smallest": "smallest", "largest": "greatest"}
_TIMES = {"earliest": "earlier", "latest": "later"}
_ENDS = {"earliest": "first", "latest": "last"}


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
    """The frame of what stands before a date."""
    is_long: bool = False
    """Whether a relative clause is part of it, so that it best stands at the end."""
    is_plural: bool = False
    """Whether it is a name in the plural: `the Alps`."""
    is_enclosed: bool = False
    """Whether it goes on after the name in it: `the place where A is buried`."""

    def fill(self, pattern: str) -> str:
        """The pattern with this for its subject."""
        if self.is_plural:
            pattern = english.about_several(pattern)
        return pattern.replace("{s}", self.text)


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
    is_enclosed: bool = False
    """Whether it goes on after what it starts from."""
    is_open: bool = False
    """Whether it cannot be read with more around it, so that it must be told beforehand."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of an intersection: a phrase and what stands on its other side."""

    phrase: Phrase
    term: Term


class Clauses:
    """Builds the sentences in the language of the frames."""

    def __init__(self, frames: Frames) -> None:
        self.frames = frames
        self._say = frames.say

    def satisfying(self, conditions: Sequence[Condition], head: Noun) -> Said:
        """The one thing that has all these objects: `the film that was directed by A and ...`."""
        clauses = [
            c.phrase.say(
                self.frames.all_of([t.text for t in terms]),
                preposition=self._say(c.term.preposition),
            )
            for c, terms in _grouped(conditions)
        ]
        # After a nested phrase it must be plain what goes on.
        if len(clauses) > 1 and any(c.term.hops for c in conditions[:-1]):
            *before, last = clauses
            joined = before[0]
            for clause in before[1:]:
                joined = self._say("comma", before=joined, last=clause)
            joined = self._say("and_also", before=joined, last=last)
        else:
            joined = self.frames.listing(clauses)
        return self._meeting(joined, conditions, head)

    def _meeting(self, said: str, conditions: Sequence[Condition], head: Noun) -> Said:
        words = {"noun": head.singular, "pronoun": head.pronoun, "conditions": said}
        return Said(
            question=self._say("meets", asked=head.asked, conditions=said),
            noun=self._say("that_meets", **words),
            changes=any(c.phrase.changes for c in conditions),
            is_long=True,
        )

    def shared(self, conditions: Sequence[Condition], head: Noun) -> Said:
        """The one object that all these subjects have: `who is both a director of A and ...`.

        No condition alone has one answer, so the phrases are indefinite.
        """
        nouns = [
            c.phrase.indefinite.replace("{s}", self.frames.all_of([t.text for t in terms]))
            for c, terms in _grouped(conditions)
        ]
        of_head = english.indefinite(f"the {head.singular} that ")
        if self.frames.is_english and len(nouns) == 1 and nouns[0].startswith(of_head):
            # Not `the country that is a country that borders on both A and B`.
            return self._meeting(nouns[0].removeprefix(of_head), conditions, head)
        things = self.frames.all_of(nouns)
        return Said(
            question=self._say("is_each", asked=head.asked, things=things),
            noun=self._say("that_is_each", noun=head.singular, pronoun=head.pronoun, things=things),
            changes=any(c.phrase.changes for c in conditions),
            is_long=True,
        )

    def counted_objects(self, phrase: Phrase, subject: Term) -> Said:
        """How many objects a subject has."""
        return Said(
            question=subject.fill(phrase.how_many),
            noun=self._say("number_of", things=subject.fill(phrase.plural)),
            changes=not phrase.is_past,
        )

    def counted_subjects(self, phrase: Phrase, object: Term, head: Noun) -> Said:
        """How many subjects have an object."""
        clause = phrase.say(object.text, plural=True, preposition=self._say(object.preposition))
        words = {"nouns": head.plural, "pronoun": head.pronoun, "conditions": clause}
        return Said(
            question=self._say("how_many_meet", **words),
            noun=self._say("number_that_meet", **words),
            changes=not phrase.is_past,
            is_long=True,
        )

    def chosen(self, operator: Operator, phrase: Phrase, a: Term, b: Term) -> Said:
        """Which of two is first, last, smallest or largest."""
        if operator in _DEGREES:
            said = self._extreme(self._degree(operator, phrase), phrase)
        elif phrase.event:
            said = self._say("happened", event=phrase.event, degree=self._say(_TIMES[operator]))
        else:
            said = self._extreme(self._say(_TIMES[operator]), phrase)
        return self._choice("of_two", phrase.changes, a=a.text, b=b.text, said=said)

    def chosen_among(self, operator: Operator, phrase: Phrase, several: str) -> Said:
        """Which of several is first, last, smallest or largest; `several` is a plural phrase."""
        if phrase.measure:
            comparative = _nth(phrase.comparative, operator)
            degree = (
                english.superlative(comparative)
                if comparative
                else self._say(_SUPERLATIVES[operator])
            )
            said = self._extreme(degree, phrase)
        elif phrase.event:
            said = self._say("happened", event=phrase.event, degree=self._say(_ENDS[operator]))
        else:
            said = self._extreme(self._say(operator), phrase)
        return self._choice("of_all", True, things=several, said=said)

    def _choice(self, among: str, changes: bool, **words: str) -> Said:
        return Said(
            self._say(f"which_{among}", **words),
            self._say(f"whichever_{among}", **words),
            changes=changes,
            is_open=True,
        )

    def _extreme(self, degree: str, phrase: Phrase) -> str:
        return self._say("has_the", degree=degree, measure=phrase.measure or phrase.label)

    def _degree(self, operator: Operator, phrase: Phrase) -> str:
        return _nth(phrase.comparative, operator) or self._say(_DEGREES[operator])

    def judged(self, operator: Operator, phrases: tuple[Phrase, Phrase], a: Term, b: Term) -> Said:
        """Whether the first is before, after, less than, more than or the same as the second."""
        phrase = phrases[0]
        nouns = [term.fill(p.noun) for p, term in zip(phrases, (a, b), strict=True)]
        if operator == "same":
            question = self._say("is_the_same", a=nouns[0], b=nouns[1])
        elif operator in _DEGREES:
            degree = self._degree(operator, phrase)
            measure = phrase.measure or phrase.label
            question = self._say("has_a", a=a.text, b=b.text, degree=degree, measure=measure)
        elif phrase.event and self.frames.is_english:
            asked = english.inverted(phrase.event, phrase.infinitive, a.text)
            question = f"{asked} {operator} {b.text}?"
        else:
            order = self._say(operator)
            question = self._say("is_in_order", a=nouns[0], b=nouns[1], order=order)
        noun = self._say("answer_to", question=question)
        return Said(question, noun, changes=phrase.changes)

    def summed(self, phrase: Phrase, several: str) -> Said:
        """The sum of a quantity over several things; `several` is a plural phrase."""
        noun = self._say("combined", measure=phrase.measure or phrase.label, things=several)
        return Said(self._say("what_is", noun=noun), noun, changes=True)

    def reckoned(self, operator: Operator, operands: Sequence[Term], negative: bool) -> Said:
        """Arithmetic with numbers and dates; `negative` tells the sign of a difference."""
        if operator in ("years_before", "years_after"):
            return self._shifted(operator.removeprefix("years_"), *operands)
        if operator in ("years_between", "days_between"):
            of_years = operator == "years_between"
            a, b = ((term.year if of_years else "") or term.text for term in operands)
            return Said(self._say(f"how_many_{operator}", a=a, b=b), self._say(operator, a=a, b=b))
        texts = [term.text for term in operands]
        if operator == "difference" and negative:
            noun = self._say("subtracted", a=texts[0], b=texts[1])
        else:
            noun = self._say(operator, operands=self.frames.listing(texts))
        return Said(self._say("what_is", noun=noun), noun)

    def _shifted(self, direction: str, date: Term, years: Term) -> Said:
        words = {"start": date.year or date.text, "order": self._say(direction)}
        if years.hops:
            frames, words["years"] = ("which_year_as_many", "year_as_many"), years.text
        else:
            # A number of years says so itself where it has that unit.
            number = years.text.removesuffix(" years").removesuffix(" year")
            unit = "one_year" if number == "1" else "some_years"
            frames = ("which_year_shifted", "year_shifted")
            words["years"] = self._say(unit, number=number)
        question, noun = (self._say(frame, **words) for frame in frames)
        return Said(question, noun, noun)


def preposition(precision: int | None) -> str:
    """The frame of what stands before a date of that precision."""
    return "on" if precision is not None and precision > MONTH else "in"


def _nth(comparatives: str, operator: Operator) -> str:
    """Of `lower/higher` the one that the operator asks for."""
    less, _, more = comparatives.partition("/")
    return less if operator in ("smallest", "less") else more


def _grouped(conditions: Sequence[Condition]) -> list[tuple[Condition, list[Term]]]:
    """Conditions of one property together, in the order in which they come first."""
    groups: dict[str, tuple[Condition, list[Term]]] = {}
    for condition in conditions:
        groups.setdefault(condition.phrase.noun, (condition, []))[1].append(condition.term)
    return list(groups.values())
