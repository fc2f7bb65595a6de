"""Sub-questions one after the other: the model's own, or the given ones with its answers put in."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path

from inspect_ai.solver import TaskState

from factchain.errors import ConfigError, InputError
from factchain.eval import prompts, replies
from factchain.eval.asking import StepTaken, as_prompt, ask, note_steps
from factchain.eval.dataset import QUESTIONS, read_questions, rests_on
from factchain.questions.records import Question

MOST_STEPS = 5
"""Sub-questions that a model may ask of one question (SPEC.md 4.3)."""

WHOSE = ("generated", "given")
"""Whose sub-questions are answered: the model's own, or the dataset's."""

_REFERENCE = re.compile(r"#(\d+)")

AnswerStep = Callable[[str, int | None, list[StepTaken]], Awaitable[StepTaken]]
"""Answers a sub-question: its text, the hop that it is of, the steps before it."""


def check_whose(questions: str) -> None:
    """Raises ConfigError for what is none of `WHOSE`."""
    if questions not in WHOSE:
        raise ConfigError(f"questions {questions!r}: there is only {' and '.join(WHOSE)}")


def questions_for(workspace: Path, whose: str) -> tuple[dict[str, str], list[Question]]:
    """The checksum of the file of questions, and those that can be asked: with given sub-questions
    only those that have some.

    Raises ConfigError for what is none of `WHOSE`, InputError where no question is left.
    """
    check_whose(whose)
    files = rests_on(workspace, [QUESTIONS])
    asked = read_questions(workspace)
    return files, with_sub_questions(workspace, asked) if whose == "given" else asked


def with_sub_questions(workspace: Path, questions: Iterable[Question]) -> list[Question]:
    """Those that have sub-questions, which an imported dataset may lack.

    Raises InputError where none has any.
    """
    found = [question for question in questions if question.sub_questions]
    if not found:
        raise InputError(
            f"{workspace / QUESTIONS}: no question has sub-questions: run a task that takes the "
            "model's own, or another one"
        )
    return found


async def take_steps(
    state: TaskState, question: Question, whose: str, answer: AnswerStep
) -> list[StepTaken]:
    """Ask and answer sub-questions until the model finishes, or the given ones are all answered.

    The model's own are five at most; then the answer is asked for (SPEC.md 4.3).
    """
    steps: list[StepTaken] = []
    if whose == "given":
        for sub in question.sub_questions:
            said = {step.hop: step.answer for step in steps if step.hop is not None}
            steps.append(await answer(fill(sub.template, said), sub.index, steps))
    else:
        while len(steps) < MOST_STEPS:
            prompt = prompts.next_sub_question(question.question, as_prompt(steps))
            asked = replies.sub_question(await ask(state, prompt))
            if asked is None:
                break
            steps.append(await answer(asked, None, steps))
    note_steps(state, steps)
    return steps


async def conclude(state: TaskState, question: Question, steps: list[StepTaken]) -> None:
    """Ask for the final answer from the steps."""
    await ask(state, prompts.synthesise(question.question, as_prompt(steps)))


def fill(template: str, answers: Mapping[int, str]) -> str:
    """A sub-question with these answers in place of `#k`; a number that is no hop's stays."""
    return _REFERENCE.sub(
        lambda found: answers.get(int(found[1]), found[0]) or "(no answer)", template
    )
