"""Which settings are compared, and what comes out."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from factchain.eval.comparison import compare
from factchain.eval.scores import SCHEMA
from factchain.eval.statistics import holm


def rows(values: list[float], **setting: Any) -> list[dict[str, Any]]:
    fixed = {"task": "parametric", "mode": "open", "context": "none", "model": "m", "hop": 0}
    of_question = {"axis": "none", "topology": "chain", "kinds": "lookup", "hops": 1}
    return [
        fixed
        | of_question
        | {"question": f"q{n}", "chain": f"c{n}", "labels": "none", "accuracy": value, "f1": value}
        | setting
        for n, value in enumerate(values)
    ]


def table(*settings: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist([row for rows in settings for row in rows], schema=SCHEMA)


def test_models_within_a_setting_and_settings_within_a_model() -> None:
    right, wrong = [1.0] * 12, [0.0] * 12
    scores = table(
        rows(right, model="a"),
        rows(wrong, model="b"),
        rows(right, model="b", task="retrieval", context="gold"),
        rows(right, model="b", task="strategy", mode="question"),
        rows(right, model="b", task="stepwise", mode="gold-open", hop=1),
    )
    found = compare(scores)
    names = [(one.score, one.first[0], one.first[3], one.second[0], one.second[3]) for one in found]
    assert names == [
        (score, "parametric", model, task, "b")
        for score in ("accuracy", "f1")
        for model, task in (("a", "parametric"), ("b", "retrieval"))
    ]
    accuracy, oracle, *f1 = found
    assert (accuracy.n, accuracy.difference, accuracy.low, accuracy.high) == (12, 1, 1, 1)
    assert (oracle.difference, oracle.low, oracle.high) == (-1, -1, -1)
    assert accuracy.p == pytest.approx(2 / 2**12)  # twelve coins on one side
    assert [one.adjusted_p for one in found[:2]] == holm([accuracy.p, oracle.p])
    assert [one.p for one in f1] == [1 / 2000] * 2


def test_only_questions_that_both_answered_count() -> None:
    first, second = rows([1.0, 1.0, 0.0], model="a"), rows([1.0, 0.0, 1.0], model="b")
    second[2] |= {"accuracy": None, "f1": None, "error": "no connection"}
    (accuracy, _f1) = compare(table(first, second))
    assert (accuracy.n, accuracy.difference, accuracy.p) == (2, 0.5, 1)


def test_one_setting_alone_has_nothing_to_be_compared_with() -> None:
    assert compare(table(rows([1.0]))) == []
    assert compare(table()) == []
