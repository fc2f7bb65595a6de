"""Retrieval only where the model is uncertain (SPEC.md 4.3, D5c)."""

from __future__ import annotations

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import Generate, Solver, TaskState, solver

from factchain.errors import ConfigError
from factchain.eval import prompts, replies
from factchain.eval.asking import StepTaken, ask, question_of
from factchain.eval.dataset import as_dataset, version_of
from factchain.eval.decomposition import answer_with_passages, source_for
from factchain.eval.log_probabilities import answer_log_probability
from factchain.eval.passages import TOP_K, Contexts, PassageSource, context_at
from factchain.eval.scorers import answer_scores
from factchain.eval.steps import conclude, questions_for, take_steps


@task
def dynamic_retrieval(
    dataset: str,
    context: str = "bm25",
    questions: str = "generated",
    k: int = TOP_K,
    threshold: float | None = None,
) -> Task:
    """Sub-questions answered from memory, and from passages where the model is uncertain.

    The model says whether it is certain; with a `threshold` it is where the mean log-probability
    of its answer's tokens reaches that, for providers that give them. Raises InputError where the
    dataset lacks questions, passages or given sub-questions, ConfigError for other `questions`,
    another context, or a threshold above 0.
    """
    if threshold is not None and threshold > 0:
        raise ConfigError(f"threshold {threshold}: a log-probability is never above 0")
    workspace = Path(dataset)
    files, asked = questions_for(workspace, questions)
    contexts = Contexts(workspace, asked)
    source = source_for(contexts, context, questions, k)
    return Task(
        dataset=as_dataset(asked),
        solver=where_uncertain(contexts, source, questions, threshold),
        scorer=answer_scores(),
        config=GenerateConfig(temperature=0, logprobs=None if threshold is None else True),
        version=version_of(files | contexts.files),
        metadata={
            "mode": questions if threshold is None else f"{questions}, log-probability {threshold}",
            "context": context_at(context, k),
            "files": files | contexts.files,
        },
    )


@solver
def where_uncertain(
    contexts: Contexts, source: PassageSource, questions: str, threshold: float | None
) -> Solver:
    """Answer every sub-question, and again from passages where the model is uncertain."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        question = question_of(state)

        async def answer(text: str, hop: int | None, before: list[StepTaken]) -> StepTaken:
            said = replies.confident(await ask(state, prompts.confident_answer(text)))
            certain = (
                said.certain
                if threshold is None
                else _log_probability(state, said.answer) >= threshold
            )
            if certain:
                return StepTaken(question=text, answer=said.answer, hop=hop, certain=True)
            step = await answer_with_passages(state, question, contexts, source, text, hop, before)
            return step.model_copy(update={"certain": False})

        await conclude(state, question, await take_steps(state, question, questions, answer))
        return state

    return solve


def _log_probability(state: TaskState, answer: str) -> float:
    """How sure the model is of the answer in its last reply."""
    found = answer_log_probability(state.output, answer, prompts.ANSWER)
    if found is None:
        raise ConfigError(
            f"model {state.model}: gives no log-probabilities: leave out threshold, so that the "
            "model is asked whether it is certain"
        )
    return found
