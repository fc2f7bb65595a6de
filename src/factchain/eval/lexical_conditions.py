"""What meets several conditions, read by the form: `the film that C, and also C`, `both A and B`.

Every condition names something, by itself or by a nested phrase; the lines that have it as their
object or subject and share words with the condition tell what meets it. What meets all of them
stands for the phrase.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator

from factchain.eval.lexical_facts import LineFacts, content, key
from factchain.eval.lexical_forms import template_forms
from factchain.eval.lexical_reader import named

Resolve = Callable[[str], str | None]
"""Reads a phrase that is part of another."""

_RELATIVE = re.compile(
    r"^(?P<before>.*?)\bthe (?P<head>(?:(?!of |the )\w[\w.-]* ){1,4})(?:that|who) (?P<said>.+)$",
    re.IGNORECASE,
)
_WHO = re.compile(r"^who (?P<said>.+)$", re.IGNORECASE)
_WHICH = re.compile(r"^which (?=\w)", re.IGNORECASE)
_MOST_WORDS_OF_NOUN = 5
_ROLE = re.compile(r"^(?P<named>.+) as (?:(?:its|their|an?|the) )?(?P<role>[^,]+)$")
_BOTH = re.compile(r"^(?P<clause>.*?)\bboth (?P<first>.+) and (?P<second>.+)$", re.IGNORECASE)
_BETWEEN_CLAUSES = (", and also ", " and ")


def meeting(text: str, facts: LineFacts, resolve: Resolve) -> tuple[str, str] | None:
    """What meets the conditions of a text, and what the text asks of it, empty for itself."""
    relative = _RELATIVE.match(text)
    # `who founded the studio that ..., and also ...`: the conditions are the studio's.
    is_inner = relative is not None and relative["head"].strip() != "year"
    if relative and is_inner and (met := _met(relative["said"], facts, resolve)):
        return met[1], relative["before"]
    found = [met for said in _asked(text) if (met := _met(said, facts, resolve))]
    return (max(found, key=lambda met: met[0])[1], "") if found else None


def _asked(text: str) -> Iterator[str]:
    """What is said of the one asked for: after `who`, or after `which` and a noun of some words."""
    if who := _WHO.match(text):
        yield who["said"]
    if which := _WHICH.match(text):
        words = text[which.end() :].split(" ")
        for length in range(1, min(_MOST_WORDS_OF_NOUN, len(words) - 1) + 1):
            yield " ".join(words[length:])


def _met(said: str, facts: LineFacts, resolve: Resolve) -> tuple[float, str] | None:
    """What meets conditions, and how well the lines that say so fit their words, from 0 to 1."""
    for clauses in _clauses(said):
        scored = [_subjects(clause, facts, resolve) for clause in clauses]
        common = set.intersection(*(set(one) for one in scored))
        ranked = sorted((-sum(one[s] for one in scored), s) for s in common)
        if ranked:
            return -ranked[0][0] / len(clauses), ranked[0][1]
    return None


def _clauses(said: str) -> Iterator[list[str]]:
    """The conditions, by every way to cut them apart."""
    first = _BETWEEN_CLAUSES[0]
    if first in said:
        before, after = said.split(first, 1)
        yield [*re.split(r", (?=\w+ )", before), after]
        yield [before, after]
    if both := _BOTH.match(said):
        # `has A as its capital and is set in both B and C`: the first condition is one by itself.
        earlier, _, clause = both["clause"].rpartition(_BETWEEN_CLAUSES[1])
        for match in re.finditer(r" and ", said[both.start("first") :]):
            cut = both.start("first") + match.start()
            parts = said[both.start("first") : cut], said[cut + len(" and ") :]
            if earlier:
                yield [earlier, *(f"{clause}{part}" for part in parts)]
            yield [f"{both['clause']}{part}" for part in parts]
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
        if role and not named(role["role"], facts.names):
            if name := resolve(role["named"]):
                objects.setdefault(_place(name), f"{clause[: match.start()]}{role['role']}")
        elif name := resolve(phrase):
            # `is of the gender of A` says its property in the phrase.
            said = clause[: match.start()] + phrase.split(" of ")[0]
            objects.setdefault(_place(name), said)
    topics = named(clause, facts.names)
    for name, start, _ in topics:
        objects.setdefault(name, clause[:start])
    own = {name for name, _, _ in topics}
    scores: dict[str, float] = {}
    for name, words in objects.items():
        # A template may say `is located in` of a country.
        ways = [frozenset(content(words)), *_labels(clause)]
        back = [(fact, fact.subject) for fact in facts.about.get(name, [])]
        for fact, end in [*back, *((fact, fact.object) for fact in facts.of.get(name, []))]:
            fit = max(len(fact.words & stems) / len(fact.words | stems | {""}) for stems in ways)
            if fit and key(end) not in own:
                scores[end] = max(fit, scores.get(end, 0.0))
    return scores


@functools.lru_cache(maxsize=100_000)
def _labels(clause: str) -> tuple[frozenset[str], ...]:
    """Stems of the labels of the properties that a clause may say in a template's words."""
    forms = template_forms().clauses.find(clause)
    return tuple(frozenset(content(form.label)) for form, _ in forms)


def _place(name: str) -> str:
    """The key of a name; of a date its year."""
    year = re.search(r"(?<!\d)\d{3,4}$", name)
    return year[0] if year and name[0].isdigit() else key(name)
