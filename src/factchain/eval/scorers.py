"""The scores of `answers.py` as one Inspect scorer, with standard errors and by groups."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import TaskState

from factchain.eval import answers

_GROUPED_BY = ("axis", "hops")


@metric
def means() -> Metric:
    """Every score's mean and standard error: of all questions, by axis and by hops.

    Named as `f1`, `f1_stderr`, `f1[hops=2]` and `f1_stderr[hops=2]`; groups by label, dozens of
    them, are left to `scores.summarise`. One metric for all scores, because Inspect copies every
    sample for each key of a dictionary of metrics.
    """

    def compute(scores: list[SampleScore]) -> Value:
        groups: dict[str, list[SampleScore]] = {"": scores}
        for score in scores:
            for name in _GROUPED_BY:
                key = f"[{name}={(score.sample_metadata or {})[name]}]"
                groups.setdefault(key, []).append(score)
        return dict(_describe(groups))

    return compute


def _describe(groups: dict[str, list[SampleScore]]) -> Iterator[tuple[str, float]]:
    for name in answers.SCORES:
        for key in sorted(groups):
            values = np.array([score.score.as_dict()[name] for score in groups[key]], float)
            if len(values):
                yield f"{name}{key}", float(values.mean())
            if len(values) > 1:
                yield f"{name}_stderr{key}", float(values.std(ddof=1) / np.sqrt(len(values)))


@scorer(metrics=[means()])
def answer_scores() -> Scorer:
    """Score the model's completion against the target: the gold label, then its aliases."""

    async def score(state: TaskState, target: Target) -> Score:
        prediction = state.output.completion.strip()
        label, *aliases = target.target
        return Score(value=dict(answers.score(prediction, label, aliases)), answer=prediction)

    return score
