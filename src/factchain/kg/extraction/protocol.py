"""What an extractor does: passages in, what each of them says out, with how often it says it.

Two things can be found in a passage: *mentions*, entities of the graph that it names, and
*statements*, triples in the passage's own words that are linked to the graph later (`linking`).
Co-occurrence gives mentions, REBEL statements; an extractor may give both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from factchain.kg.records import PassageView


class Statement(NamedTuple):
    """A triple in words, as a text states it."""

    head: str
    relation: str
    tail: str


@dataclass(slots=True)
class Mentions:
    """Columns of (passage, entity, how often), ordered by passage, then entity."""

    passage: NDArray[np.int64]
    """Position of the passage among those given."""
    entity: NDArray[np.int64]
    count: NDArray[np.int64]

    @classmethod
    def none(cls) -> Mentions:
        """No mention at all."""
        return cls(*(np.empty(0, np.int64) for _ in range(3)))


@dataclass(slots=True)
class Evidence:
    """What passages say."""

    mentions: Mentions = field(default_factory=Mentions.none)
    statements: dict[int, Counter[Statement]] = field(default_factory=dict)
    """By the passage's position its statements, and how often it makes each of them."""
    rejected: Counter[str] = field(default_factory=Counter)
    """What was left out, by reason."""


class Extractor(Protocol):
    """Finds in passages what they say of the graph's entities."""

    def extract(self, passages: Sequence[PassageView]) -> Evidence:
        """What the passages say; each one is read by itself."""
        ...


class ExtractorSettings(Hashable, Protocol):
    """What makes an extractor: picklable, so that each worker process makes its own."""

    @property
    def name(self) -> str:
        """The extractor's name in the store."""
        ...

    @property
    def shard_bytes(self) -> int:
        """About how many bytes of the corpus one shard holds."""
        ...

    def key(self) -> str:
        """Changes with everything that changes what is found."""
        ...

    def make(self) -> Extractor:
        """Make the extractor; slow, and done once in each process."""
        ...
