"""Extraction shard by shard: resumed, the same with more workers, into the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from conftest import claim, item, item_snak, write_dump
from factchain.errors import InputError
from factchain.kg.dumps.ingest import ingest
from factchain.kg.extraction.cooccurrence import CooccurrenceSettings
from factchain.kg.extraction.mentions import extract_text, put_text
from factchain.kg.extraction.protocol import Evidence, Statement
from factchain.kg.extraction.run import RUN, SHARD_SCHEMA, extract, read_run
from factchain.kg.records import TextPassage
from factchain.kg.store import Store
from factchain.records import write_records

TEXTS = [
    TextPassage(id=f"p{n}", title=f"Page {n}", text=f"Town{n} is in Land{n % 3}, said Town{n}.")
    for n in range(20)
]


@pytest.fixture
def kg(tmp_path: Path) -> Path:
    towns = [
        item(f"Q{100 + n}", f"Town{n}", [claim(item_snak("P17", f"Q{n % 3 + 1}"))])
        for n in range(20)
    ]
    lands = [item(f"Q{n + 1}", f"Land{n}") for n in range(3)]
    path = tmp_path / "kg.duckdb"
    with Store.create(path) as store:
        ingest(store, write_dump(tmp_path / "dump.json", towns + lands), "now", "2024-06-05")
    return path


@dataclass(frozen=True)
class Shouting:
    """An extractor that finds one statement, and stops at a word."""

    stop_at: str = ""
    name: str = "shouting"
    batch_characters: int = 60

    def key(self) -> str:
        return self.name

    def make(self) -> Shouting:
        return self

    def extract(self, passages: Sequence[TextPassage]) -> Evidence:
        if self.stop_at and any(self.stop_at in one.text for one in passages):
            raise InputError("stopped")
        found = {
            at: Counter({Statement(p.title, "says", p.text): 2}) for at, p in enumerate(passages)
        }
        return Evidence(statements=found, rejected=Counter(read=len(passages)))


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_a_run_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    expected = extract(TEXTS, Shouting(), str(whole))
    assert expected.passages == expected.statements == expected.rejected["read"] == 20
    with pytest.raises(InputError, match="stopped"):
        extract(TEXTS, Shouting(stop_at="Town15 "), str(stopped))
    with pytest.raises(InputError, match="holds no finished extraction"):
        read_run(str(stopped))
    done = {path: path.stat().st_mtime_ns for path in stopped.glob("*.parquet")}
    assert 0 < len(done) < len(expected.shards)
    assert extract(TEXTS, Shouting(), str(stopped)) == expected == read_run(str(stopped))
    assert all(path.stat().st_mtime_ns == time for path, time in done.items())
    assert files(stopped) == files(whole)


def test_another_text_or_extractor_uses_nothing_of_an_earlier_run(tmp_path: Path) -> None:
    settings = Shouting()
    first = extract(TEXTS, settings, str(tmp_path))
    changed = [TEXTS[0].model_copy(update={"text": TEXTS[0].text.upper()}), *TEXTS[1:]]
    second = extract(changed, settings, str(tmp_path))
    assert first.shards[0] != second.shards[0]
    assert first.shards[1:] == second.shards[1:]
    third = extract(TEXTS, Shouting(name="whispering"), str(tmp_path))
    assert not set(third.shards) & set(first.shards)
    assert read_run(str(tmp_path)) == third


def test_more_workers_give_the_same_bytes(kg: Path, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "two")]
    for workers, folder in enumerate(folders, start=1):
        with Store.open(kg) as store:
            made = CooccurrenceSettings.of_store(store, str(folder))
        settings = CooccurrenceSettings(str(folder), made.lexicon, batch_characters=200)
        run = extract(TEXTS, settings, str(folder), workers=workers)
        assert (run.passages, run.mentions) == (20, 40)
        assert len(run.shards) > 2
    assert files(folders[0]) == files(folders[1])


def test_a_shard_holds_passages_and_what_they_say(tmp_path: Path) -> None:
    one = TextPassage(id="a", title="T", entity="Q7", text="x")
    run = extract([one], Shouting(), str(tmp_path))
    table = pq.read_table(tmp_path / run.shards[0])
    assert table.schema.equals(SHARD_SCHEMA)
    statement = {"head": "T", "relation": "says", "tail": "x", "count": 2}
    assert table.to_pylist() == [
        {
            "id": "a",
            "title": "T",
            "entity": 7,
            "text": "x",
            "mentions": [],
            "statements": [statement],
        }
    ]


def stated(store: Store) -> set[tuple[str, int, int, int]]:
    return set(
        store.rows(
            "SELECT m.passage, f.s, f.o, m.occurrences FROM mention m JOIN fact f ON f.id = m.fact"
        )
    )


def cooccurrence(folder: Path):
    return lambda store: CooccurrenceSettings.of_store(store, str(folder))


def test_facts_are_stated_where_subject_and_object_are_named(kg: Path, tmp_path: Path) -> None:
    passages = tmp_path / "passages.jsonl"
    write_records(passages, TEXTS)
    extract_text(kg, passages, cooccurrence(tmp_path / "out"), str(tmp_path / "out"))
    with Store.open(kg) as store:
        assert stated(store) == {(f"p{n}", 100 + n, n % 3 + 1, 1) for n in range(20)}
        mentioned = store.rows("SELECT * FROM entity_mention WHERE passage = 'p4'")
        assert sorted(mentioned) == [
            ("p4", 2, "cooccurrence", 1),
            ("p4", 104, "cooccurrence", 2),
        ]


def test_another_text_takes_the_place_of_the_first_and_what_it_said(
    kg: Path, tmp_path: Path
) -> None:
    passages = tmp_path / "passages.jsonl"

    def run(texts: list[TextPassage]) -> None:
        write_records(passages, texts)
        extract_text(kg, passages, cooccurrence(tmp_path / "out"), str(tmp_path / "out"))

    run(TEXTS[:6])
    with Store.open(kg, read_only=False) as store:
        # What another extractor found.
        store.rows("INSERT INTO mention SELECT passage, fact, 'other', 1 FROM mention")
        store.rows("INSERT INTO popularity SELECT DISTINCT fact, 1 FROM mention")
    changed = TEXTS[4].model_copy(update={"text": "Town4 moved to Land0."})
    run([TEXTS[3], changed, TEXTS[10]])
    with Store.open(kg) as store:
        found = store.rows("SELECT passage, extractor FROM mention")
        # The changed passage states nothing, and what was found in it before is gone.
        assert sorted(found) == [
            ("p10", "cooccurrence"),
            ("p3", "cooccurrence"),
            ("p3", "other"),
        ]
        assert store.rows("SELECT id, text FROM passage ORDER BY id") == sorted(
            (one.id, one.text) for one in (TEXTS[3], changed, TEXTS[10])
        )
        assert store.rows("SELECT count(*) FROM popularity") == [(0,)]


def test_a_repeated_passage_id_leaves_the_store_as_it_was(kg: Path, tmp_path: Path) -> None:
    run = extract(TEXTS[:2], Shouting(batch_characters=1), str(tmp_path / "good"))
    with Store.open(kg, read_only=False) as store:
        put_text(store, str(tmp_path / "good"), run)
        before = store.dump()
        twice = extract([TEXTS[3], TEXTS[3]], Shouting(batch_characters=1), str(tmp_path / "bad"))
        with pytest.raises(InputError, match="same id"):
            put_text(store, str(tmp_path / "bad"), twice)
        assert store.dump() == before


@pytest.mark.parametrize("content", ["", "{", '{"extractor": 1}'])
def test_a_damaged_record_of_a_run_is_told(tmp_path: Path, content: str) -> None:
    (tmp_path / RUN).write_text(content)
    with pytest.raises(InputError, match=r"run\.json: is no record"):
        read_run(str(tmp_path))


def test_nothing_to_read_is_told(kg: Path, tmp_path: Path) -> None:
    run = extract([], Shouting(), str(tmp_path))
    with (
        Store.open(kg, read_only=False) as store,
        pytest.raises(InputError, match="read no passage"),
    ):
        put_text(store, str(tmp_path), run)
