"""Spans of names in a text: whole words only, and of those that overlap the longest.

Arrays of starts and ends are in characters, as Python counts them.
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np
from numpy.typing import NDArray

Positions = NDArray[np.int64]


@cache
def _word_characters() -> NDArray[np.bool_]:
    """For each code point whether it is a letter, a digit or an underscore."""
    word = np.zeros(0x110000, dtype=bool)
    for run in re.finditer(r"\w+", "".join(map(chr, range(0x110000)))):
        word[run.start() : run.end()] = True
    return word


def whole_words(text: str, start: Positions, end: Positions) -> NDArray[np.bool_]:
    """Which spans neither begin nor end within a word."""
    # With a gap at either end: the character before a position stands where the position says.
    codes = np.frombuffer(f"\0{text}\0".encode("utf-32-le", "surrogatepass"), dtype="<u4")
    word = _word_characters()
    cuts = [word[codes[at]] & word[codes[at + 1]] for at in (start, end)]
    return np.asarray(~cuts[0] & ~cuts[1])


def longest(start: Positions, end: Positions) -> Positions:
    """Positions of the spans to keep, in the text's order.

    Of overlapping spans the longest is kept, of equally long ones the leftmost, and so on among
    what does not overlap with those kept.
    """
    if not len(start):
        return np.empty(0, np.int64)
    order = np.lexsort((-end, start))
    start, end = start[order], end[order]
    reach = np.maximum.accumulate(end)
    opens = np.ones(len(start), dtype=bool)
    opens[1:] = start[1:] >= reach[:-1]
    first = np.flatnonzero(opens)
    last = np.append(first[1:], len(start))
    # The first span of a cluster is its leftmost and longest there; mostly it covers the rest.
    covers = end[first] == reach[last - 1]
    kept = [first[covers]]
    kept += [
        _greedy(start[a:b], end[a:b]) + a
        for a, b in zip(first[~covers].tolist(), last[~covers].tolist(), strict=True)
    ]
    chosen: Positions = order[np.sort(np.concatenate(kept))]
    return chosen


def _greedy(start: Positions, end: Positions) -> Positions:
    origin = int(start.min())
    taken = np.zeros(int(end.max()) - origin, dtype=bool)
    kept: list[int] = []
    for position in np.lexsort((start, start - end)).tolist():
        stretch = taken[start[position] - origin : end[position] - origin]
        if not stretch.any():
            stretch[:] = True
            kept.append(position)
    return np.array(kept, dtype=np.int64)


def clear_of(start: Positions, end: Positions, others: list[tuple[int, int]]) -> NDArray[np.bool_]:
    """Which spans overlap with none of the others, which are sorted and apart."""
    if not others:
        return np.ones(len(start), dtype=bool)
    other_start, other_end = np.array(others, dtype=np.int64).T
    # The first other that ends after the span's start must begin at its end or later.
    following = np.searchsorted(other_end, start, side="right")
    begins = np.append(other_start, np.iinfo(np.int64).max)[following]
    return np.asarray(begins >= end)
