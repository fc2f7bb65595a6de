"""How far reviewers agree: Krippendorff's alpha, Fleiss' kappa and raw agreement.

Units are what is scored: a question, or a hop of a question, under one criterion. Only units with
two scores or more say anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from factchain.errors import MissingExtraError
from factchain.questions.review.exports import Annotation, Place
from factchain.questions.review.rubric import HIGHEST, LOWEST, OF_HOP, OF_QUESTION

SCALE = range(LOWEST, HIGHEST + 1)


@dataclass(frozen=True)
class Agreement:
    """Agreement under one criterion."""

    criterion: str
    """Key of the criterion, or `all`."""
    units: int
    """Units with two scores or more."""
    raw: float | None
    """Share of pairs of scores of one unit that are equal; none without such units."""
    alpha: float | None
    """Krippendorff's alpha, ordinal; none where all scores are the same, so that it has no
    meaning."""
    kappa: float | None
    """Fleiss' kappa, nominal, over the units of `kappa_raters` scores; 1 where every score is the
    same."""
    kappa_raters: int
    """How many scores most units have."""


def agreement(annotations: Sequence[Annotation]) -> list[Agreement]:
    """Agreement under every criterion that was scored, and over all of them.

    Raises MissingExtraError without the extra `eval`.
    """
    units: dict[tuple[str, str, Place], dict[str, int]] = {}
    for one in annotations:
        for (place, criterion), score in one.scores.items():
            units.setdefault((criterion, one.question, place), {})[one.reviewer] = score
    keys = [criterion.key for criterion in (*OF_QUESTION, *OF_HOP)]
    by_criterion = {
        key: [scores for (criterion, *_), scores in units.items() if criterion == key]
        for key in keys
    }
    rows = [(key, found) for key, found in by_criterion.items() if found]
    return [_measure(key, found) for key, found in [*rows, ("all", list(units.values()))]]


def _measure(criterion: str, units: Sequence[dict[str, int]]) -> Agreement:
    shared = [unit for unit in units if len(unit) > 1]
    raters, alike = _of_equal_size(shared)
    return Agreement(
        criterion=criterion,
        units=len(shared),
        raw=raw_agreement([list(unit.values()) for unit in shared]),
        alpha=alpha(shared),
        kappa=kappa([list(unit.values()) for unit in alike]),
        kappa_raters=raters,
    )


def raw_agreement(units: Sequence[Sequence[int]]) -> float | None:
    """The share of pairs of scores of one unit that are equal, over all units."""
    pairs = [a == b for unit in units for a, b in combinations(unit, 2)]
    return sum(pairs) / len(pairs) if pairs else None


def alpha(units: Sequence[dict[str, int]]) -> float | None:
    """Krippendorff's alpha, ordinal; none where it has no meaning: fewer than two values."""
    try:
        import krippendorff
    except ImportError as error:
        raise MissingExtraError("agreement of reviewers", "eval") from error
    if len({score for unit in units for score in unit.values()}) < 2:
        return None
    reviewers = sorted({reviewer for unit in units for reviewer in unit})
    table = np.array([[unit.get(reviewer, np.nan) for unit in units] for reviewer in reviewers])
    return float(
        krippendorff.alpha(
            reliability_data=table, value_domain=list(SCALE), level_of_measurement="ordinal"
        )
    )


def kappa(units: Sequence[Sequence[int]]) -> float | None:
    """Fleiss' kappa, nominal, of units with equally many scores; 1 where all scores are one."""
    try:
        from statsmodels.stats.inter_rater import fleiss_kappa
    except ImportError as error:
        raise MissingExtraError("agreement of reviewers", "eval") from error
    if not units:
        return None
    if len({score for unit in units for score in unit}) == 1:
        return 1.0
    counts = np.array([[list(unit).count(score) for score in SCALE] for unit in units])
    return float(fleiss_kappa(counts))


def _of_equal_size(units: Sequence[dict[str, int]]) -> tuple[int, list[dict[str, int]]]:
    """The most frequent number of scores, the larger of two, and the units that have it."""
    sizes = Counter(map(len, units))
    size = max(sizes, key=lambda n: (sizes[n], n), default=0)
    return size, [unit for unit in units if len(unit) == size]
