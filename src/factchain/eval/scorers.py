"""The scores of `answers.py` and `typed_answers.py` as one Inspect scorer, with standard errors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import TaskState

from factchain.eval import answers, typed_answers
from factchain.questions.records import Question

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
    """Score the model's completion against the gold answers of the sample's question.

    Entities are compared by label and aliases, literals by value as well; of several gold answers
    the best one counts.
    """

    async def score(state: TaskState, target: Target) -> Score:
        prediction = state.output.completion.strip()
        question = Question.model_validate_json(state.metadata["question"])
        golds = [question.answer, *question.other_answers]
        return Score(value=dict(typed_answers.score_any(prediction, golds)), answer=prediction)

    return score
