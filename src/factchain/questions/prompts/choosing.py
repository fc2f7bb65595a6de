"""The prompt that answers a question with options, without any context."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict

from factchain.questions.prompts.data import IS_DATA, block, version

SYSTEM = f"""\
You answer multiple-choice questions from what you know. You get a question and four options by \
letter; one of them is right.

{IS_DATA}

Reply with one JSON object: `letter`, the letter of the right option. If you do not know it, give \
the letter of the likeliest."""


class Letter(BaseModel):
    """The option that was chosen."""

    model_config = ConfigDict(extra="forbid")

    letter: Literal["A", "B", "C", "D"]


def user(question: str, options: Mapping[str, str]) -> str:
    """The user message."""
    return f"Question:\n{block(question)}\n\nOptions:\n{block(dict(options))}"


def choosing_version() -> str:
    """Version of the prompt."""
    return version(SYSTEM)
