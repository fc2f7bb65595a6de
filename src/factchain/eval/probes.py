"""Can a question be answered without joining its facts: the DiRe probe (SPEC.md 1.10, 1.11).

The gold passages of a question are parted in two in every way; a model that sees one part alone
should fail. Of the two parts the better answer counts, and of all partitions the best: the score is
what the best cheater gets. It is never more than the score with all gold passages (the conditional
score), so that their ratio, the cheatability, lies between 0 and 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from factchain.errors import InputError
from factchain.eval import prompts, replies
from factchain.eval.asking import ask, question_of
from factchain.eval.dataset import QUESTIONS, as_dataset, read_questions, rests_on, version_of
from factchain.eval.passages import GOLD, Contexts, PassageSource
from factchain.eval.scorers import means
from factchain.questions.typed_answers import score_any

MOST_PASSAGES = 4
"""Gold passages of a question that is probed: seven partitions, fifteen replies."""

_PROBED = "probed"

Part = tuple[str, ...]


@task
def probe(dataset: str) -> Task:
    """Every question with all of its gold passages, and with every part of them.

    Questions with fewer than two gold passages, or more than four, are left out. Raises InputError
    where the dataset lacks questions, gold passages, or questions that can be probed.
    """
    workspace = Path(dataset)
    files = rests_on(workspace, [QUESTIONS])
    asked = read_questions(workspace)
    contexts = Contexts(workspace, asked)
    source = contexts.source(GOLD)
    asked = [q for q in asked if 2 <= len(source.of_question(q)) <= MOST_PASSAGES]
    if not asked:
        raise InputError(
            f"{workspace / QUESTIONS}: no question has two to {MOST_PASSAGES} gold passages, which "
            "the probe takes apart: run another task"
        )
    return Task(
        dataset=as_dataset(asked),
        solver=probe_parts(contexts, source),
        scorer=probe_scores(),
        config=GenerateConfig(temperature=0),
        version=version_of(files | contexts.files),
        metadata={"mode": "parts", "context": GOLD, "files": files | contexts.files},
    )


@solver
def probe_parts(contexts: Contexts, source: PassageSource) -> Solver:
    """Ask with every part of the gold passages, the whole last."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        question = question_of(state)
        whole = tuple(source.of_question(question))
        probed = []
        for part in [*parts(whole), whole]:
            prompt = prompts.supported_answer(question.question, contexts.documents(part))
            answer, documents = replies.supported(await ask(state, prompt))
            support = [part[number - 1] for number in documents if number <= len(part)]
            probed.append({"part": list(part), "answer": answer, "support": support})
        state.store.set(_PROBED, probed)
        return state

    return solve


@scorer(metrics=[means()])
def probe_scores() -> Scorer:
    """The answer's scores with all gold passages, and what the best, the mean and the worst
    partition give of F1, of exact match and of the F1 of the supporting passages."""

    async def score(state: TaskState, target: Target) -> Score:
        question = question_of(state)
        golds = [question.answer, *question.other_answers]
        probed = {tuple(one["part"]): one for one in state.store.get(_PROBED)}
        whole = max(probed, key=len)
        answers = {part: score_any(one["answer"], golds) for part, one in probed.items()}
        support = {part: set(one["support"]) for part, one in probed.items()}
        value = answers[whole] | {"support_f1": set_f1(support[whole], set(whole))}
        of_partitions: dict[str, list[float]] = {
            # Without the model's confidence, the better of the two answers: an upper bound.
            **{
                name: [max(answers[a][name], answers[b][name]) for a, b in partitions(whole)]
                for name in ("f1", "exact_match")
            },
            "support_f1": [
                set_f1(support[a] | support[b], set(whole)) for a, b in partitions(whole)
            ],
        }
        for name, found in of_partitions.items():
            bounded = [min(one, value[name]) for one in found]
            value[f"probe_{name}"] = max(bounded)
            value[f"probe_{name}_mean"] = sum(bounded) / len(bounded)
            value[f"probe_{name}_min"] = min(bounded)
        return Score(value=dict(value), answer=probed[whole]["answer"])

    return score


def parts(whole: Sequence[str]) -> Iterator[Part]:
    """Every part that is neither nothing nor all, the smaller first."""
    for size in range(1, len(whole)):
        yield from combinations(whole, size)


def partitions(whole: Sequence[str]) -> Iterator[tuple[Part, Part]]:
    """Every way to part in two, each once: 2^(n-1) - 1 of them."""
    first, *rest = whole
    for size in range(len(rest)):
        for others in combinations(rest, size):
            with_first = tuple(one for one in whole if one == first or one in others)
            yield with_first, tuple(one for one in whole if one not in with_first)


def set_f1(predicted: set[str], gold: set[str]) -> float:
    """F1 of two sets of passages; 0 where they share none."""
    shared = len(predicted & gold)
    return 2 * shared / (len(predicted) + len(gold)) if shared else 0.0
