"""A template question, taken apart by the templates that it was made from.

A question is matched as a whole against the phrases of every property; what stands in the place
of the subject is matched again, from the outside in, until a name is left. So the hops come out
from the inside outwards. Questions of other forms stay whole.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from factchain.eval.prompts import Step
from factchain.questions.verbalize.phrases import Phrases

_MOST_NESTED = 8
_AS_OF = re.compile(r"^(As of [^,]+, )(.+)$", re.DOTALL)
_LET = re.compile(r"^Let ([A-Z]) be (.+?)\. (?=[A-Z])", re.DOTALL)
_SLOT = "{s}"


@dataclass(frozen=True)
class _Form:
    """How a property is said of its subject, and how it is asked for."""

    pattern: re.Pattern[str]
    question: str
    """Asks for the object of `{s}`."""
    weight: int
    """Letters that the pattern fixes: of two that fit, the one that fixes more is meant."""


def sub_questions(question: str) -> list[str]:
    """The questions of the hops, the innermost first; `{s}` stands for the answer before.

    The question itself where it is not of a form that can be taken apart.
    """
    text, dated = question.strip(), ""
    if match := _AS_OF.match(text):
        dated, text = match[1], match[2][0].upper() + match[2][1:]
    defined: list[str] = []
    while let := _LET.match(text):
        inner = _taken_apart(let[2], _nouns())
        rest = text[let.end() :]
        # Only where the letter is the one thing that is gone on with.
        if inner is None or len(re.findall(rf"(?<!\w){let[1]}(?!\w)", rest)) != 1:
            return [question]
        defined += inner
        text = re.sub(rf"(?<!\w){let[1]}(?!\w)", _SLOT, rest)
    hops = _taken_apart(text, _questions())
    if hops is None:
        return [question]
    return [_dated(hop, dated) for hop in [*defined, *hops]]


def next_sub_question(question: str, steps: Sequence[Step]) -> str | None:
    """The sub-question after these steps; none where nothing is left to ask."""
    hops = sub_questions(question)
    if len(steps) >= len(hops):
        return None
    before = (steps[-1].answer or "") if steps else ""
    return hops[len(steps)].replace(_SLOT, before)


def _taken_apart(text: str, forms: Sequence[_Form]) -> list[str] | None:
    """The questions of the hops of a question or a noun phrase; none for what is neither."""
    found = _match(text, forms)
    hops: list[str] = []
    while found is not None:
        form, subject = found
        found = _match(subject, _nouns()) if len(hops) < _MOST_NESTED else None
        hops.append(form.question if found else form.question.replace(_SLOT, subject))
    return list(reversed(hops)) or None


def _match(text: str, forms: Sequence[_Form]) -> tuple[_Form, str] | None:
    fitting = ((form, match[1]) for form in forms if (match := form.pattern.fullmatch(text)))
    return max(fitting, key=lambda pair: pair[0].weight, default=None)


def _dated(question: str, dated: str) -> str:
    return f"{dated}{question[0].lower()}{question[1:]}" if dated else question


@functools.cache
def _questions() -> tuple[_Form, ...]:
    return tuple(_form(phrase.question, phrase.question) for phrase in Phrases().every())


@functools.cache
def _nouns() -> tuple[_Form, ...]:
    return tuple(_form(phrase.noun, phrase.question) for phrase in Phrases().every())


def _form(said: str, question: str) -> _Form:
    fixed = said.split(_SLOT)
    pattern = re.compile(
        "(.+)".join(map(re.escape, fixed[:2])) + "".join(map(re.escape, fixed[2:]))
    )
    return _Form(pattern, question, sum(map(len, fixed)))
