"""Passages for the question, then an answer from them (SPEC.md 4.3 D3; 4.5, oracle)."""

from __future__ import annotations

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import Generate, Solver, TaskState, solver

from factchain.eval import prompts
from factchain.eval.asking import ask, note_passages, question_of
from factchain.eval.dataset import QUESTIONS, as_dataset, read_questions, rests_on, version_of
from factchain.eval.passages import TOP_K, Contexts, PassageSource, context_at
from factchain.eval.scorers import answer_scores


@task
def retrieval(dataset: str, context: str = "bm25", k: int = TOP_K) -> Task:
    """Every question with the best `k` passages of a retriever, or, `context=gold`, the gold ones.

    `dataset` is a folder with questions and a corpus. Raises InputError where it lacks questions,
    passages or gold passages, ConfigError for a context that is neither.
    """
    workspace = Path(dataset)
    files = rests_on(workspace, [QUESTIONS])
    questions = read_questions(workspace)
    contexts = Contexts(workspace, questions)
    source = contexts.source(context, k)
    return Task(
        dataset=as_dataset(questions),
        solver=answer_from_passages(contexts, source),
        scorer=answer_scores(),
        config=GenerateConfig(temperature=0),
        version=version_of(files | contexts.files),
        metadata={
            "mode": "open",
            "context": context_at(context, k),
            "files": files | contexts.files,
        },
    )


@solver
def answer_from_passages(contexts: Contexts, source: PassageSource) -> Solver:
    """Ask for an answer from the question's passages."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        question = question_of(state)
        passages = source.of_question(question)
        note_passages(state, passages)
        documents = contexts.documents(passages)
        await ask(state, prompts.answer_with_documents(question.question, documents))
        return state

    return solve
