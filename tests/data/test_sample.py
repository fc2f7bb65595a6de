"""The bundled sample: large enough, consistent, and its ids are Wikidata's."""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from qwikidata.entity import WikidataItem, WikidataProperty
from qwikidata.json_dump import WikidataJsonDump

from conftest import parse_dump
from factchain.data.render import SNAPSHOTS, dump_lines, render_sample, sample_folder
from factchain.data.tables import SampleTables, read_tables
from factchain.errors import InputError
from factchain.kg.dumps.dump import DumpSettings
from factchain.kg.dumps.statements import FactFilter
from factchain.kg.records import TextPassage
from factchain.questions.lexis import fold
from factchain.records import read_records


@cache
def sample() -> SampleTables:
    return read_tables(sample_folder() / "tables")


@cache
def statements(year: str) -> dict[tuple[str, str], list[str]]:
    """Every claim of a snapshot as text, by subject and property."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for entity in dump_lines(sample(), year):
        for prop, claims in (entity["claims"] or {}).items():
            for claim in claims:
                claim = {key: value for key, value in claim.items() if key != "id"}
                found[entity["id"], prop].append(json.dumps(claim, sort_keys=True))
    return found


def test_it_is_as_large_as_it_must_be() -> None:
    for year in SNAPSHOTS:
        claims = statements(year)
        assert len({s for s, _ in claims}) >= 800
        assert sum(map(len, claims.values())) >= 3_000
        assert len({p for _, p in claims}) >= 50


def test_the_snapshots_differ_by_real_changes() -> None:
    old, new = statements("2021"), statements("2024")
    changed = [key for key in old.keys() | new.keys() if sorted(old[key]) != sorted(new[key])]
    assert len(changed) >= 250


def test_every_kind_of_statement_is_there() -> None:
    everything = [s for e in sample().entities.values() for s in e.statements]
    assert {s.rank for s in everything} == {"preferred", "normal", "deprecated"}
    assert {s.snaktype for s in everything} == {"value", "somevalue", "novalue"}
    datatypes = {sample().properties[s.property].datatype for s in everything}
    assert datatypes >= {"wikibase-item", "time", "quantity"}
    assert sum(1 for s in everything if s.end and s.end <= SNAPSHOTS["2021"]) >= 20
    assert sum(1 for e in sample().entities.values() if e.aliases) >= 300
    assert sum(1 for e in sample().entities.values() if e.since == "2024") >= 20


def test_statements_are_in_order_of_time() -> None:
    for entity in sample().entities.values():
        for statement in entity.statements:
            if statement.start and statement.end:
                assert statement.start[:4] <= statement.end[:4], (entity.label, statement)
            if statement.property in {"P569", "P570", "P571", "P577"} and statement.value:
                year = statement.value.lstrip("-").split("-")[0]
                assert statement.value.startswith("-") or int(year) <= 2024, entity.label


def test_the_dumps_are_read_by_qwikidata(tmp_path: Path) -> None:
    rendered = render_sample(tmp_path)
    assert render_sample(tmp_path / "again").dumps[0].read_bytes() == (
        rendered.dumps[0].read_bytes()
    )
    labels: dict[str, str] = {}
    facts = 0
    for entity in WikidataJsonDump(str(rendered.dumps[1])):
        if entity["type"] == "property":
            labels[entity["id"]] = WikidataProperty(entity).get_label()
        else:
            item = WikidataItem(entity)
            labels[entity["id"]] = item.get_label()
            facts += sum(map(len, item.get_truthy_claim_groups().values()))
    assert labels["P36"] == "capital"
    assert labels["Q90"] == "Paris"
    assert len(labels) == len(sample().entities) + len(sample().properties)
    assert facts > 3_000


def test_passages() -> None:
    passages = list(read_records(Path(str(sample_folder() / "passages.jsonl")), TextPassage))
    assert len(passages) >= 500
    for passage in passages:
        assert passage.entity is None or passage.entity in sample().entities, passage.id
        assert len(passage.text.split()) >= 5, passage.id


def test_redirects_and_malformed_lines_among_the_sample_s(tmp_path: Path) -> None:
    whole = gzip.decompress(render_sample(tmp_path).dumps[1].read_bytes()).decode()
    broken = Path(__file__).with_name("broken")
    redirects = (broken / "redirects.jsonl").read_text().splitlines()
    malformed = (broken / "malformed.jsonl").read_text().splitlines()
    lines = [*redirects, *malformed, *whole.removeprefix("[\n").removesuffix("\n]\n").split(",\n")]
    dump = tmp_path / "dump.json"
    dump.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    settings = DumpSettings(FactFilter(date=SNAPSHOTS["2024"]))
    parts = parse_dump(dump, settings)
    assert sum(part.skipped.get("redirect", 0) for part in parts) == len(redirects) == 3
    rejects = [reject for part in parts for reject in part.rejects]
    assert [reject.line for reject in rejects] == [5, 6, 7, 8, 9, 10, 11, 12]
    assert "no known type" in rejects[3].reason
    assert "'yesterday'" in rejects[4].reason
    entities = sum(part.entities.num_rows for part in parts)
    assert entities == len(sample().entities)


def agrees(names: set[str], known: set[str]) -> bool:
    """Whether a name is known, or only lacks or adds words: `Halle`, `Halle (Saale)`."""
    ours = [set(re.findall(r"\w+", fold(name))) for name in names]
    theirs = [set(re.findall(r"\w+", fold(name))) for name in known]
    return any(a and b and (a <= b or b <= a) for a in ours for b in theirs)


def check_labels(known: dict[str, set[str]], at_least: int) -> None:
    """Every id that both know has a name in common."""
    ours = {e.id: {e.label, *e.aliases} for e in sample().entities.values()}
    shared = ours.keys() & known.keys()
    assert len(shared) >= at_least
    wrong = {q: (ours[q], known[q]) for q in shared if not agrees(ours[q], known[q])}
    assert wrong == {}


def test_ids_agree_with_entity2wikidata(reference: Callable[[str], Path]) -> None:
    with gzip.open(reference("entity2wikidata.json.gz"), "rt", encoding="utf-8") as file:
        entries = json.load(file).values()
    known = {
        e["wikidata_id"]: {e["label"], *(e.get("alternatives") or [])}
        for e in entries
        if e["wikidata_id"] and e["label"]
    }
    check_labels(known, 700)


def test_ids_agree_with_wd50k(reference: Callable[[str], Path]) -> None:
    known: dict[str, set[str]] = defaultdict(set)
    with gzip.open(reference("wd50k_labelled.tsv.gz"), "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            known[row["s"]].add(row["s_label"])
            known[row["o"]].add(row["o_label"])
    check_labels(known, 700)


def test_ids_agree_with_the_real_dump(reference: Callable[[str], Path]) -> None:
    known: dict[str, set[str]] = {}
    for entity in WikidataJsonDump(str(reference("wikidata_real_sample.json.gz"))):
        if entity["type"] == "item":
            item = WikidataItem(entity)
            if item.get_label():
                known[entity["id"]] = {item.get_label(), *item.get_aliases()}
    check_labels(known, 20)


def test_property_ids_agree(reference: Callable[[str], Path]) -> None:
    with reference("property_labels.csv").open(encoding="utf-8") as file:
        known = {f"P{row['property_id']}": row["property_label"] for row in csv.DictReader(file)}
    for prop in sample().properties.values():
        assert prop.label == known[prop.id]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("Q1\tone\t\t\ttwo", "no entity has the label 'two'"),
        ("Q1\tone\t\t\t\nQ1\ttwo\t\t\t", "stands already at"),
        ("Q1\tone\t\t", "not as many cells"),
        ("Qx\tone\t\t\t", "is not a Q-id"),
        ("Q1\tone\t\t\tx\nQ2\tx\t\t\t\nQ3\tx\t\t\t", "Q2, Q3 all have the label 'x'"),
    ],
)
def test_a_mistake_in_a_table_is_named(tmp_path: Path, table: str, message: str) -> None:
    (tmp_path / "properties.tsv").write_text(
        "id\tlabel\tdatatype\tunit\taliases\tdescription\nP36\tcapital\twikibase-item\t\t\t\n"
    )
    (tmp_path / "places.tsv").write_text(f"id\tlabel\tdescription\taliases\tP36 capital\n{table}\n")
    with pytest.raises(InputError, match=message) as caught:
        read_tables(tmp_path)
    assert "places.tsv:" in str(caught.value)


def test_cells(tmp_path: Path) -> None:
    (tmp_path / "properties.tsv").write_text(
        "id\tlabel\tdatatype\tunit\taliases\tdescription\n"
        "P36\tcapital\twikibase-item\t\t\t\nP569\tdate of birth\ttime\t\t\t\n"
    )
    (tmp_path / "places.tsv").write_text(
        "id\tlabel\tdescription\taliases\tP36 capital\tP569 date of birth\n"
        "Q1\tone\t\ta | b\t^two [1990..2022-03-01] | ~Q2 @2021 | ? | !\t1564-04-26\n"
        "Q2\ttwo\t\t\t\t\n"
    )
    tables = read_tables(tmp_path)
    first = {
        year: next(e for e in dump_lines(tables, year) if e["id"] == "Q1") for year in SNAPSHOTS
    }
    old, new = (first[year]["claims"]["P36"] for year in SNAPSHOTS)
    assert [claim["rank"] for claim in old] == ["preferred", "deprecated", "normal", "normal"]
    assert [claim["mainsnak"]["snaktype"] for claim in new] == ["value", "somevalue", "novalue"]
    assert "P582" not in old[0]["qualifiers"]
    end = new[0]["qualifiers"]["P582"][0]["datavalue"]["value"]
    assert (end["time"], end["precision"]) == ("+2022-03-01T00:00:00Z", 11)
    start = old[0]["qualifiers"]["P580"][0]["datavalue"]["value"]
    assert (start["time"], start["precision"]) == ("+1990-00-00T00:00:00Z", 9)
    birth = first["2021"]["claims"]["P569"][0]["mainsnak"]["datavalue"]["value"]
    assert birth["calendarmodel"].endswith("Q1985786")
