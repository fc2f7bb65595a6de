"""Every beginning of the order is spread evenly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from factchain.eval.dealing import deal
from factchain.questions.records import Question

KINDS = st.tuples(
    st.sampled_from(["popularity", "recency"]),
    st.integers(1, 4),
    st.sampled_from(["chain", "inference"]),
    st.sampled_from([("old",), ("new",), ("old", "new")]),
)


def made(kinds: Sequence[tuple[Any, ...]]) -> list[Question]:
    names = ("axis", "hops", "type", "labels")
    return [
        Question.model_construct(id=f"q-{n}", topology="chain", **dict(zip(names, of, strict=True)))
        for n, of in enumerate(kinds)
    ]


def is_spread(values: Sequence[Hashable]) -> bool:
    """Whether in every beginning a value that comes again later is at most one behind another."""
    total = Counter(values)
    for n in range(len(values)):
        seen = Counter(values[:n])
        left = [value for value in total if seen[value] < total[value]]
        if any(max(seen.values(), default=0) > seen[value] + 1 for value in left):
            return False
    return True


@given(st.lists(KINDS, max_size=40), st.randoms(use_true_random=False))
def test_every_beginning_is_spread(kinds: list[tuple[Any, ...]], random: Any) -> None:
    questions = made(kinds)
    dealt = deal(questions)
    assert sorted(q.id for q in dealt) == sorted(q.id for q in questions)
    assert is_spread([q.axis for q in dealt])
    for axis in {q.axis for q in dealt}:
        of_axis = [q for q in dealt if q.axis == axis]
        assert is_spread([q.hops for q in of_axis])
        for hops in {q.hops for q in of_axis}:
            assert is_spread([q.type for q in of_axis if q.hops == hops])
    random.shuffle(questions)
    assert deal(questions, 7) == dealt[:7]


def test_the_scarce_kinds_come_first() -> None:
    """Where the file begins with many questions of one kind."""
    kinds = [("popularity", 4, "chain", ("old",))] * 20 + [
        ("popularity", 1, "chain", ("old",)),
        ("recency", 2, "chain", ("new",)),
    ]
    assert Counter((q.axis, q.hops) for q in deal(made(kinds), 4)) == {
        ("popularity", 4): 2,
        ("popularity", 1): 1,
        ("recency", 2): 1,
    }
