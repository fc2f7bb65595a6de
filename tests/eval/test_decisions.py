"""Decision scores against scikit-learn, and by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from factchain.eval import decisions
from factchain.eval.replies import UNPARSED

LABELS = ["answer", "decompose", "retrieve"]
DECISIONS = st.lists(
    st.tuples(st.sampled_from(LABELS), st.sampled_from([*LABELS, UNPARSED])), min_size=1
)


def test_by_hand() -> None:
    made = [("a", "a"), ("a", "b"), ("b", "b"), ("b", UNPARSED)]
    assert decisions.accuracy(made) == 0.5
    # a: P 1, R 1/2; b: P 1/2, R 1/2
    assert decisions.macro_f1(made) == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert decisions.describe_choices(made) == {
        "macro_f1": pytest.approx(7 / 12),
        "recall(a)": 0.5,
        "recall(b)": 0.5,
        "chosen(a)": 0.25,
        "chosen(b)": 0.5,
        "unparsed": 0.25,
    }
    assert decisions.accuracy([]) == decisions.macro_f1([]) == decisions.recall([], "a") == 0


@given(DECISIONS)
def test_as_scikit_learn_reckons(made: list[tuple[str, str]]) -> None:
    gold, chosen = zip(*made, strict=True)
    labels = sorted(set(gold))
    assert decisions.accuracy(made) == pytest.approx(metrics.accuracy_score(gold, chosen))
    f1 = metrics.f1_score(gold, chosen, labels=labels, average="macro", zero_division=0)
    assert decisions.macro_f1(made) == pytest.approx(f1)
    recalls = metrics.recall_score(gold, chosen, labels=labels, average=None, zero_division=0)
    for label, recall in zip(labels, recalls, strict=True):
        assert decisions.recall(made, label) == pytest.approx(recall)
