"""Which questions are trained on, and which of them as multiple choice (SPEC.md 5.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import orjson

from factchain.errors import InputError
from factchain.files import write_atomically
from factchain.questions.records import Question
from factchain.records import read_records

SEED = 42
"""Omanic's."""
CHOICE_SHARE = 0.5
"""A question is asked as multiple choice if the generator's number is below this."""


@dataclass(frozen=True)
class TrainingSet:
    """The questions of one split that may be trained on, and what was left out."""

    questions: list[Question]
    """In the order of the file."""
    unanswerable: int
    """Left out: there is no answer to learn."""
    repeated: int
    """Left out: another split asks the same, in words or in facts."""
    sharing: int
    """Kept, though another split rests on some of the same facts."""


@dataclass(frozen=True)
class Drawn:
    """A question, and whether it is asked as multiple choice."""

    question: Question
    options: dict[str, str]
    """By letter, sorted, without empty ones; empty for an open question."""
    letter: str | None
    """Letter of the gold answer, where the record says it."""


def training_set(path: Path, split: str) -> TrainingSet:
    """The questions of a split, none of which stands in another split too.

    Raises InputError, naming the splits that there are, where the split has no question.
    """
    questions = list(read_records(path, Question))
    others = [question for question in questions if question.split != split]
    texts = {_words(question) for question in others}
    facts = {_facts(question) for question in others} - {frozenset()}
    known = frozenset().union(*facts)
    chosen = [question for question in questions if question.split == split]
    if not chosen:
        splits = ", ".join(sorted({question.split for question in questions})) or "none"
        raise InputError(
            f"{path}: has no question of the split {split!r}, but of: {splits}. Name one with "
            "--split, or divide the chains with `factchain chains split`"
        )
    answerable = [question for question in chosen if question.answerable]
    kept = [q for q in answerable if _words(q) not in texts and _facts(q) not in facts]
    return TrainingSet(
        kept,
        unanswerable=len(chosen) - len(answerable),
        repeated=len(answerable) - len(kept),
        sharing=sum(1 for question in kept if _facts(question) & known),
    )


def draw(questions: Sequence[Question], random: Random) -> list[Drawn]:
    """Multiple choice for half of the questions, drawn one number a question, as far as they have
    options."""
    drawn = []
    for question in questions:
        as_choice = random.random() < CHOICE_SHARE
        options, letter = _options(question)
        drawn.append(Drawn(question, options if as_choice else {}, letter))
    return drawn


def write_json(path: Path, rows: Sequence[dict[str, object]]) -> None:
    """Write a JSON array, complete or not at all."""
    with write_atomically(path) as out:
        out.write(orjson.dumps(rows, option=orjson.OPT_INDENT_2) + b"\n")


def _options(question: Question) -> tuple[dict[str, str], str | None]:
    """Options and letter of the question; where it has none, of its last hop."""
    asked = question if question.options else question.sub_questions[-1:]
    source = asked if isinstance(asked, Question) else next(iter(asked), None)
    if source is None or not source.options:
        return {}, None
    options = {letter: text for letter, text in sorted(source.options.items()) if text.strip()}
    return options, source.correct_option


def _words(question: Question) -> str:
    return " ".join(question.question.casefold().split())


def _facts(question: Question) -> frozenset[tuple[str, ...]]:
    return frozenset(
        key
        for hop in question.sub_questions
        for key in (*(fact.key for fact in hop.facts), *hop.triples)
    )
