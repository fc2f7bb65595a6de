"""`factchain kg extract` and `popularity`: from passages to labelled facts, and mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conftest import claim, item, item_snak, write_dump
from factchain.cli import main
from factchain.kg.dumps.ingest import ingest
from factchain.kg.store import Store


@pytest.fixture
def kg(tmp_path: Path) -> Path:
    entities = [
        item("Q1", "Ada", [claim(item_snak("P19", "Q2"))]),
        item("Q2", "Town"),
        item("Q3", "Ada", [claim(item_snak("P19", "Q4"))]),
        item("Q4", "City"),
    ]
    with Store.create(tmp_path / "kg.duckdb") as store:
        ingest(store, write_dump(tmp_path / "dump.json", entities), "now", "2024-06-05")
    return tmp_path / "kg.duckdb"


@pytest.fixture
def passages(tmp_path: Path) -> Path:
    texts = ["Ada is of Town.", "Ada left Town.", "Ada came to City.", "Ada alone."]
    rows = [
        {"id": f"p{n}", "title": "Ada", "entity": "Q3" if "City" in text else "Q1", "text": text}
        for n, text in enumerate(texts)
    ] + [{"id": "p9", "title": "Names", "text": "Ada"}, {"id": "p10", "title": "", "text": ""}]
    path = tmp_path / "passages.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def call(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_from_passages_to_popularity(kg: Path, passages: Path) -> None:
    result = call("kg", "extract", passages, "--kg", kg, "--json", "--quiet")
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    assert json.loads(result.stdout) == {
        "extractor": "cooccurrence",
        "passages": 6,
        "mentions": 7,
        "statements": 0,
        "rejected": {"ambiguous name": 1},
    }
    assert sorted(path.name for path in kg.parent.iterdir()) == [
        "dump.json",
        "kg.duckdb",
        "passages.jsonl",
    ]
    bounds = ("--unpopular", "1-1", "--popular", "2")
    result = call("kg", "popularity", "--kg", kg, *bounds, "--json", "--quiet")
    assert json.loads(result.stdout) == {
        "unit": "passages",
        "facts": 2,
        "entities": 4,
        "labels": {"popular": 1, "unpopular": 1},
    }
    by_page = call("kg", "popularity", "--kg", kg, *bounds, "--count", "documents")
    assert by_page.stdout == "facts: 2, entities: 4\nunpopular: 2 facts\n"
    again = call("kg", "extract", passages, "--kg", kg, "--out", kg.parent / "found")
    assert "left out, ambiguous name: 1" in again.stdout
    assert (kg.parent / "found/run.json").is_file()


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("extract", "absent.jsonl", "--kg", "kg.duckdb"), 1, "absent.jsonl: cannot be read"),
        (("extract", "passages.jsonl", "--kg", "no.duckdb"), 1, "no.duckdb: no such store"),
        (("extract", "broken.jsonl", "--kg", "kg.duckdb"), 1, "broken.jsonl:1: text: Field"),
        (("extract", "empty.jsonl", "--kg", "kg.duckdb"), 1, "empty.jsonl: holds no passage"),
        (("extract", "passages.jsonl", "--kg", "kg.duckdb", "--dominance", "1"), 2, "dominance"),
        (("popularity", "--kg", "kg.duckdb"), 1, "run `factchain kg extract` first"),
        (("popularity", "--kg", "kg.duckdb", "--unpopular", "9"), 2, "no range such as 1-9"),
        (("popularity", "--kg", "kg.duckdb", "--unpopular", "9-1"), 1, "must rise"),
        (("popularity", "--kg", "kg.duckdb", "--popular", "5"), 1, "must rise"),
    ],
)
def test_mistakes_are_one_message(
    kg: Path,
    passages: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    status: int,
    message: str,
) -> None:
    monkeypatch.chdir(kg.parent)
    Path("broken.jsonl").write_text('{"id": "a", "title": "t"}\n')
    Path("empty.jsonl").touch()
    with Store.open(kg) as store:
        before = store.dump()
    result = call("kg", *words)
    assert result.exit_code == status
    assert message in result.output
    assert "Traceback" not in result.output
    with Store.open(kg) as store:
        assert store.dump() == before
