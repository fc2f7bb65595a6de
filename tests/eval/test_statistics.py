"""Intervals and tests against their references, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from factchain.eval.statistics import holm, interval, mcnemar, paired_bootstrap

ONES = st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=40)


@given(ONES)
def test_a_proportion_has_wilson_s_interval(values: list[float]) -> None:
    low, high = interval(np.array(values))
    n, p, z = len(values), sum(values) / len(values), stats.norm.ppf(0.975)
    middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    reach = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    assert low == pytest.approx(max(0, middle - reach), abs=1e-9)
    assert high == pytest.approx(min(1, middle + reach), abs=1e-9)


def test_the_bootstrap_agrees_with_scipy_s() -> None:
    values = np.random.default_rng(3).beta(2, 3, size=200)
    low, high = interval(values)
    reference = stats.bootstrap(
        (values,), np.mean, n_resamples=2000, method="percentile", rng=np.random.default_rng(5)
    ).confidence_interval
    assert low == pytest.approx(reference.low, abs=0.004)
    assert high == pytest.approx(reference.high, abs=0.004)


def test_questions_of_one_chain_count_as_one() -> None:
    once = np.array([0.0, 1.0, 1.0, 0.0, 1.0, 0.5] * 10)
    chains = [str(n) for n in range(60)]
    # Every question ten times over says no more than once.
    assert interval(np.repeat(once, 10), list(np.repeat(chains, 10))) == interval(once, chains)
    low, high = interval(np.repeat(once, 10))
    assert high - low < 0.5 * (interval(once)[1] - interval(once)[0])


def test_proportions_of_chains_that_come_twice_are_drawn_by_chain() -> None:
    values = np.array([1.0, 1.0, 0.0, 0.0])
    assert interval(values, ["a", "a", "b", "b"]) == (0, 1)
    assert interval(values, ["a", "b", "c", "d"]) == interval(values)
    assert interval(np.array([0.5, 0.7]), ["a", "a"]) == (0, 1)


def test_mcnemar() -> None:
    first = np.array([1.0] * 8 + [0.0] * 2)
    second = np.array([0.0] * 6 + [1.0] * 2 + [1.0] * 1 + [0.0])
    # six against one: 2 * (P(0) + P(1)) of 7 coins
    assert mcnemar(first, second) == pytest.approx(2 * (1 + 7) / 2**7)
    assert mcnemar(first, first) == 1
    many = np.array([1.0] * 40 + [0.0] * 20)
    other = 1 - many
    # chi-squared with continuity correction: (|40 - 20| - 1)^2 / 60
    assert mcnemar(many, other) == pytest.approx(stats.chi2.sf(19**2 / 60, 1))


@given(st.lists(st.tuples(*[st.sampled_from([0.0, 1.0])] * 2), min_size=1, max_size=24))
def test_mcnemar_s_exact_test_is_a_binomial_test(pairs: list[tuple[float, float]]) -> None:
    first, second = np.array(pairs).T
    won, lost = int((first > second).sum()), int((first < second).sum())
    by_scipy = stats.binomtest(won, won + lost).pvalue if won + lost else 1.0
    assert mcnemar(first, second) == pytest.approx(by_scipy)


def test_a_paired_difference() -> None:
    rng = np.random.default_rng(1)
    first = rng.random(400)
    second = first - 0.1 + rng.normal(0, 0.2, 400)
    low, high, p = paired_bootstrap(first, second)
    t = stats.ttest_rel(first, second)
    assert (low, high) == pytest.approx(tuple(t.confidence_interval()), abs=0.005)
    assert low < 0.1 < high
    assert p == 1 / 2000
    same = rng.random(400)
    assert paired_bootstrap(same, same) == (0, 0, 1)
    low, high, p = paired_bootstrap(same, same + rng.normal(0, 0.2, 400))
    assert low < 0 < high
    assert p > 0.05


def test_a_paired_difference_by_chain() -> None:
    first = np.array([1.0, 1.0, 1.0, 1.0])
    second = np.array([0.0, 0.0, 0.0, 1.0])
    wide = paired_bootstrap(first, second, ["a", "a", "a", "b"])
    assert wide[:2] == (0, 1)


def test_holm() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


@settings(max_examples=8)  # statsmodels collects garbage at every call
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_the_step_down_rule(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    m = len(p_values)
    order = sorted(range(m), key=lambda i: p_values[i])
    worst = 0.0
    for rank, i in enumerate(order):
        worst = max(worst, min(1.0, (m - rank) * p_values[i]))
        assert adjusted[i] == pytest.approx(worst)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_where_all_are_alike_the_chains_say_how_sure_it_is(value: float) -> None:
    """A bootstrap would give an interval without width, however few chains there are."""
    chains = ["a", "a", "b", "b", "c", "c"]
    assert interval(np.full(6, value), chains) == interval(np.full(3, value))
