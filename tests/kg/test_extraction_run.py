"""Extraction shard by shard: resumed, the same with more workers, into the store."""

from __future__ import annotations

import bz2
import gzip
import json
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from conftest import claim, item, item_snak, write_dump
from factchain.errors import InputError
from factchain.kg.dumps.ingest import ingest
from factchain.kg.extraction.cooccurrence import CooccurrenceSettings
from factchain.kg.extraction.mentions import extract_text, put_text
from factchain.kg.extraction.protocol import Evidence, Statement
from factchain.kg.extraction.run import RUN, SHARD_SCHEMA, ExtractionRun, extract, read_run
from factchain.kg.records import PassageView, TextPassage
from factchain.kg.store import MEMORY, Store
from factchain.kg.text.passages import passages_of
from factchain.kg.text.repeated_ids import PassageIds
from factchain.kg.triples.lines import Block
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


def corpus(folder: Path, texts: Sequence[TextPassage]) -> Path:
    path = folder / "corpus" / "passages.jsonl"
    write_records(path, texts)
    return path


@dataclass(frozen=True)
class Shouting:
    """An extractor that finds one statement, and stops at a word."""

    stop_at: str = ""
    name: str = "shouting"
    shard_bytes: int = 100

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
    texts = corpus(tmp_path, TEXTS)
    expected = extract(texts, Shouting(), str(whole))
    assert expected.passages == expected.statements == expected.rejected["read"] == 20
    with pytest.raises(InputError, match="stopped"):
        extract(texts, Shouting(stop_at="Town15 "), str(stopped))
    with pytest.raises(InputError, match="holds no finished extraction"):
        read_run(str(stopped))
    done = {path: path.stat().st_mtime_ns for path in stopped.glob("*.parquet")}
    assert 0 < len(done) < len(expected.shards)
    assert extract(texts, Shouting(), str(stopped)) == expected == read_run(str(stopped))
    assert all(path.stat().st_mtime_ns == time for path, time in done.items())
    assert files(stopped) == files(whole)


def test_another_text_or_extractor_uses_nothing_of_an_earlier_run(tmp_path: Path) -> None:
    shouting = Shouting()
    first = extract(corpus(tmp_path, TEXTS), shouting, str(tmp_path))
    changed = [TEXTS[0].model_copy(update={"text": TEXTS[0].text.upper()}), *TEXTS[1:]]
    second = extract(corpus(tmp_path, changed), shouting, str(tmp_path))
    assert first.shards[0] != second.shards[0]
    assert first.shards[1:] == second.shards[1:]
    third = extract(corpus(tmp_path, TEXTS), Shouting(name="whispering"), str(tmp_path))
    assert not set(third.shards) & set(first.shards)
    assert read_run(str(tmp_path)) == third


def test_more_workers_give_the_same_bytes(kg: Path, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "two")]
    for workers, folder in enumerate(folders, start=1):
        with Store.open(kg) as store:
            made = CooccurrenceSettings.of_store(store, str(folder))
        small = CooccurrenceSettings(str(folder), made.lexicon, shard_bytes=300)
        run = extract(corpus(tmp_path, TEXTS), small, str(folder), workers=workers)
        assert (run.passages, run.mentions) == (20, 40)
        assert len(run.shards) > 2
    assert files(folders[0]) == files(folders[1])


def test_a_shard_holds_passages_and_what_they_say(tmp_path: Path) -> None:
    one = TextPassage(id="a", title="T", entity="Q7", text="x")
    run = extract(corpus(tmp_path, [one]), Shouting(), str(tmp_path))
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


def test_a_corpus_that_cannot_be_used_leaves_the_store_as_it_was(kg: Path, tmp_path: Path) -> None:
    with Store.open(kg) as store:
        before = store.dump()
    good = '{"id": "a", "title": "T", "text": "Town1 is in Land1."}'
    bad = {
        good + "\n" + good: r":2: the passage id 'a' stands twice",
        good + "\n{": r":2: the line: Invalid JSON",
        good + '\n{"id": "b"}': r":2: title: Field required",
        good + good.replace('"a"', '"b"'): r":1: the line: Invalid JSON",
        good[:-1] + ', "entity": "P1"}': r":1: entity: String should match",
        good[:-1] + ', "links": [{"start": 3, "end": 3, "title": "x"}]}': r":1: the line: Value",
        good[:-1] + ', "more": 1}': r":1: more: Extra inputs",
        "": "holds no passage",
    }
    for text, message in bad.items():
        for workers in (1, 2):
            path = tmp_path / "bad.jsonl"
            path.write_text(text)
            with pytest.raises(InputError, match=rf"bad\.jsonl:? ?.*{message}"):
                extract_text(kg, path, shouting, str(tmp_path / "out"), workers=workers)
    with Store.open(kg) as store:
        assert store.dump() == before


def shouting(store: Store) -> Shouting:
    return Shouting()


def test_a_line_that_is_no_utf8_or_far_too_long_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("factchain.kg.text.passages.LONGEST_LINE", 500)
    monkeypatch.setattr("factchain.kg.triples.lines.BLOCK", 400)
    good = b'{"id": "a", "title": "T", "text": "x"}\n'
    for line, message in (
        (good.replace(b"x", b"\xff"), ":2: the line: Invalid JSON"),
        (good.replace(b'"x"', b'"' + b"x" * 1_000 + b'"'), ":2: the line has more than 500 bytes"),
    ):
        (tmp_path / "bad.jsonl").write_bytes(good + line.replace(b'"a"', b'"b"'))
        with pytest.raises(InputError, match=message):
            extract(tmp_path / "bad.jsonl", Shouting(), str(tmp_path / "out"))


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".zst"])
def test_a_corpus_may_be_compressed_and_not_be_cut_off(tmp_path: Path, suffix: str) -> None:
    plain = corpus(tmp_path, TEXTS).read_bytes()
    compress = {".gz": gzip.compress, ".bz2": bz2.compress, ".zst": zstandard.compress}[suffix]
    path = tmp_path / f"passages.jsonl{suffix}"
    path.write_bytes(compress(plain))
    expected = extract(corpus(tmp_path, TEXTS), Shouting(), str(tmp_path / "plain"))
    assert extract(path, Shouting(), str(tmp_path / "packed")) == expected
    path.write_bytes(compress(plain)[:-30])
    with pytest.raises(InputError, match=rf"{suffix}: .*cut off or damaged"):
        extract(path, Shouting(), str(tmp_path / "cut"))


LINES = st.one_of(
    st.builds(
        lambda **fields: json.dumps(fields).encode(),
        id=st.sampled_from(["a", "é", 1, None]),
        title=st.text(max_size=5),
        text=st.text(max_size=9),
        entity=st.sampled_from([None, "Q1", "Q01", "P1", "Q1\n", "Q12345678901", 7]),
        links=st.lists(
            st.fixed_dictionaries(
                {
                    "start": st.integers(-1, 9),
                    "end": st.sampled_from([0, 3, 9, 2.0, 2.5, "3", True]),
                    "title": st.just("x"),
                },
                optional={"more": st.just(1)},
            ),
            max_size=2,
        ),
    ),
    st.binary(max_size=12).filter(lambda line: b"\n" not in line),
    st.sampled_from([b'{"id":"a","title":"b","text":"\\ud800"}', b'{"id":"a","id":"b"}', b"[]"]),
)


@given(LINES)
def test_a_line_is_read_as_textpassage_reads_it(line: bytes) -> None:
    def read(function: Callable[[], PassageView]) -> object:
        try:
            one = function()
        except (InputError, ValidationError):
            return None
        links = [(link.start, link.end, link.title) for link in one.links]
        return one.id, one.title, one.entity, one.text, links

    block = Block(1, line)
    fast = read(lambda: passages_of(Path("x"), block)[0])
    assert fast == read(lambda: TextPassage.model_validate_json(line))


@settings(max_examples=30)
@given(st.lists(st.sampled_from("abcdefgh"), max_size=9), st.integers(1, 5))
def test_the_first_id_that_stands_twice_is_told(ids: list[str], size: int) -> None:
    second = next((n for n, one in enumerate(ids) if one in ids[:n]), None)
    file = Path("corpus")
    with pytest.MonkeyPatch.context() as patch, duckdb.connect() as connection:
        patch.setattr("factchain.kg.text.repeated_ids.BATCH", size)
        seen = PassageIds(connection)
        for first in range(0, len(ids), 2):
            seen.add(ids[first : first + 2], file, first + 1)
        if second is None:
            seen.check()
        else:
            with pytest.raises(InputError, match=f"corpus:{second + 1}: .*'{ids[second]}'"):
                seen.check()


@pytest.mark.parametrize("content", ["", "{", '{"extractor": 1}'])
def test_a_damaged_record_of_a_run_is_told(tmp_path: Path, content: str) -> None:
    (tmp_path / RUN).write_text(content)
    with pytest.raises(InputError, match=r"run\.json: is no record"):
        read_run(str(tmp_path))


def test_joining_in_parts_changes_nothing(kg: Path, tmp_path: Path) -> None:
    texts = [
        TextPassage(id=f"p{n}", title="Both", text=f"Town{n} and Town{n + 1} lie in Land{n % 3}.")
        for n in range(19)
    ]
    passages = corpus(tmp_path, texts)
    tables = []
    for number in (1, 7):
        here = kg.with_name(f"parts-{number}.duckdb")
        shutil.copy(kg, here)
        with pytest.MonkeyPatch.context() as patched:
            for each in ("MEMORY_OF_JOINED", "MEMORY_OF_SORTED"):
                patched.setattr(f"factchain.kg.extraction.mentions.{each}", MEMORY * number // 57)
            extract_text(here, passages, settings_of(tmp_path), str(tmp_path / "work"))
        with Store.open(here) as store:
            order = store.rows("FROM mention"), store.rows("FROM entity_mention")
            tables.append((store.dump(), order))
    assert len(tables[0][1][0]) == len(texts)
    assert tables[0] == tables[1]


def settings_of(folder: Path) -> Callable[[Store], CooccurrenceSettings]:
    return lambda store: CooccurrenceSettings.of_store(store, str(folder / "work"))


def made_run(store: Store, folder: Path, passages: int, entities: int) -> ExtractionRun:
    """A run of passages that name ten entities each, of a graph that joins each with the next."""
    sql = store.connection.execute
    sql("INSERT INTO snapshot VALUES (1, 'now', '2024-06-05', '', '', [])")
    sql(
        "INSERT INTO fact SELECT i, i, 1, 1 + i % $entities, NULL, 'wikibase-item', "
        "NULL, NULL, NULL, NULL, NULL FROM range(1, $entities + 1) t(i)",
        {"entities": entities},
    )
    sql("INSERT INTO fact_snapshot SELECT id, 1, 'normal', NULL, NULL FROM fact")
    folder.mkdir()
    store.connection.sql(
        "SELECT 'p' || i AS id, 'Page ' || i AS title, NULL::BIGINT AS entity, 'words' AS text, "
        "list_transform(range(10), lambda n: "
        "    {'entity': 1 + (i * 7919 + n) % $entities, 'count': 1 + n}) AS mentions, "
        "[]::STRUCT(head TEXT, relation TEXT, tail TEXT, count BIGINT)[] AS statements "
        "FROM range($passages) t(i)",
        params={"entities": entities, "passages": passages},
    ).write_parquet(str(folder / "text.parquet"))
    return ExtractionRun(
        extractor="cooccurrence",
        settings="made",
        passages=passages,
        mentions=10 * passages,
        statements=0,
        rejected={},
        shards=("text.parquet",),
    )


def test_what_is_put_into_a_store_is_seen_at_once(tmp_path: Path) -> None:
    """More rows than DuckDB writes one after the other, into tables that held none."""
    with Store.create(tmp_path / "kg.duckdb") as store:
        store.limit(MEMORY, 2)
        run = made_run(store, tmp_path / "work", passages := 150_000, 1_000_000)
        put_text(store, str(tmp_path / "work"), run)
        sizes = "SELECT (SELECT count(*) FROM passage), (SELECT sum(occurrences) FROM mention)"
        # Nine facts a passage join entities in their order, less often said that named less often.
        assert store.rows(sizes) == [(passages, passages * sum(range(1, 10)))]
        assert store.rows("SELECT sum(occurrences) FROM entity_mention") == [(passages * 55,)]


@pytest.mark.slow
def test_mentions_need_no_memory_that_grows_with_them(tmp_path: Path) -> None:
    """The least that the command line takes, which did not suffice to join them at once."""
    with Store.create(tmp_path / "kg.duckdb") as store:
        store.limit(128 << 20, 2)
        run = made_run(store, tmp_path / "work", passages := 600_000, 1_000_000)
        put_text(store, str(tmp_path / "work"), run)
        assert store.rows("SELECT count(*) FROM mention") == [(passages * 9,)]
        assert store.rows("SELECT count(*) FROM entity_mention") == [(passages * 10,)]


@pytest.mark.slow
@pytest.mark.parametrize("kept", [60_000, 30_000, 0])
def test_texts_that_stay_need_no_memory_that_grows_with_them(tmp_path: Path, kept: int) -> None:
    """200 MB of text, of which all stay, some, or none."""
    passages = 60_000
    with Store.create(tmp_path / "kg.duckdb") as store:
        store.limit(128 << 20, 2)
        text = "SELECT 'p' || i, 'Page', NULL, repeat(md5($start || i), 100) FROM range($rows) t(i)"
        store.connection.execute(f"INSERT INTO passage {text}", {"start": "a", "rows": passages})
        (tmp_path / "work").mkdir()
        store.connection.sql(
            "SELECT 'p' || i AS id, 'Page' AS title, NULL::BIGINT AS entity, "
            "repeat(md5(CASE WHEN i < $kept THEN 'a' ELSE 'b' END || i), 100) AS text, "
            "[]::STRUCT(entity BIGINT, count BIGINT)[] AS mentions, "
            "[]::STRUCT(head TEXT, relation TEXT, tail TEXT, count BIGINT)[] AS statements "
            "FROM range($rows) t(i)",
            params={"kept": kept, "rows": passages},
        ).write_parquet(str(tmp_path / "work/text.parquet"), row_group_size=8192)
        run = ExtractionRun(
            extractor="cooccurrence",
            settings="made",
            passages=passages,
            mentions=0,
            statements=0,
            rejected={},
            shards=("text.parquet",),
        )
        put_text(store, str(tmp_path / "work"), run)
        same = "count(*) FILTER (text = repeat(md5('a' || id[2:]), 100))"
        counts = f"SELECT count(*), count(DISTINCT id), {same} FROM passage"
        assert store.rows(counts) == [(passages, passages, kept)]
