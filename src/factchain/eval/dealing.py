"""Questions in an order of which every beginning is spread evenly over their kinds.

So a limit asks about both axes, all numbers of hops and all patterns of labels, and a smaller limit
asks questions of the larger one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest

from factchain.questions.records import Question

Key = Callable[[Question], object]

_KEYS: tuple[Key, ...] = (
    lambda question: question.axis,
    lambda question: question.hops,
    lambda question: question.type,
    lambda question: question.labels,
    lambda question: question.topology,
)
"""What questions are spread over, the weightiest first."""


def deal(questions: Iterable[Question], most: int | None = None) -> list[Question]:
    """As many questions, of every axis in turn, of these of every number of hops in turn, and so on
    for type, labels and topology; all of them by default.

    The order depends on the questions alone, and not on theirs.
    """
    return _dealt(sorted(questions, key=lambda question: question.id), _KEYS)[:most]


def _dealt(questions: list[Question], keys: Sequence[Key]) -> list[Question]:
    if not keys or len(questions) < 2:
        return questions
    hands: defaultdict[str, list[Question]] = defaultdict(list)
    for question in questions:
        hands[repr(keys[0](question))].append(question)
    ordered = [_dealt(hands[key], keys[1:]) for key in sorted(hands)]
    return [one for turn in zip_longest(*ordered) for one in turn if one is not None]
