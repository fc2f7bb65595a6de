"""Reading linearized facts with nothing but words: what takes no language model.

The reader starts at the passage whose title stands in the question and takes the line whose
property shares most words with the question; where the object has a passage among those given, it
goes on there with the words left over. Of all paths, the one that explains most words of the
question wins, and its last object is the answer. Where a question names several titles, paths may
also run from an object back to its subject, and two paths that meet go on together. What a
question reckons with is split off before (`lexical_operations.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from factchain.eval.lexical_facts import LineFact, LineFacts, content, key
from factchain.eval.lexical_forms import template_forms
from factchain.questions.lexis import WORD

_COST_OF_UNASKED_WORD = 0.3
_COST_OF_SKIPPED_WORD = 0.05
_MOST_HOPS = 8
_MOST_PATHS = 64
_MOST_JOINS = 256

_IN_WORD = re.compile(r"\w")
_DATE = re.compile(r"^as of [^,]*, ")
_DESCRIPTION = re.compile(r"^ \([^)]*\)")


@dataclass(frozen=True, slots=True)
class Path:
    """How far the question has been followed."""

    score: float
    place: str
    """Key of the title reached; its passage may be missing."""
    answer: str
    unused: frozenset[int]
    """Numbers of the question's words that no line has explained."""
    visited: frozenset[str]


class Question:
    """The words of a question, and the titles that it names."""

    def __init__(self, text: str, titles: Iterable[str]) -> None:
        self.text = text.casefold()
        self.topics = named(text, titles)
        taken: list[tuple[int, int]] = []  # what asks for nothing
        for _, _, end in self.topics:
            if described := _DESCRIPTION.match(self.text[end:]):
                taken.append((end, end + described.end()))
        if dated := _DATE.match(self.text):
            taken.append((0, dated.end()))
        found = [
            (match.start(), stem)
            for match in WORD.finditer(self.text)
            if not any(start <= match.start() < end for start, end in taken)
            for stem in content(match[0])
        ]
        self.places = [place for place, _ in found]
        self.words = [stem for _, stem in found]

    def beside(self, start: int, end: int) -> frozenset[int]:
        """The words that are not part of a topic's own name."""
        return frozenset(n for n, place in enumerate(self.places) if not start <= place < end)

    def order(self, start: int, end: int) -> list[int]:
        """The rank of every word by its distance from a topic, the nearest first."""
        before = [n for n, place in enumerate(self.places) if place < start]
        after = [n for n, place in enumerate(self.places) if place >= end]
        ranked = sorted([*enumerate(reversed(before)), *enumerate(after)], key=lambda pair: pair[0])
        ranks = [0] * len(self.words)
        for rank, (_, number) in enumerate(ranked):
            ranks[number] = rank
        return ranks


def follow(text: str, facts: LineFacts) -> str | None:
    """The end of the best path through the facts; none where no line shares a word.

    A template's question may have other words than the property's label: then this is followed.
    """
    if not facts.of:
        return None
    if found := _end_of_best(text, facts):
        return found
    forms = template_forms().questions.find(f"{text[:1].upper()}{text[1:]}")
    asked = (f"{form.label} {slot}" for form, slot in forms if form.label)
    return next(filter(None, (_end_of_best(one, facts) for one in asked)), None)


def _end_of_best(text: str, facts: LineFacts) -> str | None:
    question = Question(text, facts.names)
    best = Path(0.0, "", "", frozenset(), frozenset())
    by_topic: list[list[Path]] = []
    for topic, start, end in question.topics:
        ranks = question.order(start, end)
        begin = Path(0.0, topic, "", question.beside(start, end), frozenset([topic]))
        for path in _walk(begin, question, facts, ranks, backwards=False):
            best = max(best, path, key=lambda one: one.score)
        if len(question.topics) > 1:
            by_topic.append(list(_walk(begin, question, facts, ranks, backwards=True)))
    for path in _joined(by_topic, question, facts):
        best = max(best, path, key=lambda one: one.score)
    return best.answer or None


def _walk(
    begin: Path, question: Question, facts: LineFacts, ranks: Sequence[int], *, backwards: bool
) -> Iterator[Path]:
    """The best paths from a place, the shorter first."""
    paths = [begin]
    for _ in range(_MOST_HOPS):
        paths = [longer for path in paths for longer in _steps(path, question, facts, ranks)] + (
            [
                longer
                for path in paths
                for fact in facts.about.get(path.place, [])
                if (longer := _follow(path, fact, question, ranks, fact.subject)) is not None
            ]
            if backwards
            else []
        )
        paths = sorted(paths, key=lambda path: -path.score)[:_MOST_PATHS]
        yield from paths


def _steps(
    path: Path, question: Question, facts: LineFacts, ranks: Sequence[int]
) -> Iterator[Path]:
    for fact in facts.of.get(path.place, []):
        if (longer := _follow(path, fact, question, ranks, fact.object)) is not None:
            yield longer


def _joined(
    by_topic: Sequence[Sequence[Path]], question: Question, facts: LineFacts
) -> Iterator[Path]:
    """Paths from two topics that meet at one place, and where they go on together."""
    meetings = []
    for number, paths in enumerate(by_topic):
        for others in by_topic[number + 1 :]:
            at: dict[str, Path] = {}
            for other in others:
                at.setdefault(other.place, other)
            for path in paths:
                met = at.get(path.place)
                if met is not None and not (path.visited & met.visited) - {path.place}:
                    meetings.append(
                        Path(
                            path.score + met.score,
                            path.place,
                            path.answer,
                            path.unused & met.unused,
                            path.visited | met.visited,
                        )
                    )
    ranks = [0] * len(question.words)
    for meeting in sorted(meetings, key=lambda path: -path.score)[:_MOST_JOINS]:
        yield meeting
        yield from _walk(meeting, question, facts, ranks, backwards=False)


def named(text: str, titles: Iterable[str]) -> list[tuple[str, int, int]]:
    """Keys of titles that stand in the text, and where; none inside a longer one."""
    text = text.casefold()
    spans = [
        (title, start, start + len(title))
        for title in titles
        if title and title in text
        for start in _places(title, text)
    ]
    return [
        (title, start, end)
        for title, start, end in spans
        if not any(
            other_start <= start and end <= other_end and title != other
            for other, other_start, other_end in spans
        )
    ]


def _places(title: str, text: str) -> Iterator[int]:
    """Where a title begins, other than inside a word."""
    start = text.find(title)
    while start >= 0:
        around = text[max(0, start - 1) : start], text[start + len(title) :][:1]
        if not any(map(_IN_WORD.match, around)):
            yield start
        start = text.find(title, start + 1)


def _follow(
    path: Path, fact: LineFact, question: Question, ranks: Sequence[int], end: str
) -> Path | None:
    """The path with one more line; none where the line explains too little or leads back."""
    place = key(end)
    if place in path.visited:
        return None
    used = {
        index
        for word in fact.words
        if (
            index := min(
                (i for i in path.unused if question.words[i] == word),
                key=lambda i: ranks[i],
                default=-1,
            )
        )
        >= 0
    }
    if not used:
        return None
    furthest = max(ranks[i] for i in used)
    skipped = sum(1 for i in path.unused - used if ranks[i] < furthest)
    gain = (
        len(used)
        - _COST_OF_UNASKED_WORD * (len(fact.words) - len(used))
        - _COST_OF_SKIPPED_WORD * skipped
    )
    if gain <= 0:
        return None
    return Path(path.score + gain, place, end, path.unused - used, path.visited | {place})
