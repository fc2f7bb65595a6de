"""How far a judge agrees with itself: its repeats on the same items (SPEC.md 1.13).

Every function takes a table with a row an item and a column a repeat, NaN where a rating lacks.
The plain functions are the textbook's; `*_compat` give what HopWeaver's script prints:

- `alpha_compat` is 1 where there are fewer than two values, and the plain one is undefined.
- `fleiss_kappa_compat` is 1 where the counts of all items are the same, though raters may disagree
  on every one; it takes the number of ratings from the first item, and where nothing can be
  computed it gives 2 (s - 0.5), s the mean share of an item's most frequent rating.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import krippendorff
import numpy as np
from statsmodels.stats.inter_rater import fleiss_kappa as _fleiss_kappa

from factchain.eval.statistics import Values

Level = Literal["nominal", "ordinal", "interval"]
LIKERT: tuple[int, ...] = (1, 2, 3, 4, 5)
YES_NO: tuple[int, ...] = (0, 1)


def average_sd(ratings: Values) -> float | None:
    """The mean over the items of the sample standard deviation of an item's ratings.

    Items with fewer than two ratings do not count; none where no item counts.
    """
    rated = ratings[(~np.isnan(ratings)).sum(axis=1) >= 2]
    return float(np.nanstd(rated, axis=1, ddof=1).mean()) if len(rated) else None


def alpha(ratings: Values, level: Level = "ordinal") -> float | None:
    """Krippendorff's alpha with the repeats as raters.

    `level` is `nominal`, `ordinal` or `interval`. None where it is undefined: all ratings are the
    same, or no item has two.
    """
    paired = ratings[(~np.isnan(ratings)).sum(axis=1) >= 2]
    if len(np.unique(paired[~np.isnan(paired)])) < 2:
        return None
    return float(krippendorff.alpha(reliability_data=paired.T, level_of_measurement=level))


def alpha_compat(ratings: Values) -> float:
    """The ordinal alpha as HopWeaver prints it: 1 where it is undefined."""
    found = alpha(ratings)
    return 1.0 if found is None else found


def fleiss_kappa(ratings: Values, categories: Sequence[int] = LIKERT) -> float | None:
    """Fleiss' kappa, nominal, over the items that every repeat rated; 1 where all ratings are the
    same, none where no item has all of them, or there is one repeat."""
    complete = ratings[~np.isnan(ratings).any(axis=1)]
    if not len(complete) or complete.shape[1] < 2:
        return None
    counts = _counts(complete, categories)
    if (counts.sum(axis=0) > 0).sum() == 1:
        return 1.0
    return float(_fleiss_kappa(counts))


def fleiss_kappa_compat(ratings: Values, categories: Sequence[int] = LIKERT) -> float:
    """Fleiss' kappa as HopWeaver's script computes it, its short cuts included.

    Real values are rounded to the nearest, halves to the even. Not defined for no items.
    """
    counts = _counts(ratings, categories).astype(float)
    if (counts == counts[0]).all():
        return 1.0
    n = counts[0].sum()
    if n >= 2:
        of_items = ((counts**2).sum(axis=1) - n) / (n * (n - 1))
        expected = float(((counts.sum(axis=0) / counts.sum()) ** 2).sum())
        return float((of_items.mean() - expected) / (1 - expected)) if expected < 1 else 1.0
    sizes = np.maximum(counts.sum(axis=1), 1)
    return float(2 * ((counts.max(axis=1) / sizes).mean() - 0.5))


def _counts(ratings: Values, categories: Sequence[int]) -> Values:
    """How often each item has each category, its ratings rounded."""
    rounded = np.rint(ratings)
    return np.stack([(rounded == category).sum(axis=1) for category in categories], axis=1)
