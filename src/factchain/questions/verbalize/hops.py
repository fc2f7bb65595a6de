"""Each kind of hop in words, given the words for what it starts from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from factchain.chains.records import ChainFact, EntityRef, Hop, TypedValue
from factchain.questions.names import EntityName
from factchain.questions.verbalize import clauses
from factchain.questions.verbalize.clauses import Condition, Said, Term
from factchain.questions.verbalize.nouns import THING, Nouns, indefinite
from factchain.questions.verbalize.phrases import MONTH, YEAR, Phrase, Phrases

Names = Mapping[str, EntityName]
CLASS = "P31"


class HopWords:
    """Puts single hops into words."""

    def __init__(self) -> None:
        self.phrases = Phrases()
        self.nouns = Nouns()

    def term(self, answer: EntityRef | TypedValue, names: Names) -> Term:
        """A known entity or literal by its name."""
        if isinstance(answer, EntityRef):
            return Term(self.nouns.mention(names[answer.id]))
        if answer.datatype != "time":
            return Term(answer.label)
        return Term(
            answer.label, year=year_of(answer), preposition=clauses.preposition(answer.precision)
        )

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
            noun = indefinite(noun)
            question = question.replace(phrase.noun, noun, 1)
        is_person = fact.o is not None and self.nouns.is_person(names[fact.o])
        if start.is_long and not question.endswith("{s}?") and noun.startswith("the "):
            question = f"What is {noun}?"
        if is_person and (question.endswith(f" {noun}?") or not self.phrases.all_of(fact)):
            question = re.sub(r"^What is (?=the |an? )", "Who is ", question)
        is_date = isinstance(hop.answer, TypedValue) and hop.answer.datatype == "time"
        return Said(
            question=_fill(question, start),
            noun=_fill(noun, start),
            year=_fill(phrase.year, start) if is_date else "",
            changes=phrase.changes,
            is_long=start.is_long,
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
        head = (self.nouns.noun_of(answer) if answer and not of_class else None) or THING
        if all(fact.s in ids for fact in hop.facts):
            return clauses.shared(conditions, head)
        if head is THING and not of_class:
            head = conditions[0].phrase.subject
        return clauses.satisfying(conditions, head)

    def _count(self, hop: Hop, start: Term, start_id: str, names: Names) -> Said:
        phrase = self._phrase(hop.facts[0], names)
        if all(fact.s == start_id for fact in hop.facts):
            return clauses.counted_objects(phrase, start)
        common = self.nouns.common(names[fact.s] for fact in hop.facts)
        return clauses.counted_subjects(phrase, start, common or phrase.subject)

    def _several(self, facts: Sequence[ChainFact], start: Term, start_id: str, names: Names) -> str:
        """The members that an aggregation is over, in the plural."""
        link = next(fact for fact in facts if fact.s == start_id)
        return self._phrase(link, names).plural.replace("{s}", start.text)

    def _compare(self, hop: Hop, starts: Sequence[Term], ids: Sequence[str], names: Names) -> Said:
        assert hop.operation is not None  # by `records.Hop`'s meaning of a comparison
        operator, fact = hop.operation.operator, hop.facts[-1]
        phrase = self._phrase(fact, names)
        if len(starts) == 1:
            several = self._several(hop.facts, starts[0], ids[0], names)
            return clauses.chosen_among(operator, phrase, several)
        if fact.value is not None and fact.value.precision is not None:
            phrase = phrase.dated(fact.value.precision)
        tell = clauses.chosen if isinstance(hop.answer, EntityRef) else clauses.judged
        return tell(operator, phrase, *starts)

    def _reckon(self, hop: Hop, starts: Sequence[Term], ids: Sequence[str], names: Names) -> Said:
        assert hop.operation is not None
        operation = hop.operation
        if hop.facts:
            several = self._several(hop.facts, starts[0], ids[0], names)
            return clauses.summed(self._phrase(hop.facts[-1], names), several)
        by_hop = dict(zip(hop.inputs, starts, strict=True))
        operands = [
            self.term(operand.value, names) if operand.hop is None else by_hop[operand.hop]
            for operand in operation.operands
        ]
        result = operation.result
        negative = isinstance(result, TypedValue) and _is_negative(result)
        return clauses.reckoned(operation.operator, operands, negative)


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
    return Term(said.noun, said.year, hops, clauses.preposition(precision), said.is_long)


def reference(index: int, answer: EntityRef | TypedValue) -> Term:
    """`#k` for the answer of hop k."""
    return replace(as_input(Said("", f"#{index}"), answer, 0), year="")


def _fill(pattern: str, start: Term) -> str:
    return pattern.replace("{s}", start.text)


def _is_negative(value: TypedValue) -> bool:
    return value.datatype == "quantity" and Decimal(value.value) < 0
