"""Each kind of hop in words, given the words for what it starts from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from factchain.chains.records import ChainFact, EntityRef, Hop, TypedValue
from factchain.questions.literal_forms import for_readers
from factchain.questions.names import EntityName
from factchain.questions.verbalize import clauses
from factchain.questions.verbalize.clauses import Clauses, Condition, Said, Term
from factchain.questions.verbalize.nouns import Noun
from factchain.questions.verbalize.phrases import MONTH, YEAR, Phrase, Phrases
from factchain.questions.verbalize.tables import Tables

Names = Mapping[str, EntityName]
CLASS = "P31"
_MOST_EMBEDDED = 2
"""Hops that a phrase may enclose, with words of its own before and after."""
_VAGUE = {"place": 1, "thing": 2, "entity": 3}
"""Nouns that say little of what has a property, the least last."""


class HopWords:
    """Puts single hops into words."""

    def __init__(self, tables: Tables) -> None:
        self.phrases = Phrases(tables)
        self.nouns = self.phrases.nouns
        self.frames = self.phrases.frames
        self._clauses = Clauses(self.frames)

    def term(self, answer: EntityRef | TypedValue, names: Names) -> Term:
        """A known entity or literal by its name."""
        if isinstance(answer, EntityRef):
            return self.name(names[answer.id])
        if not self.frames.is_english:
            # Numbers and dates without words: `1879-03-14`.
            return Term(answer.value, preposition=clauses.preposition(answer.precision))
        if answer.datatype != "time":
            return Term(for_readers(answer))
        return Term(
            answer.label, year=year_of(answer), preposition=clauses.preposition(answer.precision)
        )

    def name(self, name: EntityName) -> Term:
        """An entity by its name."""
        return Term(self.nouns.mention(name), is_plural=self.nouns.is_plural(name))

    def say(self, hop: Hop, starts: Sequence[Term], ids: Sequence[str], names: Names) -> Said:
        """The hop in words; `starts` stand for its inputs and topics, whose keys are `ids`."""
        match hop.kind:
            case "count":
                return self._count(hop, starts[0], ids[0], names)
            case "compare":
                return self._compare(hop, starts, ids, names)
            case "arithmetic":
                return self._reckon(hop, starts, ids, names)
            case "intersect":
                return self._intersect(hop, starts, ids, names)
        return self._look_up(hop, starts[0], names)

    def _phrase(self, fact: ChainFact, names: Names) -> Phrase:
        return self.phrases.of(fact, names.get(fact.s))

    def _look_up(self, hop: Hop, start: Term, names: Names) -> Said:
        fact = hop.facts[0]
        phrase = self._phrase(fact, names)
        if isinstance(hop.answer, TypedValue) and hop.answer.precision is not None:
            phrase = phrase.dated(hop.answer.precision)
        question, noun = phrase.question, phrase.noun
        if hop.other_answers:
            question = question.replace(noun, phrase.indefinite, 1)
            noun = phrase.indefinite
        answer = names.get(fact.o) if fact.o is not None else None
        if phrase.which:
            question = f"{self.nouns.asked(answer)}{phrase.which}"
        if self.frames.is_english:
            is_person = answer is not None and self.nouns.is_person(answer)
            question = self._asked(question, noun, is_person, start, fact)
        is_date = isinstance(hop.answer, TypedValue) and hop.answer.datatype == "time"
        goes_on = fact.o is not None and not noun.endswith("{s}")
        return Said(
            question=start.fill(question),
            noun=start.fill(noun),
            year=start.fill(self._year(phrase)) if is_date else "",
            changes=phrase.changes,
            is_long=start.is_long,
            # `on which the setting of the film that ... is located` ends far from its beginning.
            is_enclosed=goes_on or start.is_enclosed,
            is_open=noun.startswith("what ")
            or (goes_on and (start.hops >= _MOST_EMBEDDED or start.is_enclosed)),
        )

    def _asked(
        self, question: str, noun: str, is_person: bool, start: Term, fact: ChainFact
    ) -> str:
        """The question in English with the right question word, and its verb not too far away."""
        if start.is_long and not question.endswith("{s}?") and noun.startswith("the "):
            question = f"What {'was' if fact.ended else 'is'} {noun}?"
        if is_person and (question.endswith(f" {noun}?") or not self.phrases.all_of(fact)):
            question = re.sub(r"^What (is|was) (?=the |an? )", r"Who \1 ", question)
        return question

    def _year(self, phrase: Phrase) -> str:
        """The noun phrase for the year of a date."""
        return (
            phrase.dated(YEAR).noun
            if phrase.event
            else self.frames.say("year_of", noun=phrase.noun)
        )

    def _intersect(
        self, hop: Hop, starts: Sequence[Term], ids: Sequence[str], names: Names
    ) -> Said:
        conditions = [
            Condition(self._phrase(fact, names), start)
            for fact, start in zip(hop.facts, starts, strict=True)
        ]
        answer = names.get(hop.answer.key)
        # A noun by the class would tell what a condition on the class asks for.
        of_class = any(fact.p == CLASS for fact in hop.facts)
        head = (self.nouns.noun_of(answer) if answer and not of_class else None) or self.nouns.thing
        if all(fact.s in ids for fact in hop.facts):
            return self._clauses.shared(conditions, head)
        if head is self.nouns.thing and not of_class:
            head = _what_has([condition.phrase for condition in conditions])
        return self._clauses.satisfying(conditions, head)

    def _count(self, hop: Hop, start: Term, start_id: str, names: Names) -> Said:
        # The phrase of what has ended is in the past; it does for all where any has.
        fact = next((fact for fact in hop.facts if fact.ended), hop.facts[0])
        phrase = self._phrase(fact, names)
        if all(fact.s == start_id for fact in hop.facts):
            return self._clauses.counted_objects(phrase, start)
        common = self.nouns.common(names[fact.s] for fact in hop.facts)
        return self._clauses.counted_subjects(phrase, start, common or phrase.subject)

    def _several(self, facts: Sequence[ChainFact], start: Term, start_id: str, names: Names) -> str:
        """The members that an aggregation is over, in the plural."""
        link = next(fact for fact in facts if fact.s == start_id)
        return start.fill(self._phrase(link, names).plural)

    def _compare(self, hop: Hop, starts: Sequence[Term], ids: Sequence[str], names: Names) -> Said:
        assert hop.operation is not None  # by `records.Hop`'s meaning of a comparison
        operator, fact = hop.operation.operator, hop.facts[-1]
        if len(starts) == 1:
            several = self._several(hop.facts, starts[0], ids[0], names)
            return self._clauses.chosen_among(operator, self._phrase(fact, names), several)
        phrases = [self._phrase(fact, names) for fact in hop.facts[-2:]]
        if len({phrase.event for phrase in phrases}) > 1:
            # A stadium is not founded, though the club is.
            phrases = [self.phrases.of(fact, None) for fact in hop.facts[-2:]]
        if fact.value is not None and fact.value.precision is not None:
            phrases = [phrase.dated(fact.value.precision) for phrase in phrases]
        if isinstance(hop.answer, EntityRef):
            return self._clauses.chosen(operator, phrases[0], *starts)
        return self._clauses.judged(operator, (phrases[0], phrases[-1]), *starts)

    def _reckon(self, hop: Hop, starts: Sequence[Term], ids: Sequence[str], names: Names) -> Said:
        assert hop.operation is not None
        operation = hop.operation
        if hop.facts:
            several = self._several(hop.facts, starts[0], ids[0], names)
            return self._clauses.summed(self._phrase(hop.facts[-1], names), several)
        by_hop = dict(zip(hop.inputs, starts, strict=True))
        operands = [
            self.term(operand.value, names) if operand.hop is None else by_hop[operand.hop]
            for operand in operation.operands
        ]
        result = operation.result
        negative = isinstance(result, TypedValue) and _is_negative(result)
        return self._clauses.reckoned(operation.operator, operands, negative)


def _what_has(phrases: Sequence[Phrase]) -> Noun:
    """What has the properties: the first of the nouns that say most."""
    return min((p.subject for p in phrases), key=lambda noun: _VAGUE.get(noun.singular, 0))


def year_of(date: TypedValue) -> str:
    """The year of a date as a reader would write it."""
    if date.precision is None or date.precision <= YEAR:
        return date.label
    words = date.label.split()
    # `14 March 44 BC`: day, month, year, era.
    return " ".join(words[1:] if date.precision == MONTH else words[2:])


def as_input(said: Said, answer: EntityRef | TypedValue, hops: int) -> Term:
    """The noun phrase of a hop, to be put into a later one."""
    precision = answer.precision if isinstance(answer, TypedValue) else None
    return Term(
        said.noun,
        said.year,
        hops,
        clauses.preposition(precision),
        is_long=said.is_long,
        is_enclosed=said.is_enclosed,
    )


def reference(index: int, answer: EntityRef | TypedValue) -> Term:
    """`#k` for the answer of hop k."""
    return replace(as_input(Said("", f"#{index}"), answer, 0), year="")


def _is_negative(value: TypedValue) -> bool:
    return value.datatype == "quantity" and Decimal(value.value) < 0
