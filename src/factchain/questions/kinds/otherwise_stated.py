"""Which facts of a hop does the store state a second time, so that withholding them hides nothing?

A fact is stated otherwise where another fact of any snapshot joins its subject and object, in
either direction (an inverse property, a broader one), where another property of the subject has
the same date, or where the subject has another object of the property: an older snapshot's, which
would be taken for the answer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pyarrow as pa

from factchain.chains.records import ChainFact
from factchain.kg.records import number, pid, qid
from factchain.kg.store import Store
from factchain.questions.kinds import queries
from factchain.questions.records import SubQuestion

Key = tuple[str, str, str]
"""A fact: subject, property and object, as `ChainFact.key`."""


@dataclass(frozen=True)
class Statements:
    """What the store says about the facts of some hops, in all snapshots."""

    ids: dict[Key, int]
    """The facts' numbers in the store."""
    of_pair: dict[tuple[str, str], set[Key]]
    """All facts of a subject and a property."""
    between: dict[frozenset[str], set[Key]]
    """All facts between two entities, in both directions."""
    dates: set[Key]
    """Facts whose date another property of the subject has too."""

    @classmethod
    def around(cls, store: Store, hops: Iterable[SubQuestion]) -> Statements:
        """Look up everything that is asked about the facts of the hops."""
        facts = {fact.key: fact for hop in hops for fact in hop.facts}
        ids: dict[Key, int] = {}
        of_pair: dict[tuple[str, str], set[Key]] = defaultdict(set)
        pairs = sorted({(number(fact.s), number(fact.p)) for fact in facts.values()})
        with store.incoming(pair=_table(("s", "p"), pairs)):
            for fact, s, p, o, value, unit in store.rows(queries.FACTS_OF_PAIRS):
                literal = value if unit is None else f"{value} {qid(unit)}"
                key = (qid(s), pid(p), literal if o is None else qid(o))
                ids[key] = fact
                of_pair[key[:2]].add(key)
        return cls(ids, of_pair, _between(store, facts.values()), _dates(store, facts.values()))

    def stated_otherwise(self, hop: SubQuestion) -> bool:
        """Whether other facts give away what the hop's facts say, or seem to."""
        own = {fact.key for fact in hop.facts}
        if not own <= set(self.ids) or own & self.dates:
            return True
        if hop.kind != "intersect" and any(self.of_pair[key[:2]] - own for key in own):
            return True
        return any(self.between[frozenset((fact.s, fact.o))] - own for fact in hop.facts if fact.o)


def _between(store: Store, facts: Iterable[ChainFact]) -> dict[frozenset[str], set[Key]]:
    pairs = {(number(fact.s), number(fact.o)) for fact in facts if fact.o}
    found: dict[frozenset[str], set[Key]] = defaultdict(set)
    with store.incoming(pair=_table(("s", "o"), sorted(pairs | {(o, s) for s, o in pairs}))):
        for s, p, o in store.rows(queries.FACTS_BETWEEN):
            found[frozenset((qid(s), qid(o)))].add((qid(s), pid(p), qid(o)))
    return found


def _dates(store: Store, facts: Iterable[ChainFact]) -> set[Key]:
    rows = [
        (number(fact.s), number(fact.p), fact.value.value)
        for fact in facts
        if fact.value is not None and fact.value.datatype == "time"
    ]
    columns = list(zip(*sorted(rows), strict=True)) or [(), (), ()]
    kinds = (pa.int64(), pa.int64(), pa.string())
    arrays = [pa.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
    with store.incoming(date=pa.table(arrays, names=["s", "p", "value"])):
        return {(qid(s), pid(p), value) for s, p, value in store.rows(queries.DATES_STATED_TWICE)}


def _table(names: Sequence[str], rows: Sequence[tuple[int, ...]]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    return pa.table(
        {name: pa.array(column, pa.int64()) for name, column in zip(names, columns, strict=True)}
    )
