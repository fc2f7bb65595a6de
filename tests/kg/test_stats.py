"""Figures of a store, against counts in Python on random graphs."""

from __future__ import annotations

import json
import statistics as oracle
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Edge, claim, item, item_snak, property_entity, write_dump
from factchain.cli import main
from factchain.cli.tables import table
from factchain.kg.dumps.ingest import ingest
from factchain.kg.stats import classes_of, distribution, statistics, storage
from factchain.kg.store import Store

MakeStore = Callable[..., Store]


def test_counts_and_properties(make_store: MakeStore) -> None:
    store = make_store(
        [("Q1", "P1", "Q2"), ("Q3", "P1", "Q2")],
        [("Q1", "P1", "Q2"), ("Q1", "P1", "Q3"), ("Q4", "P1", "Q2"), ("Q1", "P2", "Q4")],
    )
    figures = statistics(store)
    assert figures["counts"]["entities"] == 4
    assert figures["counts"]["facts between entities"] == 5
    assert [s["name"] for s in figures["snapshots"]] == ["2021-06-21", "2024-06-05"]
    assert figures["facts_by_snapshot"] == {"2021-06-21": 2, "2024-06-05": 4}
    assert figures["facts_by_recency"] == {"gone": 1, "new": 3, "old": 1}
    assert figures["properties_used"] == 2
    assert figures["properties"] == [
        {
            "id": "P1",
            "label": "property P1",
            "facts": 3,
            "subjects": 2,
            "single_object_share": 0.5,
        },
        {
            "id": "P2",
            "label": "property P2",
            "facts": 1,
            "subjects": 1,
            "single_object_share": 1.0,
        },
    ]
    assert len(statistics(store, top=1)["properties"]) == 1


edges = st.lists(
    st.tuples(
        st.integers(1, 12).map("Q{}".format),
        st.sampled_from(["P1", "P2"]),
        st.integers(1, 12).map("Q{}".format),
    ),
    min_size=1,
    max_size=40,
    unique=True,
)


@given(older=edges, newer=edges)
@settings(max_examples=10)
def test_degrees_are_those_of_the_newest_snapshot(
    tmp_path_factory: pytest.TempPathFactory, older: list[Edge], newer: list[Edge]
) -> None:
    folder = tmp_path_factory.mktemp("store")
    described = {f"Q{n}" for n in range(1, 10)}
    with Store.create(folder / "kg.duckdb") as store:
        for date, snapshot in (("2021-06-21", older), ("2024-06-05", newer)):
            entities = [
                item(q, q, [claim(item_snak(p, o)) for s, p, o in snapshot if s == q])
                for q in sorted(described | {s for s, _, _ in snapshot})
            ]
            ingest(store, write_dump(folder / f"{date}.json", entities), date, date)
        figures = statistics(store)
    entities = described | {s for s, _, _ in (*older, *newer)}
    objects = {o for _, _, o in newer}
    assert figures["coverage"]["entities"] == len(entities)
    assert figures["coverage"]["objects that no dump describes"] == len(objects - entities)
    ends = {"out": Counter(s for s, _, _ in newer), "in": Counter(o for _, _, o in newer)}
    for direction, tally in ends.items():
        degrees = sorted(tally[q] for q in entities | set(tally))
        found = figures["degrees"][direction]
        assert found["entities"] == len(degrees)
        assert found["facts"] == len(newer)
        assert found["mean"] == pytest.approx(oracle.mean(degrees))
        assert found["quantiles"]["0.5"] == oracle.median_low(degrees)
        assert found["max"] == degrees[-1]
        for one in found["bins"]:
            inside = [d for d in degrees if one["from"] <= d <= one["to"]]
            assert one["entities"] == len(inside)


@given(st.dictionaries(st.integers(0, 5000), st.integers(1, 50), min_size=1))
def test_a_distribution_of_degrees(histogram: dict[int, int]) -> None:
    described = distribution(sorted(histogram.items()))
    degrees = sorted(degree for degree, n in histogram.items() for _ in range(n))
    for share, degree in described["quantiles"].items():
        assert sum(d <= degree for d in degrees) >= float(share) * len(degrees)
        assert sum(d < degree for d in degrees) < float(share) * len(degrees)
    bins = described["bins"]
    assert sum(one["entities"] for one in bins) == len(degrees)
    assert bins[0]["from"] == bins[0]["to"] == 0
    assert [b["from"] for b in bins[1:]] == [a["to"] + 1 for a in bins[:-1]]
    assert bins[-1]["entities"] > 0


def test_a_distribution_of_nothing() -> None:
    described = distribution([])
    assert (described["entities"], described["mean"], described["bins"]) == (0, 0.0, [])


@pytest.fixture
def described(tmp_path: Path) -> Path:
    """A store of entities of which different things are known."""
    entities: Iterable[dict] = [
        property_entity("P31", "instance of"),
        item("Q5", "human", description="a kind of ape"),
        item("Q1", "Ada \x1b[2J[red]", [claim(item_snak("P31", "Q5"))], aliases=["Augusta"]),
        item("Q2", None, [claim(item_snak("P31", "Q5")), claim(item_snak("P31", "Q99"))]),
        item("Q3", "Bob") | {"sitelinks": {"enwiki": {"site": "enwiki", "title": "Bob"}}},
    ]
    path = tmp_path / "kg.duckdb"
    with Store.create(path) as store:
        ingest(store, write_dump(tmp_path / "dump.json", entities), "now", "2024-06-05")
        store.checkpoint()
    return path


def test_coverage_and_classes(described: Path) -> None:
    with Store.open(described) as store:
        figures = statistics(store)
        assert classes_of(store, ["Q1", "Q1", "Q2"]) == {"human": 3, "Q99": 1}
    assert figures["coverage"] == {
        "entities": 4,
        "with label": 3,
        "with description": 1,
        "with aliases": 1,
        "with class": 2,
        "with Wikipedia page": 1,
        "objects that no dump describes": 1,
        "properties with label": 1,
    }
    assert figures["classes_used"] == 2
    assert figures["classes"] == [
        {"id": "Q5", "label": "human", "entities": 2},
        {"id": "Q99", "label": None, "entities": 1},
    ]


def test_storage(described: Path) -> None:
    with Store.open(described) as store:
        sizes = storage(store)
    assert sizes["file"] == described.stat().st_size
    assert 0 < sizes["tables"]["fact"] <= sizes["file"]
    assert sizes["tables"]["mention"] == 0
    assert sizes["memory"] > 0


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_the_command(described: Path) -> None:
    as_json = json.loads(call("kg", "stats", "--kg", described, "--json").stdout)
    assert as_json["counts"]["facts"] == 3
    assert as_json["storage"]["file"] > 0
    result = call("kg", "stats", "--kg", described, "--limit", 1)
    assert result.exit_code == 0, result.output
    rows = [line.split() for line in result.output.splitlines()]
    assert ["with", "label", "3", "75.0%"] in rows
    assert ["P31", "instance", "of", "3", "2", "50.0%"] in rows
    assert ["Q5", "human", "2"] in rows
    assert not any(row[:1] == ["Q99"] for row in rows)


def test_an_empty_store_has_no_figures(tmp_path: Path) -> None:
    with Store.create(tmp_path / "kg.duckdb") as store:
        store.checkpoint()
    result = call("kg", "stats", "--kg", tmp_path / "kg.duckdb")
    assert result.exit_code == 0, result.output
    assert "facts" in result.output


def test_text_that_a_terminal_would_obey_is_shown_plain() -> None:
    shown = table(("name", "n"), [("a\x1b[2J[red]\nb", 1_000), ("c", 2)])
    assert "\x1b" not in shown
    assert "a [2J[red] b   1,000" in shown
    assert shown.splitlines()[-1].split() == ["c", "2"]
