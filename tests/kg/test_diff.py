"""Version diffs: against set operations in Python, on random snapshots and on real revisions."""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st
from qwikidata.entity import WikidataItem

from conftest import write_dump
from factchain.cli import main
from factchain.errors import ConfigError, OutputError, StoreError
from factchain.kg.diff.diff import COUNTS, VersionDiff, chosen, compare
from factchain.kg.diff.series import LONGEST, Step, history
from factchain.kg.dumps.dump import DumpSettings
from factchain.kg.dumps.ingest import ingest
from factchain.kg.dumps.statements import FactFilter
from factchain.kg.records import ENTITY_SCHEMA, FACT_SCHEMA, PROPERTY_SCHEMA, DumpTables
from factchain.kg.snapshot import add_snapshot
from factchain.kg.store import Store


class F(NamedTuple):
    """A fact of a small graph: an entity as object, or a quantity with a unit."""

    s: int
    p: int
    o: int | None
    value: str | None = None
    unit: int | None = None


ids = st.integers(1, 4)
facts = st.builds(F, ids, st.integers(1, 3), ids, st.none(), st.none()) | st.builds(
    F, ids, st.just(4), st.none(), st.sampled_from("12"), st.sampled_from([None, 9])
)
versions = st.lists(st.frozensets(facts, max_size=14), min_size=2, max_size=4)


def name_of(position: int) -> str:
    return f"v{position}"


def add(store: Store, position: int, version: Iterable[F], label: str = "") -> None:
    rows = [
        f._asdict() | {"datatype": "quantity" if f.value else "wikibase-item", "rank": "normal"}
        for f in sorted(version, key=repr)
    ]
    entities = [{"id": 1, "label": label, "aliases": [], "classes": []}] if label else []
    tables = DumpTables(
        pa.Table.from_pylist(entities, schema=ENTITY_SCHEMA),
        pa.Table.from_pylist([], schema=PROPERTY_SCHEMA),
        pa.Table.from_pylist(rows, schema=FACT_SCHEMA),
    )
    add_snapshot(store, name_of(position), f"20{20 + position}-01-01", "made", "0", tables)


def expected(old: Collection[F], new: Collection[F]) -> dict[F, tuple[str, str, bool]]:
    """Of every fact of either version: what became of it, which part is new, conflict."""
    result = {}
    subjects = {f.s for f in old}
    pairs = {(f.s, f.p) for f in old}
    for f in {*old, *new}:
        older = {g for g in old if g[:2] == f[:2]}
        newer = {g for g in new if g[:2] == f[:2]}
        change = "gone" if f not in new else "old" if f in old else "new"
        kind = ""
        if change == "new":
            kind = "object" if f[:2] in pairs else "property" if f.s in subjects else "subject"
        result[f] = (change, kind, bool(older) and bool(newer) and older != newer)
    return result


def counts(wanted: dict[F, tuple[str, str, bool]]) -> dict[str, dict[str, int]]:
    """By property, as `PropertyDiff` counts them."""
    result: dict[str, dict[str, int]] = {}
    for f, (change, kind, _) in wanted.items():
        row = result.setdefault(f"P{f.p}", dict.fromkeys(COUNTS, 0))
        row[f"new_{kind}" if kind else change] += 1
    for s, p in {f[:2] for f, (_, _, conflict) in wanted.items() if conflict}:
        assert s
        result[f"P{p}"]["conflicts"] += 1
    return result


def read_tsv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


def fact_of(row: dict[str, Any]) -> F:
    return F(
        int(row["s"][1:]),
        int(row["p"][1:]),
        int(row["o"][1:]) if row["o"] else None,
        row["value"] or None,
        int(row["unit"][1:]) if row["unit"] else None,
    )


def written(difference: VersionDiff, path: Path, **options: Any) -> dict[F, tuple[str, str, bool]]:
    difference.write(path, **options)
    rows = read_tsv(path)
    found = {fact_of(r): (r["change"], r["kind"], r["conflict"] == "true") for r in rows}
    assert len(found) == len(rows)
    return found


@given(versions=versions, data=st.data())
@settings(max_examples=15)
def test_a_diff_is_set_operations(
    tmp_path_factory: pytest.TempPathFactory, versions: list[frozenset[F]], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("diff")
    i = data.draw(st.integers(0, len(versions) - 2))
    j = data.draw(st.integers(i + 1, len(versions) - 1))
    with Store.create(folder / "kg") as store:
        for position, version in enumerate(versions):
            add(store, position, version)
        wanted = expected(versions[i], versions[j])
        with compare(store, name_of(i), name_of(j)) as difference:
            assert written(difference, folder / "all.tsv") == wanted
            by_property = {
                p.id: {name: getattr(p, name) for name in COUNTS} for p in difference.properties
            }
            assert by_property == counts(wanted)
            changes = [p.new + p.gone for p in difference.properties]
            assert changes == sorted(changes, reverse=True)
            assert difference.totals() == {
                name: sum(row[name] for row in by_property.values()) for name in COUNTS
            }
            some = written(difference, folder / "some.tsv", changes=["new"], only_conflicts=True)
            assert some == {f: w for f, w in wanted.items() if w[0] == "new" and w[2]}
        assert store.rows("SELECT * FROM duckdb_tables() WHERE temporary") == []
        first, last = versions[0], versions[-1]
        seen = store.rows("SELECT s, p, len(older), len(newer) FROM fact_conflict ORDER BY s, p")
        pairs = {f[:2] for f, w in expected(first, last).items() if w[2]}
        assert seen == [
            (s, p, *(sum(f[:2] == (s, p) for f in version) for version in (first, last)))
            for s, p in sorted(pairs)
        ]


@given(versions=versions)
@settings(max_examples=8)
def test_a_series_says_when_each_fact_was_seen(
    tmp_path_factory: pytest.TempPathFactory, versions: list[frozenset[F]]
) -> None:
    folder = tmp_path_factory.mktemp("series")
    names = [name_of(i) for i in range(len(versions))]
    with Store.create(folder / "kg") as store:
        for position, version in enumerate(versions):
            add(store, position, version)
        with history(store, names) as series:
            series.write(folder / "series.tsv")
            steps = series.steps
            assert series.facts == len(frozenset().union(*versions))
        dates = {
            F(*row[:5]): row[5:]
            for row in store.rows(
                "SELECT s, p, o, value, unit, first_seen, last_seen, snapshots "
                "FROM fact_history JOIN fact ON id = fact"
            )
        }
    rows = {fact_of(row): row for row in read_tsv(folder / "series.tsv")}
    assert rows.keys() == dates.keys() == frozenset().union(*versions)
    for fact, row in rows.items():
        held = [i for i, version in enumerate(versions) if fact in version]
        assert (row["first_seen"], row["last_seen"]) == (names[held[0]], names[held[-1]])
        assert int(row["snapshots"]) == len(held)
        first, last, number = dates[fact]
        assert (first.year, last.year, number) == (2020 + held[0], 2020 + held[-1], len(held))
    for i, step in enumerate(steps):
        before, now = versions[i - 1] if i else versions[i], versions[i]
        earlier = frozenset().union(*versions[:i])
        assert step == Step(
            snapshot=names[i],
            date=f"20{20 + i}-01-01",
            facts=len(now),
            new=len(now - before),
            back=len((now - before) & earlier),
            gone=len(before - now),
        )


def test_facts_in_several_parts_of_the_bitmap(tmp_path: Path) -> None:
    part = 1 << 22
    held = {
        1: {1, part - 1, part, 3 * part + 5},
        2: {part - 1, part, part + 1, 2 * part - 1, 3 * part + 5, 9 * part},
    }
    with Store.create(tmp_path / "kg") as store:
        for snapshot in held:
            add(store, snapshot, [])
        for fact in sorted(held[1] | held[2]):
            store.connection.execute(
                "INSERT INTO fact (id, s, p, o, datatype) VALUES (?, ?, 1, 1, 'wikibase-item')",
                (fact, fact),
            )
        for snapshot, ids in held.items():
            for fact in sorted(ids):
                store.connection.execute(
                    "INSERT INTO fact_snapshot (fact, snapshot, rank) VALUES (?, ?, 'normal')",
                    (fact, snapshot),
                )
        with compare(store, "v1", "v2") as difference:
            found = written(difference, tmp_path / "diff.tsv")
        assert {f.s: w[0] for f, w in found.items()} == (
            dict.fromkeys(held[1] & held[2], "old")
            | dict.fromkeys(held[2] - held[1], "new")
            | dict.fromkeys(held[1] - held[2], "gone")
        )


def truthy(entity: dict[str, Any]) -> set[tuple[str, ...]]:
    """The facts of an item by qwikidata, as subject, property and the object's text."""
    item = WikidataItem(entity)
    found = set()
    for prop, group in item.get_truthy_claim_groups().items():
        for one in group:
            snak = one.mainsnak
            if snak.snaktype != "value" or snak.snak_datatype == "external-id":
                continue
            value = snak.datavalue.value
            match snak.snak_datatype:
                case "wikibase-item":
                    text = value["id"]
                case "time":
                    day = value["time"].lstrip("+").partition("T")[0]
                    text = "-".join(day.split("-")[: value["precision"] - 8])
                case "monolingualtext":
                    text = f"{value['text']}@{value['language']}"
                case "globe-coordinate":
                    text = f"{value['latitude']},{value['longitude']}"
                case _:
                    text = value
            found.add((entity["id"], prop, text))
    return found


def test_real_revisions_against_qwikidata(reference: Callable[[str], Path], tmp_path: Path) -> None:
    with gzip.open(reference("stream_revision_pairs.jsonl.gz"), "rt") as lines:
        pairs = [json.loads(line) for line in lines]
    assert len(pairs) == 46
    sides: dict[str, set[tuple[str, ...]]] = {}
    everything = DumpSettings(FactFilter(keep_ended=True))
    with Store.create(tmp_path / "kg.duckdb") as store:
        for side, date in (("old", "2019-04-01"), ("new", "2019-04-30")):
            entities = list({pair["id"]: pair[side] for pair in pairs}.values())
            sides[side] = set().union(*map(truthy, entities))
            dump = write_dump(tmp_path / f"{side}.json", entities)
            ingest(store, dump, side, date, settings=everything)
        with compare(store, "old", "new") as difference:
            difference.write(tmp_path / "diff.tsv")
            totals = difference.totals()
    rows = read_tsv(tmp_path / "diff.tsv")
    found = {(r["s"], r["p"], r["o"] or r["value"]): (r["change"], r["kind"]) for r in rows}
    older, newer = sides["old"], sides["new"]
    subjects, known = {f[0] for f in older}, {f[:2] for f in older}

    def kind(fact: tuple[str, ...]) -> str:
        return "object" if fact[:2] in known else "property" if fact[0] in subjects else "subject"

    assert found == (
        dict.fromkeys(older & newer, ("old", ""))
        | dict.fromkeys(older - newer, ("gone", ""))
        | {fact: ("new", kind(fact)) for fact in newer - older}
    )
    tally = Counter(change for change, _ in found.values())
    assert min(tally["old"], tally["new"], tally["gone"]) > 0
    assert totals["old"] == tally["old"]


SMALL: tuple[list[F], ...] = (
    [F(1, 1, 2), F(1, 1, 3), F(2, 1, 3), F(3, 4, None, "5", 9)],
    [F(1, 1, 2), F(1, 1, 4), F(2, 1, 3), F(2, 2, 3), F(4, 1, 1), F(3, 4, None, "6", 9)],
    [F(1, 1, 2), F(1, 1, 3)],
)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A store of three snapshots, with a label that is not to be trusted."""
    path = tmp_path / "kg.duckdb"
    with Store.create(path) as store:
        for position, version in enumerate(SMALL):
            add(store, position, version, label="a\tb\n\x1b[31m [bold]c")
    return path


def write_all(path: Path, threads: int, folder: Path) -> list[bytes]:
    folder.mkdir()
    with Store.open(path) as store:
        store.connection.execute(f"SET threads = {threads}")
        with compare(store, "v0", "v1") as difference:
            for name in ("diff.tsv", "diff.parquet"):
                difference.write(folder / name)
        with history(store, ["v0", "v1", "v2"]) as series:
            series.write(folder / "series.parquet")
    return [file.read_bytes() for file in sorted(folder.iterdir())]


def test_files_are_the_same_byte_for_byte(small: Path, tmp_path: Path) -> None:
    once = write_all(small, 1, tmp_path / "a")
    assert once == write_all(small, 4, tmp_path / "b")
    assert len(once) == 3


def test_a_parquet_file_holds_what_the_text_file_holds(small: Path, tmp_path: Path) -> None:
    write_all(small, 2, tmp_path / "a")
    columns = pq.read_table(tmp_path / "a" / "diff.parquet").to_pylist()
    rows = read_tsv(tmp_path / "a" / "diff.tsv")
    assert [
        {name: "" if cell is None else str(cell).lower() for name, cell in row.items()}
        for row in columns
    ] == [{name: cell.lower() for name, cell in row.items()} for row in rows]
    assert rows[0]["s_label"] == "a\tb\n\x1b[31m [bold]c"
    order = [(r["s"], r["p"], r["o"]) for r in rows]
    assert order == sorted(order)


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_the_command_prints_a_summary(small: Path, tmp_path: Path) -> None:
    result = call("kg", "diff", "v0", "v1", "--kg", small, "--out", tmp_path / "d.tsv")
    assert result.exit_code == 0, result.output
    lines = [line.split() for line in result.output.splitlines() if line.startswith(("P", "all"))]
    # property, old, new subject, new property, new object, gone, conflicts
    assert lines == [
        ["P1", "2", "1", "0", "1", "1", "1"],
        ["P4", "0", "0", "0", "1", "1", "1"],
        ["P2", "0", "0", "1", "0", "0", "0"],
        ["all", "2", "1", "1", "2", "2", "2"],
    ]
    assert len(read_tsv(tmp_path / "d.tsv")) == 8
    limited = call("kg", "diff", "v0", "v1", "--kg", small, "--limit", 1)
    assert "2 more properties" in limited.output
    as_json = json.loads(call("kg", "diff", "v0", "v1", "--kg", small, "--json").stdout)
    assert as_json["older"] == {"name": "v0", "date": "2020-01-01"}
    assert as_json["facts"]["new_object"] == 2
    assert [p["id"] for p in as_json["properties"]] == ["P1", "P4", "P2"]


def test_the_command_follows_a_series(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "series.tsv"
    result = call("kg", "diff", "v0", "v1", "v2", "--kg", small, "--out", out, "--json")
    assert result.exit_code == 0, result.output
    steps = json.loads(result.stdout)["snapshots"]
    assert [(s["facts"], s["new"], s["back"], s["gone"]) for s in steps] == [
        (4, 0, 0, 0),
        (6, 4, 0, 2),
        (2, 1, 1, 5),
    ]
    (back,) = [row for row in read_tsv(out) if (row["s"], row["o"]) == ("Q1", "Q3")]
    assert (back["first_seen"], back["last_seen"], back["snapshots"]) == ("v0", "v2", "2")
    assert "v1" in call("kg", "diff", "v0", "v1", "v2", "--kg", small).output


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["v1", "v0"], "'v0' is not newer than 'v1'"),
        (["v0", "v0"], "'v0' is not newer than 'v0'"),
        (["v0", "x' OR 1"], 'no snapshot "x\' OR 1"'),
        (["v0", "v2", "v1"], "'v1' is not newer than 'v2'"),
    ],
)
def test_snapshots_that_cannot_be_compared(small: Path, names: Sequence[str], message: str) -> None:
    result = call("kg", "diff", *names, "--kg", small)
    assert result.exit_code == 1
    assert message in result.stderr
    assert "'v0' of 2020-01-01, 'v1' of 2021-01-01, 'v2' of 2022-01-01" in result.stderr


def test_mistakes_leave_nothing_behind(small: Path, tmp_path: Path) -> None:
    assert call("kg", "diff", "v0", "--kg", small).exit_code == 2
    assert call("kg", "diff", "v0", "v1", "v2", "--conflicts", "--kg", small).exit_code == 2
    (tmp_path / "file").write_text("")
    with Store.open(small) as store, compare(store, "v0", "v1") as difference:
        with pytest.raises(ConfigError, match=r"\.tsv or \.parquet"):
            difference.write(tmp_path / "diff.csv")
        with pytest.raises(OutputError, match="cannot be written"):
            difference.write(tmp_path / "file" / "diff.tsv")
    assert {path.name for path in tmp_path.iterdir()} == {"file", "kg.duckdb"}
    with Store.create(tmp_path / "one") as store:
        add(store, 0, SMALL[0])
        with pytest.raises(StoreError, match="needs two snapshots; it holds: 'v0' of 2020"):
            chosen(store, ["v0", "v1"])


def test_a_series_has_an_end(tmp_path: Path) -> None:
    names = [f"v{i}" for i in range(LONGEST + 1)]
    with Store.create(tmp_path / "kg") as store:
        for i, name in enumerate(names):
            store.connection.execute(
                "INSERT INTO snapshot VALUES (?, ?, DATE '2020-01-01' + ?::INTEGER, 'x', '0', [])",
                (i, name, i),
            )
        with (
            pytest.raises(StoreError, match="63 snapshots: take at most 62"),
            history(store, names),
        ):
            pass
        with history(store, names[:LONGEST]) as series:
            assert len(series.steps) == LONGEST
