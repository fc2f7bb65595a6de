"""Facts on their way from the statements to an Arrow table, column by column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from factchain.kg.records import FACT_SCHEMA

NORMAL, PREFERRED = "normal", "preferred"
SPARSE = ("unit", "precision", "calendar", "lower", "upper", "rank", "start_time", "end_time")
"""Columns that most facts have nothing in, or the usual rank: only the others are written down."""


class FactColumns:
    """The columns of `FACT_SCHEMA`. Tuples of a row each would take three times as long."""

    def __init__(self) -> None:
        self.subjects: list[int] = []
        self.counts: list[int] = []
        """How many facts each subject has."""
        self.p: list[int] = []
        self.o: list[int | None] = []
        self.value: list[str | None] = []
        self.datatype: list[str] = []
        self.sparse: dict[str, dict[int, Any]] = {name: {} for name in SPARSE}
        """By column and row."""

    def __len__(self) -> int:
        return len(self.p)

    def end_subject(self, s: int, first: int) -> None:
        """The facts from row `first` on are those of `s`."""
        if len(self.p) > first:
            self.subjects.append(s)
            self.counts.append(len(self.p) - first)

    def cut(self, length: int) -> None:
        """Remove the rows from `length` on, which no subject was given yet."""
        for row in range(length, len(self.p)):
            for values in self.sparse.values():
                values.pop(row, None)
        for column in (self.p, self.o, self.value, self.datatype):
            del column[length:]

    def table(self) -> pa.Table:
        """The facts."""
        columns = {
            "s": pa.array(np.repeat(np.array(self.subjects, np.int64), self.counts)),
            "p": pa.array(self.p, pa.int32()),
            "o": pa.array(self.o, pa.int64()),
            "value": pa.array(self.value, pa.string()),
            "datatype": pa.array(self.datatype, pa.string()),
        }
        for name in SPARSE:
            columns[name] = self._spread(name)
        return pa.table([columns[name] for name in FACT_SCHEMA.names], schema=FACT_SCHEMA)

    def _spread(self, name: str) -> pa.Array:
        """A sparse column in full."""
        stated = self.sparse[name]
        usual = NORMAL if name == "rank" else None
        kind = FACT_SCHEMA.field(name).type
        place = np.zeros(len(self.p), np.int32)
        place[list(stated)] = np.arange(1, len(stated) + 1)
        return pa.array([usual, *stated.values()], kind).take(pa.array(place))
