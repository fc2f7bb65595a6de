"""Sub-questions first: answered from memory (SPEC.md 4.3, D4), or from passages (D5a, D5b)."""

from __future__ import annotations

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import Generate, Solver, TaskState, solver

from factchain.eval import prompts
from factchain.eval.asking import StepTaken, as_prompt, ask, question_of
from factchain.eval.dataset import as_dataset, version_of
from factchain.eval.passages import GOLD, NONE, TOP_K, Contexts, PassageSource, context_at
from factchain.eval.scorers import answer_scores
from factchain.eval.steps import conclude, questions_for, take_steps
from factchain.questions.records import Question


@task
def sub_questions(dataset: str, questions: str = "generated") -> Task:
    """Sub-questions answered from memory, then the final answer.

    `questions` are `generated` by the model or `given`. `dataset` is a folder with questions.
    Raises InputError where it has none, or none with the sub-questions that are given, ConfigError
    for other `questions`.
    """
    files, asked = questions_for(Path(dataset), questions)
    return Task(
        dataset=as_dataset(asked),
        solver=from_memory(questions),
        scorer=answer_scores(),
        config=GenerateConfig(temperature=0),
        version=version_of(files),
        metadata={"mode": questions, "context": NONE, "files": files},
    )


@task
def decomposition(
    dataset: str, context: str = "bm25", questions: str = "generated", k: int = TOP_K
) -> Task:
    """Sub-questions each answered from the best `k` passages of a retriever, then the final answer.

    With `questions=given`, `context=gold` is the oracle. Raises InputError where the dataset lacks
    questions, passages or the sub-questions that are given, ConfigError for other `questions` or
    another context.
    """
    workspace = Path(dataset)
    files, asked = questions_for(workspace, questions)
    contexts = Contexts(workspace, asked)
    source = source_for(contexts, context, questions, k)
    return Task(
        dataset=as_dataset(asked),
        solver=from_passages(contexts, source, questions),
        scorer=answer_scores(),
        config=GenerateConfig(temperature=0),
        version=version_of(files | contexts.files),
        metadata={
            "mode": questions,
            "context": context_at(context, k),
            "files": files | contexts.files,
        },
    )


def source_for(contexts: Contexts, context: str, questions: str, k: int) -> PassageSource:
    """Who gives the passages for these sub-questions. Raises ConfigError where gold ones are asked
    for, which belong to given sub-questions, and the model makes its own."""
    source = contexts.source(context, k)
    if context == GOLD and questions == "generated":
        source.of_text("")  # raises
    return source


@solver
def from_memory(questions: str) -> Solver:
    """Answer every sub-question without passages; the given ones after the steps before them."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        async def answer(text: str, hop: int | None, before: list[StepTaken]) -> StepTaken:
            if hop is None:
                prompt = prompts.direct_answer(text)
            else:
                prompt = prompts.answer_step(text, as_prompt(before))
            return StepTaken(question=text, answer=await ask(state, prompt), hop=hop)

        question = question_of(state)
        await conclude(state, question, await take_steps(state, question, questions, answer))
        return state

    return solve


@solver
def from_passages(contexts: Contexts, source: PassageSource, questions: str) -> Solver:
    """Answer every sub-question from passages found for it."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        question = question_of(state)

        async def answer(text: str, hop: int | None, before: list[StepTaken]) -> StepTaken:
            return await answer_with_passages(state, question, contexts, source, text, hop, before)

        await conclude(state, question, await take_steps(state, question, questions, answer))
        return state

    return solve


async def answer_with_passages(
    state: TaskState,
    question: Question,
    contexts: Contexts,
    source: PassageSource,
    text: str,
    hop: int | None,
    before: list[StepTaken],
) -> StepTaken:
    """A step that is answered from the passages of its sub-question.

    A hop without any passage, which only reckons with earlier answers, is answered from these.
    """
    found = source.of_text(text) if hop is None else source.of_hop(question, hop, text)
    if found:
        prompt = prompts.answer_with_documents(text, contexts.documents(found))
    else:
        prompt = prompts.answer_step(text, as_prompt(before))
    reply = await ask(state, prompt)
    return StepTaken(
        question=text, answer=reply, hop=hop, retrieved=bool(found), passages=tuple(found)
    )
