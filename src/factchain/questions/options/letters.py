"""Letters: which of A to D the right answer gets, and whether all get it equally often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

LETTERS = ("A", "B", "C", "D")


def balanced_letters(sets: int, generator: np.random.Generator) -> list[str]:
    """The letter of the right answer of so many sets of options, in a random order.

    No letter comes more than once more often than another; which ones do is drawn, too.
    """
    order = generator.permutation(len(LETTERS))
    dealt = [LETTERS[order[at % len(LETTERS)]] for at in range(sets)]
    return [dealt[at] for at in generator.permutation(sets)]


@dataclass(frozen=True)
class LetterBalance:
    """How often each letter is the right one."""

    counts: dict[str, int]
    chi_squared: float
    """Against equal counts, with three degrees of freedom; 7.81 is the bound of 5 %."""


def letter_balance(letters: Iterable[str]) -> LetterBalance:
    """Count the letters."""
    counts = Counter(letters)
    expected = counts.total() / len(LETTERS)
    squares = sum((counts[letter] - expected) ** 2 for letter in LETTERS)
    return LetterBalance(
        {letter: counts[letter] for letter in LETTERS},
        round(squares / expected, 4) if expected else 0.0,
    )
