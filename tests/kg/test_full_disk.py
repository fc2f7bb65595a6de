"""A disk that fills under a command: one message, the store as it was, and the same once more."""

from __future__ import annotations

import json
import resource
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conftest import claim, item, item_snak, property_entity, write_dump
from factchain.cli import main
from factchain.kg.store import Store

pytestmark = pytest.mark.slow

LIMIT = 3_000
"""Bytes of the longest file that can be written."""
TOWNS = 400


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of two snapshots with text, passages, and triples that are not in it yet."""
    folder = tmp_path_factory.mktemp("full")
    for date in ("2021-06-21", "2024-06-05"):
        first = int(date[:4]) % 2000
        towns = [
            item(f"Q{n}", f"Town{n}", [claim(item_snak("P17", f"Q{first + n}"))])
            for n in range(1, TOWNS)
        ]
        dump = write_dump(folder / f"{date}.json", [property_entity("P17", "country"), *towns])
        words = ["--snapshot", date, "--date", date, "--quiet"]
        call("kg", "ingest", dump, "--kg", folder / "kg.duckdb", *words)
    passages = (
        {"id": f"p{n}", "title": f"Town{n}", "text": f"Town{n} lies near Town{n + 24}. " * (n % 7)}
        for n in range(1, TOWNS - 24)
    )
    lines = [json.dumps(one) + "\n" for one in passages]
    (folder / "passages.jsonl").write_text("".join(lines))
    (folder / "few.jsonl").write_text("".join(lines[:99]))
    header = "\t".join(("s", "s_label", "p", "p_label", "o", "o_label"))
    rows = (f"Q{n}\tTown{n}\tP36\tcapital\tQ{n * 7919}\tCity{n}" for n in range(1, TOWNS))
    (folder / "triples.tsv").write_text("\n".join([header, *rows]) + "\n")
    call("kg", "extract", folder / "few.jsonl", "--kg", folder / "kg.duckdb", "--quiet")
    said = (
        {"passage": f"p{n}", "head": f"Town{n}", "tail": f"Town{n + 24}"} for n in range(1, 376)
    )
    stated = "".join(json.dumps(one | {"relation": "country"}) + "\n" for one in said)
    (folder / "stated.jsonl").write_text(stated)
    with closing(sqlite3.connect(folder / "index.db")) as index:
        index.execute("CREATE TABLE mapping (wikipedia_id, wikipedia_title, wikidata_id)")
        rows = [(n, f"Town{n}", f"Q{n}") for n in range(1, TOWNS)]
        index.executemany("INSERT INTO mapping VALUES (?, ?, ?)", rows)
        index.commit()
    return folder


def call(*words: object) -> None:
    result = CliRunner().invoke(main, list(map(str, words)))
    assert result.exit_code == 0, result.output


def tables(kg: Path) -> dict[str, list[tuple[Any, ...]]]:
    with Store.open(kg) as store:
        return store.dump()


def run(words: tuple[str, ...], where: Path, limit: int) -> subprocess.CompletedProcess[str]:
    def fill() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.run(
        [sys.executable, "-m", "factchain", *words],
        cwd=where,
        preexec_fn=fill,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("words", "told", "made"),
    [
        ("kg extract passages.jsonl --kg kg.duckdb", "kg.duckdb.cooccurrence", None),
        ("kg popularity --kg kg.duckdb --count mentions", "kg.duckdb", None),
        (
            "kg add-triples triples.tsv --kg kg.duckdb --snapshot t --date 2025-01-01",
            "triples-0000",
            None,
        ),
        ("kg link stated.jsonl --kg kg.duckdb --index index.db", "triples.parquet", None),
        ("kg diff 2021-06-21 2024-06-05 --kg kg.duckdb --out diff.tsv", "diff.tsv", "diff.tsv"),
        ("kg diff 2021-06-21 2024-06-05 --kg kg.duckdb --out d.parquet", "d.parquet", "d.parquet"),
        ("kg text passages.jsonl --out cut.jsonl", "cut.jsonl", "cut.jsonl"),
    ],
    ids=["extract", "popularity", "add-triples", "link", "diff tsv", "diff parquet", "text"],
)
def test_a_disk_that_fills(
    folder: Path, tmp_path: Path, words: str, told: str, made: str | None
) -> None:
    """What a command makes is a file, or else a change of the store."""
    where = tmp_path / "work"
    shutil.copytree(folder, where)
    before, held = {path.name for path in where.iterdir()}, tables(where / "kg.duckdb")
    full = run(tuple(words.split()), where, LIMIT)
    assert full.returncode == 1, full.stderr
    assert [line[:7] for line in full.stderr.splitlines() if line[:2] != "  "] == ["Error: "]
    assert told in full.stderr
    left = {path.name for path in where.iterdir()} - {"kg.duckdb.wal"}
    # Shards are kept for the next run.
    assert left - {"kg.duckdb.cooccurrence", "kg.duckdb.triples"} == before
    assert tables(where / "kg.duckdb") == held
    again = run(tuple(words.split()), where, resource.RLIM_INFINITY)
    assert again.returncode == 0, again.stderr
    after = {path.name for path in where.iterdir()} - {"kg.duckdb.wal"}
    assert after - before == ({made} if made else set())
    assert (tables(where / "kg.duckdb") == held) is (made is not None)
