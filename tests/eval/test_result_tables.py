"""The tables of a report, worked out by hand on a few rows."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from sklearn.metrics import f1_score

from factchain.eval.decision_summaries import summarise_decisions
from factchain.eval.decomposition_summaries import count_sub_questions, summarise_decompositions
from factchain.eval.results import FEW, share_of
from factchain.eval.share_summaries import summarise_shares
from factchain.eval.step_summaries import summarise_errors, summarise_floors
from score_rows import row, table


def test_a_share_is_an_exact_fraction() -> None:
    assert share_of("popular-unpopular-popular") == Fraction(2, 3)
    assert share_of("old-new-old-new") == Fraction(1, 2)
    assert share_of("new") == 0


def test_accuracy_by_share_is_given_over_all_hops_and_within_them() -> None:
    scores = table(
        row("a", 1, hops=2, labels="popular-unpopular"),
        row("b", 0, hops=2, labels="unpopular-popular"),
        row("c", 1, hops=4, labels="popular-unpopular-popular-unpopular"),
        row("d", None, hops=2, labels="unpopular-popular"),
        row("e", 1, hops=3, labels="popular-popular-unpopular"),
        row("f", 1, hops=2, labels="none", axis="none"),
        row("h", 1, hops=3, labels="popular-unpopular"),  # one hop is a sum
        row("g", 1, hops=1, labels="popular", task="stepwise", mode="gold-open", hop=1),
    )
    found = {(s.hops, s.share): (s.n, s.failed, s.mean) for s in summarise_shares(scores)}
    assert found == {
        (None, "2/3"): (1, 0, 1),
        (None, "1/2"): (4, 1, pytest.approx(3 / 4)),
        (2, "1/2"): (2, 1, 0.5),
        (3, "2/3"): (1, 0, 1),
        (4, "1/2"): (1, 0, 1),
    }


DECISIONS = [
    *(("answer", "answer"), ("answer", "retrieve"), ("retrieve", "retrieve")),
    *(("retrieve", "retrieve"), ("retrieve", "unparsed"), ("answer", "answer")),
]


def test_decisions_have_every_figure() -> None:
    scores = table(
        *(
            row(f"q{i}", float(a == b), task="strategy", mode="question", gold=a, prediction=b)
            for i, (a, b) in enumerate(DECISIONS)
        )
    )
    found = {(s.measure, s.label): s for s in summarise_decisions(scores)}
    golds, choices = zip(*DECISIONS, strict=True)
    labels = ["answer", "retrieve"]
    each = f1_score(golds, choices, labels=labels, average=None)
    means = {key: one.mean for key, one in found.items()}
    assert means == {
        ("accuracy", None): pytest.approx(4 / 6),
        ("macro_f1", None): pytest.approx(each.mean()),
        ("recall", "answer"): pytest.approx(2 / 3),
        ("recall", "retrieve"): pytest.approx(2 / 3),
        ("f1", "answer"): pytest.approx(each[0]),
        ("f1", "retrieve"): pytest.approx(each[1]),
        ("chosen", "answer"): pytest.approx(2 / 6),
        ("chosen", "retrieve"): pytest.approx(3 / 6),
        ("unparsed", None): pytest.approx(1 / 6),
    }
    assert found["recall", "answer"].n == 3
    assert all(one.low <= one.mean <= one.high for one in found.values())
    assert found["macro_f1", None].low < found["macro_f1", None].high


def taken_apart(question: str, steps: int, retrievals: int, **values: Any) -> dict[str, Any]:
    task = {"task": "dynamic_retrieval", "mode": "generated", "context": "bm25"}
    counted = {"sub_questions": steps, "retrievals": retrievals}
    return row(question, 1, **task | counted | values)


def test_sub_questions_and_retrievals_are_counted() -> None:
    scores = table(
        taken_apart("a", 2, 1, hops=2),
        taken_apart("b", 4, 2, hops=2),
        taken_apart("c", 0, 0, hops=1),
        row("d", 1, hops=1),
    )
    means = {(s.hops, s.measure): s.mean for s in summarise_decompositions(scores)}
    assert means == {
        (None, "accuracy"): 1,
        (None, "sub_questions"): 2,
        (None, "retrievals"): 1,
        (None, "retrieval_rate"): 0.5,
        (1, "accuracy"): 1,
        (1, "sub_questions"): 0,
        (1, "retrievals"): 0,
        (2, "accuracy"): 1,
        (2, "sub_questions"): 3,
        (2, "retrievals"): 1.5,
        (2, "retrieval_rate"): 0.5,
    }
    counts = {(c.hops, c.generated): (c.questions, c.share) for c in count_sub_questions(scores)}
    assert len(counts) == 2 * 6
    assert {key: value for key, value in counts.items() if value[0]} == {
        (1, 0): (1, 1),
        (2, 2): (1, 0.5),
        (2, 4): (1, 0.5),
    }


def steps(question: str, inputs: str, right: list[float]) -> list[dict[str, Any]]:
    values = {"task": "stepwise", "mode": f"{inputs}-open", "hops": len(right)}
    return [row(question, one, hop=hop, **values) for hop, one in enumerate(right, start=1)]


def test_the_chain_s_error_leaves_out_hops_without_inputs() -> None:
    """A bridge: hops 1 and 3 have no inputs."""
    scores = table(
        *steps("a", "gold", [1, 1, 1, 1]),
        *steps("b", "gold", [0, 1, 0, 1]),
        *steps("a", "own", [1, 0, 1, 0]),
        *steps("b", "own", [0, 0, 0, 1]),
    )
    roots = {(question, hop) for question in "ab" for hop in (1, 3)}
    errors, amplified = summarise_errors(scores, roots)
    assert {(e.inputs, e.hop): e.error for e in errors} == {
        **{("gold", 1): 0.5, ("gold", 2): 0, ("gold", 3): 0.5, ("gold", 4): 0},
        **{("own", 2): 1, ("own", 4): 0.5},
    }
    assert {one.hop: (one.n, one.difference) for one in amplified} == {2: (2, 1), 4: (2, 0.5)}


def test_the_knowledge_floor_hides_small_groups() -> None:
    rows = []
    for number in range(FEW + 3):
        question, known = f"q{number:02}", number < FEW
        rows += steps(question, "gold", [1, float(known)])
        rows.append(row(question, float(known and number % 2), hops=2))
        rows.append(row(question, float(known), hops=2, mode="open-think"))
    floors = summarise_floors(table(*rows))
    assert [(f.unknown, f.n, f.direct, f.think, f.gain) for f in floors] == [
        (0, FEW, 0.5, 1, 0.5),
        (1, 3, None, None, None),
    ]
    assert floors[0].gain_low is not None
    assert 0 < floors[0].gain_low < 0.5


def test_a_hop_that_could_not_be_asked_leaves_its_question_out() -> None:
    rows = [*steps("a", "gold", [1, 1]), row("a", 1), row("a", 1, mode="open-think")]
    rows[1] |= {"accuracy": None, "error": "broken"}
    assert summarise_floors(table(*rows)) == []


def test_nothing_gives_nothing() -> None:
    empty: pa.Table = table()
    assert summarise_shares(empty) == []
    assert summarise_decisions(empty) == []
    assert summarise_decompositions(empty) == []
    assert summarise_errors(empty, ()) == ([], [])
    assert summarise_floors(empty) == []


def test_decisions_and_decompositions_are_given_for_each_axis() -> None:
    chosen = [("popularity", "answer"), ("popularity", "answer"), ("recency", "retrieve")]
    scores = table(
        *(
            row(
                *(f"q{i}", float(said == "answer")),
                **{"task": "strategy", "mode": "question", "axis": axis},
                **{"gold": "answer", "prediction": said},
            )
            for i, (axis, said) in enumerate(chosen)
        ),
        *(
            row(
                *(f"q{i}", 1.0),
                **{"task": "sub_questions", "mode": "given", "axis": axis},
                **{"sub_questions": i, "retrievals": 0},
            )
            for i, axis in enumerate(("popularity", "popularity", "recency"))
        ),
    )
    accuracy = {s.axis: s.mean for s in summarise_decisions(scores) if s.measure == "accuracy"}
    assert accuracy == {None: pytest.approx(2 / 3), "popularity": 1, "recency": 0}
    asked = {
        (s.axis, s.hops): s.mean
        for s in summarise_decompositions(scores)
        if s.measure == "sub_questions"
    }
    assert asked == {(None, None): 1, ("popularity", None): 0.5, ("recency", None): 2, (None, 1): 1}
