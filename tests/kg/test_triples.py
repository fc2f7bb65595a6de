"""Triples from N-Triples, TSV and Parquet: what they say, and what is wrong with them."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import resource
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Graph, Literal, URIRef
from rdflib.plugins.parsers.ntriples import ParseError, W3CNTriplesParser

from conftest import Edge, edges_to_entities, write_dump
from factchain.cli import main
from factchain.errors import InputError, StoreError
from factchain.kg.dumps.ingest import ingest
from factchain.kg.stats import statistics
from factchain.kg.store import Store
from factchain.kg.triples.add import TriplesSummary, add_triples
from factchain.kg.triples.lines import Block, blocks
from factchain.kg.triples.ntriples import parse_block, parse_line, unescape
from factchain.kg.triples.numbering import FIRST_OUTSIDE
from factchain.kg.triples.staged_folder import StagedFolder
from factchain.kg.triples.staging import Found, Staged
from factchain.kg.triples.table import parse_tsv

WD = "http://www.wikidata.org/entity/"
WDT = "http://www.wikidata.org/prop/direct/"
LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
XSD = "http://www.w3.org/2001/XMLSchema#"
DAY = "2024-06-05"
HEADER = "s\ts_label\tp\tp_label\to\to_label"


def nt(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def add(store: Store, *files: Path, **options: object) -> TriplesSummary:
    return add_triples(store, files, "one", DAY, **options)  # type: ignore[arg-type]


def fact(s: str, p: str, o: str) -> str:
    return f"<{WD}{s}> <{WDT}{p}> {o} ."


@pytest.fixture
def store(tmp_path: Path) -> Iterable[Store]:
    with Store.create(tmp_path / "kg.duckdb") as made:
        yield made


def zstd_compress(data: bytes) -> bytes:
    """As the program `zstd` does: with a checksum."""
    return zstandard.ZstdCompressor(write_checksum=True).compress(data)


def literals(store: Store) -> list[tuple[object, ...]]:
    return store.rows(
        "SELECT p, value, datatype, precision FROM fact WHERE o IS NULL ORDER BY p, value"
    )


def test_wd50k_end_to_end(reference: Callable[[str], Path], tmp_path: Path) -> None:
    kg = tmp_path / "kg.duckdb"
    source = reference("wd50k_labelled.tsv.gz")
    arguments = ("kg", "add-triples", source, "--kg", kg, "--snapshot", "2019", "--date")
    result = call(*arguments, "2019-08-01", "--json", "--quiet")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == {
        "entities": 15_453,
        "properties": 320,
        "facts": 130_376,  # of 132,231 statements, some of which differ in qualifiers alone
        "outside_ids": 0,
        "rejects": 0,
        "skipped": {},
    }
    figures = json.loads(call("kg", "stats", "--kg", kg, "--json").stdout)
    assert figures["counts"]["facts between entities"] == 130_376
    top = figures["properties"][0]
    assert (top["id"], top["label"], top["facts"]) == ("P106", "occupation", 17_002)
    with Store.open(kg) as store:
        assert store.rows("SELECT label, classes FROM entity WHERE id = 183") == [
            ("Germany", sorted(classes_of_germany(source)))
        ]
        assert store.rows("SELECT count(*) FROM entity WHERE label IS NULL") == [(0,)]
        assert store.rows("SELECT source FROM snapshot") == [("wd50k_labelled.tsv.gz",)]


def classes_of_germany(source: Path) -> set[int]:
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        rows = [line.split("\t") for line in lines]
    return {int(row[4][1:]) for row in rows if row[0] == "Q183" and row[2] == "P31"}


edges = st.lists(
    st.tuples(
        st.sampled_from(["Q1", "Q2", "Q3", "Q42"]),
        st.sampled_from(["P1", "P2", "P31"]),
        st.sampled_from(["Q1", "Q2", "Q3", "Q42"]),
    ),
    min_size=1,
    max_size=12,
    unique=True,
)


def as_ntriples(edges: list[Edge]) -> list[str]:
    ids = sorted({e for s, _, o in edges for e in (s, o)})
    props = sorted({p for _, p, _ in edges})
    return [
        *(f'<{WD}{q}> {LABEL} "entity {q}"@en .' for q in ids),
        *(f'<{WD}{p}> {LABEL} "property {p}"@en .' for p in props),
        *(fact(s, p, f"<{WD}{o}>") for s, p, o in edges),
    ]


def as_rows(edges: list[Edge]) -> list[tuple[str, ...]]:
    return [(s, f"entity {s}", p, f"property {p}", o, f"entity {o}") for s, p, o in edges]


@given(edges=edges)
@settings(max_examples=4)
def test_every_door_gives_what_a_dump_gives(
    tmp_path_factory: pytest.TempPathFactory, edges: list[Edge]
) -> None:
    folder = tmp_path_factory.mktemp("doors")
    rows = as_rows(edges)
    nt(folder / "a.nt", *as_ntriples(edges))
    nt(folder / "a.tsv", HEADER, *("\t".join(row) for row in rows))
    columns = dict(zip(HEADER.split("\t"), zip(*rows, strict=True), strict=True))
    pq.write_table(pa.table({k: pa.array(v) for k, v in columns.items()}), folder / "a.parquet")
    contents = []
    with Store.create(folder / "dump.duckdb") as store:
        ingest(store, write_dump(folder / "a.json", edges_to_entities(edges)), "one", DAY)
        contents.append(store.dump())
    for name in ("a.nt", "a.tsv", "a.parquet"):
        with Store.create(folder / f"{name}.duckdb") as store:
            add(store, folder / name)
            contents.append(store.dump())
    for content in contents:
        for table in ("entity", "property", "fact", "fact_snapshot"):
            assert content[table] == contents[0][table], table


def test_what_a_truthy_dump_says(store: Store, tmp_path: Path) -> None:
    lines = [
        fact("Q1", "P31", f"<{WD}Q5>"),
        fact("Q1", "P569", f'"1952-03-11T00:00:00Z"^^<{XSD}dateTime>'),
        fact("Q1", "P570", f'"2001-01-01T00:00:00Z"^^<{XSD}dateTime>'),
        fact("Q1", "P571", f'"-0043-03-15T00:00:00Z"^^<{XSD}dateTime>'),
        fact("Q1", "P2048", f'"+1.96"^^<{XSD}decimal>'),
        fact("Q1", "P1477", '"Douglas No\\u00EBl \\"Adams\\""@en'),
        fact(
            "Q1",
            "P625",
            '"Point(-0.145 51.567)"^^<http://www.opengis.net/ont/geosparql#wktLiteral>',
        ),
        fact("Q1", "P373", '"Douglas Adams"'),
        fact("Q1", "P856", "<https://example.org/a>"),
        fact("Q1", "P345", '"nm0010930"'),
        fact("Q1", "P18", "<http://commons.wikimedia.org/wiki/Special:FilePath/A.jpg>"),
        fact("Q1", "P40", "_:b1"),
        fact("Q1", "P22", "<http://www.wikidata.org/.well-known/genid/ab>"),
        fact("Q1", "P5137", f"<{WD}L12>"),
        fact("P31", "P1629", f"<{WD}Q21503252>"),
        f"<{WD}Q1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> "
        "<http://www.wikidata.org/prop/novalue/P26> .",
        f"<{WD}Q9> <http://www.w3.org/2002/07/owl#sameAs> <{WD}Q1> .",
        f"<{WD}P345> <http://wikiba.se/ontology#propertyType> "
        "<http://wikiba.se/ontology#ExternalId> .",
        f"<{WD}P569> <http://wikiba.se/ontology#propertyType> <http://wikiba.se/ontology#Time> .",
        f'<{WD}Q1> {LABEL} "Douglas Adams"@mul .',
        f'<{WD}Q1> <http://schema.org/name> "D. Adams"@en .',
        f'<{WD}Q1> {LABEL} "D. Adams"@en .',
        f'<{WD}Q1> {LABEL} "Douglas"@de .',
        f'<{WD}Q1> <http://www.w3.org/2004/02/skos/core#altLabel> "DNA"@en .',
        f'<{WD}Q1> <http://schema.org/description> "English writer"@en .',
        f"<https://en.wikipedia.org/wiki/Douglas_No%C3%ABl> <http://schema.org/about> <{WD}Q1> .",
        f"<https://de.wikipedia.org/wiki/Douglas> <http://schema.org/about> <{WD}Q1> .",
        "# a comment",
        "",
    ]
    summary = add(store, nt(tmp_path / "truthy.nt", *lines))
    assert store.rows("SELECT * EXCLUDE (snapshot) FROM entity ORDER BY id") == [
        (1, "D. Adams", "English writer", ["DNA"], [5], "Douglas Noël"),
        (5, None, None, [], [], None),
    ]
    assert literals(store) == [
        (373, "Douglas Adams", "string", None),
        (569, "1952-03-11", "time", 11),
        (570, "2001", "time", 9),
        (571, "-0044-03-15", "time", 11),
        (625, "51.567,-0.145", "globe-coordinate", None),
        (856, "https://example.org/a", "url", None),
        (1477, 'Douglas Noël "Adams"@en', "monolingualtext", None),
        (2048, "1.96", "quantity", None),
    ]
    assert store.rows(
        "SELECT id, datatype FROM property WHERE id IN (31, 345, 569) ORDER BY id"
    ) == [
        (31, "wikibase-item"),
        (345, "external-id"),
        (569, "time"),
    ]
    assert store.rows("SELECT source, target FROM redirect") == [(9, 1)]
    assert summary.facts == 9
    assert summary.skipped == {
        "another language": 1,
        "another page": 1,
        "datatype": 2,
        "not an item": 1,
        "novalue": 1,
        "redirect": 1,
        "somevalue": 2,
        "statement of a property": 1,
    }


BAD_LINES = {
    "no triple": "this is no triple",
    "no end": f"<{WD}Q1> <{WDT}P1> <{WD}Q2>",
    "a cut line": f"<{WD}Q1> <{WDT}P1> <{WD}Q",
    "no such date": fact("Q1", "P569", f'"1952-13-41T00:00:00Z"^^<{XSD}dateTime>'),
    "no number": fact("Q1", "P2048", f'"tall"^^<{XSD}decimal>'),
    "infinite": fact("Q1", "P2048", f'"INF"^^<{XSD}double>'),
    "off the globe": fact(
        "Q1", "P625", '"Point(0 91)"^^<http://www.opengis.net/ont/geosparql#wktLiteral>'
    ),
    "half a surrogate": fact("Q1", "P1", '"\\uD800"@en'),
}


@pytest.mark.parametrize("name", BAD_LINES)
def test_a_malformed_line_is_counted_kept_and_named(
    store: Store, tmp_path: Path, name: str
) -> None:
    good = [fact(f"Q{n}", "P1", f"<{WD}Q5>") for n in range(1, 10)]
    file = nt(tmp_path / "a.nt", *good, BAD_LINES[name])
    rejects = tmp_path / "rejects.jsonl"
    with pytest.raises(InputError, match=r"a\.nt:10: .*1 of 10 lines are malformed"):
        add(store, file, rejects_file=rejects)
    assert store.snapshots() == []
    (kept,) = [json.loads(line) for line in rejects.read_text().splitlines()]
    assert (kept["file"], kept["line"], kept["text"]) == ("a.nt", 10, BAD_LINES[name][:200])
    summary = add(store, file, max_rejects=0.1)
    assert (summary.facts, summary.rejects) == (9, 1)


def test_a_line_that_is_no_utf8_or_too_long_is_one_reject(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = fact("Q1", "P1", f'"{"x" * 50_000_000}"@en')
    lines = [fact("Q1", "P1", f"<{WD}Q2>"), long, fact("Q3", "P1", f"<{WD}Q2>")]
    invalid = fact("Q1", "P1", '"\udcff"@en').encode(errors="surrogateescape")
    file = tmp_path / "a.nt.gz"
    file.write_bytes(gzip.compress("\n".join(lines).encode() + b"\n" + invalid, 1))
    rejects = tmp_path / "rejects.jsonl"
    summary = add(store, file, max_rejects=0.5, rejects_file=rejects)
    assert (summary.facts, summary.rejects) == (2, 2)
    kept = [json.loads(line) for line in rejects.read_text().splitlines()]
    assert [(one["line"], one["reason"]) for one in kept] == [
        (2, "the line is too long"),
        (4, f"the line is no UTF-8 (byte {invalid.index(0xFF) + 1})"),
    ]


def test_compressed_files_are_equal(tmp_path: Path) -> None:
    content = "\n".join(as_ntriples([("Q1", "P1", "Q2"), ("Q2", "P2", "Q3")])).encode()
    files = {
        "a.nt": content,
        "a.nt.gz": gzip.compress(content[:100]) + gzip.compress(content[100:]),
        "a.nt.bz2": bz2.compress(content[:100]) + bz2.compress(content[100:]),
        "a.nt.zst": zstandard.compress(content[:100]) + zstandard.compress(content[100:]),
    }
    contents = []
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
        with Store.create(tmp_path / f"{name}.duckdb") as store:
            add(store, tmp_path / name)
            contents.append(store.dump()["fact"])
    assert all(content == contents[0] for content in contents)
    assert len(contents[0]) == 2


@pytest.mark.parametrize(
    ("name", "compress"),
    [("a.nt.gz", gzip.compress), ("a.nt.bz2", bz2.compress), ("a.nt.zst", zstd_compress)],
)
def test_a_cut_or_damaged_archive_always_fails(
    store: Store, tmp_path: Path, name: str, compress: Callable[[bytes], bytes]
) -> None:
    lines = [fact(f"Q{n}", f"P{n % 7 + 1}", f"<{WD}Q{n * n}>") for n in range(1, 5_000)]
    whole = compress("\n".join(lines).encode())
    middle = len(whole) // 2
    damaged = whole[:middle] + bytes([whole[middle] ^ 0xFF]) + whole[middle + 1 :]
    for data in (whole[:middle], whole[:-3], damaged):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(InputError, match="cut off or damaged"):
            add(store, tmp_path / name, max_rejects=1.0)
    assert store.snapshots() == []


def test_another_graph_keeps_its_numbers(store: Store, tmp_path: Path) -> None:
    first = nt(
        tmp_path / "a.tsv",
        HEADER,
        "/m/0b\tBob\t/people/born\tplace of birth\t/m/0a\tAachen",
        "/m/0a\tAachen\tP17\tcountry\tQ183\tGermany",
    )
    second = nt(tmp_path / "b.tsv", HEADER, "/m/00\tNew\t/a\ta\t/m/0b\tRobert")
    add_triples(store, [first], "old", "2020-01-01")
    add_triples(store, [second], "new", "2021-01-01")
    assert store.rows("SELECT kind, id, number FROM outside_id ORDER BY kind, number") == [
        ("P", "/people/born", FIRST_OUTSIDE),
        ("P", "/a", FIRST_OUTSIDE + 1),
        ("Q", "/m/0a", FIRST_OUTSIDE),
        ("Q", "/m/0b", FIRST_OUTSIDE + 1),
        ("Q", "/m/00", FIRST_OUTSIDE + 2),
    ]
    assert store.rows("SELECT id, label FROM entity ORDER BY id") == [
        (183, "Germany"),
        (FIRST_OUTSIDE, "Aachen"),
        (FIRST_OUTSIDE + 1, "Robert"),
        (FIRST_OUTSIDE + 2, "New"),
    ]
    assert store.rows("SELECT s, p, o FROM fact ORDER BY id") == [
        (FIRST_OUTSIDE, 17, 183),
        (FIRST_OUTSIDE + 1, FIRST_OUTSIDE, FIRST_OUTSIDE),
        (FIRST_OUTSIDE + 2, FIRST_OUTSIDE + 1, FIRST_OUTSIDE + 1),
    ]


def test_an_id_too_large_for_wikidata_is_numbered_as_any_other(
    store: Store, tmp_path: Path
) -> None:
    add(store, nt(tmp_path / "a.tsv", "s\tp\to", "Q9999999999\tP1\tQ999999999"))
    assert store.rows("SELECT s, o FROM fact") == [(FIRST_OUTSIDE, 999_999_999)]


def test_the_commonest_spelling_is_the_label(store: Store, tmp_path: Path) -> None:
    rows = ["Q1\tUS\tP1\tp\tQ2\t", "Q1\tUSA\tP1\tp\tQ3\t", "Q3\t\tP1\tp\tQ1\tUSA"]
    add(store, nt(tmp_path / "a.tsv", HEADER, *rows))
    assert store.rows("SELECT id, label, aliases FROM entity ORDER BY id") == [
        (1, "USA", ["US"]),
        (2, None, []),
        (3, None, []),
    ]


TABLES = {
    "no header": ("Q1\tone\tP1\tp\tQ2\ttwo\n", r"a.tsv:1: the first line is no header, s, o"),
    "a column is missing": ("s\tp\ts_label\nQ1\tP1\tx\n", "no header, o missing: expected tab-sep"),
    "a column twice": ("s\tp\to\ts\n", "the column 's' stands twice"),
    "empty": ("", "no header"),
    "no rows": (f"{HEADER}\n", "holds no fact about an item"),
    "binary": ("\x00\x01\x02", "no header"),
    "a field too few": (f"{HEADER}\nQ1\tone\n", "a.tsv:2: 2 fields instead of 6"),
    "no object": ("s\tp\to\nQ1\tP1\t\n", "a.tsv:2: the row has no o"),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_that_cannot_be_used(store: Store, tmp_path: Path, name: str) -> None:
    content, message = TABLES[name]
    (tmp_path / "a.tsv").write_text(content)
    with pytest.raises(InputError, match=message):
        add(store, tmp_path / "a.tsv")
    assert store.snapshots() == []


def test_a_property_as_subject_is_left_out(store: Store, tmp_path: Path) -> None:
    rows = ["P31\tP1\tQ1", "Q1\tP1\tP31", "Q1\tP1\tQ2"]
    summary = add(store, nt(tmp_path / "a.tsv", "s\tp\to", *rows))
    assert (summary.facts, summary.skipped) == (1, {"not an item": 2})


def test_parquet_that_cannot_be_used(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    file.write_text("no parquet")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        add(store, file)
    pq.write_table(pa.table({"s": ["Q1"], "p": ["P1"]}), file)
    with pytest.raises(InputError, match="lacks the columns o: expected"):
        add(store, file)
    pq.write_table(pa.table({"s": [1], "p": ["P1"], "o": ["Q1"]}), file)
    with pytest.raises(InputError, match="the column 's' holds int64, not text"):
        add(store, file)
    pq.write_table(pa.table({"s": ["Q1", None], "p": ["P1", "P1"], "o": ["Q1", "Q2"]}), file)
    with pytest.raises(InputError, match=r"a\.parquet:2: the row has no s"):
        add(store, file)
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        add(store, file)


def test_workers_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("factchain.kg.triples.lines.BLOCK", 2_000)
    lines = as_ntriples([(f"Q{n}", f"P{n % 5 + 1}", f"Q{n * 7 % 101}") for n in range(1, 200)])
    file = nt(tmp_path / "a.nt", *lines)
    contents = []
    for workers in (1, 2):
        with Store.create(tmp_path / f"{workers}.duckdb") as store:
            add(store, file, workers=workers)
            contents.append(store.dump())
    assert contents[0] == contents[1]


def test_a_run_that_was_stopped_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("factchain.kg.triples.lines.BLOCK", 2_000)
    rows = [(f"Q{n}", f"P{n % 5 + 1}", f"Q{n * 7 % 101}") for n in range(1, 300)]
    first = nt(tmp_path / "a.nt", *as_ntriples(rows), "malformed")
    second = nt(tmp_path / "b.tsv", "s\tp\to", *(f"Q{n}\tP9\tQ1" for n in range(1, 600)), "x")
    options = {"max_rejects": 0.1, "rejects_file": tmp_path / "rejects.jsonl"}
    with Store.create(tmp_path / "whole.duckdb") as store:
        whole = add_triples(store, [first, second], "one", DAY, **options)
        wanted, rejects = store.dump(), (tmp_path / "rejects.jsonl").read_bytes()
    assert rejects.count(b"\n") == whole.rejects == 2
    worked: list[str] = []
    stage = StagedFolder.stage

    def stopped(self: StagedFolder, found: Found, block: str) -> Staged:
        worked.append(block)
        if len(worked) == 14:
            raise KeyboardInterrupt
        return stage(self, found, block)

    monkeypatch.setattr(StagedFolder, "stage", stopped)
    with Store.create(tmp_path / "kg.duckdb") as store:
        with pytest.raises(KeyboardInterrupt):
            add_triples(store, [first, second], "one", DAY, **options)
        assert store.snapshots() == []
        folder = tmp_path / "kg.duckdb.triples" / DAY
        assert len(list(folder.glob("done-*.json"))) == 13
        assert add_triples(store, [first, second], "one", DAY, **options) == whole
        assert store.dump() == wanted
    assert (tmp_path / "rejects.jsonl").read_bytes() == rejects
    # Each block was worked on once, but for the one in which the run was stopped.
    assert len(worked) == len(set(worked)) + 1
    assert not folder.parent.exists()


def test_another_file_or_setting_uses_nothing_of_an_earlier_run(tmp_path: Path) -> None:
    folder = StagedFolder(str(tmp_path / "work"))
    found = Found(triples=[("Q1", "P1", "Q2", None, "wikibase-item", None)], lines=1)
    assert folder.resume({"files": 1}) == {}
    staged = folder.stage(found, "0000-1")
    assert folder.resume({"files": 1}) == {"0000-1": staged}
    (tmp_path / "work" / "done-0000-2.json").write_text("{")
    assert folder.resume({"files": 1}) == {"0000-1": staged}
    assert folder.resume({"files": 2}) == {}
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["triples.json"]
    folder.clear()
    assert not (tmp_path / "work").exists()


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_a_failure_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    kg, good, bad = tmp_path / "kg.duckdb", tmp_path / "good.tsv", tmp_path / "bad.tsv"
    nt(good, "s\tp\to", "/m/1\t/p\t/m/2")
    nt(bad, "s\tp\to", "/m/3\t/p\t")
    options = ("--kg", kg, "--date", DAY, "--quiet")
    result = call("kg", "add-triples", bad, *options, "--snapshot", "a")
    assert result.exit_code == 1
    assert "the row has no o" in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.tsv", "good.tsv"]
    assert call("kg", "add-triples", good, *options, "--snapshot", "a").exit_code == 0
    with Store.open(kg) as store:
        before = store.dump()
    for arguments in ((bad, "--snapshot", "b"), (good, "--snapshot", "a")):
        assert call("kg", "add-triples", *arguments, *options).exit_code == 1
        with Store.open(kg) as store:
            assert store.dump() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.tsv", "good.tsv", "kg.duckdb"]


def test_ids_are_not_numbered_where_the_snapshot_is_refused(store: Store, tmp_path: Path) -> None:
    add(store, nt(tmp_path / "a.tsv", "s\tp\to", "/m/1\t/p\t/m/2"))
    before = store.dump()
    with pytest.raises(StoreError, match="already"):
        add(store, nt(tmp_path / "b.tsv", "s\tp\to", "/m/3\t/p\t/m/4"))
    assert store.dump() == before


def test_names_of_files_that_are_not_known(store: Store, tmp_path: Path) -> None:
    for name in ("a.ttl", "a", "a.parquet.gz"):
        with pytest.raises(InputError, match=r"expected a name that ends in \.nt or \.tsv"):
            add(store, tmp_path / name)
    with pytest.raises(InputError, match=r"absent\.nt: cannot be read"):
        add(store, tmp_path / "absent.nt")


def test_several_files_are_one_snapshot(store: Store, tmp_path: Path) -> None:
    add(
        store,
        nt(tmp_path / "a.nt", *as_ntriples([("Q1", "P1", "Q2")])),
        nt(tmp_path / "b.tsv", "s\tp\to", "Q2\tP1\tQ3"),
    )
    assert statistics(store)["facts_by_snapshot"] == {"one": 2}
    assert store.snapshots()[0].source == "a.nt, b.tsv"


def rdflib_triples(line: str) -> list[tuple[Any, ...]] | None:
    """What rdflib reads in a line; None where it refuses it."""
    found: list[tuple[Any, ...]] = []

    class Sink:
        def triple(self, *parts: Any) -> None:
            found.append(parts)

    try:
        W3CNTriplesParser(Sink()).parsestring(line)
    except ParseError:
        return None
    return found


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
iris = st.from_regex(r"http://[a-z]{1,5}/[a-zA-Z0-9é_%#?=&.,;:'()/-]{0,12}", fullmatch=True)
objects = st.one_of(
    iris.map(URIRef),
    texts.map(Literal),
    st.tuples(texts, st.sampled_from(["en", "de-AT", "zh-hans"])).map(
        lambda one: Literal(one[0], lang=one[1])
    ),
    st.tuples(texts, iris).map(lambda one: Literal(one[0], datatype=URIRef(one[1]))),
)


@given(s=iris, p=iris, o=objects)
@settings(max_examples=100)
def test_what_rdflib_writes_is_read(s: str, p: str, o: URIRef | Literal) -> None:
    line = Graph().add((URIRef(s), URIRef(p), o)).serialize(format="nt", encoding="utf-8")
    groups = parse_line(line.decode().rstrip("\n"))
    assert groups is not None
    subject, _, predicate, target, _, text, language, datatype = groups
    assert (unescape(subject or ""), unescape(predicate or "")) == (s, p)
    if isinstance(o, URIRef):
        assert target == str(o)
    else:
        assert unescape(text or "") == str(o)
        assert language == (o.language or None)
        assert datatype == (str(o.datatype) if o.datatype else None)


ESCAPED = r'"\t\b\n\r\f\"\'\\\u00e9\U0001F600 \\u0041"'


def test_escapes_are_read_as_rdflib_does() -> None:
    line = f"<http://a/b> <http://a/\\u0063> {ESCAPED}@en ."
    ((s, p, o),) = rdflib_triples(line) or [(None, None, None)]
    groups = parse_line(line)
    assert groups is not None
    assert [unescape(groups[n] or "") for n in (0, 2, 5)] == [str(s), str(p), str(o)]
    assert str(o) == "\t\b\n\r\f\"'\\é😀 \\u0041"


PIECES = """<http://a/b> <http://a{b> _:b1 "x" "x"@en "x"^^<http://d> "\\n" "\\q" " < . # @ ^^"""
pieces = st.sampled_from([*PIECES.split(" "), "\t", "# c", "<http://a b>", "\\u00e9", ""])


@given(st.lists(pieces, max_size=9).map(" ".join))
@settings(max_examples=500)
def test_what_is_taken_for_a_triple_is_one_to_rdflib(line: str) -> None:
    try:
        groups = parse_line(line)
    except ValueError:
        return
    found = rdflib_triples(line)
    assert found is not None
    assert len(found) == (groups is not None)


@given(st.binary(max_size=200), st.sampled_from(["nt", "tsv"]))
@settings(max_examples=300)
def test_any_bytes_are_triples_names_or_rejects(data: bytes, kind: str) -> None:
    block = Block(1, data)
    columns = ("s", "p", "o", "s_label")
    found = parse_block(block, ("en",)) if kind == "nt" else parse_tsv(block, columns)
    assert found.lines <= data.count(b"\n") + 1
    assert len(found.rejects) <= found.lines


@given(
    st.lists(st.binary(max_size=12).map(lambda line: line.replace(b"\n", b"")), max_size=20),
    st.integers(1, 40),
    st.integers(1, 12),
    st.booleans(),
)
@settings(max_examples=300)
def test_blocks_hold_every_line_once_under_its_number(
    lines: list[bytes], size: int, longest: int, ended: bool
) -> None:
    content = b"\n".join(lines) + (b"\n" if ended else b"")
    found: dict[int, tuple[bytes, bool]] = {}
    for block in blocks(io.BytesIO(content), 1, size, longest):
        for number, line in enumerate(block.data.split(b"\n"), start=block.first):
            assert number not in found
            found[number] = (line, block.too_long)
    expected = content.split(b"\n")
    for number, line in enumerate(expected, start=1):
        kept, too_long = found.pop(number, (b"", False))
        assert too_long == (len(line) > longest)
        assert line.startswith(kept) if too_long else line == kept
    assert not found


@pytest.mark.parametrize("limit", [1_000, 300_000, 2_000_000])
def test_a_disk_that_fills_leaves_nothing_half_written(tmp_path: Path, limit: int) -> None:
    rows = (f"/m/{n}\tname {n}\t/p\tp\t/m/{n * 7 % 9_973}\t" for n in range(20_000))
    file = nt(tmp_path / "a.tsv", HEADER, *rows)
    command = [sys.executable, "-m", "factchain", "kg", "add-triples", "a.tsv", "--kg", "kg.duckdb"]
    result = subprocess.run(
        [*command, "--snapshot", "a", "--date", DAY],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert result.returncode == 1, result.stderr
    assert "Error: " in result.stderr
    assert "Traceback" not in result.stderr
    # What was read is kept for the next run; the store is not there.
    left = {path.name for path in tmp_path.iterdir()}
    assert left <= {file.name, "kg.duckdb.triples"}
    for path in (tmp_path / "kg.duckdb.triples").rglob("*.parquet"):
        pq.read_table(path)
    options = ("--snapshot", "a", "--date", DAY, "--quiet")
    again = call("kg", "add-triples", file, "--kg", tmp_path / "kg.duckdb", *options)
    assert again.exit_code == 0, again.output
    assert {path.name for path in tmp_path.iterdir()} == {file.name, "kg.duckdb"}
