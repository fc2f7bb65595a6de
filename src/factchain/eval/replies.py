"""Reading what a model replied: choices, options, sub-questions, confidence.

A reply that says nothing of what was asked is `UNPARSED`, an outcome of its own: it counts as
wrong and is never dropped (SPEC.md 1.16).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

import json_repair

from factchain.eval.prompts import ANSWER, CONFIDENCE, NEXT

UNPARSED = "unparsed"

_THOUGHTS = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
_BRACES = re.compile(r"\{([^{}]*)\}")
_KEY = re.compile(r"""^\s*["']?choice["']?\s*[:=]\s*""", re.IGNORECASE)
_STATED = re.compile(
    r"the answer is\s*:?\s*(?:option\s+)?(?:\\boxed\{|[*(\[\s\"'`])*([A-Z])(?![\w'’])",
    re.IGNORECASE,
)
_BOXED = re.compile(r"\\boxed\{\s*\(?([A-Z])\)?\s*\}")
# A capital that a word in lower case follows is an article ("A dog"), unless it is said of.
_LETTER = re.compile(
    r"(?<![\w'’])([A-Z])(?![\w'’])(?!\s+(?!(?:is|was|because|since|as|seems|and|or)\b)[a-z])"
)
_FINAL = re.compile(r"^.*?(?:final answer(?: is)?|the answer is)\s*[:：]?\s*(.*)$", re.IGNORECASE)
_FINISH = re.compile(r"\W*finish(?:ed)?\W*", re.IGNORECASE)
_LONGEST_LAST_LINE = 100
_LONGEST_JSON = 2000
"""Characters of a reply in which an object is looked for, which takes long where it never ends."""


class Supported(NamedTuple):
    """A reply to the question for an answer and its documents."""

    answer: str
    """What was answered; the whole reply where it is no JSON."""
    documents: tuple[int, ...]
    """Numbers of documents, from 1, each once."""


class Confident(NamedTuple):
    """A reply to the question for an answer and its certainty."""

    answer: str
    """What was answered."""
    certain: bool
    """Whether the model says that it is certain; not where it says neither."""


def without_thoughts(reply: str) -> str:
    """The reply without `<think>` blocks, be it one that never ends, or whose beginning stands in
    the prompt, as some chat templates have it."""
    return _THOUGHTS.sub("", reply).rpartition("</think>")[2].strip()


def choice(reply: str, names: Mapping[str, str]) -> str:
    """The label of the option that a reply chooses, or `UNPARSED`.

    `names` gives by letter the label. JSON, fenced or not, is read, and so is a bare word in
    braces (`{retrieval}`), which MINTQA's own examples show; keys in any case (SPEC.md 4.2). A
    reply that chooses two is unparsed.
    """
    text = without_thoughts(reply)
    inside = _BRACES.findall(text)
    said = _KEY.sub("", inside[-1] if inside else text).strip().strip("\"'`*. ")
    if len(said) == 1 and said.upper() in names:
        return names[said.upper()]
    chosen = {names[m[1]] for m in _LETTER.finditer(said) if m[1] in names}
    if not chosen:
        words = {word.lower() for word in re.findall(r"[A-Za-z-]+", said)}
        chosen = {label for label in names.values() if words & _forms(label)}
    return chosen.pop() if len(chosen) == 1 else UNPARSED


def _forms(label: str) -> set[str]:
    """How a choice is called: by its label, and by the word that MINTQA prints."""
    return {
        "retrieve": {"retrieve", "retrieval"},
        "decompose": {"decompose", "sub-question", "sub-questions", "subquestion", "subquestions"},
        "answer": {"answer"},
        "finish": {"finish"},
        "continue": {"continue", "subquestion", "sub-question"},
    }.get(label, {label})


def option(reply: str, letters: Collection[str]) -> str:
    """The letter of the option that a reply chooses, or `UNPARSED` (SPEC.md 1.14).

    The last `The answer is (X)` counts, then the last boxed letter, then the last capital that
    stands alone; the article "a" is no option, nor is "A" before a word.
    """
    text = without_thoughts(reply)
    bare = text.strip("()[]*\"'`. ")
    if len(bare) == 1 and bare.upper() in letters:
        return bare.upper()
    for pattern in (_STATED, _BOXED, _LETTER):
        found = [m[1].upper() for m in pattern.finditer(text) if m[1] in letters]
        if found:
            return found[-1]
    return UNPARSED


def final_answer(reply: str) -> str:
    """The answer after a chain of thought: what follows the last `The answer is:`.

    Without such a line, the last line where it is short, else everything.
    """
    text = without_thoughts(reply)
    lines = [line for line in text.splitlines() if line.strip()]
    for line in reversed(lines):
        if (found := _FINAL.match(line)) and (said := found[1].strip(" *\"'`")):
            return said
    if lines and len(lines[-1]) < _LONGEST_LAST_LINE:
        return lines[-1].strip(" *")
    return text


def sub_question(reply: str) -> str | None:
    """The sub-question that a reply asks next; none where it wants to finish.

    A reply that is empty, or announces a sub-question and asks none, asks nothing more, too.
    """
    text = without_thoughts(reply).strip("`* \n")
    _, announced, rest = text.rpartition(NEXT)
    if announced:
        text = rest
    line = next((line.strip("`* ") for line in text.splitlines() if line.strip("`* ")), "")
    return None if not line or _FINISH.fullmatch(line) else line


def confident(reply: str) -> Confident:
    """The answer, and whether it is certain: `uncertain` is looked for first, since it contains
    the other; a reply without either is uncertain (SPEC.md 4.3)."""
    text = without_thoughts(reply)
    before, stated, after = text.partition(CONFIDENCE)
    said = after.lower() if stated else text.lower()
    answer = before.rpartition(ANSWER)[2] if ANSWER in before else before
    return Confident(answer.strip(" *\n"), "uncertain" not in said and "certain" in said)


def supported(reply: str) -> Supported:
    """The answer and the numbers of its documents; JSON that is a little broken is read too."""
    text = without_thoughts(reply)
    try:
        found = json_repair.loads(text[:_LONGEST_JSON]) if "{" in text else None
    except ValueError:  # braces within braces without end
        found = None
    if not isinstance(found, dict) or "answer" not in found:
        return Supported(text, ())
    given = found.get("documents")
    numbers = [n for n in given if isinstance(n, int)] if isinstance(given, list) else []
    return Supported(str(found["answer"]), tuple(dict.fromkeys(n for n in numbers if n > 0)))
