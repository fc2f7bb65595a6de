"""The store: snapshots, the newest description of an entity, old, new and gone facts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Edge, edges_to_entities, item, write_dump
from factchain.errors import StoreError
from factchain.kg.ingest import ingest
from factchain.kg.stats import as_text, statistics
from factchain.kg.store import Store

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


def test_statistics(make_store: MakeStore) -> None:
    store = make_store(
        [("Q1", "P1", "Q2"), ("Q3", "P1", "Q2")], [("Q1", "P1", "Q2"), ("Q1", "P2", "Q4")]
    )
    figures = statistics(store)
    assert figures["counts"]["entities"] == 4
    assert figures["counts"]["facts between entities"] == 3
    assert figures["facts_by_snapshot"] == {"2021-06-21": 2, "2024-06-05": 2}
    assert figures["facts_by_recency"] == {"gone": 1, "new": 1, "old": 1}
    assert figures["top_properties"][0] == {"id": "P1", "label": "property P1", "facts": 2}
    assert "property P1" in as_text(figures)
