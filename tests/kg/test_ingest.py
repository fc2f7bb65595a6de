"""A dump into the store: equal to qwikidata, whatever the format; filters, resumption, faults."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard
from click.testing import CliRunner, Result
from qwikidata.entity import WikidataItem, WikidataProperty
from qwikidata.json_dump import WikidataJsonDump

from conftest import claim, item, item_snak, property_entity, write_dump
from factchain.cli import main
from factchain.errors import InputError, StoreError
from factchain.kg.dumps import ingest as ingestion
from factchain.kg.dumps.dump import DumpSettings
from factchain.kg.dumps.ingest import ingest
from factchain.kg.dumps.shards import ShardSummary, ShardTask
from factchain.kg.dumps.values import KEPT_TYPES
from factchain.kg.store import Store

DATE = "2024-06-05"
ITEMS = 120


def kg_ingest(kg: Path, *words: object, stdin: bytes | None = None) -> Result:
    command = ["kg", "ingest", "--kg", kg, "--snapshot", "now", "--date", DATE, *words]
    return CliRunner().invoke(main, list(map(str, command)), input=stdin)


def contents(kg: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All tables, less where the facts come from."""
    with Store.open(kg) as store:
        tables = store.dump()
    del tables["snapshot"]
    return tables


def towns(count: int) -> list[dict[str, Any]]:
    return [property_entity("P1", "next")] + [
        item(f"Q{n}", f"town {n}", [claim(item_snak("P1", f"Q{n + 1}"))], aliases=[f"T{n}"])
        for n in range(1, count + 1)
    ]


# The reference


def their_value(snak: Any) -> tuple[Any, ...]:
    """A snak of qwikidata as the columns o, value, unit, precision, calendar, lower, upper."""
    value = snak.datavalue.value
    kind = snak.snak_datatype
    if kind == "wikibase-item":
        return int(value["id"][1:]), None, None, None, None, None, None
    if kind == "time":
        year, month, day = value["time"][1:].partition("T")[0].split("-")
        parts = [f"{int(year):04d}", month, day][: max(1, min(value["precision"], 11) - 8)]
        text = value["time"][0].replace("+", "") + "-".join(parts)
        calendar = int(value["calendarmodel"].rpartition("Q")[2])
        return (
            None,
            text,
            None,
            value["precision"],
            {1985727: None}.get(calendar, calendar),
            None,
            None,
        )
    if kind == "quantity":
        unit = value["unit"].rpartition("Q")[2]
        bounds = [
            value[b].lstrip("+") if b in value else None for b in ("lowerBound", "upperBound")
        ]
        amount = value["amount"].lstrip("+")
        return None, amount, None if unit == "1" else int(unit), None, None, *bounds
    if kind == "monolingualtext":
        value = f"{value['text']}@{value['language']}"
    elif kind == "globe-coordinate":
        value = f"{value['latitude']},{value['longitude']}"
    return None, value, None, None, None, None, None


def their_facts(entity: WikidataItem) -> Iterator[tuple[Any, ...]]:
    for prop, group in entity.get_truthy_claim_groups().items():
        for one in group:
            snak = one.mainsnak
            if snak.snaktype == "value" and snak.snak_datatype in KEPT_TYPES:
                s = int(entity.entity_id[1:])
                yield s, int(prop[1:]), snak.snak_datatype, *their_value(snak), one.rank


def their_times(entity: WikidataItem, prop: str) -> Counter[tuple[int, str]]:
    """The values of a time qualifier of the truthy facts that are between items."""
    found: Counter[tuple[int, str]] = Counter()
    for group in entity.get_truthy_claim_groups().values():
        for one in group:
            snak = one.mainsnak
            if snak.snaktype == "value" and snak.snak_datatype == "wikibase-item":
                for qualifier in one.qualifiers.get(prop, [])[:1]:
                    if qualifier.snak.snaktype == "value":
                        found[int(entity.entity_id[1:]), their_value(qualifier.snak)[1]] += 1
    return found


def names_of(entity: Any) -> tuple[str | None, str | None, list[str]]:
    label = entity.get_label() or entity.get_label("mul") or None
    description = entity.get_description() or entity.get_description("mul") or None
    aliases = {*entity.get_aliases(), *entity.get_aliases("mul")} - {label}
    return label, description, sorted(aliases)


def test_the_store_equals_qwikidata_statement_by_statement(
    reference: Callable[[str], Path], tmp_path: Path
) -> None:
    path = reference("wikidata_real_sample.json.gz")
    kg = tmp_path / "kg.duckdb"
    result = kg_ingest(kg, path, "--keep-ended", "--workers", 2, "--json")
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)
    assert (figures["entities"], figures["properties"], figures["rejects"]) == (707, 3, 0)
    with Store.open(kg) as store:
        facts = store.rows(
            "SELECT s, p, datatype, o, value, unit, precision, calendar, lower, upper, rank "
            "FROM fact JOIN fact_snapshot ON fact = id"
        )
        entities = {q: rest for q, *rest in store.rows("SELECT * EXCLUDE (snapshot) FROM entity")}
        properties = {p: rest for p, *rest in store.rows("SELECT * FROM property")}
        starts = Counter(
            store.rows(
                "SELECT s, start_time FROM fact JOIN fact_snapshot ON fact = id "
                "WHERE o IS NOT NULL AND start_time IS NOT NULL"
            )
        )
    theirs: set[tuple[Any, ...]] = set()
    their_starts: Counter[tuple[int, str]] = Counter()
    for entity in WikidataJsonDump(str(path)):
        number = int(entity["id"][1:])
        if entity["type"] == "property":
            label, description, aliases, datatype, _ = properties[number]
            assert (label, description, aliases) == names_of(WikidataProperty(entity))
            assert datatype == entity["datatype"]
            continue
        wikidata_item = WikidataItem(entity)
        theirs.update(their_facts(wikidata_item))
        their_starts += their_times(wikidata_item, "P580")
        label, description, aliases, classes, wikipedia = entities[number]
        assert (label, description, aliases) == names_of(wikidata_item)
        assert wikipedia == (wikidata_item.get_enwiki_title() or None)
        assert set(classes) == {
            row[3] for row in their_facts(wikidata_item) if row[1] == 31 and row[3] is not None
        }
    assert len(theirs) > 14_000
    assert len(facts) == len(set(facts)) == figures["facts"]
    assert set(facts) == theirs
    # Two statements of one fact become one, that which started first.
    assert starts <= their_starts
    assert sum(starts.values()) > 0.9 * sum(their_starts.values()) > 500


def test_ended_statements_are_left_out_by_default(
    reference: Callable[[str], Path], tmp_path: Path
) -> None:
    path = reference("wikidata_real_sample.json.gz")
    kept, default = tmp_path / "kept.duckdb", tmp_path / "default.duckdb"
    assert kg_ingest(kept, path, "--keep-ended").exit_code == 0
    assert kg_ingest(default, path).exit_code == 0
    with Store.open(default) as store:
        store.connection.execute("ATTACH ? AS kept (READ_ONLY)", [str(kept)])
        ended = store.rows(
            "SELECT end_time FROM kept.fact_snapshot s JOIN kept.fact f ON f.id = s.fact "
            "ANTI JOIN fact g ON g.s = f.s AND g.p = f.p AND g.o IS NOT DISTINCT FROM f.o "
            "AND g.value IS NOT DISTINCT FROM f.value"
        )
    assert len(ended) > 100
    assert all(end is None or end <= DATE or end.startswith("-") for (end,) in ended)


# Formats


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dump of some chunks."""
    return write_dump(tmp_path_factory.mktemp("dump") / "dump.json", towns(ITEMS))


@pytest.fixture(scope="module")
def expected(dump: Path) -> dict[str, list[tuple[Any, ...]]]:
    kg = dump.with_name("kg.duckdb")
    assert kg_ingest(kg, dump).exit_code == 0
    tables = contents(kg)
    assert len(tables["fact"]) == len(tables["entity"]) == ITEMS
    return tables


def halves(data: bytes) -> tuple[bytes, bytes]:
    return data[: len(data) // 2], data[len(data) // 2 :]


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


@pytest.mark.parametrize(
    ("ending", "pack"),
    [
        (".json", bytes),
        (".json.gz", gzip.compress),
        (".json.gz", lambda data: b"".join(map(gzip.compress, halves(data)))),
        (".json.bz2", bz2.compress),
        (".json.bz2", lambda data: b"".join(map(bz2.compress, halves(data)))),
        (".json.zst", zstd),
        (".json.zst", lambda data: b"".join(map(zstd, halves(data)))),
    ],
    ids=["plain", "gz", "gz members", "bz2", "bz2 streams", "zst", "zst frames"],
)
def test_every_format_gives_the_same(
    dump: Path, expected: Any, tmp_path: Path, ending: str, pack: Callable[[bytes], bytes]
) -> None:
    packed = tmp_path / f"dump{ending}"
    packed.write_bytes(pack(dump.read_bytes()))
    result = kg_ingest(tmp_path / "kg.duckdb", packed)
    assert result.exit_code == 0, result.output
    assert contents(tmp_path / "kg.duckdb") == expected
    result = kg_ingest(tmp_path / "piped.duckdb", "-", stdin=packed.read_bytes())
    assert result.exit_code == 0, result.output
    assert contents(tmp_path / "piped.duckdb") == expected
    with Store.open(tmp_path / "kg.duckdb") as store:
        assert store.newest().checksum == hashlib.sha256(packed.read_bytes()).hexdigest()
        assert store.newest().source == packed.name
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [packed.name, "kg.duckdb", "piped.duckdb"]
    )


def test_a_folder_of_shards_is_one_dump(dump: Path, expected: Any, tmp_path: Path) -> None:
    lines = dump.read_bytes().splitlines(keepends=True)
    cut, arrays = tmp_path / "a[1]*", tmp_path / "arrays"
    for folder in (cut, arrays):
        folder.mkdir()
    for part in range(4):
        some = lines[part * 31 : (part + 1) * 31]
        (cut / f"part{part}.json.gz").write_bytes(gzip.compress(b"".join(some)))
        body = [line for line in some if line.strip() not in (b"[", b"]")]
        (arrays / f"{part}.json").write_bytes(b"[\n" + b"".join(body) + b"]\n")
    (cut / "README.txt").write_text("no dump")
    assert kg_ingest(cut / "kg.duckdb", cut).exit_code == 0
    assert contents(cut / "kg.duckdb") == expected
    files = sorted(arrays.iterdir())
    assert kg_ingest(tmp_path / "kg.duckdb", *files).exit_code == 0
    assert contents(tmp_path / "kg.duckdb") == expected


@pytest.mark.parametrize("chunk_bytes", [500, 5_000, 1 << 30])
def test_chunks_and_workers_do_not_matter(
    dump: Path, expected: Any, tmp_path: Path, chunk_bytes: int
) -> None:
    for workers in (1, 2):
        kg = tmp_path / f"{workers}.duckdb"
        with Store.create(kg) as store:
            ingest(store, dump, "now", DATE, workers=workers, chunk_bytes=chunk_bytes)
        assert contents(kg) == expected


# Resumption


def test_a_stopped_run_continues_after_the_last_finished_shard(
    dump: Path, expected: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "dump.json"
    copy.write_bytes(dump.read_bytes())
    parsed: list[int] = []
    write_shard = ingestion.write_shard
    stop_at = 10

    def watched(task: ShardTask, **rest: Any) -> ShardSummary:
        if len(parsed) == stop_at:
            raise KeyboardInterrupt
        parsed.append(task.chunk.index)
        return write_shard(task, **rest)

    monkeypatch.setattr(ingestion, "write_shard", watched)
    work = str(tmp_path / "kg.duckdb.ingest" / DATE)

    def run(name: str, **options: Any) -> None:
        with Store.create(tmp_path / name) as store:
            ingest(store, copy, "now", DATE, work=work, chunk_bytes=1_000, **options)

    with pytest.raises(KeyboardInterrupt):
        run("stopped")
    assert parsed == list(range(10))
    stop_at = -1
    run("resumed")
    assert parsed == list(range(len(parsed)))
    assert len(parsed) > 20
    assert contents(tmp_path / "resumed") == expected
    assert not (tmp_path / "kg.duckdb.ingest").exists()
    # Another dump, or other settings: nothing of the old shards is used.
    for change in ("dump", "settings"):
        parsed.clear()
        stop_at = 10
        with pytest.raises(KeyboardInterrupt):
            run(f"stopped {change}")
        stop_at = -1
        settings = DumpSettings(languages=("de",)) if change == "settings" else None
        if change == "dump":
            os.utime(copy, (1, 1))
        run(change, settings=settings)
        assert parsed[10:] == list(range(len(parsed) - 10))
    assert contents(tmp_path / "dump") == expected
    assert {label for _, label, *_ in contents(tmp_path / "settings")["entity"]} == {None}


def command(kg: Path, *words: object) -> list[str]:
    start = [sys.executable, "-m", "factchain", "kg", "ingest", "--kg", kg, "--date", DATE]
    return [str(word) for word in [*start, "--snapshot", "now", *words]]


@pytest.mark.slow
def test_a_killed_process_leaves_what_the_next_one_uses(tmp_path: Path) -> None:
    """Killed while standard input is open, with shards behind it."""
    line = json.dumps(item("Q1", "x" * 100_000)).encode()
    many = [line.replace(b'"Q1"', b'"Q%d"' % n) for n in range(1, 701)]
    whole = tmp_path / "dump.json"
    whole.write_bytes(b"[\n" + b",\n".join(many) + b"\n]\n")
    kg = tmp_path / "kg.duckdb"
    work = tmp_path / "kg.duckdb.ingest" / DATE
    process = subprocess.Popen(command(kg, whole, "--quiet"), stdout=subprocess.DEVNULL)
    while process.poll() is None and not (work / "done-000000.json").exists():
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not kg.exists()
    assert (work / "entities-000000.parquet").exists()
    again = subprocess.run(command(kg, whole), capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert "shards are there from an earlier run" in again.stderr
    with Store.open(kg) as store:
        assert store.rows("SELECT count(*), max(length(label)) FROM entity") == [(700, 100_000)]
    assert not work.parent.exists()


# What is kept


def kept(tmp_path: Path, entities: list[dict[str, Any]], *options: object) -> Store:
    dump = write_dump(tmp_path / "dump.json", entities)
    kg = tmp_path / "kept.duckdb"
    result = kg_ingest(kg, dump, *options)
    assert result.exit_code == 0, result.output
    return Store.open(kg)


def string_snak(prop: str, value: str, datatype: str = "string") -> dict[str, Any]:
    data = {"type": "string", "value": value}
    return {"snaktype": "value", "property": prop, "datatype": datatype, "datavalue": data}


MIXED = [
    property_entity("P31", "instance of"),
    item(
        "Q1",
        "Ada",
        [
            claim(item_snak("P31", "Q5")),
            claim(item_snak("P19", "Q84")),
            claim(string_snak("P213", "0000", "external-id")),
            claim(string_snak("P1", "text")),
        ],
    )
    | {"sitelinks": {"enwiki": {"site": "enwiki", "title": "Ada"}}},
    item("Q84", "London", [claim(item_snak("P31", "Q515"))])
    | {"sitelinks": {"dewiki": {"site": "dewiki", "title": "London"}}},
    item("Q5", "human", [claim(item_snak("P31", "Q1"), rank="deprecated")]),
]


@pytest.mark.parametrize(
    ("options", "entities", "facts", "skipped"),
    [
        ((), {1, 84, 5}, {(1, 31), (1, 19), (1, 1), (84, 31)}, {"datatype": 1, "rank": 1}),
        (("--external-ids",), {1, 84, 5}, {(1, 31), (1, 19), (1, 1), (1, 213), (84, 31)}, {}),
        (("--properties", "P19"), {1, 84, 5}, {(1, 19)}, {"property": 5}),
        (("--drop-properties", "P31, P1"), {1, 84, 5}, {(1, 19)}, {"property": 4}),
        (("--datatypes", "string"), {1, 84, 5}, {(1, 1)}, {"datatype": 4}),
        (("--classes", "Q5"), {1}, {(1, 31), (1, 19), (1, 1)}, {"entity: class": 2}),
        (("--classes", "Q5", "--drop-properties", "P31"), {1}, {(1, 19), (1, 1)}, {}),
        (("--sitelinks", "dewiki"), {84}, {(84, 31)}, {"entity: no page": 2}),
        (("--sitelinks", "dewiki,enwiki"), {84, 1}, {(84, 31), (1, 31), (1, 19), (1, 1)}, {}),
        (("--entities", "LIST"), {84, 5}, {(84, 31)}, {"entity: not listed": 1}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_options_choose_what_is_kept(
    tmp_path: Path,
    options: tuple[str, ...],
    entities: set[int],
    facts: set[tuple[int, int]],
    skipped: dict[str, int],
) -> None:
    listed = tmp_path / "listed.txt"
    listed.write_text("Q84\n\n Q5 \nQ999\n")
    words = [str(listed) if word == "LIST" else word for word in options]
    dump = write_dump(tmp_path / "dump.json", MIXED)
    result = kg_ingest(tmp_path / "kg", dump, *words, "--json")
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)
    assert skipped.items() <= figures["skipped"].items()
    with Store.open(tmp_path / "kg") as store:
        assert {q for (q,) in store.rows("SELECT id FROM entity")} == entities
        assert set(store.rows("SELECT s, p FROM fact")) == facts
        assert store.rows("SELECT id FROM property") == [(31,)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--classes", "P5"), "no Q-id"),
        (("--properties", "P1,Px"), "'Px' is no P-id"),
        (("--datatypes", "strings"), "strings: not among"),
        (("--memory", "much"), "no size"),
        (("--memory", "1MB"), "128MiB at least"),
        (("--date", "yesterday"), "yesterday"),
    ],
)
def test_wrong_usage_is_told(tmp_path: Path, options: tuple[str, ...], message: str) -> None:
    result = kg_ingest(tmp_path / "kg", tmp_path / "dump.json", *options)
    assert result.exit_code == 2
    assert message in result.output


# Redirects


def test_redirects_lead_to_their_ends_and_circles_are_counted(tmp_path: Path) -> None:
    pairs = [(1, 2), (2, 3), (3, 9), (4, 5), (5, 6), (6, 4), (7, 4), (8, 8)]
    entities = [{"entity": f"Q{a}", "redirect": f"Q{b}"} for a, b in pairs]
    dump = write_dump(tmp_path / "dump.json", [*entities, item("Q9", "nine")])
    result = kg_ingest(tmp_path / "kg", dump, "--json")
    assert "5 redirects lead in a circle" in result.stderr
    assert json.loads(result.stdout)["skipped"] == {"cyclic redirect": 5, "redirect": 8}
    with Store.open(tmp_path / "kg") as store:
        assert store.rows("SELECT source, target FROM redirect") == [(1, 9), (2, 9), (3, 9)]


# Faults


def refused(tmp_path: Path, *words: object, stdin: bytes | None = None) -> str:
    """The message of a failed run, which leaves nothing behind."""
    before = sorted(tmp_path.iterdir())
    result = kg_ingest(tmp_path / "kg", *words, stdin=stdin)
    assert result.exit_code == 1, result.output
    assert "Traceback" not in result.output
    assert sorted(tmp_path.iterdir()) == before
    return result.output


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.json", b"", "empty"),
        ("brackets.json", b"[\n]\n", "empty"),
        ("picture.json", b"\x89PNG\r\n\x1a\n....", "picture.json:1: this is not a Wikidata"),
        ("table.json", b"\n\ns,p,o\n1,2,3\n", "table.json:3: this is not a Wikidata"),
        ("array.json", b'[{"id":"Q1","type":"item"}]', "not a Wikidata JSON dump"),
        ("open.json", b'[\n{"id":"Q1","type":"item"},\n', "cut off after line 2"),
        ("notgz.json.gz", b'[\n{"id":"Q1"}\n]\n', "cut off or damaged"),
        ("notbz.json.bz2", b'[\n{"id":"Q1"}\n]\n', "cut off or damaged"),
        ("notzst.json.zst", b'[\n{"id":"Q1"}\n]\n', "cut off or damaged"),
        ("empty.json.gz", b"", "empty"),
        ("empty.json.bz2", b"", "damaged"),
        ("lexemes.json", b'[\n{"id":"L1","type":"lexeme"}\n]\n', "left out: 1 lexeme"),
        ("media.json", b'[\n{"id":"M1","type":"mediainfo"}\n]\n', "Wikimedia Commons"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_file_that_is_no_dump_is_refused(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    told = refused(tmp_path, path)
    assert message in told
    assert name in told


@pytest.mark.parametrize("share", [0.05, 0.5, 0.999])
@pytest.mark.parametrize(
    ("ending", "pack"),
    [
        (".json.gz", gzip.compress),
        (".json.bz2", bz2.compress),
        (".json.bz2", lambda data: b"".join(map(bz2.compress, halves(data)))),
        (".json.zst", zstd),
    ],
    ids=["gz", "bz2", "bz2 streams", "zst"],
)
def test_a_truncated_archive_is_refused_even_without_brackets(
    dump: Path, tmp_path: Path, ending: str, pack: Callable[[bytes], bytes], share: float
) -> None:
    packed = pack(dump.read_bytes().removeprefix(b"[\n").removesuffix(b"]\n"))
    cut = tmp_path / f"cut{ending}"
    cut.write_bytes(packed[: int(len(packed) * share)])
    assert "damaged" in refused(tmp_path, cut)
    assert "damaged" in refused(tmp_path, "-", stdin=cut.read_bytes())


def test_flipped_bits_are_found(dump: Path, tmp_path: Path) -> None:
    packed = bytearray(bz2.compress(dump.read_bytes()))
    packed[len(packed) // 2] ^= 4
    path = tmp_path / "dump.json.bz2"
    path.write_bytes(packed)
    assert "damaged" in refused(tmp_path, path)


def test_missing_files_are_named(tmp_path: Path) -> None:
    assert "absent.json: no such file" in refused(tmp_path, tmp_path / "absent.json")
    (tmp_path / "folder").mkdir()
    assert "folder: holds no dump" in refused(tmp_path, tmp_path / "folder")
    dump = write_dump(tmp_path / "dump.json", towns(1))
    assert "give no other files" in refused(tmp_path, dump, "-")
    assert "cannot be read" in refused(tmp_path, dump, "--entities", tmp_path / "absent.txt")


def test_the_checksum_is_verified(dump: Path, tmp_path: Path) -> None:
    data = dump.read_bytes()
    for name in ("md5", "sha1", "sha256"):
        right = hashlib.new(name, data).hexdigest()
        kg = tmp_path / f"{name}.duckdb"
        assert kg_ingest(kg, dump, "--checksum", right.upper()).exit_code == 0
        wrong = hashlib.new(name, b"").hexdigest()
        told = refused(tmp_path, dump, "--checksum", wrong)
        assert f"its {name} is {right}, not {wrong}" in told
    assert "is no MD5" in refused(tmp_path, dump, "--checksum", "abc")
    assert "2 checksums for 1 files" in refused(tmp_path, dump, *("--checksum", "0" * 32) * 2)


def test_a_dump_of_another_wiki_is_refused(tmp_path: Path) -> None:
    value = {"amount": "+1", "unit": "https://wiki.example/entity/Q7"}
    quantity = {
        "snaktype": "value",
        "property": "P1",
        "datatype": "quantity",
        "datavalue": {"type": "quantity", "value": value},
    }
    dump = write_dump(tmp_path / "dump.json", [item("Q1", "one", [claim(quantity)])])
    assert "dump of another wiki" in refused(tmp_path, dump)


def test_malformed_lines_are_kept_and_counted(tmp_path: Path) -> None:
    good = "\n".join(json.dumps(item(f"Q{n}", f"item {n}")) + "," for n in range(1, 6))
    path = tmp_path / "dump.json"
    bad = b'{"id": "Q9", "type": "it\n{"id":"X1","type":"item"}\n{"id":"Q\xff"}'
    path.write_bytes(b"[\n" + good.encode() + b"\n" + bad + b"\n]\n")
    rejects = tmp_path / "rejects.jsonl"
    rejects.write_text("")
    told = refused(tmp_path, path, "--rejects", rejects)
    assert "dump.json:7: " in told
    assert "3 of 8 lines are malformed" in told
    kept = [json.loads(line) for line in rejects.read_text().splitlines()]
    assert [(reject["file"], reject["line"]) for reject in kept] == [
        ("dump.json", 7),
        ("dump.json", 8),
        ("dump.json", 9),
    ]
    result = kg_ingest(tmp_path / "kg", path, "--max-rejects", 0.5, "--json")
    figures = json.loads(result.stdout)
    assert (figures["entities"], figures["rejects"]) == (5, 3)


@pytest.mark.slow
def test_a_line_of_fifty_megabytes(tmp_path: Path) -> None:
    huge = json.dumps(item("Q1", "x" * 50_000_000)).encode()
    junk = b'{"id": "Q2", "type": "item", ' + b"[" * 50_000_000
    path = tmp_path / "dump.json.gz"
    small = json.dumps(item("Q3", "three")).encode()
    path.write_bytes(gzip.compress(b"[\n" + b",\n".join([huge, junk, small]) + b"\n]\n", 1))
    result = kg_ingest(tmp_path / "kg", path, "--max-rejects", 0.5, "--json")
    figures = json.loads(result.stdout)
    assert (figures["entities"], figures["rejects"]) == (2, 1)
    with Store.open(tmp_path / "kg") as store:
        lengths = store.rows("SELECT id, length(label) FROM entity ORDER BY id")
        assert lengths == [(1, 50_000_000), (3, 5)]


def test_a_snapshot_that_is_there_is_refused_before_the_dump_is_read(tmp_path: Path) -> None:
    dump = write_dump(tmp_path / "dump.json", towns(3))
    assert kg_ingest(tmp_path / "kg", dump).exit_code == 0
    held = contents(tmp_path / "kg")
    with Store.open(tmp_path / "kg", read_only=False) as store:
        with pytest.raises(StoreError, match="already"):
            ingest(store, tmp_path / "absent.json", "now", "2025-01-01")
        with pytest.raises(InputError, match="no such file"):
            ingest(store, tmp_path / "absent.json", "later", "2025-01-01")
    assert contents(tmp_path / "kg") == held


@pytest.mark.slow
@pytest.mark.parametrize("limit", [2_000, 300_000, 800_000])
def test_a_disk_that_fills_leaves_the_store_as_it_was(tmp_path: Path, limit: int) -> None:
    old = write_dump(tmp_path / "old.json", towns(3))
    kg = tmp_path / "kg"
    assert kg_ingest(kg, old, "--date", "2020-01-01", "--snapshot", "old").exit_code == 0
    held = contents(kg)
    many = [item(f"Q{n}", f"{n * 7919}" * 40) for n in range(1, 5_000)]
    dump = write_dump(tmp_path / "new.json", many)

    def fill() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    full = subprocess.run(
        command(kg, dump), preexec_fn=fill, capture_output=True, text=True, check=False
    )
    assert full.returncode == 1, full.stderr
    assert "Error: " in full.stderr
    assert "Traceback" not in full.stderr
    assert contents(kg) == held
    again = subprocess.run(command(kg, dump), capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert len(contents(kg)["entity"]) == 4_999
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kg", "new.json", "old.json"]
