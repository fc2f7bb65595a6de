"""The columns of a table of scores as arrays, and its rows by what they have in common.

A group is found by one sort of small integers: no row is compared as text, and no table is
filtered, for any of the thousands of groups of a report.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from factchain.chains.records import Axis
from factchain.eval.statistics import Codes, Values

Rows = np.ndarray[Any, np.dtype[np.intp]]
"""Row numbers."""


class Columns:
    """A table of scores, column by column."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table
        self._words: dict[str, list[Any]] = {}
        self._codes: dict[str, Codes] = {}
        self._values: dict[str, Values] = {}

    def __len__(self) -> int:
        return len(self._table)

    @property
    def rows(self) -> Rows:
        """All row numbers."""
        return np.arange(len(self._table))

    def words(self, name: str) -> list[Any]:
        """The values of a column, each once, in ascending order; a null is the last."""
        self._encode(name)
        return self._words[name]

    def codes(self, name: str) -> Codes:
        """For each row the place of its value in `words`."""
        self._encode(name)
        return self._codes[name]

    def values(self, name: str) -> Values:
        """A column of numbers; NaN where there is none."""
        if name not in self._values:
            column = self._table[name].cast(pa.float64()).fill_null(float("nan"))
            self._values[name] = column.to_numpy()
        return self._values[name]

    def groups(
        self, names: Sequence[str], rows: Rows | None = None
    ) -> list[tuple[dict[str, Any], Rows]]:
        """The values that rows share in these columns, ascending, with the rows."""
        rows = self.rows if rows is None else rows
        if not len(rows):
            return []
        joint: Codes = np.zeros(len(rows), np.int64)
        for name in names:
            _, joint = np.unique(
                joint * len(self.words(name)) + self.codes(name)[rows], return_inverse=True
            )
        order = np.argsort(joint, kind="stable")
        starts = np.flatnonzero(np.diff(joint[order])) + 1
        return [
            ({name: self.words(name)[self.codes(name)[of[0]]] for name in names}, of)
            for of in np.split(rows[order], starts)
        ]

    def by_axis(self, rows: Rows) -> list[tuple[Axis | None, Rows]]:
        """All the rows, then those of each axis where there are several; nothing of no rows."""
        if not len(rows):
            return []
        parts = [(group["axis"], members) for group, members in self.groups(("axis",), rows)]
        return [(None, rows), *(parts if len(parts) > 1 else [])]

    def where(self, name: str, value: object, rows: Rows | None = None) -> Rows:
        """The rows that have a value in a column."""
        rows = self.rows if rows is None else rows
        words = self.words(name)
        if value not in words:
            return rows[:0]
        found: Rows = rows[self.codes(name)[rows] == words.index(value)]
        return found

    def _encode(self, name: str) -> None:
        if name in self._codes:
            return
        column = self._table[name].combine_chunks().dictionary_encode(null_encoding="encode")
        order = pc.sort_indices(column.dictionary)  # nulls last
        places = np.empty(len(order), np.int64)
        places[order.to_numpy()] = np.arange(len(order))
        self._words[name] = column.dictionary.take(order).to_pylist()
        self._codes[name] = places[column.indices.to_numpy()]
