"""One sample's conversation with the model: prompts out, replies and steps kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache

from inspect_ai.model import ChatMessageUser, ModelOutput, get_model
from inspect_ai.solver import TaskState
from pydantic import Field

from factchain.eval import odd_replies
from factchain.eval.prompts import Step
from factchain.eval.replies import without_thoughts
from factchain.questions.records import Question
from factchain.records import Record

_QUESTION, _STEPS, _PASSAGES, _HOPS = "question", "steps", "passages", "hops"

_stand_in: ContextVar[Callable[[str], str] | None] = ContextVar("_stand_in", default=None)


class StepTaken(Record):
    """A sub-question that was answered on the way, as the sample's store and the report show it."""

    question: str
    """The sub-question."""
    answer: str
    """What the model answered."""
    hop: int | None = None
    """The hop that it is of; none for a sub-question of the model's own."""
    certain: bool | None = None
    """Whether the model said that it was certain; none where it was not asked."""
    retrieved: bool = False
    """Whether passages were shown."""
    passages: tuple[str, ...] = ()
    """Ids of the passages shown."""


class HopOutcome(Record):
    """What became of one hop, or of a whole question where `hop` is 0."""

    hop: int = Field(ge=0)
    """Number of the hop."""
    gold: str
    """The right choice, option or answer."""
    prediction: str
    """What the model said; `unparsed` where it said nothing of the kind."""
    scores: dict[str, float]
    """Scores by name; a choice has `accuracy` alone."""


def question_of(state: TaskState) -> Question:
    """The sample's question."""
    (question,) = state.metadata[_QUESTION]
    return _parsed(question)


@lru_cache(maxsize=2048)
def _parsed(question: str) -> Question:
    """Solver and scorer want it, and the same question in every task."""
    return Question.model_validate_json(question)


async def ask(state: TaskState, prompt: str) -> str:
    """The model's reply to a prompt by itself, without thoughts.

    Both stand in the messages of the sample, the reply as it came.

    A reply becomes the sample's output, so that the last one is what is scored.
    """
    message = ChatMessageUser(content=prompt)
    first = len(state.messages) == 1 and state.messages[0].text == state.input_text
    if first:  # the bare question, which Inspect has put there
        state.messages.clear()
    state.messages.append(message)
    stand_in = _stand_in.get()
    output = (
        await get_model().generate([message])
        if stand_in is None
        else ModelOutput.from_content("stand-in", stand_in(prompt))
    )
    odd_replies.note(output)
    if output.choices:
        state.messages.append(output.message)
    state.output = output
    return without_thoughts(output.completion)


@contextmanager
def answered_by(reply: Callable[[str], str]) -> Iterator[None]:
    """Let `reply` answer the prompts of the block in place of a model; for a forecast."""
    token = _stand_in.set(reply)
    try:
        yield
    finally:
        _stand_in.reset(token)


def note_passages(state: TaskState, passages: Sequence[str]) -> None:
    """Keep which passages the question itself was shown with."""
    state.store.set(_PASSAGES, list(passages))


def note_steps(state: TaskState, steps: Sequence[StepTaken]) -> None:
    """Keep the steps that were taken."""
    state.store.set(_STEPS, [step.model_dump() for step in steps])


def steps_of(state: TaskState) -> list[StepTaken] | None:
    """The steps that were taken; none where the task takes none."""
    noted = state.store.get(_STEPS)
    return None if noted is None else [StepTaken.model_validate(step) for step in noted]


def note_hops(state: TaskState, hops: Sequence[HopOutcome]) -> None:
    """Keep what became of the hops, for the scorer."""
    state.store.set(_HOPS, [hop.model_dump() for hop in hops])


def hops_of(state: TaskState) -> list[HopOutcome]:
    """What became of the hops."""
    noted: list[object] = state.store.get(_HOPS, [])
    return [HopOutcome.model_validate(hop) for hop in noted]


def as_prompt(steps: Sequence[StepTaken]) -> list[Step]:
    """The steps as they stand in a prompt."""
    return [Step(step.question, step.answer) for step in steps]
