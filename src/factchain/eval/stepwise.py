"""Where a chain of hops breaks: Omanic's step-by-step evaluation (SPEC.md 1.15).

Every hop is asked by itself with the gold answers of the hops before it (`inputs=gold`), or with
the model's own (`inputs=own`): what the second loses against the first is the error that is
carried on.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from inspect_ai import Task, task
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import Generate, Solver, TaskState, solver

from factchain.errors import ConfigError
from factchain.eval import prompts, replies
from factchain.eval.asking import HopOutcome, ask, note_hops, question_of
from factchain.eval.dataset import QUESTIONS, as_dataset, read_questions, rests_on, version_of
from factchain.eval.parametric import (
    Answers,
    check_answers,
    mode_name,
    no_options,
    option_outcome,
)
from factchain.eval.passages import NONE, TOP_K, Contexts, PassageSource, context_at
from factchain.eval.scorers import hop_scores
from factchain.eval.steps import fill, with_sub_questions
from factchain.questions.records import SubQuestion
from factchain.questions.typed_answers import score_any

Inputs = Literal["gold", "own"]


@task
def stepwise(
    dataset: str,
    inputs: Inputs = "gold",
    answers: Answers = "open",
    think: bool = False,
    context: str = NONE,
    k: int = TOP_K,
) -> Task:
    """Every hop of every question, with gold inputs or the model's own answers.

    `answers` are open or one of the hop's options, `think` asks for a chain of thought first,
    `context` is `none`, `gold` or a retriever. Raises InputError where the dataset lacks what is
    asked for, ConfigError for other values.
    """
    if inputs not in ("gold", "own"):
        raise ConfigError(f"inputs {inputs!r}: there is only gold and own")
    check_answers(answers)
    if answers == "options" and (context != NONE or inputs == "own"):
        raise ConfigError("answers=options: options belong to gold inputs and no context")
    if think and context != NONE:
        raise ConfigError("think: a chain of thought is asked for without passages only")
    workspace = Path(dataset)
    files = rests_on(workspace, [QUESTIONS])
    questions = with_sub_questions(workspace, read_questions(workspace))
    if answers == "options":
        questions = [q for q in questions if all(sub.options for sub in q.sub_questions)]
        if not questions:
            raise no_options(workspace)
    contexts, source = None, None
    if context != NONE:
        contexts = Contexts(workspace, questions)
        source = contexts.source(context, k)
        files |= contexts.files
    return Task(
        dataset=as_dataset(questions),
        solver=answer_hops(inputs, answers, think, contexts, source),
        scorer=hop_scores(),
        config=GenerateConfig(temperature=0),
        version=version_of(files),
        metadata={
            "mode": f"{inputs}-{mode_name(answers, think)}",
            "context": context_at(context, k),
            "files": files,
        },
    )


@solver
def answer_hops(
    inputs: Inputs,
    answers: Answers,
    think: bool,
    contexts: Contexts | None = None,
    source: PassageSource | None = None,
) -> Solver:
    """Ask the hops in their order, and keep what became of each."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        question = question_of(state)
        outcomes: list[HopOutcome] = []
        for sub in question.sub_questions:
            if answers == "options":
                outcomes.append(await _choose(state, sub, think))
                continue
            said = {outcome.hop: outcome.prediction for outcome in outcomes}
            asked = sub.question if inputs == "gold" else fill(sub.template, said)
            found = source.of_hop(question, sub.index, asked) if source else ()
            if contexts and found:
                prompt = prompts.answer_with_documents(asked, contexts.documents(found))
            else:
                prompt = prompts.reasoned_answer(asked) if think else prompts.direct_answer(asked)
            reply = await ask(state, prompt)
            outcomes.append(_outcome(sub, replies.final_answer(reply) if think else reply))
        note_hops(state, outcomes)
        return state

    return solve


async def _choose(state: TaskState, sub: SubQuestion, think: bool) -> HopOutcome:
    assert sub.options  # the task has no others
    assert sub.correct_option
    reply = await ask(state, prompts.choose_option(sub.question, sub.options, think=think))
    return option_outcome(sub.index, sub.options, sub.correct_option, reply)


def _outcome(sub: SubQuestion, said: str) -> HopOutcome:
    scores = score_any(said, [sub.answer, *sub.other_answers])
    return HopOutcome(hop=sub.index, gold=sub.answer.label, prediction=said, scores=scores)
