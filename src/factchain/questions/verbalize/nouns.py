"""Head nouns and mentions: what an entity of a class is called, and how one is named.

`nouns.tsv` gives the noun, its plural and its pronoun for common classes, the first line that
lists a class of the entity is taken; any other class is called by its own label. `mentions.tsv`
says how entities of a class are mentioned ("the film ..."), again by the first line that fits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from factchain.questions.names import EntityName
from factchain.questions.verbalize import tables

_IRREGULAR = {
    "person": "people",
    "child": "children",
    "man": "men",
    "woman": "women",
    "series": "series",
    "species": "species",
    "taxon": "taxa",
    "phenomenon": "phenomena",
    "criterion": "criteria",
    "software": "pieces of software",
    "music": "pieces of music",
}
_BEFORE = re.compile(r" (?:of|in|by|on|at|to|from|for|after|with|as|under|near|that|who|which) ")


@dataclass(frozen=True, slots=True)
class Noun:
    """A head noun."""

    singular: str
    plural: str
    pronoun: str = "that"
    """`who` or `that`."""

    @property
    def asked(self) -> str:
        """How a question asks for it as its subject: `Who`, `Which film`."""
        return "Who" if self.pronoun == "who" else f"Which {self.singular}"


def pluralise(words: str) -> str:
    """The English plural of a noun phrase: `head of state` -> `heads of state`."""
    cut = _BEFORE.search(words)
    head, rest = (words[: cut.start()], words[cut.start() :]) if cut else (words, "")
    before, space, last = head.rpartition(" ")
    return f"{before}{space}{_plural_of(last)}{rest}"


def _plural_of(word: str) -> str:
    if word.lower() in _IRREGULAR:
        return _IRREGULAR[word.lower()]
    if re.search(r"[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    if re.search(r"(?:s|x|z|ch|sh)$", word):
        return f"{word}es"
    return f"{word}s"


def noun(singular: str) -> Noun:
    """A noun from its singular."""
    return Noun(singular, pluralise(singular), "who" if singular == "person" else "that")


THING = noun("entity")


def indefinite(phrase: str) -> str:
    """The phrase with `a` or `an` for its leading `the`; as it is where it has none."""
    rest = phrase.removeprefix("the ")
    if rest == phrase:
        return phrase
    vowel = r"(?!uni[^nm]|us[eu]|eu|one\b|once\b)[aeiou]|heir|hour|honou?r"
    sounds_like_vowel = re.match(vowel, rest, re.IGNORECASE)
    return f"{'an' if sounds_like_vowel else 'a'} {rest}"


def listing(phrases: Iterable[str], conjunction: str = "and") -> str:
    """`A`, `A and B`, `A, B and C`."""
    *before, last = phrases
    return f"{', '.join(before)} {conjunction} {last}" if before else last


@dataclass(frozen=True, slots=True)
class _Mention:
    pattern: str
    """`{label}` stands for the label."""
    classes: frozenset[str]
    label: re.Pattern[str] | None


class Nouns:
    """The tables of nouns and mentions."""

    def __init__(self) -> None:
        self._nouns = [
            (
                Noun(row["noun"], row["plural"], row["pronoun"] or "that"),
                set(row["classes"].split()),
            )
            for row in tables.read_table(tables.NOUNS)
        ]
        self._mentions = [
            _Mention(
                pattern=row["mention"],
                classes=frozenset(row["classes"].split()),
                label=re.compile(row["label"]) if row["label"] else None,
            )
            for row in tables.read_table(tables.MENTIONS)
        ]

    def noun_of(self, name: EntityName) -> Noun | None:
        """The head noun of an entity; none where no class of it has a name."""
        for known, classes in self._nouns:
            if classes & name.classes:
                return known
        labels = sorted(name.class_labels, key=lambda label: (len(label), label))
        return noun(labels[0]) if labels else None

    def common(self, names: Iterable[EntityName]) -> Noun | None:
        """The noun that all of them have; none where they have none in common."""
        nouns = {self.noun_of(name) for name in names}
        return nouns.pop() if len(nouns) == 1 else None

    def is_person(self, name: EntityName) -> bool:
        """Whether one asks `who`."""
        of_class = self.noun_of(name)
        return of_class is not None and of_class.pronoun == "who"

    def mention(self, name: EntityName) -> str:
        """How it is mentioned; with its description where the label alone is ambiguous."""
        text = name.label
        for mention in self._mentions:
            by_class = bool(mention.classes & name.classes)
            by_label = mention.label is not None and mention.label.search(name.label) is not None
            if by_class or by_label:
                text = mention.pattern.replace("{label}", name.label)
                break
        if name.is_ambiguous and name.description:
            return f"{text} ({name.description})"
        return text
