"""Supervised fine-tuning data in Omanic's layout (SPEC.md 5.6): a JSON array, shuffled."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from factchain.questions.records import Question
from factchain.questions.training.choice import SEED, Drawn, draw

OPEN = "You answer questions that need several facts. Reply with the answer alone."
CHOICE = (
    "You answer multiple-choice questions that need several facts. Reply with the letter of the "
    "right option and its text."
)
ASSUMED_LETTER = "A"
"""What Omanic's script takes for the letter where the record has none."""


def sft_rows(questions: Sequence[Question], seed: int = SEED) -> list[dict[str, object]]:
    """One row a question: `instruction`, `input`, `output`, `system`.

    Multiple choice is drawn and the rows are shuffled by one generator. A question without
    options is open, and so is one whose letter names no option.
    """
    random = Random(seed)
    rows = [_row(drawn) for drawn in draw(questions, random)]
    random.shuffle(rows)
    return rows


def _row(drawn: Drawn) -> dict[str, object]:
    question = drawn.question
    letter = drawn.letter or ASSUMED_LETTER
    if letter not in drawn.options:
        return {
            "instruction": question.question,
            "input": "",
            "output": question.answer.label,
            "system": OPEN,
        }
    lines = [f"{key}. {text}" for key, text in drawn.options.items()]
    return {
        "instruction": "\n".join([question.question, "", *lines]),
        "input": "",
        "output": f"{letter}. {drawn.options[letter]}",
        "system": CHOICE,
    }
