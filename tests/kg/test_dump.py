"""Lines of a dump: which statements are facts, what their values are, which lines are malformed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import claim, item, item_snak, parse_dump, property_entity, write_dump
from factchain.kg.dumps.chunks import Chunk
from factchain.kg.dumps.dump import DumpSettings, Parser
from factchain.kg.dumps.statements import FactFilter
from factchain.kg.dumps.values import parse_time
from factchain.kg.records import DumpTables

DATE = "2024-06-05"


def rows(path: Path, **options: Any) -> list[dict[str, Any]]:
    settings = DumpSettings(FactFilter(date=DATE, **options))
    return [row for part in parse_dump(path, settings) for row in part.facts.to_pylist()]


def parse(*lines: bytes, first: int = 1, **options: Any) -> DumpTables:
    settings = DumpSettings(FactFilter(date=DATE), **options)
    return Parser(settings).parse(Chunk(0, 0, first, b"\n".join(lines)))


def snak(prop: str, datatype: str, kind: str, value: Any) -> dict[str, Any]:
    data = {"type": kind, "value": value}
    return {"snaktype": "value", "property": prop, "datatype": datatype, "datavalue": data}


def fact_of(one: dict[str, Any]) -> dict[str, Any]:
    """The one fact of an item that states it."""
    part = parse(json.dumps(item("Q1", "one", [claim(one)])).encode())
    assert part.rejects == []
    (row,) = part.facts.to_pylist()
    return row


def time_snak(prop: str, time: str, precision: int = 11) -> dict[str, Any]:
    value = {"time": time, "precision": precision, "calendarmodel": "Q1985727"}
    return {
        "snaktype": "value",
        "property": prop,
        "datatype": "time",
        "datavalue": {"type": "time", "value": value},
    }


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
    (part,) = parse_dump(dump)
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
    assert parse_time(text, precision) == (value, precision)


ENTITY = "http://www.wikidata.org/entity/"


def test_a_date_keeps_precision_and_calendar() -> None:
    fields = {"time": "+1616-05-03T00:00:00Z", "precision": 11}
    julian = fields | {"calendarmodel": ENTITY + "Q1985786"}
    gregorian = fields | {"calendarmodel": ENTITY + "Q1985727"}
    for value, calendar in ((julian, 1985786), (gregorian, None), (fields, None)):
        row = fact_of(snak("P570", "time", "time", value))
        assert (row["value"], row["precision"], row["calendar"]) == ("1616-05-03", 11, calendar)
        assert row["o"] is None


def test_a_quantity_keeps_unit_and_bounds() -> None:
    value = {"amount": "+8.5", "unit": ENTITY + "Q11573", "lowerBound": "+8", "upperBound": "+9"}
    row = fact_of(snak("P2048", "quantity", "quantity", value))
    assert (row["value"], row["unit"], row["lower"], row["upper"]) == ("8.5", 11573, "8", "9")
    row = fact_of(snak("P1082", "quantity", "quantity", {"amount": "-3", "unit": "1"}))
    assert (row["value"], row["unit"], row["lower"], row["upper"]) == ("-3", None, None, None)


def test_texts_and_coordinates() -> None:
    value = {"text": "Straße @home", "language": "de"}
    row = fact_of(snak("P1476", "monolingualtext", "monolingualtext", value))
    assert row["value"] == "Straße @home@de"
    value = {"latitude": 52.5, "longitude": -13, "precision": None}
    row = fact_of(snak("P625", "globe-coordinate", "globecoordinate", value))
    assert row["value"] == "52.5,-13"


def test_an_old_dump_s_item_has_only_its_number() -> None:
    value = {"entity-type": "item", "numeric-id": 42}
    assert fact_of(snak("P50", "wikibase-item", "wikibase-entityid", value))["o"] == 42


@pytest.mark.parametrize(
    ("datatype", "kind", "value", "reason"),
    [
        ("time", "time", {"time": "yesterday", "precision": 11}, "no date"),
        ("time", "time", {"time": "+2024-13-01T00:00:00Z", "precision": 11}, "no date"),
        ("time", "string", "2024", "cannot be a 'string'"),
        ("quantity", "quantity", {"amount": "many"}, "no decimal"),
        ("quantity", "quantity", {"amount": "1_0"}, "no decimal"),
        ("quantity", "quantity", {"amount": 3}, "quantity"),
        ("quantity", "quantity", {"amount": "1", "upperBound": "inf"}, "no decimal"),
        ("quantity", "quantity", {"amount": "1", "unit": "http://wiki.example/Q1"}, "another wiki"),
        ("monolingualtext", "monolingualtext", {"text": "a"}, "language"),
        ("globe-coordinate", "globecoordinate", {"latitude": 91, "longitude": 1}, "latitude"),
        ("globe-coordinate", "globecoordinate", {"latitude": True, "longitude": 1}, "latitude"),
        ("string", "string", {"text": "a"}, "no string"),
        ("string", "string", 5, "no string"),
        ("wikibase-item", "wikibase-entityid", {"id": "Q1x"}, "not the id"),
        ("wikibase-item", "wikibase-entityid", {"numeric-id": "5"}, "not the number"),
        ("wikibase-item", "wikibase-entityid", "Q5", "wikibase-entityid: the value has another"),
        ("wikibase-item", "wikibase-entityid", {"id": ["Q5"]}, "the value has another shape"),
    ],
)
def test_a_value_of_the_wrong_shape_is_a_reject(
    datatype: str, kind: str, value: Any, reason: str
) -> None:
    good = claim(item_snak("P2", "Q2"))
    line = json.dumps(item("Q1", "one", [good, claim(snak("P1", datatype, kind, value))]))
    part = parse(line.encode(), first=7)
    assert [reject.line for reject in part.rejects] == [7]
    assert reason in part.rejects[0].reason
    assert "P1" in part.rejects[0].reason
    assert part.entities.num_rows == part.facts.num_rows == 0


def test_an_unknown_datatype_is_left_out_and_counted() -> None:
    claims = [
        claim(snak("P1", "hologram", "hologram", {"text": [1], "x": None})),
        claim(snak("P2", "external-id", "string", "n 79021400")),
        claim(snak("P3", "wikibase-lexeme", "wikibase-entityid", {"id": "L1"})),
        claim(item_snak("P4", "Q2")),
    ]
    part = parse(json.dumps(item("Q1", "one", claims)).encode())
    assert part.rejects == []
    assert part.skipped == {"unknown datatype": 1, "datatype": 2}
    assert part.facts["p"].to_pylist() == [4]


def test_a_statement_under_another_property_is_a_reject() -> None:
    entity = item("Q1", "one", [claim(item_snak("P1", "Q2"))])
    entity["claims"] = {"P2": entity["claims"]["P1"]}
    assert "under P2" in parse(json.dumps(entity).encode()).rejects[0].reason


@pytest.mark.parametrize("datatype", ["hologram", "string", ""])
def test_a_time_qualifier_of_another_datatype_is_a_reject(datatype: str) -> None:
    start = snak("P580", datatype, "string", "2020")
    line = json.dumps(item("Q1", "one", [claim(item_snak("P6", "Q2"), P580=[start])]))
    part = parse(line.encode(), first=5)
    assert [reject.line for reject in part.rejects] == [5]
    assert f"P580: {datatype!r} is no datatype of a time" in part.rejects[0].reason
    assert part.facts.num_rows == 0


def test_languages_fall_back_in_their_order() -> None:
    def texts(**languages: str) -> dict[str, Any]:
        return {code: {"language": code, "value": value} for code, value in languages.items()}

    lines = []
    for number, labels in enumerate(
        [texts(en="one", de="eins", mul="1"), texts(en="two", mul="2"), texts(mul="3", fr="trois")]
    ):
        entity = item(f"Q{number + 1}", None, [], "") | {"labels": labels}
        entity["aliases"] = {code: [text] for code, text in labels.items()}
        lines.append(json.dumps(entity).encode())
    names = parse(*lines, languages=("de", "mul", "en")).entities.to_pylist()
    assert [row["label"] for row in names] == ["eins", "two", "3"]
    assert [row["aliases"] for row in names] == [["1", "one"], ["2"], []]
    names = parse(*lines).entities.to_pylist()
    assert [row["label"] for row in names] == ["one", "two", "3"]
    assert [row["aliases"] for row in names] == [["1"], ["2"], []]


def test_the_wikipedia_page_is_of_the_first_language() -> None:
    entity = item("Q1", "one")
    entity["sitelinks"] = {
        wiki: {"site": wiki, "title": f"{wiki} title"} for wiki in ("dewiki", "enwiki")
    }
    line = json.dumps(entity).encode()
    for languages, title in ((("en",), "enwiki"), (("de", "en"), "dewiki"), (("fr",), None)):
        (row,) = parse(line, languages=languages).entities.to_pylist()
        assert row["wikipedia"] == (f"{title} title" if title else None)


def test_redirects_and_lexemes_are_counted(tmp_path: Path) -> None:
    entities = [
        {"entity": "Q5", "redirect": "Q6"},
        {"type": "lexeme", "id": "L1"},
        item("Q1", "one"),
    ]
    (part,) = parse_dump(write_dump(tmp_path / "dump.json", entities))
    assert part.skipped == {"redirect": 1, "lexeme": 1}
    assert part.redirects.to_pylist() == [{"source": 5, "target": 6}]
    assert part.entities.to_pylist()[0]["label"] == "one"


def test_a_property_has_a_datatype(tmp_path: Path) -> None:
    (part,) = parse_dump(write_dump(tmp_path / "dump.json", [property_entity("P6", "head")]))
    (row,) = part.properties.to_pylist()
    assert (row["id"], row["label"], row["datatype"]) == (6, "head", "wikibase-item")


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
        b'{"type": "item", "id": "Q1", "x": ' + b"[" * 100_000,
        b'{"id": "Q1"}',
        b'{"type": "mediainfo", "id": "M1"}',
        b'{"type": "item", "id": "P1"}',
        b'{"type": "item", "id": "Q1", "labels": ["one"]}',
        b'{"type": "item", "id": "Q1", "labels": {"en": "one"}}',
        b'{"type": "item", "id": "Q1", "claims": {"P1": {}}}',
        b'{"type": "item", "id": "Q1", "claims": {"Q1": []}}',
        b'{"entity": "Q1", "redirect": "Qx"}',
        b'{"type": "item", "id": "Q1"}{"type": "item", "id": "Q2"}',
    ],
    ids=lambda line: line[:40].decode(errors="replace"),
)
def test_what_would_overflow_or_break_a_table_is_a_reject(line: bytes) -> None:
    part = parse(line, first=3)
    assert [reject.line for reject in part.rejects] == [3]
    assert part.entities.num_rows == 0


def test_a_precision_that_is_none_is_a_reject(tmp_path: Path) -> None:
    for precision in (2**40, -1, "day", None):
        time = time_snak("P569", "+1879-03-14T00:00:00Z", precision)  # type: ignore[arg-type]
        line = json.dumps(item("Q1", "one", [claim(time)])).encode()
        part = parse(line)
        assert len(part.rejects) == 1
        assert part.facts.num_rows == 0


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(JSON, st.sampled_from(["wikibase-entityid", "time", "quantity", "string", "x"]))
def test_any_value_gives_a_fact_or_a_reject(value: Any, kind: str) -> None:
    datatype = "time" if kind == "time" else "wikibase-item"
    line = json.dumps(item("Q1", "one", [claim(snak("P1", datatype, kind, value))])).encode()
    part = parse(line, first=7)
    if part.rejects:
        assert part.rejects[0].line == 7
        assert part.entities.num_rows == part.facts.num_rows == 0
    else:
        assert part.entities.num_rows == 1
