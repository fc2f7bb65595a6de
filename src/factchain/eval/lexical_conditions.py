"""What meets several conditions, read by the form: `the film that C, and also C`, `both A and B`.

Every condition names something, by itself or by a nested phrase; the lines that have it as their
object or subject and share words with the condition tell what meets it. What meets all of them
stands for the phrase.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from factchain.eval.lexical_facts import LineFacts, content, key
from factchain.eval.lexical_reader import Question

Resolve = Callable[[str], str | None]
"""Reads a phrase that is part of another."""

_RELATIVE = re.compile(
    r"^(?P<before>.*?)\bthe (?P<head>(?:(?!of |the )\w[\w.-]* ){1,4})(?:that|who) (?P<said>.+)$",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"^(?:who|which (?P<head>\w[\w.-]*(?: \w[\w.-]*){0,3}?)) (?P<said>.+)$", re.IGNORECASE
)
_ROLE = re.compile(r"^(?P<named>.+) as (?:(?:its|their|an?|the) )?(?P<role>[^,]+)$")
_BOTH = re.compile(r"^(?P<clause>.*?)\bboth (?P<first>.+) and (?P<second>.+)$", re.IGNORECASE)
_BETWEEN_CLAUSES = (", and also ", " and ")


def meeting(text: str, facts: LineFacts, resolve: Resolve) -> tuple[str, str] | None:
    """What meets the conditions of a text, and what the text asks of it, empty for itself."""
    asked, relative = _ASKED.match(text), _RELATIVE.match(text)
    # `who founded the studio that ..., and also ...`: the conditions are the studio's.
    is_inner = relative is not None and relative["head"].strip() != "year"
    if relative and is_inner and (found := _met(relative["said"], facts, resolve)):
        return found, relative["before"]
    if asked and (found := _met(asked["said"], facts, resolve)):
        return found, ""
    return None


def _met(said: str, facts: LineFacts, resolve: Resolve) -> str | None:
    for clauses in _clauses(said):
        scored = [_subjects(clause, facts, resolve) for clause in clauses]
        common = set.intersection(*(set(one) for one in scored))
        ranked = sorted(common, key=lambda s: (-sum(one[s] for one in scored), s))
        if ranked:
            return ranked[0]
    return None


def _clauses(said: str) -> Iterator[list[str]]:
    """The conditions, by every way to cut them apart."""
    first = _BETWEEN_CLAUSES[0]
    if first in said:
        before, after = said.split(first, 1)
        yield [*re.split(r", (?=\w+ )", before), after]
        yield [before, after]
    if both := _BOTH.match(said):
        for match in re.finditer(r" and ", said[both.start("first") :]):
            cut = both.start("first") + match.start()
            one, other = said[both.start("first") : cut], said[cut + len(" and ") :]
            yield [f"{both['clause']}{part}" for part in (one, other)]
    if first not in said:
        for match in re.finditer(_BETWEEN_CLAUSES[1], said):
            yield [said[: match.start()], said[match.end() :]]


def _subjects(clause: str, facts: LineFacts, resolve: Resolve) -> dict[str, float]:
    """What meets one condition, and how well the lines that say so fit its words."""
    objects: dict[str, str] = {}
    for match in re.finditer(r"(?:^|(?<= ))(?=the )", clause):
        phrase = clause[match.end() :]
        # `has the birthplace of A as its capital`: the property comes after its object.
        role = _ROLE.match(phrase)
        if role and not Question(role["role"], facts.names).topics:
            if name := resolve(role["named"]):
                objects.setdefault(_place(name), f"{clause[: match.start()]}{role['role']}")
        elif name := resolve(phrase):
            # `is of the gender of A` says its property in the phrase.
            said = clause[: match.start()] + phrase.split(" of ")[0]
            objects.setdefault(_place(name), said)
    topics = Question(clause, facts.names).topics
    for name, start, _ in topics:
        objects.setdefault(name, clause[:start])
    named = {topic for topic, _, _ in topics}
    scores: dict[str, float] = {}
    for name, words in objects.items():
        stems = set(content(words))
        back = [(fact, fact.subject) for fact in facts.about.get(name, [])]
        for fact, end in [*back, *((fact, fact.object) for fact in facts.of.get(name, []))]:
            shared = len(fact.words & stems)
            if shared and key(end) not in named:
                fit = shared / len(fact.words | stems)
                scores[end] = max(fit, scores.get(end, 0.0))
    return scores


def _place(name: str) -> str:
    """The key of a name; of a date its year."""
    year = re.search(r"(?<!\d)\d{3,4}$", name)
    return year[0] if year and name[0].isdigit() else key(name)
