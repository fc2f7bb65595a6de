"""Reliability against worked values and against its definitions."""

from __future__ import annotations

import math
import statistics
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from factchain.eval.reliability import (
    YES_NO,
    Level,
    alpha,
    alpha_compat,
    average_sd,
    fleiss_kappa,
    fleiss_kappa_compat,
)

Ratings = np.ndarray[tuple[int, int], np.dtype[np.float64]]
Gaps = np.ndarray[tuple[int, int], np.dtype[np.bool_]]

_ = np.nan
# The example of the package krippendorff: four raters, twelve units.
EXAMPLE = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
        [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
    ]
).T


@pytest.mark.parametrize(
    ("level", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_of_the_package_s_example(level: str, value: float) -> None:
    assert alpha(EXAMPLE, level) == pytest.approx(value, abs=5e-4)  # type: ignore[arg-type]


def alpha_by_definition(ratings: Ratings, level: Level) -> float:
    """SPEC.md 1.13: 1 - observed by expected disagreement, of the coincidences of all pairs."""
    domain = sorted(set(ratings[~np.isnan(ratings)].tolist()))
    coincidences = np.zeros((len(domain), len(domain)))
    for unit in ratings.tolist():
        given_ratings = [domain.index(one) for one in unit if not math.isnan(one)]
        for first, second in permutations(given_ratings, 2):
            coincidences[first, second] += 1 / (len(given_ratings) - 1)
    n_c = coincidences.sum(axis=0)
    expected = (np.outer(n_c, n_c) - np.diag(n_c)) / (n_c.sum() - 1)
    distance = np.zeros_like(coincidences)
    for c, k in combinations(range(len(domain)), 2):
        between = n_c[c : k + 1].sum() - (n_c[c] + n_c[k]) / 2
        apart = {"nominal": 1.0, "ordinal": between**2, "interval": (domain[c] - domain[k]) ** 2}
        distance[c, k] = distance[k, c] = apart[level]
    return float(1 - (coincidences * distance).sum() / (expected * distance).sum())


GRADED = arrays(float, (5, 4), elements=st.integers(1, 5).map(float))
GAPS = arrays(bool, (5, 4))


@given(GRADED, GAPS, st.sampled_from(["nominal", "ordinal", "interval"]))
def test_alpha_is_the_formula(grades: Ratings, gaps: Gaps, level: Level) -> None:
    ratings = np.where(gaps, np.nan, grades)
    # A unit with one rating has no pair and counts nowhere.
    ratings[(~np.isnan(ratings)).sum(axis=1) < 2] = np.nan
    found = alpha(ratings, level)
    if len(set(ratings[~np.isnan(ratings)].tolist())) < 2:
        assert found is None
    else:
        assert found == pytest.approx(alpha_by_definition(ratings, level))


@given(GRADED, GAPS)
def test_the_average_deviation_is_that_of_python_s_statistics(grades: Ratings, gaps: Gaps) -> None:
    ratings = np.where(gaps, np.nan, grades)
    rated = [[one for one in unit if not math.isnan(one)] for unit in ratings.tolist()]
    spreads = [statistics.stdev(unit) for unit in rated if len(unit) > 1]
    found = average_sd(ratings)
    assert found == (pytest.approx(statistics.mean(spreads)) if spreads else None)


def test_alpha_without_variance_is_undefined_and_1_in_the_script() -> None:
    same = np.full((3, 5), 4.0)
    assert alpha(same) is None
    assert alpha_compat(same) == 1
    assert alpha_compat(EXAMPLE) == alpha(EXAMPLE)
    # One unit has two ratings, equal ones; the other value is alone in its unit.
    assert alpha(np.array([[1, 1], [2, _]])) is None


def test_the_average_standard_deviation() -> None:
    ratings = np.array([[1, 2, 3], [4, 4, 4], [1, 5, _], [3, _, _]])
    assert average_sd(ratings) == pytest.approx((1 + 0 + math.sqrt(8)) / 3)
    assert average_sd(np.array([[1.0], [2.0]])) is None


def test_kappa_where_all_items_have_the_same_counts() -> None:
    """Counts of [0, 0, 1, 2, 2] in every item: the raters disagree; the script says 1."""
    ratings = np.array([[3, 4, 4, 5, 5], [5, 3, 4, 5, 4]], float)
    assert fleiss_kappa(ratings) == pytest.approx(-0.25)
    assert fleiss_kappa_compat(ratings) == 1


def test_kappa_by_hand() -> None:
    """Of three items two are agreed on, P = 2/3; of six ratings five are yes."""
    ratings = np.array([[1, 1], [1, 0], [1, 1]], float)
    expected = (5 / 6) ** 2 + (1 / 6) ** 2
    by_hand = (2 / 3 - expected) / (1 - expected)
    assert fleiss_kappa(ratings, YES_NO) == pytest.approx(by_hand)
    assert fleiss_kappa_compat(ratings, YES_NO) == pytest.approx(by_hand)


def test_kappa_at_its_edges() -> None:
    assert fleiss_kappa(np.full((4, 3), 5.0)) == 1
    assert fleiss_kappa(np.array([[1.0], [2.0]])) is None
    assert fleiss_kappa(np.array([[1, _], [_, 2]])) is None
    # An item that lacks a repeat does not count.
    whole = np.array([[1, 2], [2, 2], [1, 1]], float)
    assert fleiss_kappa(np.vstack([whole, [5, _]])) == fleiss_kappa(whole)
    # One rating an item: the script makes a figure up.
    assert fleiss_kappa_compat(np.array([[1.0], [2.0]])) == 1
    # Halves are rounded to the even: 2.5 is a 2, 3.5 a 4.
    assert fleiss_kappa(np.array([[2.5, 3.5], [2, 3]])) == fleiss_kappa(np.array([[2, 4], [2, 3]]))


@given(arrays(float, (6, 4), elements=st.integers(1, 5).map(float)))
def test_plain_and_compat_kappa_agree_where_the_script_takes_no_short_cut(
    ratings: np.ndarray[tuple[int, int], np.dtype[np.float64]],
) -> None:
    counts = {tuple(sorted(row)) for row in ratings.tolist()}
    plain = fleiss_kappa(ratings)
    if len(counts) > 1:
        assert plain == pytest.approx(fleiss_kappa_compat(ratings))
    assert plain is not None
    assert -1 <= plain <= 1
