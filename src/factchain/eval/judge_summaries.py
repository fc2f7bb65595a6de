"""What judges say of a dataset, and how reliable each is.

A dataset's score is the mean over its questions of the mean over the judges, each of which counts
by the mean of its repeats (SPEC.md 3.5): a judge with more repeats counts no more than another.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from factchain.eval import reliability
from factchain.eval.dataset_results import JudgeReliability, JudgeScore
from factchain.eval.judge import RATED, Judgement
from factchain.eval.judge_prompts import MULTI_HOP
from factchain.eval.statistics import Values, interval

ALL_JUDGES = "all judges"

_LOWEST, _RANGE = 1, 4


def judge_scores(judgements: Sequence[Judgement]) -> list[JudgeScore]:
    """Every judge's mean on every dimension, then that of all judges where there are several."""
    by_judge = _by_judge(judgements)
    found = []
    for dimension in RATED:
        means = {
            judge: _question_means(of_judge, dimension) for judge, of_judge in by_judge.items()
        }
        if len(means) > 1:
            means[ALL_JUDGES] = _over_judges(list(means.values()))
        found += [
            _score(judge, dimension, np.array(list(of_questions.values())))
            for judge, of_questions in means.items()
            if of_questions
        ]
    return found


def judge_reliability(judgements: Sequence[Judgement]) -> list[JudgeReliability]:
    """Every judge's reliability on every dimension that it rated twice at least."""
    found = []
    for judge, of_judge in _by_judge(judgements).items():
        for dimension in RATED:
            ratings = rating_table(of_judge, dimension)
            spread = reliability.average_sd(ratings)
            if spread is not None:
                scale = reliability.YES_NO if dimension == MULTI_HOP else reliability.LIKERT
                found.append(
                    JudgeReliability(
                        judge=judge,
                        dimension=dimension,
                        n=int(((~np.isnan(ratings)).sum(axis=1) >= 2).sum()),
                        average_sd=spread,
                        alpha=reliability.alpha(ratings),
                        kappa=reliability.fleiss_kappa(ratings, scale),
                    )
                )
    return found


def rating_table(judgements: Sequence[Judgement], dimension: str) -> Values:
    """The ratings of one judge: a row a question, a column a repeat, NaN where none was given."""
    questions = {key: row for row, key in enumerate(dict.fromkeys(j.question for j in judgements))}
    repeats = max(one.repeat for one in judgements) + 1
    table = np.full((len(questions), repeats), np.nan)
    for one in judgements:
        rating = one.rating(dimension)
        if rating is not None:
            table[questions[one.question], one.repeat] = rating
    return table


def _by_judge(judgements: Sequence[Judgement]) -> dict[str, list[Judgement]]:
    found: dict[str, list[Judgement]] = {}
    for one in sorted(judgements, key=lambda one: (one.judge, one.question, one.repeat)):
        found.setdefault(one.judge, []).append(one)
    return found


def _question_means(judgements: Sequence[Judgement], dimension: str) -> dict[str, float]:
    """The mean over the repeats of every question that was rated."""
    ratings: dict[str, list[float]] = {}
    for one in judgements:
        rating = one.rating(dimension)
        if rating is not None:
            ratings.setdefault(one.question, []).append(rating)
    return {question: float(np.mean(of)) for question, of in ratings.items()}


def _over_judges(means: Sequence[dict[str, float]]) -> dict[str, float]:
    """The mean over the judges of every question that any has rated."""
    questions = dict.fromkeys(question for of_judge in means for question in of_judge)
    return {
        question: float(np.mean([of[question] for of in means if question in of]))
        for question in questions
    }


def _score(judge: str, dimension: str, values: Values) -> JudgeScore:
    lowest, width = (0, 1) if dimension == MULTI_HOP else (_LOWEST, _RANGE)
    low, high = interval((values - lowest) / width)
    return JudgeScore(
        judge=judge,
        dimension=dimension,
        n=len(values),
        mean=float(values.mean()),
        low=lowest + width * low,
        high=lowest + width * high,
    )
