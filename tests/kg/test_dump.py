"""The dump reader: truthy facts as qwikidata gives them, and every kind of broken input."""

from __future__ import annotations

import bz2
import gzip
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from qwikidata.entity import WikidataItem
from qwikidata.json_dump import WikidataJsonDump

from conftest import claim, item, item_snak, property_entity, write_dump
from factchain.errors import InputError
from factchain.kg.dump import parse_lines, read_dump
from factchain.kg.ingest import ingest
from factchain.kg.statements import parse_time
from factchain.kg.store import Store

DATE = "2024-06-05"
FACT_TYPES = {
    "wikibase-item",
    "time",
    "quantity",
    "string",
    "monolingualtext",
    "globe-coordinate",
    "url",
}


def rows(path: Path, **options: Any) -> list[dict[str, Any]]:
    return [row for part in read_dump(path, DATE, **options) for row in part.facts.to_pylist()]


def time_snak(prop: str, time: str, precision: int = 11) -> dict[str, Any]:
    value = {"time": time, "precision": precision, "calendarmodel": "Q1985727"}
    return {
        "snaktype": "value",
        "property": prop,
        "datatype": "time",
        "datavalue": {"type": "time", "value": value},
    }


def test_truthy_facts_equal_qwikidata_statement_by_statement(
    reference: Callable[[str], Path],
) -> None:
    path = reference("wikidata_real_sample.json.gz")
    ours: Counter[tuple[str, str, str]] = Counter()
    labels: dict[int, Any] = {}
    for part in read_dump(path, DATE, keep_ended=True):
        assert part.rejects == []
        for row in part.facts.to_pylist():
            if row["o"] is not None:
                ours[f"Q{row['s']}", f"P{row['p']}", f"Q{row['o']}"] += 1
            elif row["datatype"] == "quantity" or row["datatype"] in {"string", "url"}:
                ours[f"Q{row['s']}", f"P{row['p']}", row["value"]] += 1
        for row in part.entities.to_pylist():
            labels[row["id"]] = row
    theirs: Counter[tuple[str, str, str]] = Counter()
    seen = 0
    for entity in WikidataJsonDump(str(path)):
        if entity["type"] != "item":
            continue
        wikidata_item = WikidataItem(entity)
        seen += 1
        row = labels[int(entity["id"][1:])]
        assert (row["label"] or "") in (
            wikidata_item.get_label(),
            wikidata_item.get_label("mul"),
        )
        assert (row["description"] or "") in (
            wikidata_item.get_description(),
            wikidata_item.get_description("mul"),
        )
        assert set(wikidata_item.get_aliases()) - {row["label"]} <= set(row["aliases"])
        for prop, group in wikidata_item.get_truthy_claim_groups().items():
            for one in group:
                snak = one.mainsnak
                if snak.snaktype != "value" or snak.snak_datatype not in FACT_TYPES:
                    continue
                value = snak.datavalue.value
                if snak.snak_datatype == "wikibase-item":
                    theirs[entity["id"], prop, value["id"]] += 1
                elif snak.snak_datatype == "quantity":
                    theirs[entity["id"], prop, value["amount"].lstrip("+")] += 1
                elif snak.snak_datatype in {"string", "url"}:
                    theirs[entity["id"], prop, value] += 1
    assert seen == 707
    assert sum(ours.values()) > 5_000
    assert ours == theirs


def test_best_rank_wins_and_deprecated_never_stands(tmp_path: Path) -> None:
    dump = write_dump(
        tmp_path / "dump.json",
        [
            item(
                "Q1",
                "one",
                [
                    claim(item_snak("P1", "Q2")),
                    claim(item_snak("P1", "Q3"), rank="preferred"),
                    claim(item_snak("P1", "Q4"), rank="preferred"),
                    claim(item_snak("P2", "Q5"), rank="deprecated"),
                    claim(item_snak("P3", "Q6")),
                ],
            )
        ],
    )
    assert [(row["p"], row["o"]) for row in rows(dump)] == [(1, 3), (1, 4), (3, 6)]


def test_unknown_and_no_values_are_left_out(tmp_path: Path) -> None:
    snaks = [
        {"snaktype": kind, "property": "P1", "datatype": "wikibase-item"}
        for kind in ("somevalue", "novalue")
    ]
    dump = write_dump(tmp_path / "dump.json", [item("Q1", "one", map(claim, snaks))])
    (part,) = read_dump(dump, DATE)
    assert part.facts.num_rows == 0
    assert part.skipped == {"somevalue": 1, "novalue": 1}


@pytest.mark.parametrize(
    ("end", "stands"),
    [
        (time_snak("P582", "+2024-06-05T00:00:00Z"), False),
        (time_snak("P582", "+2024-06-06T00:00:00Z"), True),
        (time_snak("P582", "+2024-00-00T00:00:00Z", 9), False),
        (time_snak("P582", "+2024-07-00T00:00:00Z", 10), True),
        (time_snak("P582", "-0044-03-15T00:00:00Z"), False),
        ({"snaktype": "somevalue", "property": "P582", "datatype": "time"}, False),
        ({"snaktype": "novalue", "property": "P582", "datatype": "time"}, True),
    ],
)
def test_a_statement_that_may_have_ended_is_left_out(
    tmp_path: Path, end: dict[str, Any], stands: bool
) -> None:
    ended = claim(item_snak("P6", "Q2"), P582=[end])
    dump = write_dump(tmp_path / "dump.json", [item("Q1", "one", [ended])])
    assert len(rows(dump)) == int(stands)
    assert len(rows(dump, keep_ended=True)) == 1


@pytest.mark.parametrize(
    ("text", "precision", "value"),
    [
        ("+1879-03-14T00:00:00Z", 11, "1879-03-14"),
        ("+1879-03-00T00:00:00Z", 10, "1879-03"),
        ("+1879-00-00T00:00:00Z", 9, "1879"),
        ("+1870-00-00T00:00:00Z", 8, "1870"),
        ("-0044-03-15T00:00:00Z", 11, "-0044-03-15"),
    ],
)
def test_dates_are_cut_to_their_precision(text: str, precision: int, value: str) -> None:
    parsed = parse_time(text, precision)
    assert (parsed.value, parsed.precision) == (value, precision)


def test_compressions_and_workers_give_the_same(tmp_path: Path) -> None:
    entities = [property_entity("P1", "capital")] + [
        item(f"Q{n}", f"item {n}", [claim(item_snak("P1", f"Q{n + 1}"))]) for n in range(1, 40)
    ]
    plain = write_dump(tmp_path / "dump.json", entities)
    zipped = tmp_path / "dump.json.gz"
    zipped.write_bytes(gzip.compress(plain.read_bytes()))
    bzipped = tmp_path / "dump.json.bz2"
    bzipped.write_bytes(bz2.compress(plain.read_bytes()))
    expected = rows(plain)
    assert len(expected) == 39
    assert rows(zipped) == rows(bzipped) == rows(plain, workers=2) == expected


def test_redirects_and_lexemes_are_counted(tmp_path: Path) -> None:
    entities = [
        {"entity": "Q5", "redirect": "Q6"},
        {"type": "lexeme", "id": "L1"},
        item("Q1", "one"),
    ]
    (part,) = read_dump(write_dump(tmp_path / "dump.json", entities), DATE)
    assert part.skipped == {"redirect": 1, "lexeme": 1}
    assert part.entities.to_pylist()[0]["label"] == "one"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.json", b"", "empty"),
        ("brackets.json", b"[\n]\n", "empty"),
        ("picture.json", b"\x89PNG\r\n\x1a\n....", "not a Wikidata JSON dump"),
        ("table.json", b"s,p,o\n1,2,3\n", "not a Wikidata JSON dump"),
        ("open.json", b'[\n{"id":"Q1","type":"item"},\n', "cut off after line 2"),
        ("notgz.json.gz", b'[\n{"id":"Q1"}\n]\n', "cut off or damaged"),
        (
            "cut.json.gz",
            gzip.compress(b"[\n" + b" " * 9000 + b"\n]\n", mtime=0)[:30],
            "cut off or damaged",
        ),
        ("cut.json.bz2", bz2.compress(b'[\n{"id":"Q1","type":"item"}\n]\n')[:40], "cut off"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_file_that_is_no_dump_is_refused(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        rows(path)
    assert name in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent\.json"):
        rows(tmp_path / "absent.json")


def test_malformed_lines_are_kept_and_counted(tmp_path: Path) -> None:
    good = "\n".join(json.dumps(item(f"Q{n}", f"item {n}")) + "," for n in range(1, 6))
    path = tmp_path / "dump.json"
    path.write_text(f'[\n{good}\n{{"id": "Q9", "type": "it\n{{"id":"X1","type":"item"}}\n]\n')
    rejects = tmp_path / "rejects.jsonl"
    store = Store.create(tmp_path / "kg.duckdb")
    with pytest.raises(InputError, match=r"dump\.json:7: .*2 of 7 lines.*max_rejects"):
        ingest(store, path, "a", DATE, rejects_file=rejects)
    assert store.snapshots() == []
    assert [json.loads(line)["line"] for line in rejects.read_text().splitlines()] == [7, 8]
    summary = ingest(store, path, "a", DATE, max_rejects=0.5)
    assert (summary.entities, summary.rejects) == (5, 2)
    store.close()


@given(st.binary(max_size=200))
def test_no_line_whatsoever_crashes_the_reader(line: bytes) -> None:
    part = parse_lines([(1, line)], date=DATE, keep_ended=False)
    assert part.entities.num_rows + part.properties.num_rows + len(part.rejects) <= 1


@pytest.mark.parametrize(
    "line",
    [
        b'{"type": "item", "id": "Q99999999999999999999999"}',
        b'{"type": "item", "id": "Q2147483648"}',
        b'{"type": "item", "id": "Q"}',
        b'{"type": "item", "id": "Q-1"}',
        '{"type": "item", "id": "Q٣"}'.encode(),
        b'{"type": "item", "id": "Q1", "labels": {"en": {"value": "\\ud800"}}}',
        b'{"type": "item", "id": "Q1", "labels": {"en": {"value": "\xff"}}}',
        b"[" * 100_000,
    ],
    ids=lambda line: line[:40].decode(errors="replace"),
)
def test_what_would_overflow_or_break_a_table_is_a_reject(line: bytes) -> None:
    part = parse_lines([(3, line)], date=DATE, keep_ended=False)
    assert [reject.line for reject in part.rejects] == [3]
    assert part.entities.num_rows == 0


def test_a_precision_that_is_none_is_a_reject(tmp_path: Path) -> None:
    for precision in (2**40, -1, "day", None):
        snak = time_snak("P569", "+1879-03-14T00:00:00Z", precision)  # type: ignore[arg-type]
        line = json.dumps(item("Q1", "one", [claim(snak)])).encode()
        part = parse_lines([(1, line)], date=DATE, keep_ended=False)
        assert len(part.rejects) == 1
        assert part.facts.num_rows == 0


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(JSON, st.sampled_from(["wikibase-entityid", "time", "quantity", "string", "x"]))
def test_a_value_of_the_wrong_shape_is_a_reject_not_a_crash(value: Any, kind: str) -> None:
    snak = {
        "snaktype": "value",
        "property": "P1",
        "datatype": "time" if kind == "time" else "wikibase-item",
        "datavalue": {"type": kind, "value": value},
    }
    line = json.dumps(item("Q1", "one", [claim(snak)])).encode()
    part = parse_lines([(7, line)], date=DATE, keep_ended=False)
    if part.rejects:
        assert part.rejects[0].line == 7
        assert part.entities.num_rows == part.facts.num_rows == 0
    else:
        assert part.entities.num_rows == 1
