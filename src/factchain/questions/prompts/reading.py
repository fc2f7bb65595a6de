"""The prompts that answer a question from given facts alone (SPEC.md 4.1), or from none."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from factchain.questions.prompts.data import IS_DATA, block, in_language, version

SYSTEM = f"""\
You answer questions from given facts. Use these facts and nothing else: what you know besides \
does not count, even where it is true. You may combine facts, count them, compare values and \
reckon with them.

If the facts do not settle the answer, because one that is needed is missing, set `sufficient` to \
false and leave `answer` empty. Otherwise set it to true, and give in `answer` only the answer: a \
name as the facts write it, a number with its unit, a date, or yes or no; no sentence.

{IS_DATA}"""

CLOSED_BOOK = """\
You answer questions from what you know. Give in `answer` only the answer: a name, a number with \
its unit, a date, or yes or no; no sentence. Leave it empty only if you have no idea at all."""


class Read(BaseModel):
    """What a reader found in the facts."""

    model_config = ConfigDict(extra="forbid")

    sufficient: bool
    answer: str


class Recalled(BaseModel):
    """What a model knows."""

    model_config = ConfigDict(extra="forbid")

    answer: str


def system(language: str) -> str:
    """The system message for an answer from facts."""
    return SYSTEM + in_language(language)


def user(facts: Sequence[tuple[str, str, str]], question: str) -> str:
    """The user message."""
    triples = [{"subject": s, "property": p, "object": o} for s, p, o in facts]
    return f"Facts:\n{block(triples)}\n\nQuestion:\n{block(question)}"


def closed_book_system(language: str) -> str:
    """The system message for an answer without context."""
    return CLOSED_BOOK + in_language(language)


def reading_version(language: str) -> str:
    """Version of these prompts."""
    return version(system(language), closed_book_system(language))
