"""The store -> what each entity's facts say, one line a fact.

The 1-hop subgraph of an entity becomes text (MINTQA after Yu et al. 2023, SPEC.md 4.5): its
outgoing facts as `Subject property object.`, ordered by property and object. Where the oldest
and the newest snapshot give one subject and property different objects, each snapshot's facts
go to a version of their own; a fact that is only new contradicts nothing and stays undated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import duckdb

from factchain.errors import StoreError
from factchain.kg.literals import literal_text
from factchain.retrieval_corpus import queries

Triple = tuple[str, str, str]
_ROWS_AT_ONCE = 20_000


class StatedFact(NamedTuple):
    """A fact and the line that states it."""

    triple: Triple
    """(s, p, o) as ids; a literal object stands as its value and the Q-id of its unit."""
    line: str
    """`Subject property object.`, without line breaks."""


@dataclass(frozen=True, slots=True)
class EntityVersion:
    """What is said of one entity, in all snapshots or in one of two that conflict."""

    entity: str
    """Q-id."""
    title: str
    """Label of the entity."""
    snapshot: str | None
    """Name of the snapshot that says it; none where no other contradicts."""
    facts: list[StatedFact]
    """At least one fact."""


def linearize(connection: duckdb.DuckDBPyConnection) -> Iterator[EntityVersion]:
    """Yield the versions of every entity that has a label and facts, in the order of the ids.

    Per entity the undated version comes first, then the older and the newer one. Memory does
    not grow with the store. Raises StoreError where the store cannot be read.
    """
    for (entity, title, snapshot), rows in groupby(_rows(connection), itemgetter(0, 1, 2)):
        title = one_line(title)
        facts = [_state(f"Q{entity}", title, row) for row in rows]
        yield EntityVersion(f"Q{entity}", title, snapshot, facts)


def count_entities(connection: duckdb.DuckDBPyConnection) -> tuple[int, int, int]:
    """How many entities are linearized, have no label, and have a label but no fact.

    Raises StoreError where the store cannot be read.
    """
    try:
        ((stated, unlabelled, factless),) = (
            connection.cursor().execute(queries.COUNT_ENTITIES).fetchall()
        )
    except duckdb.Error as error:
        raise _unreadable(error) from error
    return stated, unlabelled, factless


def one_line(text: str) -> str:
    """`text` with every run of white space, line breaks too, as one space."""
    return " ".join(text.split())


def _rows(connection: duckdb.DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    try:
        result = connection.cursor().execute(queries.STATED_FACTS)
        while rows := result.fetchmany(_ROWS_AT_ONCE):
            yield from rows
    except duckdb.Error as error:
        raise _unreadable(error) from error


def _unreadable(error: duckdb.Error) -> StoreError:
    return StoreError(f"the triple store cannot be read: {str(error).splitlines()[0]}")


def _state(entity: str, title: str, row: tuple[Any, ...]) -> StatedFact:
    p, property_label, o, object_label, value, datatype, unit_label, unit, precision = row[3:]
    if o is not None:
        target = f"Q{o}"
        # An unlabelled object shows its id, as in Wikidata itself.
        words = object_label or target
    else:
        unit_id = None if unit is None else f"Q{unit}"
        # As `chains.records.TypedValue.key` names a literal.
        target = one_line(value if unit_id is None else f"{value} {unit_id}")
        words = one_line(literal_text(value, datatype, unit_label or unit_id, precision))
    line = one_line(f"{title} {property_label or f'P{p}'} {words}.")
    return StatedFact((entity, f"P{p}", target), line)
