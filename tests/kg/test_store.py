"""The store: snapshots, the newest description of an entity, old, new and gone facts."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Edge, edges_to_entities, item, write_dump
from factchain.errors import OutputError, StoreError
from factchain.kg.dumps.ingest import ingest
from factchain.kg.records import ENTITY_SCHEMA, FACT_SCHEMA, PROPERTY_SCHEMA, DumpTables
from factchain.kg.snapshot import add_snapshot
from factchain.kg.store import MEMORY, Store

MakeStore = Callable[..., Store]

edges = st.lists(
    st.tuples(
        st.sampled_from(["Q1", "Q2", "Q3", "Q4"]),
        st.sampled_from(["P1", "P2"]),
        st.sampled_from(["Q1", "Q2", "Q3", "Q4"]),
    ),
    min_size=1,
    max_size=12,
    unique=True,
)


def recency(store: Store) -> dict[Edge, str]:
    found = store.rows(
        "SELECT f.s, f.p, f.o, r.recency FROM fact f JOIN fact_recency r ON r.fact = f.id"
    )
    return {(f"Q{s}", f"P{p}", f"Q{o}"): label for s, p, o, label in found}


@given(old=edges, new=edges)
@settings(max_examples=15)
def test_old_new_and_gone_are_set_operations(
    tmp_path_factory: pytest.TempPathFactory, old: list[Edge], new: list[Edge]
) -> None:
    folder = tmp_path_factory.mktemp("store")
    with Store.create(folder / "kg.duckdb") as store:
        for date, snapshot in (("2021-06-21", old), ("2024-06-05", new)):
            dump = write_dump(folder / f"{date}.json", edges_to_entities(snapshot))
            ingest(store, dump, date, date)
        expected = dict.fromkeys(set(old) & set(new), "old")
        expected |= dict.fromkeys(set(new) - set(old), "new")
        expected |= dict.fromkeys(set(old) - set(new), "gone")
        assert recency(store) == expected
        current = store.rows("SELECT s, p, o FROM current_edge")
        assert {(f"Q{s}", f"P{p}", f"Q{o}") for s, p, o in current} == set(new)


def test_the_order_of_ingestion_does_not_matter(tmp_path: Path) -> None:
    older = write_dump(tmp_path / "older.json", [item("Q1", "Nur-Sultan")])
    newer = write_dump(tmp_path / "newer.json", [item("Q1", "Astana"), item("Q2", "two")])
    for name, order in {"a": (0, 1), "b": (1, 0)}.items():
        with Store.create(tmp_path / name) as store:
            for position in order:
                dump, date = [(older, "2021-06-21"), (newer, "2024-06-05")][position]
                ingest(store, dump, date, date)
            labels = store.rows("SELECT id, label FROM entity ORDER BY id")
            assert labels == [(1, "Astana"), (2, "two")]
            assert store.newest().name == "2024-06-05"


def test_a_snapshot_is_added_once(tmp_path: Path) -> None:
    dump = write_dump(tmp_path / "dump.json", [item("Q1", "one")])
    with Store.create(tmp_path / "kg") as store:
        ingest(store, dump, "a", "2024-06-05")
        for name, date in (("a", "2024-06-06"), ("b", "2024-06-05")):
            with pytest.raises(StoreError, match="already"):
                ingest(store, dump, name, date)
        assert [snapshot.name for snapshot in store.snapshots()] == ["a"]


def test_a_label_that_looks_like_sql_is_text(tmp_path: Path) -> None:
    label = "'); DROP TABLE entity; --"
    dump = write_dump(tmp_path / "dump.json", [item("Q1", label, aliases=['"; DELETE'])])
    with Store.create(tmp_path / "kg") as store:
        ingest(store, dump, label, "2024-06-05")
        assert store.rows("SELECT label, aliases FROM entity") == [(label, ['"; DELETE'])]
        assert store.newest().name == label


def test_what_is_no_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no such store"):
        Store.open(tmp_path / "absent")
    text = tmp_path / "text"
    text.write_text("no database, though long enough to be looked at as if it were one " * 99)
    with pytest.raises(StoreError, match="is no factchain store"):
        Store.open(text)
    with pytest.raises(StoreError, match="exists already"):
        Store.create(text)


ids = st.integers(1, 4)
times = st.sampled_from([None, "1999", "2001-05"])
keys = st.tuples(
    ids,
    ids,
    st.one_of(
        st.tuples(ids, st.none(), st.just("wikibase-item"), st.none(), st.none(), st.none()),
        st.tuples(
            st.none(),
            st.sampled_from(["1", "2", "a\x00b", "ü"]),
            st.just("quantity"),
            st.none() | ids,
            st.none() | st.sampled_from(["0", "1"]),
            st.none() | st.just("3"),
        ),
    ),
)
statements = st.lists(st.tuples(keys, times, times), max_size=12)
names = st.lists(st.tuples(ids, st.sampled_from([None, "a", "b"])), max_size=5)


def as_tables(facts: list[Any], entities: list[Any]) -> DumpTables:
    rows = []
    for (s, p, (o, value, datatype, unit, lower, upper)), start, end in facts:
        literal = {"value": value, "datatype": datatype, "unit": unit}
        bounds = {"lower": lower, "upper": upper, "rank": "normal"}
        rows.append(
            {"s": s, "p": p, "o": o, "start_time": start, "end_time": end} | literal | bounds
        )
    named = [{"id": q, "label": label, "aliases": [], "classes": []} for q, label in entities]
    return DumpTables(
        entities=pa.Table.from_pylist(named, ENTITY_SCHEMA),
        properties=PROPERTY_SCHEMA.empty_table(),
        facts=pa.Table.from_pylist(rows, FACT_SCHEMA),
    )


def last(time: str | None) -> tuple[bool, str]:
    """A key that sorts what is not stated last."""
    return time is None, time or ""


@given(st.lists(st.tuples(statements, names), min_size=1, max_size=3), st.randoms())
@settings(max_examples=25)
def test_snapshots_are_sets_of_facts_whatever_repeats_and_their_order(
    tmp_path_factory: pytest.TempPathFactory, given: list[Any], random: Any
) -> None:
    order = list(range(len(given)))
    random.shuffle(order)
    with Store.create(tmp_path_factory.mktemp("store") / "kg") as store:
        for n in order:
            count = add_snapshot(store, f"{n}", f"200{n}-01-01", "", "", as_tables(*given[n]))
            assert count == len({key for key, _, _ in given[n][0]})
        numbers = [n for (n,) in store.rows("SELECT id FROM fact ORDER BY rowid")]
        assert sorted(numbers) == list(range(1, len(numbers) + 1))
        found = store.rows(
            "SELECT h.name, s, p, o, value, datatype, unit, lower, upper, start_time, end_time "
            "FROM fact f JOIN fact_snapshot fs ON fs.fact = f.id "
            "JOIN snapshot h ON h.id = fs.snapshot"
        )
        first: dict[Any, Any] = {}
        for n, (facts, _) in enumerate(given):
            for (s, p, rest), start, end in facts:
                key = (f"{n}", s, p, *rest)
                times = (last(start), last(end), start, end)
                first[key] = min(first.get(key, times), times, key=lambda pair: pair[:2])
        assert sorted(found, key=repr) == sorted(
            ((*key, *times[2:]) for key, times in first.items()), key=repr
        )
        assert len(numbers) == len({key[1:] for key in first})
        labels: dict[int, str | None] = {}
        for _, entities in given:
            newest: dict[int, list[str | None]] = {}
            for q, label in entities:
                newest.setdefault(q, []).append(label)
            labels |= {q: min(some, key=last) for q, some in newest.items()}
        assert dict(store.rows("SELECT id, label FROM entity")) == labels
        assert store.rows(
            "SELECT count(*) FROM duckdb_views() WHERE view_name LIKE 'incoming%'"
        ) == [(0,)]


def test_a_store_of_an_earlier_layout_is_told(tmp_path: Path) -> None:
    path = tmp_path / "kg.duckdb"
    with Store.create(path) as store:
        store.connection.execute("DROP TABLE entity_popularity")
    with pytest.raises(StoreError, match="layout of an earlier factchain: build it anew"):
        Store.open(path)


def test_a_store_that_another_process_writes_is_told(tmp_path: Path) -> None:
    path = tmp_path / "kg.duckdb"
    Store.create(path).close()
    holding = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print(flush=True); input()"
    command = [sys.executable, "-c", holding, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(StoreError, match=rf"another process has it open.*PID {holder.pid}\b"):
            Store.open(path)
        holder.communicate("\n")
    Store.open(path).close()


def many_facts(number: int, by: int) -> DumpTables:
    """As many entities, each with one fact, whose objects are moved."""
    ids = np.arange(1, number + 1)

    def table(schema: pa.Schema, **columns: Any) -> pa.Table:
        given = {name: pa.array(column) for name, column in columns.items()}
        arrays = [
            given[field.name].cast(field.type)
            if field.name in given
            else pa.nulls(number, field.type)
            for field in schema
        ]
        return pa.table(arrays, schema=schema)

    nothing = pa.ListArray.from_arrays(np.zeros(number + 1, np.int32), pa.array([], pa.int64()))
    entities = table(
        ENTITY_SCHEMA,
        id=ids,
        label=pa.array(ids).cast(pa.string()),
        aliases=nothing.cast(pa.list_(pa.string())),
        classes=nothing,
    )
    facts = table(
        FACT_SCHEMA,
        s=ids,
        p=np.ones(number),
        o=(ids * 7919 + by) % number + 1,
        datatype=pa.repeat("wikibase-item", number),
        rank=pa.repeat("normal", number),
    )
    return DumpTables(entities, PROPERTY_SCHEMA.empty_table(), facts)


@given(st.lists(st.tuples(statements, names), min_size=1, max_size=3))
@settings(max_examples=15)
def test_sorting_in_parts_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, given: list[Any]
) -> None:
    dumps = []
    for rows in (MEMORY, 2):
        folder = tmp_path_factory.mktemp("store")
        with Store.create(folder / "kg") as store, pytest.MonkeyPatch.context() as patched:
            patched.setattr("factchain.kg.snapshot.MEMORY_OF_SORTED", MEMORY // rows)
            for n, snapshot in enumerate(given):
                add_snapshot(store, f"{n}", f"200{n}-01-01", "", "", as_tables(*snapshot))
            order = store.rows("SELECT id FROM entity"), store.rows("SELECT * FROM fact_snapshot")
            dumps.append((store.dump(), order))
        assert {path.name for path in folder.iterdir()} == {"kg"}
    assert dumps[0] == dumps[1]


def test_no_part_is_empty(tmp_path: Path) -> None:
    """DuckDB would not show the facts of the parts after it."""
    number = 250_000
    tables = many_facts(number, 0)
    s = pa.array(np.maximum(np.arange(number) - 2 * number // 3, 1))
    tables.facts = tables.facts.set_column(0, "s", s)
    with Store.create(tmp_path / "kg.duckdb") as store, pytest.MonkeyPatch.context() as patched:
        store.limit(MEMORY, 2)
        patched.setattr("factchain.kg.snapshot.MEMORY_OF_SORTED", MEMORY // number * 2)
        assert add_snapshot(store, "now", "2024-06-05", "", "", tables) == number
        ids = "SELECT count(DISTINCT id), min(id), max(id), sum(s) FROM fact"
        assert store.rows(ids) == [(number, 1, number, pc.sum(s).as_py())]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "memory", "threads"), [(4_000_000, 64, 2), (1_000_000, 128, 16)]
)
def test_a_second_snapshot_needs_no_more_memory_than_the_first(
    tmp_path: Path, number: int, memory: int, threads: int
) -> None:
    """A join of all facts at once needs more; so do conditions that delete rows, and threads."""
    with Store.create(tmp_path / "kg.duckdb") as store:
        store.limit(memory << 20, threads)
        for by, date in enumerate(("2021-06-21", "2024-06-05")):
            assert add_snapshot(store, date, date, "", "", many_facts(number, by)) == number
        counts = dict(store.rows("SELECT recency, count(*) FROM fact_recency GROUP BY recency"))
        assert counts == {"new": number, "gone": number}
        assert store.rows("SELECT count(*), min(snapshot) FROM entity") == [(number, 2)]


def test_there_are_no_more_threads_than_memory_has_room_for(tmp_path: Path) -> None:
    with Store.create(tmp_path / "kg.duckdb") as store:
        for memory, asked, threads in ((384, 64, 4), (384, 2, 2), (64, 8, 1), (8192, 64, 64)):
            store.limit(memory << 20, asked)
            assert store.rows("SELECT current_setting('threads')") == [(threads,)]


def test_too_little_memory_is_told(tmp_path: Path) -> None:
    with Store.create(tmp_path / "kg.duckdb") as store:
        store.limit(2 << 20, 1)
        with pytest.raises(OutputError, match=r"may DuckDB take more memory \(--memory\)"):
            add_snapshot(store, "now", "2024-06-05", "", "", many_facts(100_000, 0))
        assert store.snapshots() == []
