"""Duplicates: questions that ask the same in the same words, in nearly the same, or by the facts.

Of two the earlier stays. Questions of different axes are never duplicates of each other: a file
holds a set of questions for each. Every question is compared with those that stay, by each rule in
its order, and is dropped for the first that finds one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from factchain.progress import track
from factchain.questions.chain_of import topics_of
from factchain.questions.filtering.near_texts import NearTexts, telling_words
from factchain.questions.lexis import WORD, fold
from factchain.questions.records import Question

Rule = Literal["same text", "near text", "same facts", "part of another", "all facts but one"]
RULES: tuple[Rule, ...] = (
    "same text",
    "near text",
    "same facts",
    "part of another",
    "all facts but one",
)
"""In the order in which they are tried. `part of another`: all facts of one question are among
those of the other, whichever is the longer; `all facts but one`: both have as many facts, three or
more, and share all but one."""
DEFAULT_RULES: tuple[Rule, ...] = ("same text", "near text", "same facts", "part of another")
"""`all facts but one` is left out: chains of one graph that end differently are no mistake."""
LEAST_FACTS = 3
"""Facts from which on `all facts but one` says that two questions are alike."""
NEAR = 90.0
"""How alike the words of two questions with one answer have to be, from 0 to 100."""

Fact = Hashable


class Duplicate(NamedTuple):
    """A question that is dropped, and why."""

    question: str
    """Id of the question."""
    kept: str
    """Id of the earlier one, which stays."""
    rule: Rule
    other_answer: bool
    """Whether the two have different answers."""


@dataclass(frozen=True)
class DuplicatesSummary:
    """What was dropped as a duplicate."""

    rules: tuple[Rule, ...]
    near: float
    dropped: dict[str, int]
    """Questions by the rule that dropped them."""
    other_answers: int
    """Those with the same text as an earlier one and another answer: one of the two is wrong."""


@dataclass
class _Seen:
    """The questions of one axis that stay."""

    near: NearTexts
    texts: dict[str, int] = field(default_factory=dict)
    same: dict[frozenset[Fact], int] = field(default_factory=dict)
    but_one: dict[frozenset[Fact], int] = field(default_factory=dict)
    by_fact: dict[Fact, list[int]] = field(default_factory=lambda: defaultdict(list))
    facts: dict[int, frozenset[Fact]] = field(default_factory=dict)


def find_duplicates(
    questions: Sequence[Question], rules: Iterable[Rule] = DEFAULT_RULES, near: float = NEAR
) -> list[Duplicate]:
    """The questions that an earlier one makes superfluous, in their order."""
    tried = [rule for rule in RULES if rule in set(rules)]
    seen: dict[str, _Seen] = {}
    found: list[Duplicate] = []
    for at, question in enumerate(track(questions, "comparing questions", len(questions))):
        own = seen.setdefault(question.axis, _Seen(NearTexts(near)))
        facts = facts_of(question)
        text = comparable_text(question.question)
        telling = telling_words(question.question, _topics(question))
        near_ones = own.near.near(text, telling) if "near text" in tried else []
        alike = (one for one in near_ones if _same_answer(question, questions[one]))
        hits = ((rule, _earlier(rule, text, facts, own, alike)) for rule in tried)
        first = next(((rule, hit) for rule, hit in hits if hit is not None), None)
        if first is None:
            own.near.add(at, text, telling)
            _remember(at, text, facts, own)
        else:
            rule, hit = first
            other = not _same_answer(question, questions[hit])
            found.append(Duplicate(question.id, questions[hit].id, rule, other))
    return found


def drop_duplicates(
    questions: Sequence[Question], rules: Iterable[Rule] = DEFAULT_RULES, near: float = NEAR
) -> tuple[list[Question], list[Duplicate], DuplicatesSummary]:
    """The questions that stay, those that do not, and how many by each rule."""
    rules = tuple(rules)
    found = find_duplicates(questions, rules, near)
    gone = {one.question for one in found}
    counts = Counter(one.rule for one in found)
    summary = DuplicatesSummary(
        rules,
        near,
        {rule: counts[rule] for rule in RULES if rule in rules},
        sum(one.other_answer for one in found if one.rule == "same text"),
    )
    return [question for question in questions if question.id not in gone], found, summary


def comparable_text(text: str) -> str:
    """A question as texts are compared: its words, without case, accents and punctuation."""
    return " ".join(WORD.findall(fold(text)))


def facts_of(question: Question) -> frozenset[Fact]:
    """The facts of all hops, what is reckoned, and the triples in words of imported questions."""
    found: set[Fact] = set()
    for hop in question.sub_questions:
        found.update(fact.key for fact in hop.facts)
        found.update(tuple(map(comparable_text, triple)) for triple in hop.triples)
        if hop.operation is not None:
            operands = tuple(operand.value.key for operand in hop.operation.operands)
            found.add((hop.operation.operator, operands))
    return frozenset(found)


def _topics(question: Question) -> list[str]:
    """The names of the topics, as the facts have them."""
    named = {fact.s: fact.s_label for hop in question.sub_questions for fact in hop.facts}
    named |= {
        fact.o: fact.o_label for hop in question.sub_questions for fact in hop.facts if fact.o
    }
    return [named[topic] for hop in question.sub_questions for topic in topics_of(hop)]


def _earlier(
    rule: Rule, text: str, facts: frozenset[Fact], seen: _Seen, near: Iterator[int]
) -> int | None:
    """The place of the earliest question that stays and is the same by the rule."""
    if rule == "same text":
        return seen.texts.get(text)
    if rule == "near text":
        return next(near, None)
    if not facts:
        return None
    if rule == "same facts":
        return seen.same.get(facts)
    if rule == "all facts but one":
        hits = [seen.but_one[key] for key in _but_one(facts) if key in seen.but_one]
        return min(hits, default=None)
    return _part(facts, seen)


def _part(facts: frozenset[Fact], seen: _Seen) -> int | None:
    """The earliest that has all these facts, or has no others."""
    shared = Counter(at for fact in facts for at in seen.by_fact.get(fact, ()))
    smaller = (at for at, n in shared.items() if n == len(facts) or n == len(seen.facts[at]))
    return min(smaller, default=None)


def _remember(at: int, text: str, facts: frozenset[Fact], seen: _Seen) -> None:
    seen.texts.setdefault(text, at)
    if facts:
        seen.same.setdefault(facts, at)
        seen.facts[at] = facts
        for fact in facts:
            seen.by_fact[fact].append(at)
        for key in _but_one(facts):
            seen.but_one.setdefault(key, at)


def _but_one(facts: frozenset[Fact]) -> Iterator[frozenset[Fact]]:
    """The facts without one of them, each in turn, where there are enough."""
    if len(facts) >= LEAST_FACTS:
        yield from (facts - {fact} for fact in facts)


def _same_answer(a: Question, b: Question) -> bool:
    """Whether any gold answer of one has a name of any of the other."""
    first, second = (
        {comparable_text(name) for gold in (q.answer, *q.other_answers) for name in gold.names}
        for q in (a, b)
    )
    return bool(first & second)
