"""From a dump to the columns of the store: typed literals, time bounds, names by language."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conftest import claim, item, item_snak, property_entity, write_dump
from factchain.cli import main
from factchain.kg.store import Store
from factchain.kg.triples.add import add_triples

ENTITY = "http://www.wikidata.org/entity/"


def snak(prop: str, datatype: str, kind: str, value: Any) -> dict[str, Any]:
    data = {"type": kind, "value": value}
    return {"snaktype": "value", "property": prop, "datatype": datatype, "datavalue": data}


def time(prop: str, text: str, precision: int, calendar: str = "Q1985727") -> dict[str, Any]:
    value = {"time": text, "precision": precision, "calendarmodel": ENTITY + calendar}
    return snak(prop, "time", "time", value)


def terms(**texts: str) -> dict[str, Any]:
    return {code: {"language": code, "value": text} for code, text in texts.items()}


LITERALS = [
    time("P569", "+1564-04-26T00:00:00Z", 11, "Q1985786"),
    time("P570", "+1616-04-00T00:00:00Z", 10),
    time("P571", "-0500-00-00T00:00:00Z", 7),
    snak(
        "P2048",
        "quantity",
        "quantity",
        {"amount": "+1.75", "unit": ENTITY + "Q11573", "lowerBound": "+1.7", "upperBound": "+1.8"},
    ),
    snak("P1082", "quantity", "quantity", {"amount": "+3", "unit": "1"}),
    snak("P1476", "monolingualtext", "monolingualtext", {"text": "Hamlet", "language": "en"}),
    snak(
        "P625",
        "globe-coordinate",
        "globecoordinate",
        {"latitude": 52.19, "longitude": -1.7, "precision": 0.01, "globe": ENTITY + "Q2"},
    ),
    snak("P856", "url", "string", "https://example.org/"),
    snak("P213", "external-id", "string", "0000 0001 2103 2683"),
]


@pytest.fixture
def ingested(tmp_path: Path) -> Store:
    since = {"P580": [time("P580", "+1600-00-00T00:00:00Z", 9)]}
    until = {"P582": [time("P582", "+2030-05-00T00:00:00Z", 10)]}
    ended = {"P582": [time("P582", "+1610-01-02T00:00:00Z", 11)]}
    claims = [
        *map(claim, LITERALS),
        claim(item_snak("P39", "Q10"), **since, **until),
        claim(item_snak("P39", "Q11"), rank="normal", **since, **ended),
        claim(item_snak("P40", "Q12"), rank="preferred"),
        claim(item_snak("P40", "Q13")),
        claim(item_snak("P41", "Q14"), rank="deprecated"),
    ]
    author = item("Q1", claims=claims) | {
        "labels": terms(en="author", de="Autor"),
        "descriptions": terms(en="a writer", fr="auteur"),
        "aliases": {"de": [{"value": "Dichter"}], "fr": [{"value": "homme"}]},
    }
    nobody = item("Q2") | {
        "labels": terms(mul="N. N.", fr="personne"),
        "descriptions": terms(fr="x"),
    }
    dump = write_dump(tmp_path / "d.json", [property_entity("P39", "position"), author, nobody])
    words = ["kg", "ingest", dump, "--kg", tmp_path / "kg", "--snapshot", "now"]
    words += ["--date", "2024-06-05", "--languages", "de,en", "--external-ids", "--keep-ended"]
    result = CliRunner().invoke(main, list(map(str, words)))
    assert result.exit_code == 0, result.output
    return Store.open(tmp_path / "kg")


def test_literals_are_typed(ingested: Store) -> None:
    with ingested as store:
        found = store.rows(
            "SELECT p, datatype, value, unit, precision, calendar, lower, upper FROM fact "
            "WHERE o IS NULL ORDER BY p"
        )
    nothing = (None, None, None, None, None)
    assert found == [
        (213, "external-id", "0000 0001 2103 2683", *nothing),
        (569, "time", "1564-04-26", None, 11, 1985786, None, None),
        (570, "time", "1616-04", None, 10, None, None, None),
        (571, "time", "-0500", None, 7, None, None, None),
        (625, "globe-coordinate", "52.19,-1.7", *nothing),
        (856, "url", "https://example.org/", *nothing),
        (1082, "quantity", "3", *nothing),
        (1476, "monolingualtext", "Hamlet@en", *nothing),
        (2048, "quantity", "1.75", 11573, None, None, "1.7", "1.8"),
    ]


def test_ranks_and_time_bounds(ingested: Store) -> None:
    with ingested as store:
        found = store.rows(
            "SELECT p, o, rank, start_time, end_time FROM fact JOIN fact_snapshot ON fact = id "
            "WHERE o IS NOT NULL ORDER BY p, o"
        )
    assert found == [
        (39, 10, "normal", "1600", "2030-05"),
        (39, 11, "normal", "1600", "1610-01-02"),
        (40, 12, "preferred", None, None),
    ]


def test_names_fall_back_by_language(ingested: Store) -> None:
    with ingested as store:
        found = store.rows("SELECT id, label, description, aliases FROM entity ORDER BY id")
        properties = store.rows("SELECT id, label FROM property")
    # The English label is no alias: it is a label, and in another language.
    assert found == [(1, "Autor", "a writer", ["Dichter"]), (2, "N. N.", None, [])]
    assert properties == [(39, "position")]


def test_the_store_knows_its_languages(ingested: Store, tmp_path: Path) -> None:
    with ingested as store:
        assert store.newest().languages == ["de", "en", "mul"]
    fact = f"<{ENTITY}Q1> <http://www.wikidata.org/prop/direct/P19> <{ENTITY}Q2> .\n"
    (tmp_path / "graph.nt").write_text(fact)
    (tmp_path / "graph.tsv").write_text("s\tp\to\nQ1\tP19\tQ2\n")
    for file, languages in (("graph.nt", ["en", "mul"]), ("graph.tsv", [])):
        with Store.create(tmp_path / f"{file}.duckdb") as store:
            add_triples(store, [tmp_path / file], "now", "2024-06-05")
            assert store.newest().languages == languages
