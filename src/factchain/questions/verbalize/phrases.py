"""How properties are put into words: those with entities as objects, and those with literals.

`phrases.tsv` gives for a property a question about its subject, a noun phrase for its object, a
noun for what has the property, a clause that says of it which object it has, and the noun phrase
for several objects. `literals.tsv` gives for a date an event ("was born"), for a quantity what is
measured ("population"); all phrases follow from these. Where the subject's class matters, the
first line that lists a class of the subject is taken. A property without a line is put into words
by its label.

In a pattern `{s}` stands for the subject, `{o}` for the object, `{in}` for the preposition of a
date, `{plays|play|played}` for a word in the singular, the plural and the past, and `{the
league:o}` for the object with `the league` before it where it is a bare name. A question may begin
with `{Which}`: `Who`, `Which country` or `What`, by the class of the object.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from factchain.chains.records import ChainFact, TypedValue
from factchain.questions.names import EntityName
from factchain.questions.verbalize import english, tables
from factchain.questions.verbalize.frames import Frames
from factchain.questions.verbalize.nouns import Noun, Nouns
from factchain.questions.verbalize.tables import Tables

YEAR, MONTH, DAY = 9, 10, 11
WHICH = "{Which}"
_HEADED = re.compile(r"\{([^{}|:]+):o\}")
_NO_BARE_NAME = re.compile(r"(?:the|both|what|a|an) |.* and ")
_VAGUE = re.compile(r"\{(?:has\||belongs\||is\|are\} (?:of|in|associated with) ).*")
"""Clauses that say nothing of their property but with their object."""
_PREPOSITION = re.compile(r" (?:of|in|by|on|at|to|from|for|after|with|as)$")
_RECEIVED = re.compile(r"(.+?) (\w+(?:ed|en)) by \{s\}")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A property in words, in the present or in the past."""

    question: str
    """Asks for the object of `{s}`."""
    noun: str
    """Names the object of `{s}`."""
    clause: str
    """Says of something that its object is `{o}`, or `{the league:o}`."""
    plural: str
    """Names all objects of `{s}`, without an article."""
    subject: Noun
    """What has the property."""
    label: str = ""
    """Label of the property; empty where a table does not give it."""
    which: str = ""
    """The question after its question word, where this follows from the object's class."""
    how_many: str = ""
    """Asks how many objects `{s}` has."""
    indefinite: str = ""
    """Names one of several objects of `{s}`."""
    event: str = ""
    """Of a date: what happened, such as `was born`."""
    infinitive: str = ""
    """Of an event whose verb is no auxiliary: `die`."""
    by_precision: tuple[tuple[str, str], ...] = ()
    """Of an event: question and noun for its year, and for its month."""
    measure: str = ""
    """Of a quantity: what is measured."""
    comparative: str = ""
    """Of a quantity: `lower/higher`, where it is not `smaller/greater`."""
    changes: bool = False
    """Whether the object changes with time, so that a question must say as of when."""
    classes: frozenset[str] = frozenset()
    """Classes of the subject that the phrase is for; empty for all."""
    unsettled: tuple[str, str, str] = ("", "", "")
    """Question, noun and plural as the table has them, for the past."""
    is_past: bool = False
    """Whether the fact has ended."""

    def say(self, of: str, plural: bool = False, preposition: str = "") -> str:
        """The clause with its object, about one thing or about several."""
        is_bare = not _NO_BARE_NAME.match(of)
        clause = english.settle(
            self.clause if is_bare else _telling(self.clause, of), plural=plural, past=self.is_past
        )

        def with_head(match: re.Match[str]) -> str:
            last = match[1].removesuffix(" of").split()[-1]
            # `the automotive industry`, not `the industry automotive industry`
            is_said = of.casefold().split()[-1:] == [last.casefold()]
            return f"the {of}" if is_said else f"{match[1]} {of}"

        headed = _HEADED.sub(with_head if is_bare else lambda _: of, clause)
        return headed.replace("{in}", preposition).replace("{o}", of)

    def wordings(self) -> list[str]:
        """Every way in which the phrase says the property, without what fills it."""
        clauses = (self.say("", is_plural) for is_plural in (False, True))
        bare = _HEADED.sub("", english.settle(self.clause, past=self.is_past))
        patterns = (self.question, self.noun, *clauses, bare.replace("{o}", ""), self.plural)
        words = (self.event, self.infinitive, self.measure, self.how_many)
        return [p.replace("{s}", "").replace("{in}", "").strip() for p in (*patterns, *words) if p]

    def dated(self, precision: int) -> Phrase:
        """The phrase for an event of which year, month or day is known."""
        if not self.by_precision or precision >= DAY:
            return self
        question, noun = self.by_precision[0 if precision <= YEAR else 1]
        return replace(self, question=question, noun=noun)


def _telling(clause: str, of: str) -> str:
    """The clause that says its property though the object bears another's name.

    `has the color red`, but `has the official symbol of Sydney as color`.
    """
    headed = _HEADED.search(clause)
    if headed is None or not _VAGUE.fullmatch(_HEADED.sub("", clause)):
        return clause
    head = headed[1].removeprefix("the ").removesuffix(" of")
    words = re.findall(r"\w+", of.casefold())
    if any(word.startswith(head.split()[-1].casefold()) for word in words):
        return clause
    return f"{{has|have}} {{o}} as {head}"


class Phrases:
    """The tables of phrases."""

    def __init__(self, of: Tables | None = None) -> None:
        of = of or Tables()
        self.frames = Frames(of.frames)
        self.nouns = Nouns(of, self.frames)
        self._phrases: dict[tuple[str, bool], list[Phrase]] = {}
        for row in of.rows(tables.PHRASES):
            self._add(row, False, self._of_entity(row))
        for row in of.rows(tables.LITERALS):
            event, _, infinitive = row["event"].partition("/")
            found = (
                self._event(event, infinitive)
                if event
                else self._measure(row["measure"], row.get("comparative", ""))
            )
            self._add(row, True, found)

    def _add(self, row: Mapping[str, str], is_literal: bool, phrase: Phrase) -> None:
        whole = replace(
            phrase,
            label=row.get("label", ""),
            subject=self.nouns.named(row.get("subject", "")),
            changes=row.get("changes") == "yes",
            classes=frozenset(row.get("classes", "").split()),
        )
        self._phrases.setdefault((row["property"], is_literal), []).append(whole)

    def of(self, fact: ChainFact, subject: EntityName | None) -> Phrase:
        """How the property of a fact is said of its subject, in the past where it has ended."""
        for phrase in self.all_of(fact):
            if not phrase.classes or (subject and phrase.classes & subject.classes):
                return replace(phrase, label=fact.p_label)
        return self._in_time(self.by_label(fact.p_label, fact.value), fact)

    def every(self) -> Iterator[Phrase]:
        """Every phrase of the tables."""
        for phrases in self._phrases.values():
            yield from phrases

    def all_of(self, fact: ChainFact) -> list[Phrase]:
        """Every phrase that the tables have for the property of a fact."""
        known = self._phrases.get((fact.p, fact.o is None), [])
        return [self._in_time(phrase, fact) for phrase in known]

    def by_label(self, label: str, value: TypedValue | None = None) -> Phrase:
        """A property in words where the tables have none."""
        if value is not None and value.datatype == "quantity":
            return replace(self._measure(label), label=label)
        thing = self.nouns.thing
        # `part of` and `named after` take their object directly.
        if self.frames.is_english and _PREPOSITION.search(label):
            return Phrase(
                question=f"What is {{s}} {label}?",
                noun=f"what {{s}} is {label}",
                clause=f"{{is|are}} {label} {{o}}",
                plural=f"things that {{s}} is {label}",
                subject=thing,
                label=label,
                how_many=f"How many things is {{s}} {label}?",
                indefinite=f"something that {{s}} is {label}",
            )
        labels = english.pluralise(label) if self.frames.is_english else label
        question, noun, clause, plural = (
            self.frames.say(f"label_{part}", label=label, labels=labels)
            for part in ("question", "noun", "clause", "plural")
        )
        row = {"question": question, "noun": noun, "clause": clause, "plural": plural}
        return replace(self._of_entity(row), label=label)

    def _of_entity(self, row: Mapping[str, str]) -> Phrase:
        what = self.frames.say("what")
        unsettled = row["question"].replace(WHICH, what), row["noun"], row["plural"]
        question, noun, plural = map(english.settle, unsettled)
        return Phrase(
            question=question,
            noun=noun,
            clause=row["clause"],
            plural=plural,
            subject=self.nouns.thing,
            which=question.removeprefix(what) if row["question"].startswith(WHICH) else "",
            unsettled=unsettled,
            how_many=row.get("how_many") or self._how_many(plural),
            indefinite=row.get("indefinite") or self._indefinite(noun),
        )

    def _in_time(self, phrase: Phrase, fact: ChainFact) -> Phrase:
        return self.past(phrase) if fact.ended else phrase

    def past(self, phrase: Phrase) -> Phrase:
        """The phrase for what has ended; as it is where it is in the past anyway."""
        if not self.frames.is_english:
            return replace(phrase, is_past=True, changes=False)
        question = english.past_question(phrase.unsettled[0] or phrase.question)
        if question == phrase.question:
            return replace(phrase, is_past=True, changes=False)
        nouns = (phrase.unsettled[1] or phrase.noun, phrase.unsettled[2] or phrase.plural)
        noun, plural = map(english.past_noun, nouns)
        what = self.frames.say("what")
        return replace(
            phrase,
            question=question,
            noun=noun,
            plural=plural,
            which=question.removeprefix(what) if phrase.which else "",
            how_many=english.past_question(phrase.how_many),
            indefinite=self._indefinite(noun),
            changes=False,
            is_past=True,
        )

    def _how_many(self, plural: str) -> str:
        things = plural.removesuffix(" of {s}")
        if self.frames.is_english and things != plural:
            return f"How many {things} does {{s}} have?"
        if self.frames.is_english and (done := _RECEIVED.fullmatch(plural)):
            return f"How many {done[1]} were {done[2]} by {{s}}?"
        return self.frames.say("what_is", noun=self.frames.say("number_of", things=plural))

    def _indefinite(self, noun: str) -> str:
        return english.indefinite(noun) if self.frames.is_english else noun

    def _event(self, event: str, infinitive: str) -> Phrase:
        auxiliary, _, rest = event.partition(" ")
        if "{s}" in infinitive:  # the whole clause, in whatever order
            asked = infinitive
        else:
            asked = f"did {{s}} {infinitive}" if infinitive else f"{auxiliary} {{s}} {rest}"
        events = event.replace("was ", "{was|were} ", 1) if event.startswith("was ") else event
        say = self.frames.say
        day, month, year = (
            (say(f"{unit}_question", asked=asked), say(f"{unit}_noun", event=event))
            for unit in ("date", "month", "year")
        )
        return Phrase(
            question=day[0],
            noun=day[1],
            clause=say("event_clause", events=events),
            plural=say("event_plural", event=event),
            subject=self.nouns.thing,
            event=event,
            infinitive=infinitive,
            by_precision=(year, month),
            how_many=self._how_many(say("event_plural", event=event)),
            indefinite=self._indefinite(day[1]),
        )

    def _measure(self, measure: str, comparative: str = "") -> Phrase:
        is_english = self.frames.is_english
        words = {
            "measure": measure,
            "measures": english.pluralise(measure) if is_english else measure,
            "a_measure": self._indefinite(f"the {measure}") if is_english else measure,
        }
        question, noun, clause, plural = (
            self.frames.say(f"measure_{part}", **words)
            for part in ("question", "noun", "clause", "plural")
        )
        row = {"question": question, "noun": noun, "clause": clause, "plural": plural}
        return replace(self._of_entity(row), measure=measure, comparative=comparative)
