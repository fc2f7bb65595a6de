"""Every score as published code reckons it, a mean for each setting: for reproducing its tables.

Answers to whole questions count, as `scores.parquet` keeps them: of a chain of thought the final
answer alone, with single spaces and at most 1,024 characters. A published script sees the whole
reply; how many were cut is counted beside the mean.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from factchain.eval.columns import Columns, Rows
from factchain.eval.comparison_results import CompatScore
from factchain.eval.compat_scores import OF_ANSWERS, accuracy_multihop_rag_compat
from factchain.eval.scores import FLOOR, SETTING
from factchain.questions.records import Question

LONGEST = 1_024
"""Characters that `scores.parquet` keeps of an answer."""

_LONG_WORD = 64
_TASKS = ("parametric", "retrieval", "sub_questions", "decomposition", "dynamic_retrieval", "probe")
_PRINTED = "accuracy_multihop_rag_compat"


def summarise_compat(scores: pa.Table, questions: Iterable[Question]) -> list[CompatScore]:
    """Every score of every setting that answers whole questions in words, sorted by setting.

    Letters of options are no answers, and floors have no published counterpart. A question that
    could not be asked is left out, as published scripts do.
    """
    golds = {
        question.id: tuple(
            name
            for answer in (question.answer, *question.other_answers)
            for name in answer.names
            if name
        )
        for question in questions
    }
    columns = Columns(scores)
    found: list[CompatScore] = []
    for setting, rows in columns.groups(SETTING, columns.where("hop", 0)):
        counts = setting["task"] in _TASKS and not setting["mode"].startswith("options")
        if counts and not setting["model"].startswith(FLOOR):
            found += _of_setting(columns, rows, setting, golds)
    return found


def _of_setting(
    columns: Columns, rows: Rows, setting: dict[str, str], golds: dict[str, tuple[str, ...]]
) -> list[CompatScore]:
    said = _words(columns, "prediction", rows)
    asked = _words(columns, "question", rows)
    pairs = [
        (prediction, golds[question])
        for prediction, question in zip(said, asked, strict=True)
        if prediction is not None and golds.get(question)
    ]
    if not pairs:
        return []
    told = {"n": len(pairs), "cut": sum(_is_cut(prediction) for prediction, _ in pairs)}
    sums = np.array([_all_scores(*pair) for pair in pairs]).mean(axis=0)
    means = dict(zip(OF_ANSWERS, sums.tolist(), strict=True))
    means[_PRINTED] = accuracy_multihop_rag_compat(means["correct_multihop_rag_compat"])
    return [
        CompatScore.model_validate(setting | told | {"score": name, "mean": mean})
        for name, mean in means.items()
    ]


def _is_cut(prediction: str) -> bool:
    """Inspect cuts at the last word that fits, and puts dots there."""
    return len(prediction) > LONGEST - _LONG_WORD and prediction.endswith("...")


def _words(columns: Columns, name: str, rows: Rows) -> list[Any]:
    words = columns.words(name)
    return [words[code] for code in columns.codes(name)[rows]]


@functools.lru_cache(maxsize=200_000)
def _all_scores(prediction: str, golds: tuple[str, ...]) -> tuple[float, ...]:
    """In the order of `OF_ANSWERS`; models often say the same in many settings."""
    return tuple(score(prediction, golds) for score in OF_ANSWERS.values())
