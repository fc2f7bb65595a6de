"""How properties are put into words: those with entities as objects, and those with literals.

`phrases.tsv` gives for a property a question about its subject, a noun phrase for its object, a
noun for what has the property, a clause that says of it which object it has, and the noun phrase
for several objects. `literals.tsv` gives for a date an event ("was born"), for a quantity what is
measured ("population"); all phrases follow from these. Where the subject's class matters, the
first line that lists a class of the subject is taken. A property without a line is put into words
by its label.

In a pattern `{s}` stands for the subject, `{o}` for the object, `{in}` for the preposition of a
date, `{is|are}` for a word in the singular and in the plural, and `{the league:o}` for the object
with `the league` before it where it is a bare name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from factchain.chains.records import ChainFact, TypedValue
from factchain.questions.names import EntityName
from factchain.questions.verbalize import tables
from factchain.questions.verbalize.nouns import Noun, indefinite, noun, pluralise

YEAR, MONTH, DAY = 9, 10, 11
_HEADED = re.compile(r"\{([^{}|:]+):o\}")
_NO_BARE_NAME = re.compile(r"(?:the|both|what|a|an) |.* and ")
_NUMBERED = re.compile(r"\{([^{}|]*)\|([^{}|]*)\}")
_PREPOSITION = re.compile(r" (?:of|in|by|on|at|to|from|for|after|with|as)$")
_AUXILIARIES = frozenset({"was", "is", "has"})
_RECEIVED = re.compile(r"(.+?) (\w+(?:ed|en)) by \{s\}")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A property in words."""

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
    label: str
    """Label of the property."""
    event: str = ""
    """Of a date: what happened, such as `was born`."""
    infinitive: str = ""
    """Of an event whose verb is no auxiliary: `die`."""
    measure: str = ""
    """Of a quantity: what is measured."""
    changes: bool = False
    """Whether the object changes with time, so that a question must say as of when."""
    classes: frozenset[str] = frozenset()
    """Classes of the subject that the phrase is for; empty for all."""

    def say(self, of: str, plural: bool = False, preposition: str = "in") -> str:
        """The clause with its object, about one thing or about several."""
        clause = _NUMBERED.sub(lambda match: match[2 if plural else 1], self.clause)
        headed = r"{o}" if _NO_BARE_NAME.match(of) else r"\1 {o}"
        return _HEADED.sub(headed, clause).replace("{in}", preposition).replace("{o}", of)

    def how_many(self) -> str:
        """The question how many objects `{s}` has."""
        things = self.plural.removesuffix(" of {s}")
        if things != self.plural:
            return f"How many {things} does {{s}} have?"
        if done := _RECEIVED.fullmatch(self.plural):
            return f"How many {done[1]} were {done[2]} by {{s}}?"
        return f"What is the number of {self.plural}?"

    def wordings(self) -> list[str]:
        """Every way in which the phrase says the property, without what fills it."""
        clauses = (self.say("", is_plural) for is_plural in (False, True))
        bare = _HEADED.sub("", _NUMBERED.sub(r"\1", self.clause))
        patterns = (self.question, self.noun, *clauses, bare.replace("{o}", ""), self.plural)
        words = (self.event, self.infinitive, self.measure)
        return [p.replace("{s}", "").replace("{in}", "").strip() for p in (*patterns, *words) if p]

    def dated(self, precision: int) -> Phrase:
        """The phrase for an event of which year, month or day is known."""
        if not self.event or precision >= DAY:
            return self
        unit = "year" if precision <= YEAR else "month"
        return replace(
            self,
            question=re.sub(r"^On what date ", f"In which {unit} ", self.question),
            noun=self.noun.replace("the date on which", f"the {unit} in which"),
        )

    @property
    def year(self) -> str:
        """The noun phrase for the year of a date."""
        if self.event:
            return self.dated(YEAR).noun
        return f"the year of {self.noun}"


class Phrases:
    """The tables of phrases."""

    def __init__(self) -> None:
        self._phrases: dict[tuple[str, bool], list[Phrase]] = {}
        for row in tables.read_table(tables.PHRASES):
            self._phrases.setdefault((row["property"], False), []).append(
                Phrase(
                    question=row["question"],
                    noun=row["noun"],
                    clause=row["clause"],
                    plural=row["plural"],
                    subject=noun(row["subject"]),
                    label="",
                    changes=row["changes"] == "yes",
                    classes=frozenset(row["classes"].split()),
                )
            )
        for row in tables.read_table(tables.LITERALS):
            event, _, infinitive = row["event"].partition("/")
            of = _event(event, infinitive) if event else _measure(row["measure"])
            self._phrases.setdefault((row["property"], True), []).append(
                replace(
                    of,
                    subject=noun(row["subject"]),
                    changes=row["changes"] == "yes",
                    classes=frozenset(row["classes"].split()),
                )
            )

    def of(self, fact: ChainFact, subject: EntityName | None) -> Phrase:
        """How the property of a fact is said of its subject."""
        for phrase in self.all_of(fact):
            if not phrase.classes or (subject and phrase.classes & subject.classes):
                return replace(phrase, label=fact.p_label)
        return by_label(fact.p_label, fact.value)

    def all_of(self, fact: ChainFact) -> list[Phrase]:
        """Every phrase that the tables have for the property of a fact."""
        return self._phrases.get((fact.p, fact.o is None), [])


def by_label(label: str, value: TypedValue | None = None) -> Phrase:
    """A property in words where the tables have none."""
    if value is not None and value.datatype == "quantity":
        return replace(_measure(label), label=label)
    # `part of` and `named after` take their object directly.
    if _PREPOSITION.search(label):
        return Phrase(
            question=f"What is {{s}} {label}?",
            noun=f"what {{s}} is {label}",
            clause=f"{{is|are}} {label} {{o}}",
            plural=f"things that {{s}} is {label}",
            subject=noun("entity"),
            label=label,
        )
    return Phrase(
        question=f"What is the {label} of {{s}}?",
        noun=f"the {label} of {{s}}",
        clause=f"{{has|have}} {{o}} as {label}",
        plural=f"{pluralise(label)} of {{s}}",
        subject=noun("entity"),
        label=label,
    )


def _event(event: str, infinitive: str) -> Phrase:
    auxiliary, _, rest = event.partition(" ")
    asked = f"did {{s}} {infinitive}" if infinitive else f"{auxiliary} {{s}} {rest}"
    plural = event.replace("was ", "{was|were} ", 1) if event.startswith("was ") else event
    return Phrase(
        question=f"On what date {asked}?",
        noun=f"the date on which {{s}} {event}",
        clause=f"{plural} {{in}} {{o}}",
        plural=f"dates on which {{s}} {event}",
        subject=noun("entity"),
        label="",
        event=event,
        infinitive=infinitive,
    )


def _measure(measure: str) -> Phrase:
    return Phrase(
        question=f"What is the {measure} of {{s}}?",
        noun=f"the {measure} of {{s}}",
        clause=f"{{has|have}} {indefinite(f'the {measure}')} of {{o}}",
        plural=f"{pluralise(measure)} of {{s}}",
        subject=noun("entity"),
        label="",
        measure=measure,
    )


def inverted(event: str, infinitive: str, subject: str) -> str:
    """An event as a question that yes or no answers: `Was A born`, `Did A die`."""
    auxiliary, _, rest = event.partition(" ")
    if infinitive or auxiliary not in _AUXILIARIES:
        return f"Did {subject} {infinitive or event}"
    return f"{auxiliary.capitalize()} {subject} {rest}"
