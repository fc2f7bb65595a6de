"""How sure a mean is, and whether two settings differ.

Intervals are of 95 %: Wilson's for proportions of independent questions, else a percentile
bootstrap that draws whole chains, since questions about the same facts stand or fall together.
Tests are paired, over the questions that both settings answered.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from statsmodels.stats.contingency_tables import mcnemar as _mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

Values = np.ndarray[Any, np.dtype[np.float64]]
Codes = np.ndarray[Any, np.dtype[np.int64]]
Chains = Sequence[str] | Codes
"""Which chain each value is of, by name or by number."""

_RESAMPLES = 2000
_SEED = 0
_FEW = 25
"""Discordant pairs below which McNemar's test is exact."""


def interval(values: Values, chains: Chains | None = None) -> tuple[float, float]:
    """The 95 % interval of the mean of values from 0 to 1; `chains` says which belong together.

    Wilson's where all are 0 or 1 and no chain comes twice, else a percentile bootstrap of chains
    with a fixed seed; a single chain in between leaves the whole range open. Where all are 0, or
    all are 1, no resample differs: Wilson's of the number of chains.
    """
    alone = chains is None or len(np.unique(np.asarray(chains))) == len(chains)
    if alone and np.isin(values, (0, 1)).all():
        return _wilson(int(values.sum()), len(values))
    sums, sizes = _by_chain(values, chains)
    if len(sums) == 1:
        return 0.0, 1.0
    if values[0] in (0, 1) and (values == values[0]).all():
        return _wilson(int(values[0]) * len(sums), len(sums))
    kinds, counts = _kinds(np.stack([sums, sizes], axis=1))
    return _interval_of_kinds(kinds.tobytes(), counts.tobytes())


def mcnemar(first: Values, second: Values) -> float:
    """The two-sided p of McNemar's test on paired 0s and 1s: exact where few pairs differ, else
    chi-squared with continuity correction; 1 where none does."""
    table = [[int(((first == a) & (second == b)).sum()) for b in (1.0, 0.0)] for a in (1.0, 0.0)]
    discordant = table[0][1] + table[1][0]
    return float(_mcnemar(table, exact=discordant < _FEW).pvalue) if discordant else 1.0


def paired_bootstrap(
    first: Values, second: Values, chains: Chains | None = None
) -> tuple[float, float, float]:
    """The 95 % interval of the mean difference `first - second`, and the two-sided p of no
    difference: twice the share of resamples on the rarer side of 0, at least 1 in the number of
    resamples."""
    differences = first - second
    if not differences.any():
        return 0.0, 0.0, 1.0
    sums, sizes = _by_chain(differences, chains)
    kinds, counts = _kinds(np.stack([sums, sizes], axis=1))
    means = _means(kinds, _draws(counts))
    low, high = np.percentile(means, [2.5, 97.5])
    below, above = (means <= 0).mean(), (means >= 0).mean()
    p = min(1.0, max(1 / _RESAMPLES, 2 * float(min(below, above))))
    return float(low), float(high), p


def bootstrap(
    counts: Values, chains: Chains, statistic: Callable[[Values], Values]
) -> tuple[float, float]:
    """The 95 % interval of a statistic of summed counts, such as F1, by resampling chains.

    `counts` has a row for each value; `statistic` gets the sums of every resample, a row each.
    Resamples that it gives NaN for do not count.
    """
    _, numbers = np.unique(np.asarray(chains), return_inverse=True)
    sums: Values = np.stack(
        [np.bincount(numbers, weights=column) for column in counts.T], axis=1
    ).astype(float)
    kinds, of_kind = _kinds(sums)
    low, high = np.nanpercentile(statistic(_draws(of_kind) @ kinds), [2.5, 97.5])
    return float(low), float(high)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values adjusted for their number (Holm-Bonferroni, SPEC.md 1.17), in their order."""
    if not p_values:
        return []
    return [float(p) for p in multipletests(list(p_values), method="holm")[1]]


@functools.cache
def _wilson(successes: int, trials: int) -> tuple[float, float]:
    low, high = proportion_confint(successes, trials, method="wilson")
    return max(0.0, float(low)), min(1.0, float(high))


def _by_chain(values: Values, chains: Chains | None) -> tuple[Values, Values]:
    """Sum and number of the values of each chain."""
    if chains is None:
        return values, np.ones(len(values))
    _, numbers = np.unique(np.asarray(chains), return_inverse=True)
    sums: Values = np.bincount(numbers, weights=values).astype(float)
    return sums, np.bincount(numbers).astype(float)


@functools.lru_cache(maxsize=100_000)
def _interval_of_kinds(kinds: bytes, counts: bytes) -> tuple[float, float]:
    """The interval of a mean; the same scores stand in many tables, and floors in all settings."""
    sums_and_sizes = np.frombuffer(kinds).reshape(-1, 2)
    means = _means(sums_and_sizes, _draws(np.frombuffer(counts, np.int64)))
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def _means(sums_and_sizes: Values, drawn: Values) -> Values:
    """The mean in every resample of chains."""
    means: Values = (drawn @ sums_and_sizes[:, 0]) / (drawn @ sums_and_sizes[:, 1])
    return means


def _kinds(chains: Values) -> tuple[Values, Codes]:
    """The different rows, and how often each is there."""
    return np.unique(chains, axis=0, return_counts=True)


def _draws(counts: Codes) -> Values:
    """How often each resample has the rows of each kind.

    Chains of equal sums are drawn together, by their multinomial count: the same distribution as
    drawing them one by one, at a cost that does not grow with their number.
    """
    chains = int(counts.sum())
    rng = np.random.default_rng(_SEED)
    return rng.multinomial(chains, counts / chains, size=_RESAMPLES).astype(float)
