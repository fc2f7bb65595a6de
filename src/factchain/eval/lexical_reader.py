"""Reading linearized facts with nothing but words: what takes no language model.

A passage says `Title property object.`, one fact a line. The reader starts at the passage whose
title stands in the question and takes the line whose property shares most words with the question;
where the object has a passage among those given, it goes on there with the words left over. Words
are compared by stem and a short list of synonyms of Wikidata's property labels. Of all paths, the
one that explains most words of the question wins, and its last object is the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter

from factchain.eval.prompts import Document

_WORD = re.compile(r"(?:birth|death)(?=place\b)|\w+")
_DOUBLED = re.compile(r"(?<=([^\W\daeioulsz]))\1$")
_FUNCTION_WORDS = frozenset(
    _WORD.findall(
        "a an the of in on at to for by from into with as and or is was are were be been does did "
        "do has have had that which what who whom whose it its this there s"
    )
)
_SUFFIXES = ("ation", "ly", "ing", "ion", "ers", "ors", "er", "or", "ed", "es", "s", "e")
_SHORTEST_STEM = 3
_SYNONYMS = (
    "place location located where",
    "date when",
    "birth born",
    "death died die",
    "burial buried",
    "author written wrote writer",
    "screenwriter screenplay",
    "spouse married wife husband",
    "citizenship citizen nationality",
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
    "narrative setting",
    "mouth flows",
    "origin source rise",
    "watercourse water",
    "named namesake",
)

_COST_OF_UNASKED_WORD = 0.3
_COST_OF_SKIPPED_WORD = 0.05
_MOST_HOPS = 8
_MOST_PATHS = 64

_DATED = re.compile(r"As of (.+):")
_DATE = re.compile(r"^as of [^,]*, ")
_DESCRIPTION = re.compile(r"^ \([^)]*\)")


@dataclass(frozen=True, slots=True)
class _Fact:
    """A line, cut into what it says of its subject and the object."""

    words: frozenset[str]
    """Stems of the property's words."""
    object: str


@dataclass(frozen=True, slots=True)
class _Path:
    """How far the question has been followed."""

    score: float
    place: str
    """Key of the title reached; its passage may be missing."""
    answer: str
    unused: frozenset[int]
    """Words of the question that no line has explained; the lower, the nearer to the topic."""
    visited: frozenset[str]


def read(question: str, documents: Sequence[Document]) -> str | None:
    """The object of the line that answers the question; none where no path explains a word."""
    titles = {_key(document.title) for document in documents}
    lines = _lines(documents)
    text = question.casefold()
    asked = frozenset(_content(text))
    facts = {key: [_cut(line, titles, asked) for line in said] for key, said in lines.items()}
    best = _Path(0.0, "", "", frozenset(), frozenset())
    for topic, start, end in _named(text, facts):
        words = _by_distance(text[:start], text[end:])
        paths = [_Path(0.0, topic, "", frozenset(range(len(words))), frozenset([topic]))]
        for _ in range(_MOST_HOPS):
            paths = [
                longer
                for path in paths
                for fact in facts.get(path.place, [])
                if (longer := _follow(path, fact, words)) is not None
            ]
            paths = sorted(paths, key=lambda path: -path.score)[:_MOST_PATHS]
            if not paths:
                break
            best = max(best, paths[0], key=lambda path: path.score)
    return best.answer or None


def _lines(documents: Iterable[Document]) -> dict[str, list[str]]:
    """What the passages say of each title, without the title; of dated versions the latest."""
    said: dict[str, dict[str, list[str]]] = {}
    for title, text in documents:
        lines = text.splitlines()
        dated = _DATED.fullmatch(lines[0]) if lines else None
        version = said.setdefault(_key(title), {}).setdefault(dated.group(1) if dated else "", [])
        start = f"{title} "
        version += [line.removeprefix(start) for line in lines if line.startswith(start)]
    return {
        key: versions.get("", []) + (versions[latest] if (latest := max(versions)) else [])
        for key, versions in said.items()
    }


def _cut(line: str, titles: set[str], asked: frozenset[str]) -> _Fact:
    """`property object.` -> both.

    The object starts at the first word with a capital or a digit, or where the title of another
    passage does, or else after the words that the question asks for.
    """
    words = line.removesuffix(".").split(" ")
    rest = range(1, len(words))
    cut = next((i for i in rest if _opens_name(words[i]) or _key(" ".join(words[i:])) in titles), 0)
    if not cut:
        unasked = (i for i in rest if any(stem not in asked for stem in _content(words[i])))
        cut = next(unasked, len(words) - 1)
    return _Fact(frozenset(_content(" ".join(words[:cut]))), " ".join(words[cut:]))


def _opens_name(word: str) -> bool:
    """Whether the first letter or digit is none in lower case."""
    return not next(filter(str.isalnum, word), "a").islower()


def _named(text: str, titles: Iterable[str]) -> list[tuple[str, int, int]]:
    """Titles that stand in the text, and where; none inside a longer one."""
    spans = [
        (title, match.start(), match.end())
        for title in titles
        if title
        for match in re.finditer(rf"(?<!\w){re.escape(title)}(?!\w)", text)
    ]
    return [
        (title, start, end)
        for title, start, end in spans
        if not any(
            other_start <= start and end <= other_end and title != other
            for other, other_start, other_end in spans
        )
    ]


def _by_distance(before: str, after: str) -> list[str]:
    """Stems of the words before and after the topic, the nearest to it first.

    A date before the question and a description in brackets after the topic ask for nothing.
    """
    left = reversed(_WORD.findall(_DATE.sub("", before)))
    right = _WORD.findall(_DESCRIPTION.sub("", after))
    ranked = sorted([*enumerate(left), *enumerate(right)], key=itemgetter(0))
    return [stem for _, word in ranked for stem in _content(word)]


def _follow(path: _Path, fact: _Fact, words: list[str]) -> _Path | None:
    """The path with one more line; none where the line explains too little or leads back."""
    place = _key(fact.object)
    used = {
        index
        for word in fact.words
        if (index := min((i for i in path.unused if words[i] == word), default=-1)) >= 0
    }
    if not used or place in path.visited:
        return None
    skipped = sum(1 for i in path.unused - used if i < max(used))
    gain = (
        len(used)
        - _COST_OF_UNASKED_WORD * (len(fact.words) - len(used))
        - _COST_OF_SKIPPED_WORD * skipped
    )
    if gain <= 0:
        return None
    return _Path(path.score + gain, place, fact.object, path.unused - used, path.visited | {place})


def _content(text: str) -> list[str]:
    return [_stem(word) for word in _WORD.findall(text.casefold()) if word not in _FUNCTION_WORDS]


def _key(title: str) -> str:
    return title.casefold()


def _strip_suffix(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_STEM:
            return _DOUBLED.sub("", word.removesuffix(suffix))
    return word


_CANONICAL = {
    _strip_suffix(word): _strip_suffix(group.split()[0])
    for group in _SYNONYMS
    for word in group.split()
}


def _stem(word: str) -> str:
    stem = _strip_suffix(word)
    return _CANONICAL.get(stem, stem)
