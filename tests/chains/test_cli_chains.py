"""`factchain chains sample` and `split`: what they write and print, and every mistake in words."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conftest import DATES, claim, item, item_snak, property_entity, write_dump
from factchain.chains.records import FactChain
from factchain.cli import main
from factchain.kg.dumps.ingest import ingest
from factchain.kg.store import Store
from factchain.records import read_records

TOWNS = 24


def world(year: int) -> list[dict]:
    """Films, directors with birthdays, their towns, the lands of these, and their capitals."""
    entities = [
        property_entity("P57", "director"),
        property_entity("P19", "place of birth"),
        property_entity("P17", "country"),
        property_entity("P36", "capital"),
        property_entity("P569", "date of birth") | {"datatype": "time"},
    ]
    for n in range(TOWNS):
        newer = n % 2 and year == 2021
        director = [] if newer else [claim(item_snak("P57", f"Q{200 + n}"))]
        birth = claim(item_snak("P19", f"Q{300 + n}"))
        entities += [
            item(f"Q{100 + n}", f"Film {n}", director),
            item(f"Q{200 + n}", f"Person {n}", [birth, claim(date_snak(1900 + n))]),
            item(f"Q{300 + n}", f"Town {n}", [claim(item_snak("P17", f"Q{400 + n}"))]),
            item(f"Q{400 + n}", f"Land {n}", [claim(item_snak("P36", f"Q{500 + n}"))]),
            item(f"Q{500 + n}", f"City {n}", []),
        ]
    return entities


def date_snak(year: int) -> dict:
    time = {
        "time": f"+{year}-05-01T00:00:00Z",
        "precision": 11,
        "timezone": 0,
        "before": 0,
        "after": 0,
        "calendarmodel": "http://www.wikidata.org/entity/Q1985727",
    }
    value = {"type": "time", "value": time}
    return {"snaktype": "value", "property": "P569", "datatype": "time", "datavalue": value}


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of two snapshots, without text."""
    folder = tmp_path_factory.mktemp("kg")
    with Store.create(folder / "kg.duckdb") as store:
        for date in DATES:
            dump = write_dump(folder / f"{date}.json", world(int(date[:4])))
            ingest(store, dump, date, date)
    return folder / "kg.duckdb"


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def sample(kg: Path, out: Path, *more: object, axis: str = "recency") -> Result:
    return call("chains", "sample", "--kg", kg, "--axis", axis, "--out", out, *more)


def test_chains_are_drawn_and_told(kg: Path, tmp_path: Path) -> None:
    out = tmp_path / "chains.jsonl"
    asked = ("--topology", "chain", "--hops", "1-2", "--per-stratum", "5", "--property-share", "1")
    result = sample(kg, out, *asked)
    assert result.exit_code == 0, result.output
    chains = list(read_records(out, FactChain))
    counts = Counter((len(chain.hops), chain.labels) for chain in chains)
    assert counts[2, ("new", "old")] == counts[2, ("old", "old")] == 5
    assert f"{len(chains)} chains, axis recency" in result.output
    assert "new old" in result.output
    assert {chain.hops[-1].domain for chain in chains} == {None}


def test_shares_json_and_the_same_file_whatever_the_workers(kg: Path, tmp_path: Path) -> None:
    options = (
        "--hops",
        "3",
        "--per-stratum",
        "6",
        "--mathematics",
        "0.25",
        "--property-share",
        "1",
    )
    files = []
    for workers in (1, 2):
        files.append(tmp_path / f"{workers}.jsonl")
        result = sample(kg, files[-1], *options, "--json", "--workers", workers, axis="none")
        assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert summary["shares"]["mathematics"] == 0.25
    rows = {(row["topology"], row["content"]): row["taken"] for row in summary["strata"]}
    assert rows["chain", "entities"] == 6
    assert sum(n for (_, content), n in rows.items() if content == "mathematics") == 2


def test_a_config_s_section_counts_where_no_option_does(kg: Path, tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(
        f"snapshots: [{{dump: x, date: {DATES[0]}}}, {{dump: y, date: {DATES[1]}}}]\n"
        "chains:\n"
        "  axes: [recency]\n"
        "  topologies: [line]\n"
        "  user_topologies: {line: [[1, 2], [2, 3]]}\n"
        "  per_stratum: 3\n"
    )
    result = sample(kg, tmp_path / "c.jsonl", "--config", config, axis="none")
    assert result.exit_code == 0, result.output
    chains = list(read_records(tmp_path / "c.jsonl", FactChain))
    assert [(chain.topology, len(chain.hops)) for chain in chains] == [("line", 3)] * 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--axis", "popularity"), "no fact has a label on the axis popularity"),
        (("--topology", "fork"), "topology 'fork': there is no such"),
        (("--topology", "bridge", "--hops", "1-2"), "topology 'bridge': has 4 hops"),
        (("--mathematics", "0.9", "--comparison", "0.2"), "together they can be 1 at most"),
        (("--per-stratum", "0"), "per_stratum: Input should be greater than or equal to 1"),
        (("--hops", "9"), "hops: numbers of hops from 1 to 8 are needed"),
        (("--per-stratum", "500", "--strict"), "not all strata can be filled"),
        (("--config", "absent.yaml"), "absent.yaml: no such config"),
    ],
)
def test_a_mistake_is_one_message(
    kg: Path, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    result = sample(kg, tmp_path / "c.jsonl", *options)
    assert result.exit_code == 1
    assert message in result.output
    assert "Traceback" not in result.output
    assert not list(tmp_path.iterdir())


def test_wrong_usage(kg: Path, tmp_path: Path) -> None:
    assert sample(kg, tmp_path / "c.jsonl", "--hops", "few").exit_code == 2
    assert sample(kg, tmp_path / "c.jsonl", "--axis", "age").exit_code == 2


def test_chains_are_split(kg: Path, tmp_path: Path) -> None:
    chains = tmp_path / "chains.jsonl"
    assert sample(kg, chains, "--hops", "2", "--per-stratum", "10").exit_code == 0
    split = ("chains", "split", chains, "--disjoint", "topics", "--out", tmp_path / "out")
    result = call(*split, "--ratios", "0.6,0.2,0.2")
    assert result.exit_code == 0, result.output
    assert "What the splits still share" in result.output
    told = json.loads(call(*split, "--ratios", "0.6,0.2,0.2", "--json").stdout)
    written = {
        name: len(list(read_records(tmp_path / f"out/{name}.jsonl", FactChain)))
        for name in ("train", "dev", "test")
    }
    assert told["chains"] == written
    assert sum(written.values()) == len(list(read_records(chains, FactChain)))
    assert {row["shared"] for row in told["leakage"] if row["kind"] == "topics"} == {0}
    for ratios, status in (("0.6,0.2", 1), ("most,few,few", 2)):
        assert call(*split, "--ratios", ratios).exit_code == status


def test_a_drawn_chain_and_a_list_of_facts_are_explained(kg: Path, tmp_path: Path) -> None:
    out = tmp_path / "chains.jsonl"
    asked = ("--hops", "2", "--per-stratum", "4")
    assert sample(kg, out, *asked).exit_code == 0
    one = next(iter(read_records(out, FactChain)))
    assert f"{one.id}: accepted" in sample(kg, out, *asked, "--explain", one.id).output
    facts = "Q101 P57 Q201, Q201 P19 Q302"
    told = json.loads(sample(kg, out, *asked, "--explain", facts, "--json").stdout)
    assert not told["accepted"]
    missing = sample(kg, out, *asked, "--explain", "c-0")
    assert (missing.exit_code, "has the id c-0" in missing.output) == (1, True)
