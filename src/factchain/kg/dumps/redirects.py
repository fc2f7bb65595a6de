"""Chains of redirects -> where they end; cycles, which end nowhere, are told apart."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]


def resolve(source: Ids, target: Ids) -> tuple[Ids, Ids, int]:
    """Sources with their last targets, sorted by source, and how many lead into a cycle.

    Each step doubles how far is looked ahead, so that n redirects take log n steps. The later of
    two redirects of one source stands.
    """
    source, position = np.unique(source[::-1], return_index=True)
    if not len(source):
        return source, source, 0
    target = target[::-1][position]
    for _ in range(len(source).bit_length() + 1):
        place = np.minimum(np.searchsorted(source, target), len(source) - 1)
        on = source[place] == target
        if not on.any():
            break
        target = np.where(on, target[place], target)
    ends = ~np.isin(target, source)
    return source[ends], target[ends], int((~ends).sum())
