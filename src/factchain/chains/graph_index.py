"""The newest snapshot's facts between entities, as sorted NumPy arrays.

Edges are sorted by (subject, property, object), so that the out-edges of a subject, and those of
one property, are a contiguous stretch. Which entities are joined at all is kept apart, as sorted
keys over the facts of every snapshot: constraints are tested on the whole graph.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from factchain.chains import queries
from factchain.chains.records import Axis, HopLabel
from factchain.errors import StoreError
from factchain.kg.store import Store

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int8]

LABELS: dict[Axis, tuple[HopLabel, ...]] = {
    "popularity": ("unpopular", "popular"),
    "recency": ("old", "new"),
    "none": (),
}
"""The labels of each axis; a code is a position in them, -1 an edge without label."""


@dataclass(frozen=True)
class GraphIndex:
    """Edges in order of (s, p, o), all arrays of one length, and the pairs that are joined."""

    fact: Ints
    s: Ints
    p: Ints
    o: Ints
    popularity: Ints
    """Passages that state the fact; -1 where it was not counted."""
    codes: dict[Axis, Codes]
    """Per axis the label code of every edge."""
    joined: Ints
    """Sorted keys of unordered pairs of entities, see `_pair_keys`."""
    entity_labels: dict[int, str]
    property_labels: dict[int, str]

    @classmethod
    def from_store(cls, store: Store) -> GraphIndex:
        """Build the index. Raises StoreError where the store has no fact between entities."""
        columns = store.connection.execute(queries.CURRENT_EDGES).fetchnumpy()
        if not len(columns["id"]):
            raise StoreError(f"{store.path}: has no fact between two entities")
        pairs = store.connection.execute(queries.JOINED_PAIRS).fetchnumpy()
        popularity = np.ma.filled(np.ma.asarray(columns["popularity"]).astype(np.int64), -1)
        keys = _pair_keys(pairs["s"].astype(np.int64), pairs["o"].astype(np.int64))
        return cls(
            fact=columns["id"].astype(np.int64),
            s=columns["s"].astype(np.int64),
            p=columns["p"].astype(np.int64),
            o=columns["o"].astype(np.int64),
            popularity=popularity,
            codes={
                "popularity": _codes(columns["popularity_label"], LABELS["popularity"]),
                "recency": _codes(columns["recency"], LABELS["recency"]),
                "none": np.zeros(len(columns["id"]), np.int8),
            },
            joined=np.unique(keys),
            entity_labels=dict(store.rows(queries.ENTITY_LABELS)),
            property_labels=dict(store.rows(queries.PROPERTY_LABELS)),
        )

    def stretch(self, s: int, p: int) -> tuple[int, int]:
        """Where the edges of one subject and property begin and end."""
        low, high = np.searchsorted(self.s, [s, s + 1])
        first, last = np.searchsorted(self.p[low:high], [p, p + 1])
        return int(low + first), int(low + last)

    def single_valued(self) -> npt.NDArray[np.bool_]:
        """Which edges are the only one of their subject and property."""
        same = (self.s[1:] == self.s[:-1]) & (self.p[1:] == self.p[:-1])
        edge = np.zeros(1, np.bool_)
        single: npt.NDArray[np.bool_] = ~(
            np.concatenate([edge, same]) | np.concatenate([same, edge])
        )
        return single

    def are_joined(self, a: int, b: int) -> bool:
        """Whether a fact of any property, direction and snapshot joins two entities."""
        key = _pair_keys(np.array([a], np.int64), np.array([b], np.int64))
        at = int(np.searchsorted(self.joined, key[0]))
        return at < len(self.joined) and bool(self.joined[at] == key[0])


def _pair_keys(a: Ints, b: Ints) -> Ints:
    """One key for each unordered pair; Q-ids have less than 32 bits."""
    keys: Ints = (np.minimum(a, b) << 32) | np.maximum(a, b)
    return keys


def _codes(names: npt.NDArray[np.object_], labels: tuple[str, ...]) -> Codes:
    codes = np.full(len(names), -1, np.int8)
    plain: npt.NDArray[np.object_] = np.ma.filled(np.ma.asarray(names, dtype=object), "")
    for code, label in enumerate(labels):
        codes[plain == label] = code
    return codes
