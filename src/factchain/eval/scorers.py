"""The scores of `text_scores` and `typed_answers` as Inspect scorers, with standard errors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import TaskState

from factchain.eval.asking import HopOutcome, hops_of, question_of, steps_of
from factchain.eval.decisions import describe_choices
from factchain.eval.replies import without_thoughts
from factchain.questions import typed_answers

HOP = "hop_"
"""Before the number of a hop: a key of a score's metadata."""

_LONGEST = 300
"""Characters of an answer that a log's summary keeps of a hop; it drops longer values whole."""
_GROUPED_BY = ("axis", "hops")


@metric
def means() -> Metric:
    """Every score's mean and standard error: of all questions, by axis and by hops.

    Named as `f1`, `f1_stderr`, `f1(hops=2)` and `f1_stderr(hops=2)`; groups by label, dozens of
    them, are left to `scores.summarise`. One metric for all scores, because Inspect copies every
    sample for each key of a dictionary of metrics.
    """

    def compute(scores: list[SampleScore]) -> Value:
        groups: dict[str, list[SampleScore]] = {"": scores}
        for score in scores:
            for name in _GROUPED_BY:
                key = f"({name}={(score.sample_metadata or {})[name]})"
                groups.setdefault(key, []).append(score)
        return dict(_describe(groups))

    return compute


def _describe(groups: dict[str, list[SampleScore]]) -> Iterator[tuple[str, float]]:
    names = dict.fromkeys(name for score in groups[""] for name in score.score.as_dict())
    for name in names:
        for key in sorted(groups):
            found = (score.score.as_dict().get(name) for score in groups[key])
            values = np.array([value for value in found if value is not None], float)
            if len(values):
                yield f"{name}{key}", float(values.mean())
            if len(values) > 1:
                yield f"{name}_stderr{key}", float(values.std(ddof=1) / np.sqrt(len(values)))


@scorer(metrics=[means()])
def answer_scores() -> Scorer:
    """Score the model's completion against the gold answers of the sample's question.

    Entities are compared by label and aliases, literals by value as well; of several gold answers
    the best one counts. Where steps were taken, their number and that of retrievals are given too.
    """

    async def score(state: TaskState, target: Target) -> Score:
        prediction = without_thoughts(state.output.completion)
        question = question_of(state)
        golds = [question.answer, *question.other_answers]
        value: dict[str, Any] = dict(typed_answers.score_any(prediction, golds))
        steps = steps_of(state)
        if steps is not None:
            value["sub_questions"] = len(steps)
            value["retrievals"] = sum(step.retrieved for step in steps)
        return Score(value=value, answer=prediction)

    return score


@metric
def by_hop() -> Metric:
    """Means over all hops, and by hop: `accuracy`, `accuracy(hop=2)`; for choices macro F1, the
    recall of every label and the share of replies that could not be read (SPEC.md 1.16)."""

    def compute(scores: list[SampleScore]) -> Value:
        outcomes = [outcome for one in scores for outcome in outcomes_of(one.score.metadata)]
        values: dict[str, list[float]] = defaultdict(list)
        for outcome in outcomes:
            for name, value in outcome.scores.items():
                values[name].append(value)
                if outcome.hop:
                    values[f"{name}(hop={outcome.hop})"].append(value)
        described: dict[str, float] = {name: float(np.mean(of)) for name, of in values.items()}
        if outcomes and all(set(outcome.scores) == {"accuracy"} for outcome in outcomes):
            described |= describe_choices([(one.gold, one.prediction) for one in outcomes])
        return dict(described)

    return compute


@scorer(metrics=[by_hop()])
def hop_scores() -> Scorer:
    """What became of the hops, each by itself; the sample's own score is the mean accuracy."""

    async def score(state: TaskState, target: Target) -> Score:
        outcomes = hops_of(state)
        accuracy = [outcome.scores["accuracy"] for outcome in outcomes]
        return Score(
            value=sum(accuracy) / len(accuracy) if accuracy else 0.0,
            answer="; ".join(outcome.prediction for outcome in outcomes)[:_LONGEST],
            metadata={f"{HOP}{outcome.hop}": _short(outcome) for outcome in outcomes},
        )

    return score


def outcomes_of(metadata: dict[str, Any] | None) -> list[HopOutcome]:
    """The outcomes that a score's metadata hold, in the order of the hops."""
    found = [value for key, value in (metadata or {}).items() if key.startswith(HOP)]
    return sorted(map(HopOutcome.model_validate, found), key=lambda outcome: outcome.hop)


def _short(outcome: HopOutcome) -> dict[str, Any]:
    said = " ".join(outcome.prediction.split())[:_LONGEST]
    return outcome.model_copy(
        update={"prediction": said, "gold": outcome.gold[:_LONGEST]}
    ).model_dump()
