"""A series of snapshots: when each fact was first and last seen, and what each snapshot changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from factchain.errors import StoreError
from factchain.kg.diff import queries
from factchain.kg.diff.diff import chosen, write_table
from factchain.kg.store import Snapshot, Store

LONGEST = 62
"""Snapshots of a series: a fact's are the bits of one integer."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a snapshot changed, against the one before it in the series."""

    snapshot: str
    date: str
    facts: int
    """Facts of the snapshot."""
    new: int
    """Of these, not in the one before; 0 for the first."""
    back: int
    """Of the new ones, in an earlier snapshot of the series."""
    gone: int
    """Facts of the one before that are not in it."""


class History:
    """Facts over a series of snapshots, as long as the block of `history` lasts."""

    def __init__(self, store: Store, snapshots: Sequence[Snapshot]) -> None:
        self._store = store
        self._names = [snapshot.name for snapshot in snapshots]
        counts = store.rows(queries.SEEN_COUNTS)
        self.facts = sum(n for _, n in counts)
        """Facts of any snapshot of the series."""
        self.steps = [_step(snapshots, i, counts) for i in range(len(snapshots))]

    def as_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {"facts": self.facts, "snapshots": [asdict(step) for step in self.steps]}

    def write(self, path: Path) -> None:
        """Write the facts with the snapshots in which they were first and last seen.

        `snapshots` says in how many of the series. Raises ConfigError where the name ends in
        neither `.tsv` nor `.parquet`.
        """
        write_table(self._store, path, queries.HISTORY, {"names": self._names})


@contextmanager
def history(store: Store, names: Sequence[str]) -> Iterator[History]:
    """Follow the facts through snapshots of the store, oldest first.

    Raises StoreError where there is no such snapshot, they are not in the order of time, or there
    are more than LONGEST.
    """
    snapshots = chosen(store, names)
    if len(snapshots) > LONGEST:
        raise StoreError(f"{store.path}: {len(snapshots)} snapshots: take at most {LONGEST}")
    run = store.connection.execute
    try:
        run(queries.SEEN, {"snapshots": [snapshot.id for snapshot in snapshots]})
        yield History(store, snapshots)
    finally:
        run(queries.FORGET_SEEN)


def _step(snapshots: Sequence[Snapshot], i: int, counts: Sequence[tuple[int, int]]) -> Step:
    """Sum over sets of snapshots: (bits, how many facts were seen in exactly these)."""
    here = 1 << i
    before = here >> 1
    new = [(seen, n) for seen, n in counts if i and seen & here and not seen & before]
    return Step(
        snapshot=snapshots[i].name,
        date=snapshots[i].date.isoformat(),
        facts=sum(n for seen, n in counts if seen & here),
        new=sum(n for _, n in new),
        back=sum(n for seen, n in new if seen & (before - 1)),
        gone=sum(n for seen, n in counts if seen & before and not seen & here),
    )
