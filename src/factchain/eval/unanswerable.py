"""Does a model see that a question cannot be answered: UAEval4RAG's ratios (SPEC.md 1.12).

The questions are those whose evidence was withheld from the corpus, or that ask about nobody in the
graph. A verdict on each reply says that it answers, refuses or asks for clarification, and whether
that is acceptable: for a question out of the knowledge base, an explicit refusal is, or that the
information does not suffice; a bare request for clarification is not. Verdicts come from the
detector of `refusals.py`, or of a language model in Inspect's role `judge`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from inspect_ai import Task, task
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from factchain.errors import ConfigError
from factchain.eval import prompts, refusals, replies
from factchain.eval.asking import question_of
from factchain.eval.dataset import (
    QUESTIONS,
    as_dataset,
    read_unanswerable,
    rests_on,
    version_of,
)
from factchain.eval.parametric import answer_question
from factchain.eval.passages import GOLD, NONE, TOP_K, Contexts, context_at
from factchain.eval.refusals import ANSWERED, CLARIFICATION, REFUSED, Verdict
from factchain.eval.replies import UNPARSED
from factchain.eval.retrieval_qa import answer_from_passages
from factchain.eval.scorers import means
from factchain.questions import typed_answers
from factchain.questions.records import Answer
from factchain.questions.text_scores import word_containment

VerdictBy = Literal["detector", "judge"]
ROLE = "judge"
"""Inspect's role of the model that judges."""

_VERDICTS: dict[str, Verdict] = {"A": ANSWERED, "B": REFUSED, "C": CLARIFICATION}
_ACCEPTABLE = {"A": "acceptable", "B": "unacceptable"}


@task
def unanswerable(
    dataset: str, context: str = NONE, verdict: VerdictBy = "detector", k: int = TOP_K
) -> Task:
    """Every unanswerable question, without passages or with the best `k` of a retriever.

    `verdict` is given by the `detector`, or by the model in the role `judge`. Raises InputError
    where the dataset has no unanswerable question or no corpus, ConfigError for other values.
    """
    if verdict not in ("detector", "judge"):
        raise ConfigError(f"verdict {verdict!r}: there is only detector and judge")
    if context == GOLD:
        raise ConfigError(
            "context 'gold': an unanswerable question has no gold passages for what is withheld: "
            "name a retriever, or none"
        )
    workspace = Path(dataset)
    files = rests_on(workspace, [QUESTIONS])
    questions = read_unanswerable(workspace)
    solve = answer_question()
    if context != NONE:
        contexts = Contexts(workspace, questions)
        solve = answer_from_passages(contexts, contexts.source(context, k))
        files |= contexts.files
    return Task(
        dataset=as_dataset(questions),
        solver=solve,
        scorer=refusal_scores(judged=verdict == "judge"),
        config=GenerateConfig(temperature=0),
        version=version_of(files),
        metadata={"mode": verdict, "context": context_at(context, k), "files": files},
    )


@scorer(metrics=[means()])
def refusal_scores(judged: bool = False) -> Scorer:
    """The verdict on the reply as scores of 0 and 1, none where it could not be read; whether the
    withheld answer was given; and how many hops were withheld, 0 where there is nobody whose facts
    could be."""

    async def score(state: TaskState, target: Target) -> Score:
        reply = replies.without_thoughts(state.output.completion)
        question = question_of(state)
        verdict, acceptable = (
            await _judge(question.question, reply)
            if judged
            else (refusals.verdict(reply), float(refusals.says_insufficient(reply)))
        )
        value: dict[str, Any] = {
            "acceptable": None if verdict == UNPARSED and not judged else acceptable,
            "unanswered": _is(verdict, REFUSED),
            "clarification": _is(verdict, CLARIFICATION),
            "answered": _is(verdict, ANSWERED),
            "full_answer": gives(reply, question.full_answer),
            "withheld": 0 if question.type == "null" else len(question.withheld),
        }
        known = {name: one for name, one in value.items() if one is not None}
        return Score(value=known, answer=reply, explanation=verdict)

    return score


def gives(reply: str, withheld: Answer | None) -> float | None:
    """1 where a reply answers with the withheld answer, by any name or by value; none for a
    question that has no such answer. What a refusal names, if only the word "no", is not given,
    by the detector's verdict whoever else judges."""
    if withheld is None:
        return None
    if refusals.verdict(reply) != ANSWERED:
        return 0.0
    if withheld.value is not None:
        return typed_answers.score(reply, withheld)["accuracy_word"]
    return word_containment(reply, withheld.names)


async def _judge(question: str, reply: str) -> tuple[Verdict, float | None]:
    """The judge's two verdicts; the second is none where it could not be read."""
    judge = get_model(role=ROLE, required=True)
    config = GenerateConfig(temperature=0)
    said = await judge.generate(prompts.judge_refusal(question, reply), config=config)
    rated = await judge.generate(prompts.judge_acceptable(question, reply), config=config)
    acceptable = replies.choice(rated.completion, _ACCEPTABLE)
    chosen = replies.choice(said.completion, _VERDICTS)
    found = next((one for one in _VERDICTS.values() if one == chosen), None)
    return (
        found or "unparsed",
        None if acceptable == UNPARSED else float(acceptable == "acceptable"),
    )


def _is(verdict: Verdict, wanted: Verdict) -> float | None:
    return None if verdict == UNPARSED else float(verdict == wanted)
