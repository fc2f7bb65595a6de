"""Scores of one answer: a prediction against the names of the gold answer.

Plain, textbook definitions (SPEC.md 1.1-1.4); every function is pure and returns 0 to 1. Where
several names are given, the best one counts.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")

SCORES = ("accuracy", "accuracy_alias", "accuracy_word", "exact_match", "f1")
"""Names of the scores, in the order in which they are shown."""


class Overlap(NamedTuple):
    """How far a prediction and what is right overlap."""

    f1: float
    precision: float
    recall: float


NO_OVERLAP, SAME = Overlap(0.0, 0.0, 0.0), Overlap(1.0, 1.0, 1.0)


def normalise(text: str) -> str:
    """`text` as SQuAD compares it (SPEC.md 1.1.1).

    In lower case, without ASCII punctuation, then without articles, with single spaces.
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(prediction: str, golds: Sequence[str]) -> float:
    """1 where the prediction is one of the golds, both normalised (SPEC.md 1.2)."""
    return float(normalise(prediction) in {normalise(gold) for gold in golds})


def token_f1(prediction: str, golds: Sequence[str]) -> float:
    """The best token F1 over the golds; 1 where both sides normalise to nothing.

    MuSiQue's definition (SPEC.md 1.3): no rule for yes and no, tokens counted with repeats.
    """
    return token_overlap(prediction, golds).f1


def token_overlap(prediction: str, golds: Sequence[str]) -> Overlap:
    """F1, precision and recall of the tokens, all of the gold with the best F1."""
    said = normalise(prediction)
    return max((_overlap(said, normalise(gold)) for gold in golds), default=NO_OVERLAP)


def _overlap(prediction: str, gold: str) -> Overlap:
    predicted, wanted = Counter(prediction.split()), Counter(gold.split())
    if not predicted or not wanted:
        return SAME if predicted == wanted else NO_OVERLAP
    shared, said, right = (predicted & wanted).total(), predicted.total(), wanted.total()
    return Overlap(2 * shared / (said + right), shared / said, shared / right)


def containment(prediction: str, golds: Sequence[str]) -> float:
    """1 where a gold occurs in the prediction, both casefolded: MINTQA's `Acc` (SPEC.md 1.4).

    Nothing else is normalised, and an empty gold is never contained.
    """
    text = prediction.casefold()
    return float(any(gold and gold.casefold() in text for gold in golds))


def word_containment(prediction: str, golds: Sequence[str]) -> float:
    """As `containment`, where the gold may not be a part of a longer word or number."""
    text = prediction.casefold()
    # Most golds are not contained at all, and a pattern takes far longer to make.
    held = (name for gold in golds if (name := gold.casefold()) and name in text)
    return float(any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in held))


def score(prediction: str, label: str, aliases: Sequence[str]) -> dict[str, float]:
    """Every score by its name.

    `accuracy` and `accuracy_word` look for the label only, the others take aliases too.
    """
    names = [label, *aliases]
    return {
        "accuracy": containment(prediction, [label]),
        "accuracy_alias": containment(prediction, names),
        "accuracy_word": word_containment(prediction, [label]),
        "exact_match": exact_match(prediction, names),
        "f1": token_f1(prediction, names),
    }
