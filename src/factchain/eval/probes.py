"""Can a question be answered without joining its facts: the DiRe probe (SPEC.md 1.10, 1.11).

The gold passages of a question are parted in two in every way; a model that sees one part alone
should fail. Of its two answers the one counts that it is surer of, by the mean log-probability of
the answer's tokens; where the provider gives none, the better one, which is an upper bound. The
passages that it names are taken together. Of all partitions the best counts: the score is what the
best cheater gets. It is never more than the score with all gold passages (the conditional score),
so that their ratio, the cheatability, lies between 0 and 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
from factchain.eval.log_probabilities import answer_log_probability
from factchain.eval.passages import GOLD, Contexts, PassageSource
from factchain.eval.scorers import means
from factchain.questions.records import Answer
from factchain.questions.typed_answers import overlap_any, score_any

MOST_PASSAGES = 4
"""Gold passages of a question that is probed: seven partitions, fifteen replies."""

MEASURES = ("f1", "exact_match", "precision", "recall")
"""What is measured of the answer, of the supporting passages and of both together."""

VARIED = ("f1", "exact_match", "support_f1", "joint_f1")
"""Measures of which the mean and the worst partition are given too."""

_PROBED = "probed"
_ANSWER_KEY = '"answer"'

Part = tuple[str, ...]
Measures = dict[str, float]


@task
def probe(dataset: str, logprobs: bool = True) -> Task:
    """Every question with all of its gold passages, and with every part of them.

    Questions with fewer than two gold passages, or more than four, are left out. `logprobs` asks
    for log-probabilities; turn it off for a server that refuses to give them. Raises InputError
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
        config=GenerateConfig(temperature=0, logprobs=logprobs or None),
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
            sure = answer_log_probability(state.output, answer, _ANSWER_KEY)
            probed.append({"part": list(part), "answer": answer, "support": support, "sure": sure})
        state.store.set(_PROBED, probed)
        return state

    return solve


@scorer(metrics=[means()])
def probe_scores() -> Scorer:
    """The scores with all gold passages, and what the best partition gives of each; of some the
    mean and the worst partition too.

    `probe_by_confidence` is 1 where the model's confidence chose between the answers of two parts,
    and 0 where the better one was taken.
    """

    async def score(state: TaskState, target: Target) -> Score:
        question = question_of(state)
        golds = [question.answer, *question.other_answers]
        probed = {tuple(one["part"]): one for one in state.store.get(_PROBED)}
        whole = max(probed, key=len)
        gold = set(whole)
        answers = {part: answer_measures(one["answer"], golds) for part, one in probed.items()}
        support = {part: set(one["support"]) for part, one in probed.items()}
        sure = {part: one["sure"] for part, one in probed.items() if part != whole}
        by_confidence = None not in sure.values()
        original = with_support(answers[whole], set_measures(support[whole], gold))
        found = []
        for pair in partitions(whole):
            named = set_measures(support[pair[0]] | support[pair[1]], gold)
            counting = [preferred(pair, sure)] if by_confidence else pair
            rated = [with_support(answers[part], named) for part in counting]
            found.append({n: min(max(one[n] for one in rated), original[n]) for n in original})
        said = probed[whole]["answer"]
        value: Measures = score_any(said, golds) | original
        value["probe_by_confidence"] = float(by_confidence)
        for name in original:
            of_partitions = [one[name] for one in found]
            value[f"probe_{name}"] = max(of_partitions)
            if name in VARIED:
                value[f"probe_{name}_mean"] = sum(of_partitions) / len(of_partitions)
                value[f"probe_{name}_min"] = min(of_partitions)
        return Score(value=dict(value), answer=said)

    return score


def preferred(pair: tuple[Part, Part], sure: Mapping[Part, float]) -> Part:
    """The part whose answer the model is surer of; the second where it is as sure of both."""
    first, second = pair
    return first if sure[first] > sure[second] else second


def answer_measures(said: str, golds: Sequence[Answer]) -> Measures:
    """F1, exact match, precision and recall of an answer's tokens."""
    exact = score_any(said, golds)["exact_match"]
    return overlap_any(said, golds)._asdict() | {"exact_match": exact}


def set_measures(predicted: set[str], gold: set[str]) -> Measures:
    """F1, exact match, precision and recall of a set of passages; 0 where they share none."""
    shared = len(predicted & gold)
    if not shared:
        return dict.fromkeys(MEASURES, 0.0)
    return {
        "f1": 2 * shared / (len(predicted) + len(gold)),
        "exact_match": float(predicted == gold),
        "precision": shared / len(predicted),
        "recall": shared / len(gold),
    }


def with_support(answer: Measures, support: Measures) -> Measures:
    """The measures of an answer, of its passages (`support_f1`), and of both together (`joint_f1`):
    precision and recall multiplied, F1 from these, and the lesser exact match."""
    precision, recall = (answer[name] * support[name] for name in ("precision", "recall"))
    joint = {
        "f1": 2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        "exact_match": min(answer["exact_match"], support["exact_match"]),
        "precision": precision,
        "recall": recall,
    }
    return {
        **answer,
        **{f"support_{name}": support[name] for name in MEASURES},
        **{f"joint_{name}": joint[name] for name in MEASURES},
    }


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
