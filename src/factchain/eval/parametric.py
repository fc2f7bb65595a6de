"""What a model knows by itself: MINTQA's first dimension (SPEC.md 4.3, D1)."""

from __future__ import annotations

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver

from factchain.eval import prompts
from factchain.eval.dataset import QUESTIONS, as_dataset, read_questions, rests_on, version_of
from factchain.eval.scorers import answer_scores


@task
def parametric(dataset: str) -> Task:
    """Every question without any context.

    `dataset` is a folder that `factchain build` wrote. Raises InputError where it holds no
    questions.
    """
    workspace = Path(dataset)
    files = rests_on(workspace, [QUESTIONS])
    return Task(
        dataset=as_dataset(read_questions(workspace)),
        solver=[answer_directly(), generate()],
        scorer=answer_scores(),
        config=GenerateConfig(temperature=0),
        version=version_of(files),
        metadata={"context": "none", "files": files},
    )


@solver
def answer_directly() -> Solver:
    """Ask for a direct answer to the question."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.user_prompt.text = prompts.direct_answer(state.input_text)
        return state

    return solve
