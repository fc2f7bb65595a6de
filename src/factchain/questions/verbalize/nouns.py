"""Head nouns and mentions: what an entity of a class is called, and how one is named.

`nouns.tsv` gives the noun, its plural and its pronoun for common classes, the first line that
lists a class of the entity is taken; the line without classes is for what has no other name. In
English any other class is called by its own label. `mentions.tsv` says how entities of a class are
mentioned ("the film ..."), again by the first line that fits: by a class of the entity, by its
label, or by both where the line gives both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from factchain.questions.names import EntityName
from factchain.questions.verbalize import tables
from factchain.questions.verbalize.english import pluralise
from factchain.questions.verbalize.frames import Frames
from factchain.questions.verbalize.tables import Tables

_THING = "entity"
_MAKES_PERSON = "who"


@dataclass(frozen=True, slots=True)
class Noun:
    """A head noun."""

    singular: str
    plural: str
    pronoun: str = "that"
    """`who` or `that`."""
    asked: str = ""
    """How a question asks for it as its subject: `Who`, `Which film`."""


@dataclass(frozen=True, slots=True)
class _Mention:
    pattern: str
    """`{label}` stands for the label."""
    classes: frozenset[str]
    label: re.Pattern[str] | None
    is_plural: bool

    def fits(self, name: EntityName) -> bool:
        by_class = bool(self.classes & name.classes)
        by_label = self.label is not None and self.label.search(name.label) is not None
        if self.classes and self.label is not None:
            return by_class and by_label
        return by_class or by_label


class Nouns:
    """The tables of nouns and mentions."""

    def __init__(self, of: Tables, frames: Frames) -> None:
        self._frames = frames
        self._nouns: list[tuple[Noun, frozenset[str]]] = []
        for row in of.rows(tables.NOUNS):
            noun = self._noun(
                row["noun"], row["plural"], row.get("pronoun", ""), row.get("asked", "")
            )
            self._nouns.append((noun, frozenset(row["classes"].split())))
        self._by_name = {noun.singular: noun for noun, _ in reversed(self._nouns)}
        self.thing = next(
            (noun for noun, classes in self._nouns if not classes), self._noun(_THING)
        )
        """What stands for anything."""
        self._mentions = [
            _Mention(
                pattern=row["mention"],
                classes=frozenset(row["classes"].split()),
                label=re.compile(row["label"]) if row.get("label") else None,
                is_plural=row.get("plural") == "yes",
            )
            for row in of.rows(tables.MENTIONS)
        ]

    def _noun(self, singular: str, plural: str = "", pronoun: str = "", asked: str = "") -> Noun:
        is_person = pronoun == _MAKES_PERSON
        which = self._frames.say("which", noun=singular)
        return Noun(
            singular=singular,
            plural=plural or (pluralise(singular) if self._frames.is_english else singular),
            pronoun=pronoun or "that",
            asked=asked or (self._frames.say("who") if is_person else which),
        )

    def named(self, singular: str) -> Noun:
        """The noun of the table, or one made from its singular."""
        return self._by_name.get(singular) or (self._noun(singular) if singular else self.thing)

    def common_noun_of(self, name: EntityName) -> Noun | None:
        """The noun of the table for an entity; none where no class of it is listed."""
        for known, classes in self._nouns:
            if classes & name.classes:
                return known
        return None

    def noun_of(self, name: EntityName) -> Noun | None:
        """The head noun of an entity; none where no class of it has a name."""
        if (known := self.common_noun_of(name)) or not self._frames.is_english:
            return known
        labels = sorted(name.class_labels, key=lambda label: (len(label), label))
        return self._noun(labels[0]) if labels else None

    def common(self, names: Iterable[EntityName]) -> Noun | None:
        """The noun that all of them have; none where they have none in common."""
        nouns = {self.noun_of(name) for name in names}
        return nouns.pop() if len(nouns) == 1 else None

    def is_person(self, name: EntityName) -> bool:
        """Whether one asks `who`."""
        of_class = self.noun_of(name)
        return of_class is not None and of_class.asked == self._frames.say("who")

    def asked(self, name: EntityName | None) -> str:
        """How one asks for it where its class is not known beforehand: `Who`, `Which film`."""
        noun = self.common_noun_of(name) if name else None
        return noun.asked if noun else self._frames.say("what")

    def _mention_of(self, name: EntityName) -> _Mention | None:
        return next((mention for mention in self._mentions if mention.fits(name)), None)

    def is_plural(self, name: EntityName) -> bool:
        """Whether the name is a plural: `the Alps are`."""
        mention = self._mention_of(name)
        return mention is not None and mention.is_plural

    def mention(self, name: EntityName) -> str:
        """How it is mentioned; with its description where the label alone is ambiguous."""
        mention = self._mention_of(name)
        pattern = mention.pattern if mention else "{label}"
        if not name.is_ambiguous or not name.description:
            return pattern.replace("{label}", name.label)
        # No brackets within brackets, and the class is not said twice: `Alien (1979 film)`.
        told = name.description.replace(" (", ", ").replace("(", "").replace(")", "")
        classes = pattern.replace("{label}", "").removeprefix("the ").split()
        if classes and set(classes) <= set(told.casefold().split()):
            pattern = "{label}"
        return f"{pattern.replace('{label}', name.label)} ({told})"
