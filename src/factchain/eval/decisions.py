"""Scores of decisions: accuracy, macro F1, the recall of every label (SPEC.md 1.16).

A reply that could not be read is `unparsed`: wrong, never dropped, and no label of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from factchain.eval.replies import UNPARSED

Decision = tuple[str, str]
"""The gold choice and the one that was made."""


def accuracy(decisions: Sequence[Decision]) -> float:
    """The share of right choices; 0 where there are none."""
    return sum(gold == chosen for gold, chosen in decisions) / len(decisions) if decisions else 0.0


def recall(decisions: Sequence[Decision], label: str) -> float:
    """Of the decisions whose gold choice is `label`, the share in which it was made."""
    chosen = [choice for gold, choice in decisions if gold == label]
    return chosen.count(label) / len(chosen) if chosen else 0.0


def macro_f1(decisions: Sequence[Decision]) -> float:
    """The mean over the gold labels of their F1; scikit-learn's, with `labels` those of the gold.

    A label that is never gold is left out: it would count as 0 however well the others do.
    """
    labels = sorted({gold for gold, _ in decisions})
    made, right = Counter(c for _, c in decisions), Counter(g for g, c in decisions if g == c)
    wanted = Counter(gold for gold, _ in decisions)
    scores = [2 * right[label] / (made[label] + wanted[label]) for label in labels]
    return sum(scores) / len(scores) if scores else 0.0


def describe_choices(decisions: Sequence[Decision]) -> dict[str, float]:
    """Every figure by its name: `macro_f1`, `recall(label)`, `chosen(label)`, `unparsed`."""
    made = Counter(choice for _, choice in decisions)
    labels = sorted({gold for gold, _ in decisions} | set(made) - {UNPARSED})
    return {
        "macro_f1": macro_f1(decisions),
        **{f"recall({label})": recall(decisions, label) for label in labels},
        **{f"chosen({label})": made[label] / len(decisions) for label in labels},
        "unparsed": made[UNPARSED] / len(decisions),
    }
