"""Small random graphs with typed facts, as a store and as RDF."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb
from hypothesis import strategies as st
from rdflib import XSD, Graph, Literal, Namespace

from factchain.chains.operations.operations import typed_value
from factchain.chains.records import ChainFact, TypedValue
from factchain.kg.store import Store

WD = Namespace("http://www.wikidata.org/entity/")
WDT = Namespace("http://www.wikidata.org/prop/direct/")
NAMESPACES = {"wd": WD, "wdt": WDT}

DAY, YEAR, NUMBER, LENGTH = "P11", "P12", "P13", "P14"
"""Properties of literals: a day, a year, a bare number, a number of metres."""
METRE = 11573
LITERALS = (DAY, YEAR, NUMBER, LENGTH)


@dataclass(frozen=True)
class Fact:
    """(s, p, o); the object is a Q-id, or the value of a literal of the property's type."""

    s: str
    p: str
    o: str
    end: str | None = None
    """When it ended, in the newest snapshot."""

    @property
    def value(self) -> TypedValue | None:
        """The object as a literal."""
        return literal(self.p, self.o) if self.p in LITERALS else None

    def record(self) -> ChainFact:
        """As a chain holds it."""
        value = self.value
        return ChainFact(
            s=self.s,
            s_label=label(self.s),
            p=self.p,
            p_label=f"property {self.p}",
            o=None if value else self.o,
            o_label=value.label if value else label(self.o),
            value=value,
        )


def literal(p: str, text: str) -> TypedValue:
    """A literal of a property's type."""
    if p in (DAY, YEAR):
        return typed_value(text, "time", precision=11 if p == DAY else 9)
    unit = METRE if p == LENGTH else None
    return typed_value(text, "quantity", unit, "metre" if unit else None)


def label(q: str) -> str:
    return f"entity {q}"


@dataclass(frozen=True)
class World:
    """Facts of the newest snapshot, and of the older ones."""

    new: tuple[Fact, ...]
    old: tuple[Fact, ...] = ()
    labels: dict[str, str] = field(default_factory=dict, hash=False)
    descriptions: dict[str, str] = field(default_factory=dict, hash=False)
    classes: dict[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    def objects(self, s: str, p: str) -> list[str]:
        return [f.o for f in self.new if (f.s, f.p) == (s, p)]


DATES = ("2021-06-21", "2024-06-05")


def open_store(world: World) -> Store:
    """The world's two snapshots (one, if there are no older facts) as a store in memory.

    Written straight into its tables: how dumps are read is tested elsewhere.
    """
    connection = duckdb.connect()
    connection.execute((files("factchain.kg") / "schema.sql").read_text(encoding="utf-8"))
    snapshots = [(DATES[0], world.old)] * bool(world.old) + [(DATES[1], world.new)]
    newest = len(snapshots)
    numbered: dict[tuple[str, str, str], tuple[int, Fact]] = {}
    held = []
    for snapshot, (_, facts) in enumerate(snapshots, start=1):
        for f in facts:
            number, _ = numbered.setdefault((f.s, f.p, f.o), (len(numbered) + 1, f))
            held.append((number, snapshot, "normal", None, f.end))
    entities = {e for s, p, o in numbered for e in ([s] if p in LITERALS else [s, o])}
    rows = {
        "snapshot": [(n, d, d, "test", "", []) for n, (d, _) in enumerate(snapshots, start=1)],
        "fact": [
            (number, int(f.s[1:]), int(f.p[1:]), *_object(f), None, None, None)
            for number, f in numbered.values()
        ],
        "fact_snapshot": held,
        "entity": [
            (
                *(int(q[1:]), "metre" if q == f"Q{METRE}" else world.labels.get(q, label(q))),
                *(world.descriptions.get(q), []),
                *([int(c[1:]) for c in world.classes.get(q, ())], None, newest),
            )
            for q in sorted(entities | {f"Q{METRE}"})
        ],
        "property": [
            (int(p[1:]), f"property {p}", None, [], "wikibase-item", newest)
            for p in sorted({p for _, p, _ in numbered})
        ],
    }
    for table, values in rows.items():
        if values:
            places = ", ".join("?" * len(values[0]))
            connection.executemany(f"INSERT INTO {table} VALUES ({places})", values)
    return Store(connection, Path("memory"))


def _object(f: Fact) -> tuple[object, ...]:
    """The columns o, value, datatype, unit and precision."""
    value = f.value
    if value is None:
        return int(f.o[1:]), None, "wikibase-item", None, None
    unit = METRE if f.p == LENGTH else None
    return None, f.o, value.datatype, unit, value.precision


def to_rdf(facts: Iterable[Fact]) -> Graph:
    """Facts as the Wikidata Query Service holds them: truthy values, dates filled up."""
    graph = Graph()
    for f in facts:
        if f.p in (DAY, YEAR):
            text = f.o + "-01-01" * (f.p == YEAR)
            value: Any = Literal(f"{text}T00:00:00Z", datatype=XSD.dateTime)
        elif f.p in LITERALS:
            value = Literal(Decimal(f.o), datatype=XSD.decimal)
        else:
            value = WD[f.o]
        graph.add((WD[f.s], WDT[f.p], value))
    return graph


NODES = [f"Q{n}" for n in range(1, 8)]
RELATIONS = ("P1", "P2")
_days = st.builds(
    "{:04d}-{:02d}-{:02d}".format, st.integers(1990, 1992), st.integers(1, 2), st.integers(1, 2)
)
_years = st.integers(1990, 1992).map(str)
_numbers = st.integers(0, 3).map(str)
_VALUES = {DAY: _days, YEAR: _years, NUMBER: _numbers, LENGTH: _numbers}


@st.composite
def worlds(draw: st.DrawFn, nodes: int = 5) -> World:
    """Facts between entities and with literals; the older snapshot has some of them, and others.

    Most subjects have one or two objects of every property, so that chains find answers.
    """
    entities = st.sampled_from(NODES[:nodes])
    new: list[Fact] = []
    for s in NODES[:nodes]:
        for p in RELATIONS:
            objects = draw(st.lists(entities, max_size=2, unique=True))
            new += [Fact(s, p, o) for o in objects]
        for p, values in _VALUES.items():
            new += [Fact(s, p, value) for value in draw(st.lists(values, max_size=2, unique=True))]
    gone = draw(st.lists(st.builds(Fact, entities, st.just("P3"), entities), max_size=2))
    kept = [fact for fact in new if draw(st.booleans())]
    return World(tuple(new), tuple(dict.fromkeys([*kept, *gone])))
