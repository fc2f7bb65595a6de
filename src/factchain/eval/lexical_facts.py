"""Passages -> facts, with nothing but words: `Title property object.`, one fact a line.

Words are compared by stem and a short list of synonyms of Wikidata's property labels.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from factchain.eval.prompts import Document
from factchain.questions import lexis
from factchain.questions.literal_forms import dates
from factchain.questions.verbalize.tables import LITERALS, PHRASES, read_table

_SYNONYMS = (
    "place location located where",
    "date when year",
    "birth born",
    "death died die",
    "inception founded established created",
    "burial buried",
    "author written wrote writer",
    "screenwriter screenplay",
    "spouse married wife husband",
    "citizenship citizen nationality",
    "residence lives lived",
    "member plays",
    "team club",
    "educated studied attended alma",
    "employer works worked",
    "performer sings sang sung",
    "officer ceo",
    "adapted based",
    "production produced",
    "instance class kind type",
    "winner won",
    "narrative setting set",
    "mouth flows",
    "origin source rise",
    "watercourse water",
    "named namesake",
    "child children",
    "publication published released",
    "headquarters headquartered",
)
_PLURAL = re.compile(r"(?<=\w\w[^\W\dsui])s$")
_LONGEST_LABEL = 8
"""Words of the label of a property."""
_DATED = re.compile(r"As of (.+):")


@dataclass(frozen=True, slots=True)
class LineFact:
    """A line, cut into what it says of its subject and the object."""

    words: frozenset[str]
    """Stems of the property's words."""
    object: str
    subject: str = ""


class LineFacts:
    """The facts of some passages, by the key of their subject and of their object."""

    def __init__(self, documents: Sequence[Document], asked: frozenset[str]) -> None:
        """`asked` are the stems that the question has."""
        titles = {key(document.title): document.title for document in documents}
        lines = _lines(documents)
        self.of: dict[str, list[LineFact]] = {
            subject: [_cut(line, titles, asked, titles[subject]) for line in said]
            for subject, said in lines.items()
        }
        self.about: dict[str, list[LineFact]] = {}
        for facts in self.of.values():
            for fact in facts:
                for name in {key(fact.object), *_years(fact.object)}:
                    self.about.setdefault(name, []).append(fact)
        self.names = tuple(dict.fromkeys([*self.of, *self.about]))
        """The keys of all subjects and objects, in a fixed order."""


@functools.lru_cache(maxsize=100_000)
def content(text: str) -> tuple[str, ...]:
    """Stems of the words that say something, synonyms made one."""
    return tuple(stem(word) for word in lexis.content_words(text))


@functools.lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """The stem of a word, or of the synonym that stands for it."""
    own = lexis.stem(_PLURAL.sub("", f"{word[:-3]}y" if word.endswith("ies") else word))
    return _CANONICAL.get(own, own)


def key(title: str) -> str:
    """What makes two titles the same."""
    return title.casefold()


_CANONICAL = {
    lexis.stem(word): lexis.stem(group.split()[0]) for group in _SYNONYMS for word in group.split()
}


def _lines(documents: Iterable[Document]) -> dict[str, list[str]]:
    """What the passages say of each title, without the title; of dated versions the latest."""
    said: dict[str, dict[str, list[str]]] = {}
    for title, text in documents:
        lines = text.splitlines()
        dated = _DATED.fullmatch(lines[0]) if lines else None
        version = said.setdefault(key(title), {}).setdefault(dated.group(1) if dated else "", [])
        start = f"{title} "
        version += [line.removeprefix(start) for line in lines if line.startswith(start)]
    return {
        subject: versions.get("", []) + (versions[latest] if (latest := max(versions)) else [])
        for subject, versions in said.items()
    }


def _cut(line: str, titles: Iterable[str], asked: frozenset[str], subject: str) -> LineFact:
    """`property object.` -> both.

    The object starts after the label of a property that is known, else at the first word with a
    capital or a digit, or where the title of another passage does, or else after the words that the
    question asks for.
    """
    if known := _cut_at_label(line, subject):
        return known
    words = line.removesuffix(".").split(" ")
    rest = range(1, len(words))
    cut = next((i for i in rest if _opens_name(words[i]) or key(" ".join(words[i:])) in titles), 0)
    if not cut:
        unasked = (i for i in rest if any(stem not in asked for stem in content(words[i])))
        cut = next(unasked, len(words) - 1)
    return LineFact(frozenset(content(" ".join(words[:cut]))), " ".join(words[cut:]), subject)


@functools.lru_cache(maxsize=100_000)
def _cut_at_label(line: str, subject: str) -> LineFact | None:
    """The line, cut after the label of a property that is known; the same in every question."""
    words, labels = line.removesuffix(".").split(" "), _labels()
    for length in range(min(len(words) - 1, _LONGEST_LABEL), 0, -1):
        label, after = " ".join(words[:length]), words[length:]
        # A name further on shows that the label goes on too.
        if label in labels and (_opens_name(after[0]) or not any(map(_opens_name, after))):
            return LineFact(frozenset(content(label)), " ".join(after), subject)
    return None


@functools.cache
def _labels() -> frozenset[str]:
    """The labels of the properties that the templates know."""
    rows = [*read_table(PHRASES), *read_table(LITERALS)]
    return frozenset(row["label"] for row in rows)


@functools.lru_cache(maxsize=100_000)
def _years(text: str) -> list[str]:
    """The year of an object that is a date."""
    return [str(date.parts[0]) for date in dates(text) if date.end - date.start == len(text)]


def _opens_name(word: str) -> bool:
    """Whether the first letter or digit is none in lower case."""
    return not next(filter(str.isalnum, word), "a").islower()
