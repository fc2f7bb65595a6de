"""What mathematics hops can be made of: tables of lookups, literals, groups and conditions.

All of them are made by DuckDB from the newest snapshot, as columns of numbers; literals in words
and the facts of a group are fetched for the chains that need them.

`lookup`      facts that entity hops may use
`date`, `quantity`  the only literal of their subject and property; a quantity is exact
`count`       two or more facts of one subject and property, or of one object and property
`condition`   the one entity with a date in a given year and a given object
`choice`      two or more objects of one subject and property, all with one literal of a kind
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from factchain.chains.drafts import DraftFact
from factchain.chains.mathematics import queries
from factchain.chains.mathematics.joins import Ints, Table
from factchain.chains.operations.typed_values import typed_value
from factchain.chains.records import Axis
from factchain.chains.sampling.sampler import RARER
from factchain.kg.store import Store

MOST = 20
"""Most facts that a hop counts or chooses among: a question about more is hard to check."""
YEAR = 9
"""Wikidata's precision of a year."""

Group = tuple[int, int, int]
"""Entity, property, form: 0 where the entity is the subject, 1 where it is the object."""


@dataclass
class Tables:
    """The tables by name, and what is fetched on demand."""

    store: Store
    axis: Axis
    tables: dict[str, Table]
    literals: dict[int, DraftFact] = field(default_factory=dict)
    """Literal facts by their id, fetched so far."""
    groups: dict[Group, list[DraftFact]] = field(default_factory=dict)
    """Facts of groups fetched so far."""

    by_subject: dict[tuple[int, int], DraftFact] = field(default_factory=dict)
    """The same by subject and property."""

    def fetch_literals(self, facts: Iterable[int]) -> None:
        """Make the literal facts of these ids ready."""
        missing = sorted(set(facts) - set(self.literals))
        if not missing:
            return
        with self.store.incoming(wanted=pa.table({"fact": pa.array(missing, pa.int64())})):
            for fact, s, p, *literal in self.store.rows(queries.LITERALS_OF_FACTS):
                found = DraftFact(fact, s, p, None, typed_value(*literal))
                self.literals[fact] = self.by_subject[s, p] = found

    def literal_ids(self, subjects: Ints, properties: Ints) -> Ints:
        """The fact ids of the only literals of these subjects and properties."""
        literal = self.tables["literal"]
        order, keys = literal.sorted_by("subject and property")
        found: Ints = literal["fact"][order[np.searchsorted(keys, _pair(subjects, properties))]]
        return found

    def fetch_groups(self, groups: Iterable[Group]) -> None:
        """Make the facts of these groups ready."""
        missing = sorted(set(groups) - set(self.groups))
        if not missing:
            return
        columns = list(zip(*missing, strict=True))
        table = pa.table(
            {
                name: pa.array(values, pa.int64())
                for name, values in zip(("entity", "p", "form"), columns, strict=True)
            }
        )
        self.groups.update({group: [] for group in missing})
        with self.store.incoming(group=table):
            for entity, p, form, fact, s, o in self.store.rows(queries.GROUP_FACTS):
                self.groups[entity, p, form].append(DraftFact(fact, s, p, o))


def read_tables(
    store: Store, axis: Axis, excluded: frozenset[int], count_subjects: bool, lookup: Table
) -> Tables:
    """Make the tables of a store; `lookup` are the facts that entity hops may use."""
    settings = {"axis": axis, "excluded": sorted(excluded)}
    store.connection.execute(queries.MAKE_CURRENT_FACTS, settings)
    columns = columns_of(store, queries.LITERALS)
    columns["subject and property"] = _pair(columns["s"], columns["p"])
    literal = Table(columns)
    is_date = columns["is_date"] == 1
    gregorian = is_date & (columns["gregorian"] == 1) & (columns["year"] != MISSING)
    year = literal.where(gregorian)
    groups = columns_of(store, queries.COUNTS, most=MOST, subjects=count_subjects)
    groups["kind"] = (groups["p"] << 1) | groups["form"]
    count = _with_code(groups, axis)
    choice = _with_code(columns_of(store, queries.CHOICES, most=MOST), axis)
    return Tables(
        store,
        axis,
        {
            "lookup": lookup,
            "literal": literal,
            "date": literal.where(is_date),
            "year": year,
            "plain year": literal.where(gregorian & (columns["precision"] == YEAR)),
            "quantity": literal.where(~is_date),
            "count": count,
            "moved": _moved(year, np.unique(count["n"])),
            "condition": _with_code(columns_of(store, queries.CONDITIONS), axis),
            "choice": _both_ends(choice),
            "terms": choice.where(choice["is_date"] == 0),
        },
    )


def _moved(year: Table, counts: Ints) -> Table:
    """Every date with every count that occurs, and the years as far before and after it."""
    parts = [
        {
            "fact": year["fact"],
            "s": year["s"],
            "n": np.full(len(year), count),
            "sign": np.full(len(year), sign),
            "target": year["year"] + sign * count,
            "code": year["code"],
        }
        for count in counts.tolist()
        for sign in (-1, 1)
    ]
    names = ("fact", "s", "n", "sign", "target", "code")
    empty = np.empty(0, np.int64)
    return Table({n: np.concatenate([empty, *(part[n] for part in parts)]) for n in names})


def _both_ends(choice: Table) -> Table:
    """A choice for the least and one for the greatest of each group."""
    ends = []
    for greatest, column in ((0, "least"), (1, "greatest")):
        own = {n: v for n, v in choice.columns.items() if n not in ("least", "greatest")}
        ends.append(own | {"o": choice[column], "greatest": np.full(len(choice), greatest)})
    return Table({name: np.concatenate([end[name] for end in ends]) for name in ends[0]})


def _pair(subjects: Ints, properties: Ints) -> Ints:
    """One key for a subject and a property; ids have 31 bits."""
    keys: Ints = (subjects << 31) | properties
    return keys


MISSING = -(2**62)
"""Stands for NULL in a column."""


def columns_of(store: Store, query: str, **bound: object) -> dict[str, Ints]:
    """The rows of a query as columns; sizes are floats, all others whole numbers."""
    found = store.connection.sql(query, params=bound or None).to_arrow_table()
    columns = {}
    for name in found.column_names:
        column = found.column(name)
        if pa.types.is_floating(column.type):
            columns[name] = column.to_numpy()
        else:
            columns[name] = column.cast(pa.int64()).fill_null(MISSING).to_numpy().astype(np.int64)
    return columns


def _with_code(columns: dict[str, Ints], axis: Axis) -> Table:
    """Add the label code of hops of several facts, from the least and the greatest of theirs."""
    if "date_code" in columns:
        first, second = columns.pop("date_code"), columns.pop("edge_code")
        low, high = np.minimum(first, second), np.maximum(first, second)
    else:
        low, high = columns.pop("lowest"), columns.pop("highest")
    return Table({**columns, "code": merged_codes(low, high, axis)})


def merged_codes(low: Ints, high: Ints, axis: Axis) -> Ints:
    """One code for facts whose codes go from `low` to `high`: the rarer; -1 if one has none."""
    mixed: npt.NDArray[np.bool_] = low != high
    codes: Ints = np.where(low < 0, -1, np.where(mixed, RARER[axis], low)).astype(np.int64)
    return codes
