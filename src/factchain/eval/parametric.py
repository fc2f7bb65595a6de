"""What a model knows by itself: MINTQA's first dimension and Omanic's direct and step-by-step
answers (SPEC.md 4.3, D1; 1.14)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from inspect_ai import Task, task
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import Generate, Solver, TaskState, solver

from factchain.errors import ConfigError, InputError
from factchain.eval import prompts, replies
from factchain.eval.asking import HopOutcome, ask, note_hops, question_of
from factchain.eval.dataset import QUESTIONS, as_dataset, read_questions, rests_on, version_of
from factchain.eval.passages import NONE
from factchain.eval.scorers import answer_scores, hop_scores

Answers = Literal["open", "options"]


@task
def parametric(dataset: str, answers: Answers = "open", think: bool = False) -> Task:
    """Every question without any context.

    `dataset` is a folder with questions; `answers` are open, or one of the question's options;
    `think` asks for a chain of thought first. Raises InputError where there are no questions, or
    none with options where these are wanted.
    """
    check_answers(answers)
    workspace = Path(dataset)
    files = rests_on(workspace, [QUESTIONS])
    questions = read_questions(workspace)
    if answers == "options":
        questions = [question for question in questions if question.options]
        if not questions:
            raise no_options(workspace)
    return Task(
        dataset=as_dataset(questions),
        solver=choose_option(think) if answers == "options" else answer_question(think),
        scorer=hop_scores() if answers == "options" else answer_scores(),
        config=GenerateConfig(temperature=0),
        version=version_of(files),
        metadata={"mode": mode_name(answers, think), "context": NONE, "files": files},
    )


@solver
def answer_question(think: bool = False) -> Solver:
    """Ask for an answer to the question, after a chain of thought or at once."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if not think:
            await ask(state, prompts.direct_answer(state.input_text))
            return state
        reply = await ask(state, prompts.reasoned_answer(state.input_text))
        state.output.completion = replies.final_answer(reply)
        return state

    return solve


@solver
def choose_option(think: bool = False) -> Solver:
    """Ask for one of the question's options."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        question = question_of(state)
        assert question.options  # the task has no others
        assert question.correct_option
        reply = await ask(
            state, prompts.choose_option(question.question, question.options, think=think)
        )
        note_hops(state, [option_outcome(0, question.options, question.correct_option, reply)])
        return state

    return solve


def option_outcome(hop: int, options: dict[str, str], gold: str, reply: str) -> HopOutcome:
    """Whether a reply chooses the right option."""
    chosen = replies.option(reply, options)
    return HopOutcome(
        hop=hop, gold=gold, prediction=chosen, scores={"accuracy": float(chosen == gold)}
    )


def mode_name(answers: Answers, think: bool) -> str:
    """How questions are answered: `open`, `options`, or either after a chain of thought."""
    return f"{answers}-think" if think else answers


def check_answers(answers: str) -> None:
    """Raises ConfigError for another kind of answers."""
    if answers not in ("open", "options"):
        raise ConfigError(f"answers {answers!r}: there is only open and options")


def no_options(workspace: Path) -> InputError:
    """What a task says that needs options where no question has any."""
    return InputError(
        f"{workspace / QUESTIONS}: no question has options: make them with "
        "`factchain questions options`, or run another task"
    )
