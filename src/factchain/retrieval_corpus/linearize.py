"""The store -> what each entity's facts say, one line a fact.

The 1-hop subgraph of an entity becomes text (MINTQA after Yu et al. 2023, SPEC.md 4.5): its
outgoing facts, and where asked for those that lead to it, ordered by property and object. Where
the oldest and the newest snapshot give one subject and property different objects, each snapshot's
facts go to a version of their own; a fact that is only new contradicts nothing and stays undated.

DuckDB writes the lines, within its limit of memory; they arrive in batches, sorted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import duckdb
import pyarrow as pa

from factchain.chains.records import ChainFact
from factchain.errors import StoreError
from factchain.kg.records import number, qid
from factchain.kg.store import what_ran_out
from factchain.questions.literal_forms import unit_forms
from factchain.retrieval_corpus import queries
from factchain.retrieval_corpus.scope import set_scope
from factchain.retrieval_corpus.sentences import pattern_table
from factchain.retrieval_corpus.settings import CorpusSettings

WITHHELD = -1
"""The mark of a fact that no passage may state."""
ROWS_AT_ONCE = 50_000


class Linearizer:
    """The lines of one corpus, on a connection of its own to the store."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        settings: CorpusSettings,
        *,
        evidence: Sequence[ChainFact] = (),
        withheld: Sequence[ChainFact] = (),
        nodes: Iterable[int] = (),
        entities: Iterable[int] = (),
    ) -> None:
        """A line that states a fact of `evidence` comes with its place in that list, one that names
        an entity of `nodes` besides its own with that entity; facts of `withheld` are left out.
        `entities` are those of the questions, which are in every scope.

        Raises StoreError where the store cannot be read.
        """
        self._work = connection.cursor()
        self._settings = settings
        with _reading():
            for sql in queries.PREPARE:
                self._work.execute(sql)
            self._mark(evidence, withheld)
            self._fill(
                queries.CREATE_NODE, queries.FILL_NODE, pa.table({"id": sorted(nodes)}, _IDS)
            )
            self._fill(
                None, queries.FILL_UNIT, _units(self._work.execute(queries.UNITS).fetchall())
            )
            set_scope(self._work, settings, sorted(entities))
            if settings.style == "sentences":
                rows = self._work.execute(queries.KINDS).fetchall()
                self._fill(None, queries.FILL_PATTERN, pattern_table(rows))

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the lines by entity, version, property and object (see `queries.stated_facts`).

        Raises StoreError where the store cannot be read.
        """
        sql = queries.stated_facts(
            sentences=self._settings.style == "sentences",
            incoming=self._settings.incoming,
            scoped=self._settings.scope != "all",
        )
        with _reading():
            yield from self._work.sql(sql).to_arrow_reader(ROWS_AT_ONCE)

    def snapshots(self) -> tuple[str | None, str, str]:
        """The names of the versions: undated, of the oldest and of the newest snapshot."""
        with _reading():
            ((oldest, newest),) = self._work.execute(queries.VERSION_NAMES).fetchall()
        return None, oldest, newest

    def count_left_out(self) -> tuple[int, int]:
        """How many entities of the scope have no label, and have a label but nothing to say."""
        sql = queries.count_left_out(
            incoming=self._settings.incoming, scoped=self._settings.scope != "all"
        )
        with _reading():
            ((unlabelled, factless),) = self._work.execute(sql).fetchall()
        return unlabelled, factless

    def close(self) -> None:
        """Drop what was made for this corpus."""
        self._work.close()

    def _mark(self, evidence: Sequence[ChainFact], withheld: Sequence[ChainFact]) -> None:
        facts = [*evidence, *withheld]
        marks = [*range(len(evidence)), *[WITHHELD] * len(withheld)]
        table = pa.table(
            {
                "s": [number(fact.s) for fact in facts],
                "p": [number(fact.p) for fact in facts],
                "o": [fact.o and number(fact.o) for fact in facts],
                "value": [fact.value and fact.value.value for fact in facts],
                "unit": [_unit(fact) for fact in facts],
                "number": marks,
            },
            _MARKS,
        )
        self._fill(queries.CREATE_MARK, queries.FILL_MARK, table)

    def _fill(self, create: str | None, fill: str, table: pa.Table) -> None:
        if create:
            self._work.execute(create)
        self._work.register("given", table)
        self._work.execute(fill)
        self._work.unregister("given")


_IDS = pa.schema([("id", pa.int64())])
_UNITS = pa.schema([("unit", pa.int64()), ("one", pa.string()), ("several", pa.string())])
_MARKS = pa.schema(
    [
        ("s", pa.int64()),
        ("p", pa.int32()),
        ("o", pa.int64()),
        ("value", pa.string()),
        ("unit", pa.int64()),
        ("number", pa.int32()),
    ]
)


def _units(labels: Sequence[tuple[int, str | None]]) -> pa.Table:
    """What units are called after one, and after another number; by their ids where not at all."""
    rows = [
        (unit, *(unit_forms(label) if label else (qid(unit), qid(unit)))) for unit, label in labels
    ]
    return pa.Table.from_pylist([dict(zip(_UNITS.names, row, strict=True)) for row in rows], _UNITS)


def _unit(fact: ChainFact) -> int | None:
    return number(fact.value.unit) if fact.value and fact.value.unit else None


@contextmanager
def _reading() -> Iterator[None]:
    try:
        yield
    except duckdb.Error as error:
        first = str(error).splitlines()[0]
        short = isinstance(error, duckdb.OutOfMemoryException)
        remedy = f": {what_ran_out(error)}" if short else ""
        raise StoreError(f"the triple store cannot be read: {first}{remedy}") from error
