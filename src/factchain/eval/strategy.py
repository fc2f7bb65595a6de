"""Does a model know how to go about a question: MINTQA's second dimension (SPEC.md 4.3, D2).

Three decisions, each against a gold label that the stated rule gives (SPEC.md 4.4):

- `question` (T16): a question of several hops is decomposed; one hop is answered at once where its
  fact is popular or old, and looked up where it is unpopular or new.
- `sub-question` (T17): each sub-question is answered at once or looked up, by the same rule.
- `synthesis` (T18): with the gold answers of the first k of n sub-questions, the final answer is
  given where k = n, else another sub-question is asked.

Labels are properties of the dataset, not of the model's knowledge; `known` is a table of what the
model answered right by itself, and labels the same decisions by that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from inspect_ai import Task, task
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import Generate, Solver, TaskState, solver

from factchain.chains.records import HopLabel
from factchain.errors import ConfigError, InputError
from factchain.eval import prompts, replies
from factchain.eval.asking import HopOutcome, ask, note_hops, question_of
from factchain.eval.dataset import QUESTIONS, as_dataset, read_questions, rests_on, version_of
from factchain.eval.known import KnownHops, read_known
from factchain.eval.passages import NONE
from factchain.eval.prompts import Step
from factchain.eval.scorers import hop_scores
from factchain.questions.records import Question, SubQuestion

Level = Literal["question", "sub-question", "synthesis"]

DECOMPOSE, ANSWER, RETRIEVE = "decompose", "answer", "retrieve"
FINISH, CONTINUE = "finish", "continue"
CHOICES: dict[Level, dict[str, str]] = {
    "question": {"A": DECOMPOSE, "B": ANSWER, "C": RETRIEVE},
    "sub-question": {"A": ANSWER, "B": RETRIEVE},
    "synthesis": {"A": FINISH, "B": CONTINUE},
}
"""What may be chosen, by letter."""

FAMILIAR: frozenset[HopLabel] = frozenset({"popular", "old"})
"""Labels of facts that are answered from memory."""


@task
def strategy(dataset: str, level: Level = "question", known: str | None = None) -> Task:
    """One decision a question, a sub-question, or a state of the steps.

    `dataset` is a folder with questions; `known` a `scores.parquet` with the stepwise answers of
    this model, by which the gold labels are then given. Raises InputError where no question has
    what the level needs, ConfigError for another level.
    """
    if level not in CHOICES:
        raise ConfigError(f"level {level!r}: there is only {', '.join(CHOICES)}")
    workspace = Path(dataset)
    files = rests_on(workspace, [QUESTIONS])
    questions = [question for question in read_questions(workspace) if _fits(question, level)]
    if not questions:
        raise InputError(
            f"{workspace / QUESTIONS}: no question has what strategy level={level} needs: labels "
            "of its hops (chains of the axis popularity or recency), and two hops or more for "
            "synthesis; run another task"
        )
    knows = read_known(Path(known)) if known else None
    return Task(
        dataset=as_dataset(questions),
        solver=decide(level, knows),
        scorer=hop_scores(),
        config=GenerateConfig(temperature=0),
        version=version_of(files),
        metadata={
            "mode": f"{level}-known" if known else level,
            "context": NONE,
            "files": files,
        },
    )


@solver
def decide(level: Level, knows: KnownHops | None = None) -> Solver:
    """Ask for every decision of the question, and keep it beside the gold one."""
    decisions: Mapping[Level, Callable[[Question, KnownHops | None], list[tuple[int, str, str]]]]
    decisions = {
        "question": _whole,
        "sub-question": _each,
        "synthesis": _states,
    }

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        outcomes = []
        for hop, prompt, gold in decisions[level](question_of(state), knows):
            chosen = replies.choice(await ask(state, prompt), CHOICES[level])
            scores = {"accuracy": float(chosen == gold)}
            outcomes.append(HopOutcome(hop=hop, gold=gold, prediction=chosen, scores=scores))
        note_hops(state, outcomes)
        return state

    return solve


def _fits(question: Question, level: Level) -> bool:
    if level == "synthesis":
        return len(question.sub_questions) > 1
    if level == "question" and question.hops > 1:
        return True
    return any(sub.label for sub in question.sub_questions)


def _whole(question: Question, knows: KnownHops | None) -> list[tuple[int, str, str]]:
    """The decision about the question; hop 0, its prompt, the gold choice."""
    gold = DECOMPOSE if question.hops > 1 else _how(question, question.sub_questions[0], knows)
    return [(0, prompts.choose_strategy(question.question), gold)]


def _each(question: Question, knows: KnownHops | None) -> list[tuple[int, str, str]]:
    """The decisions about the sub-questions that have a label."""
    asked = [sub.question for sub in question.sub_questions]
    return [
        (
            sub.index,
            prompts.choose_for_sub_question(question.question, asked[: sub.index]),
            _how(question, sub, knows),
        )
        for sub in question.sub_questions
        if sub.label is not None
    ]


def _states(question: Question, _knows: KnownHops | None) -> list[tuple[int, str, str]]:
    """The decisions after the first k sub-questions, for every k."""
    steps = [Step(sub.question, sub.answer.label) for sub in question.sub_questions]
    return [
        (
            k,
            prompts.judge_done(question.question, steps[:k]),
            FINISH if k == len(steps) else CONTINUE,
        )
        for k in range(1, len(steps) + 1)
    ]


def _how(question: Question, sub: SubQuestion, knows: KnownHops | None) -> str:
    """How a hop is best answered: by its label, or by whether the model knows it."""
    if knows is not None:
        return ANSWER if knows.get((question.id, sub.index)) else RETRIEVE
    return ANSWER if sub.label in FAMILIAR else RETRIEVE
