"""The phrases of the templates as forms with one slot, found by what they begin with.

A form says how something is worded, and how a question asks for it: `the birthplace of {s}` is
asked for by `Where was {s} born?`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from factchain.questions.verbalize import english
from factchain.questions.verbalize.phrases import Phrase, Phrases

_SLOT = re.compile(r"\{[so]\}")
_HEADED = re.compile(r"\{([^{}|:]+):o\}")
"""An object with a noun before it where it is a bare name: `the league`."""


class Form(NamedTuple):
    """How something is worded around its slot, and asked for."""

    before: str
    after: str
    ask: tuple[str, str]
    """Before and after the slot, in the question or clause that names the slot's answer."""
    changes: bool
    """Whether what it asks for changes with time."""
    label: str
    """Label of its property; empty where several have one noun."""

    @property
    def weight(self) -> int:
        """Letters that it fixes: of two forms that fit, the one that fixes more is meant."""
        return len(self.before) + len(self.after)


class Forms:
    """Forms by what stands before their slot."""

    def __init__(self) -> None:
        self._by_ends: dict[str, dict[str, dict[Form, None]]] = {}

    def add(self, said: str, ask: str, changes: bool, label: str) -> None:
        """A wording with a slot, and what asks for it, which has the slot too."""
        before, after = _SLOT.split(said)
        start, end = _SLOT.split(ask)
        form = Form(before, after, (start, end), changes, label)
        self._by_ends.setdefault(before, {}).setdefault(after, {})[form] = None

    def find(self, text: str) -> Iterator[tuple[Form, str]]:
        """Every form that fits the whole text, with what fills its slot; in a fixed order."""
        for space in re.finditer(" |^", text):
            start = space.end()
            for after, forms in self._by_ends.get(text[:start], {}).items():
                end = len(text) - len(after)
                if start < end and text.endswith(after):
                    for form in forms:
                        yield form, text[start:end]


@dataclass(frozen=True)
class TemplateForms:
    """The forms of all properties."""

    questions: Forms = field(default_factory=Forms)
    """`Where was {s} born`."""
    whiches: Forms = field(default_factory=Forms)
    """What follows `Which country`: ` does {s} share a border with`."""
    nouns: Forms = field(default_factory=Forms)
    """`the birthplace of {s}`."""
    members: Forms = field(default_factory=Forms)
    """`a country of {s}`, one of several; asked for as such."""
    plurals: Forms = field(default_factory=Forms)
    """`countries of {s}`, asked how many they are."""
    counts: Forms = field(default_factory=Forms)
    """`How many countries does {s} belong to`."""
    clauses: Forms = field(default_factory=Forms)
    """`was born in {o}`; the ask is a clause as well, with the noun for a bare name."""


@functools.cache
def template_forms() -> TemplateForms:
    """The forms of the built-in tables."""
    forms, phrases = TemplateForms(), Phrases()
    asks: dict[str, dict[str, bool]] = {}
    for known in phrases.every():
        past = phrases.past(known)
        for phrase in (known,) if past.question == known.question else (known, past):
            for question, noun in ((phrase.question, phrase.noun), *phrase.by_precision):
                for asked in dict.fromkeys((question, english.about_several(question))):
                    forms.questions.add(
                        asked.removesuffix("?"), asked, phrase.changes, phrase.label
                    )
                for said in dict.fromkeys((noun, english.about_several(noun))):
                    asks.setdefault(said, {})[question] = phrase.changes
            _add_rest(forms, phrase)
    for said, questions in asks.items():
        # What is asked in several ways, each for a class of its own, is asked for by its name.
        asked = next(iter(questions)) if len(questions) == 1 else f"What is {said}?"
        forms.nouns.add(said, asked, any(questions.values()), "")
    return forms


def _add_rest(forms: TemplateForms, phrase: Phrase) -> None:
    """All forms of a phrase but its question and its noun."""
    if phrase.which:
        forms.whiches.add(
            phrase.which.removesuffix("?"), phrase.which, phrase.changes, phrase.label
        )
    forms.members.add(phrase.indefinite, phrase.indefinite, phrase.changes, phrase.label)
    for said in dict.fromkeys((phrase.plural, english.about_several(phrase.plural))):
        forms.plurals.add(said, phrase.how_many, True, phrase.label)
    for asked in dict.fromkeys((phrase.how_many, english.about_several(phrase.how_many))):
        forms.counts.add(asked.removesuffix("?"), asked, True, phrase.label)
    for is_plural in (False, True):
        for preposition in ("in", "on"):
            clause = phrase.clause.replace("{in}", preposition)
            _add_clause(forms.clauses, clause, phrase, is_plural)


def _add_clause(clauses: Forms, clause: str, phrase: Phrase, is_plural: bool) -> None:
    """The wordings of a clause whose object is a bare name, and is none."""
    say = functools.partial(english.settle, plural=is_plural, past=phrase.is_past)
    ask = say(_HEADED.sub(r"\1 {o}", clause))
    said = dict.fromkeys((ask, say(_HEADED.sub("{o}", clause))))
    if headed := _HEADED.search(clause):
        head = headed[1].removeprefix("the ").removesuffix(" of")
        said[f"{say('{has|have}')} {{o}} as {head}"] = None
    for one in said:
        clauses.add(one, ask, phrase.changes, phrase.label)
