"""The prompt that chooses three wrong options among candidates of the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from factchain.questions.prompts.data import IS_DATA, block, version

SYSTEM = f"""\
You set multiple-choice questions. You get a question, its right answer, and candidates for the \
wrong options, each with a key. All of them are wrong. Choose the three that make the question \
hardest for somebody who does not know the answer: of the same kind as the answer, from the same \
time and field, as well known, and what a mistake on the way would lead to. Leave out what the \
wording of the question excludes, and what another reader might defend as right.

Choose among the keys that are given. You cannot add, change or mix candidates.

{IS_DATA}

Reply with one JSON object: `chosen`, a list of three different keys, the hardest first."""


class Chosen(BaseModel):
    """The keys of the candidates that were chosen."""

    model_config = ConfigDict(extra="forbid")

    chosen: list[str]


def user(question: str, answer: str, candidates: Mapping[str, str]) -> str:
    """The user message; candidates by key."""
    return (
        f"Question:\n{block(question)}\n\nRight answer:\n{block(answer)}\n\n"
        f"Candidates:\n{block(candidates)}"
    )


def options_version() -> str:
    """Version of the prompt."""
    return version(SYSTEM)


def keys(candidates: Sequence[object]) -> list[str]:
    """The keys of so many candidates: `c1`, `c2` and so on."""
    return [f"c{at}" for at in range(1, len(candidates) + 1)]
