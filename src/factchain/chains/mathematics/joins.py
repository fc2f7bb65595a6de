"""Count the results of an acyclic join, and give any of them by its number.

A composition of hops is a tree of relations, each joined to its parent on one column. How many
results lie below every row is counted from the leaves up (Yannakakis); a result's number then
leads to its rows from the root down, by bisection. So a uniform draw of numbers is a uniform draw
of compositions, without making them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

EXACT = 2.0**53
"""Numbers of results are floats; below this they are whole numbers without error."""


class Table:
    """Columns of one length, and the orders in which they were asked for."""

    def __init__(self, columns: Mapping[str, Ints]) -> None:
        self.columns = dict(columns)
        self._sorted: dict[str, tuple[Ints, Ints]] = {}
        self._parts: dict[int, Table] = {}

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __getitem__(self, column: str) -> Ints:
        return self.columns[column]

    def sorted_by(self, column: str) -> tuple[Ints, Ints]:
        """The rows in the order of a column, and the column in that order."""
        if column not in self._sorted:
            order = np.argsort(self.columns[column], kind="stable")
            self._sorted[column] = order, self.columns[column][order]
        return self._sorted[column]

    def where(self, mask: npt.NDArray[np.bool_]) -> Table:
        """The rows that a mask keeps."""
        return Table({name: values[mask] for name, values in self.columns.items()})

    def of_code(self, code: int) -> Table:
        """The rows of one label code."""
        if code not in self._parts:
            self._parts[code] = self.where(self.columns["code"] == code)
        return self._parts[code]

    def codes(self) -> tuple[int, ...]:
        """The label codes that occur."""
        return tuple(np.unique(self.columns["code"]).tolist())


@dataclass(frozen=True)
class Relation:
    """A table in a join: its `key` equals the parent's column `on`; without key, always."""

    name: str
    """Of its rows in the results."""
    table: Table
    key: str = ""
    on: str = ""
    children: tuple[Relation, ...] = ()

    def walk(self) -> Iterator[Relation]:
        """This relation and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass
class _Counted:
    """A relation with how many results lie below each row, in the order of its key."""

    relation: Relation
    order: Ints
    keys: Ints
    before: Floats = field(init=False)
    """Results below all earlier rows in that order; one entry more than rows."""
    children: list[_Counted] = field(default_factory=list)

    def stretch(self, parent: Table, rows: Ints) -> tuple[Ints, Ints]:
        """Where the rows that join the parent's begin and end, in the order of the key."""
        if not self.relation.key:
            return np.zeros(len(rows), np.int64), np.full(len(rows), len(self.order), np.int64)
        wanted = parent[self.relation.on][rows]
        return (
            np.searchsorted(self.keys, wanted, "left"),
            np.searchsorted(self.keys, wanted, "right"),
        )


class Join:
    """All results of a tree of relations."""

    def __init__(self, root: Relation) -> None:
        self._root = _count(root)
        self.total: float = float(self._root.before[-1])
        """How many results there are; exact below `EXACT`."""

    def unrank(self, numbers: Ints) -> dict[str, Ints]:
        """The rows of each relation in the results of these numbers, from 0 to total - 1."""
        if self.total >= EXACT:
            raise ValueError(f"{self.total:.3g} results are too many to be numbered: draw them")
        rows: dict[str, Ints] = {}
        _descend(self._root, np.zeros(len(numbers), np.int64), numbers.astype(float), None, rows)
        return rows

    def draw(self, count: int, rng: np.random.Generator) -> dict[str, Ints]:
        """The rows of `count` results, drawn uniformly and independently."""
        rows: dict[str, Ints] = {}
        start = np.zeros(count, np.int64)
        _descend(self._root, start, rng.random(count) * self.total, rng, rows)
        return rows


def _count(relation: Relation) -> _Counted:
    table = relation.table
    order, keys = (
        table.sorted_by(relation.key) if relation.key else (np.arange(len(table)), np.empty(0))
    )
    counted = _Counted(relation, order, keys.astype(np.int64))
    below = np.ones(len(table))
    for child in relation.children:
        inner = _count(child)
        begin, end = inner.stretch(table, np.arange(len(table)))
        below *= inner.before[end] - inner.before[begin]
        counted.children.append(inner)
    counted.before = np.concatenate([np.zeros(1), np.cumsum(below[order])])
    return counted


def _descend(
    counted: _Counted,
    begin: Ints,
    offset: Floats,
    rng: np.random.Generator | None,
    rows: dict[str, Ints],
) -> None:
    """Choose the row at an offset into the results below a stretch, then the rows below it.

    Without `rng` what is left of the offset numbers the rows below; with it they are drawn.
    """
    target = counted.before[begin] + offset
    # Rows with no result below them take up no room, and are never chosen.
    position = np.searchsorted(counted.before, target, "right") - 1
    position = np.clip(position, 0, len(counted.order) - 1)
    chosen = counted.order[position]
    rows[counted.relation.name] = chosen
    left = target - counted.before[position]
    for child in counted.children:
        first, end = child.stretch(counted.relation.table, chosen)
        size = child.before[end] - child.before[first]
        if rng is None:
            left, inner = np.divmod(left, size)
        else:
            inner = rng.random(len(chosen)) * size
        _descend(child, first, inner, rng, rows)
