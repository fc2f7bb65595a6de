"""The index against sets of facts, in memory and mapped from a folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import DATES, Edge, claim, edges_to_entities, item, write_dump
from factchain.chains.graph.graph_index import LABELS, Arrays, GraphIndex, checksum
from factchain.errors import OutputError, StoreError
from factchain.kg.dumps.ingest import ingest
from factchain.kg.store import Store

MakeStore = Callable[..., Store]
SCATTERED = (3, 63, 64, 65, 127, 128, 1_000_000, 2**31 - 1)
"""Q-numbers at the borders of the words that number them."""
nodes = st.sampled_from([f"Q{n}" for n in SCATTERED])
edge_lists = st.lists(
    st.tuples(nodes, st.sampled_from(["P2", "P31", "P9999"]), nodes),
    min_size=1,
    max_size=25,
    unique=True,
)


def numbers(edges: Sequence[Edge]) -> set[tuple[int, int, int]]:
    return {(int(s[1:]), int(p[1:]), int(o[1:])) for s, p, o in edges}


@given(old=edge_lists, new=edge_lists)
@settings(max_examples=15)
def test_the_index_holds_what_the_store_holds(
    tmp_path_factory: pytest.TempPathFactory, old: list[Edge], new: list[Edge]
) -> None:
    folder = tmp_path_factory.mktemp("s")
    with Store.create(folder / "kg") as store:
        for date, edges in zip(DATES, (old, new), strict=True):
            dump = write_dump(folder / "d.json", edges_to_entities(edges))
            ingest(store, dump, date, date)
        index = GraphIndex.from_store(store)
        assert_holds(index, numbers(old), numbers(new))
        rows = store.rows(
            "SELECT e.id, s, p, o, recency FROM current_edge e JOIN fact_recency r ON r.fact = e.id"
        )
        drafts = index.draft_facts(range(len(index)))
        codes = index.codes("recency").tolist()
        assert {
            (*draft[:4], LABELS["recency"][code]) for draft, code in zip(drafts, codes, strict=True)
        } == set(rows)
        mapped = GraphIndex.from_store(store, folder / "index")
        assert_holds(mapped, numbers(old), numbers(new))
        for field in fields(Arrays):
            one, two = (getattr(i.arrays, field.name) for i in (index, mapped))
            assert isinstance(two, np.memmap)
            assert one.dtype == two.dtype
            assert one.tolist() == two.tolist()


def assert_holds(
    index: GraphIndex, old: set[tuple[int, int, int]], new: set[tuple[int, int, int]]
) -> None:
    assert len(index) == len(new)
    facts = [draft[1:4] for draft in index.draft_facts(range(len(index)))]
    assert set(facts) == new
    single = index.single_valued().tolist()
    for (s, p, o), alone in zip(facts, single, strict=True):
        objects = sorted(c for a, b, c in new if (a, b) == (s, p))
        assert index.objects(s, p) == objects
        assert alone == (len(objects) == 1)
        assert index.subjects(p, o) == sorted(a for a, b, c in new if (b, c) == (p, o))
        begin, end = index.stretch(s, p)
        assert {facts[edge] for edge in range(begin, end)} == {f for f in new if f[:2] == (s, p)}
    for a in SCATTERED:
        for b in SCATTERED:
            assert index.leads(a, b) == any((s, o) == (a, b) for s, _, o in old | new)
            assert index.are_joined(a, b) == (index.leads(a, b) or index.leads(b, a))
    for p in (2, 31, 9999, 4):
        assert {facts[e] for e in index.edges_of_property(p).tolist()} == {
            f for f in new if f[1] == p
        }
    assert {facts[e] for e in index.edges_of_label("recency", 1).tolist()} == new - old
    assert index.objects(5, 2) == index.subjects(2, 5) == index.objects(3, 4) == []
    assert not index.are_joined(5, 3)


def test_entities_with_more_facts_bear_greater_numbers(make_store: MakeStore) -> None:
    star = [(f"Q{n}", "P1", "Q7") for n in range(10, 20)] + [("Q10", "P1", "Q11")]
    index = GraphIndex.from_store(make_store(star))
    assert index.entity(7) == index.entities - 1
    assert index.entity(7) > index.entity(10) > index.entity(12)
    lengths = np.diff(index.arrays.joined_start).tolist()
    assert max(lengths) == 2  # Q10 or Q11; the hub's own list is empty
    assert lengths[-1] == 0


def test_labels_and_notes_come_from_the_store(make_store: MakeStore, tmp_path: Path) -> None:
    store = make_store([("Q1", "P1", "Q2")], [("Q1", "P1", "Q2"), ("Q2", "P1", "Q3")])
    index = GraphIndex.from_store(store, tmp_path / "index")
    assert index.entity_labels([1, 3, 99]) == {1: "entity Q1", 3: "entity Q3"}
    assert index.property_labels == {1: "property P1"}
    (fact,) = (draft.fact for draft in index.draft_facts(index.edges_of_label("recency", 1)))
    assert index.fact_notes([fact]) == {fact: (None, "new")}
    alone = GraphIndex.open(tmp_path / "index")
    with pytest.raises(StoreError, match="without its store"):
        alone.entity_labels([1])


def test_entities_without_a_label_are_marked(tmp_path: Path) -> None:
    entities = [*edges_to_entities([("Q1", "P1", "Q2")])[:2], item("Q2")]
    with Store.create(tmp_path / "kg") as store:
        ingest(store, write_dump(tmp_path / "d.json", entities), "n", "2024-06-05")
        index = GraphIndex.from_store(store)
    assert [bool(index.arrays.named[index.entity(q)]) for q in (1, 2)] == [True, False]


def test_literals_are_columns_of_dates_and_quantities(tmp_path: Path) -> None:
    def snak(datatype: str, kind: str, value: object) -> dict[str, object]:
        return {
            "snaktype": "value",
            "property": {"time": "P569", "quantity": "P1082", "string": "P1"}[datatype],
            "datatype": datatype,
            "datavalue": {"type": kind, "value": value},
        }

    born = {
        "time": "+1879-03-14T00:00:00Z",
        "timezone": 0,
        "before": 0,
        "after": 0,
        "precision": 11,
        "calendarmodel": "http://www.wikidata.org/entity/Q1985727",
    }
    people = {"amount": "+12", "unit": "1", "upperBound": "+13", "lowerBound": "+11"}
    entities = [
        *edges_to_entities([("Q2", "P3", "Q3")]),
        item(
            "Q1",
            "one",
            [
                claim(snak("time", "time", born)),
                claim(snak("quantity", "quantity", people)),
                claim(snak("string", "string", "not a number")),
            ],
        ),
    ]
    with Store.create(tmp_path / "kg") as store:
        ingest(store, write_dump(tmp_path / "d.json", entities), "n", "2024-06-05")
        table = GraphIndex.from_store(store).literals
    rows = table.select(["s", "p", "value", "datatype", "precision", "lower", "upper", "recency"])
    assert sorted(tuple(row.values()) for row in rows.to_pylist()) == [
        (1, 569, "1879-03-14", "time", 11, None, None, -1),
        (1, 1082, "12", "quantity", None, "11", "13", -1),
    ]


def test_a_folder_of_another_state_is_built_anew(make_store: MakeStore, tmp_path: Path) -> None:
    one, two = make_store([("Q1", "P1", "Q2")]), make_store([("Q1", "P1", "Q3")])
    assert checksum(one) != checksum(two)
    folder = tmp_path / "index"
    GraphIndex.from_store(one, folder)
    written = (folder / "objects.npy").stat().st_mtime_ns
    GraphIndex.from_store(one, folder)
    assert (folder / "objects.npy").stat().st_mtime_ns == written
    assert GraphIndex.from_store(two, folder).objects(1, 1) == [3]
    (folder / "ids.npy").write_bytes(b"cut")
    assert GraphIndex.from_store(two, folder).objects(1, 1) == [3]
    (folder / "index.json").unlink()
    with pytest.raises(StoreError, match="holds no graph index"):
        GraphIndex.open(folder)


def test_a_store_without_edges_and_a_place_that_is_none(
    make_store: MakeStore, tmp_path: Path
) -> None:
    store = make_store([("Q1", "P1", "Q2")])
    ingest(store, write_dump(tmp_path / "d.json", [item("Q1", "one")]), "later", DATES[1])
    with pytest.raises(StoreError, match="no fact between two entities"):
        GraphIndex.from_store(store)
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OutputError, match="cannot be written"):
        GraphIndex.from_store(make_store([("Q1", "P1", "Q2")]), tmp_path / "file" / "index")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
