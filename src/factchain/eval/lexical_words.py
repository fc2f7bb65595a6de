"""What a question is read as: sub-questions, and the words around the answers of others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

_MOST_WORDS_OF_NOUN = 5
_NO_NOUN = frozenset({"the", "that", "who", "and"})
"""Words that the noun for what meets a condition never has."""


@dataclass(frozen=True, eq=False)
class Hop:
    """One sub-question; equal to itself only, for the same words may be asked twice."""

    question: Words
    """The words of the sub-question; a hop in them stands for its answer."""
    phrase: Words
    """The words that stand for its answer."""
    changes: bool
    """Whether its answer changes with time."""


Words = tuple["str | Hop", ...]


class Reading(NamedTuple):
    """How a text can be read."""

    weight: int
    """Letters that a form of the templates explains."""
    words: Words
    changes: bool = False

    @property
    def is_hop(self) -> bool:
        """Whether all of it stands for the answer of a hop."""
        return len(self.words) == 1 and isinstance(self.words[0], Hop)


def around(before: str, reading: Reading, after: str = "", *, changes: bool = False) -> Reading:
    """A reading with words of a frame around it."""
    words = (before, *reading.words, after)
    return Reading(reading.weight + len(before), words, changes or reading.changes)


def joined(a: Reading, between: str, b: Reading) -> Reading:
    """Two readings with words of a frame between them."""
    words = (*a.words, between, *b.words)
    return Reading(a.weight + len(between) + b.weight, words, a.changes or b.changes)


def headed(text: str) -> Iterator[tuple[str, str]]:
    """A question after each head that it may have: `Who`, `What`, `Which film`."""
    if text.startswith(("Who ", "What ")):
        head, _, rest = text.partition(" ")
        yield head, rest
    if text.startswith("Which "):
        for noun, rest in starts(text.removeprefix("Which ")):
            yield f"Which {noun}", rest


def starts(text: str) -> Iterator[tuple[str, str]]:
    """A text, cut after each of its first words."""
    for match in islice(re.finditer(" ", text), _MOST_WORDS_OF_NOUN):
        head, rest = text[: match.start()], text[match.end() :]
        if not _NO_NOUN.intersection(head.split()):
            yield head, rest


def relative(text: str) -> Iterator[tuple[str, str, str]]:
    """A text, cut at each pronoun that may begin what is said of the noun before it."""
    for match in re.finditer(r" (that|who) ", text):
        head = text[: match.start()]
        if head.count(" ") < _MOST_WORDS_OF_NOUN:
            yield head, match[1], text[match.end() :]
