"""What changed between two snapshots: old, new and gone facts, which part is new, conflicts.

A fact is *old* in both snapshots, *new* in the newer only, *gone* in the older only. Of a new fact
the *subject* is new where the older snapshot states nothing of it, else the *property* where it
does not state that property of it, else the *object* alone. The snapshots *conflict* about a
subject and property where both state objects, and not the same ones. (MINTQA's terms; "new" means
newly recorded, not recently true.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import duckdb

from factchain.errors import ConfigError, OutputError, StoreError
from factchain.files import write_atomically
from factchain.kg.diff import queries
from factchain.kg.store import Snapshot, Store

Change = Literal["old", "new", "gone"]
CHANGES: tuple[Change, ...] = ("old", "new", "gone")


@dataclass(frozen=True, slots=True)
class PropertyDiff:
    """Facts of one property by what became of them."""

    id: str
    """P-id."""
    label: str | None
    old: int
    new_subject: int
    new_property: int
    new_object: int
    gone: int
    conflicts: int
    """Subjects whose objects differ between the snapshots."""

    @property
    def new(self) -> int:
        """New facts of all kinds."""
        return self.new_subject + self.new_property + self.new_object


COUNTS = tuple(f.name for f in fields(PropertyDiff) if f.name not in {"id", "label"})


class VersionDiff:
    """The difference between two snapshots, as long as the block of `compare` lasts."""

    def __init__(self, store: Store, older: Snapshot, newer: Snapshot) -> None:
        self._store = store
        self.older = older
        self.newer = newer
        self.properties = [PropertyDiff(*row) for row in store.rows(queries.BY_PROPERTY)]
        """Every property of either snapshot, those with most new and gone facts first."""

    def totals(self) -> dict[str, int]:
        """The sums over all properties."""
        return {name: sum(getattr(p, name) for p in self.properties) for name in COUNTS}

    def as_dict(self, limit: int | None = None) -> dict[str, Any]:
        """As JSON values, with at most `limit` properties."""
        return {
            "older": {"name": self.older.name, "date": self.older.date.isoformat()},
            "newer": {"name": self.newer.name, "date": self.newer.date.isoformat()},
            "facts": self.totals(),
            "properties": [asdict(p) for p in self.properties[:limit]],
        }

    def write(
        self, path: Path, changes: Sequence[Change] = CHANGES, *, only_conflicts: bool = False
    ) -> None:
        """Write the facts, one a row, ordered by subject, property and object.

        The columns are `change`, `kind` (of a new fact: the part that is new), `conflict`, and the
        fact with its labels. `only_conflicts` leaves out the facts that the snapshots agree about.
        Raises ConfigError where the name ends in neither `.tsv` nor `.parquet`.
        """
        values = {"changes": list(changes), "only_conflicts": only_conflicts}
        write_table(self._store, path, queries.FACTS, values)


@contextmanager
def compare(store: Store, older: str, newer: str) -> Iterator[VersionDiff]:
    """Compare two snapshots of the store, by their names.

    Raises StoreError where there is no such snapshot, or they are not in the order of time.
    """
    first, last = chosen(store, [older, newer])
    run = store.connection.execute
    try:
        run(queries.HELD, {"older": first.id, "newer": last.id})
        for query in (queries.STATE, queries.CHANGED, queries.PAIR):
            run(query)
        yield VersionDiff(store, first, last)
    finally:
        run(queries.FORGET)


def chosen(store: Store, names: Sequence[str]) -> list[Snapshot]:
    """The snapshots of these names, which have to be two or more, in the order of time.

    Raises StoreError, which lists what the store holds.
    """
    snapshots = {snapshot.name: snapshot for snapshot in store.snapshots()}
    held = ", ".join(f"{s.name!r} of {s.date}" for s in snapshots.values()) or "none"
    if len(snapshots) < 2:
        raise StoreError(f"{store.path}: a comparison needs two snapshots; it holds: {held}")
    for name in names:
        if name not in snapshots:
            raise StoreError(f"{store.path}: holds no snapshot {name!r}; it holds: {held}")
    found = [snapshots[name] for name in names]
    for earlier, later in pairwise(found):
        if earlier.date >= later.date:
            raise StoreError(
                f"{store.path}: the snapshot {later.name!r} is not newer than {earlier.name!r}: "
                f"name each once, the oldest first; it holds: {held}"
            )
    return found


def write_table(store: Store, path: Path, query: str, values: dict[str, Any]) -> None:
    """Write the rows of a query as `.tsv` or `.parquet`, complete or not at all.

    Raises ConfigError for another name, OutputError where the place cannot be written.
    """
    if path.suffix not in {".tsv", ".parquet"}:
        raise ConfigError(f"{path}: a table is written as .tsv or .parquet: name it so")
    with write_atomically(path) as out:
        rows = store.connection.sql(query, params=values)
        try:
            if path.suffix == ".tsv":
                rows.write_csv(out.name, sep="\t", header=True)
            else:
                rows.write_parquet(out.name, compression="zstd")
        except duckdb.IOException as error:
            raise OutputError(f"{path}: cannot be written: is the disk full? {error}") from error
