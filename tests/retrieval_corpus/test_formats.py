"""Reading a corpus folder back, and refusing one that does not fit together."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factchain.errors import InputError
from factchain.records import write_records
from factchain.retrieval_corpus.formats import (
    read_corpus,
    read_hop_qrels,
    read_qrels,
    read_queries,
    write_hop_qrels,
    write_qrels,
)
from factchain.retrieval_corpus.records import CorpusQuery, HopGold, Passage

IDS = st.text(min_size=1, max_size=6).filter(lambda text: text.isprintable())
HEADER = "query-id\tcorpus-id\tscore\n"
HOP_HEADER = "query-id\thop\tcorpus-id\tscore\n"


def qrels_of(folder: Path, text: str, name: str = "qrels") -> Path:
    (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / name / "test.tsv").write_text(text)
    return folder


def test_passages_and_queries_come_back_in_order(tmp_path: Path) -> None:
    passages = [Passage(id=key, title=key, text="x\ny") for key in ("b", "a")]
    queries = [CorpusQuery(id=key, text="?") for key in ("z", "y")]
    write_records(tmp_path / "corpus.jsonl", passages)
    write_records(tmp_path / "queries.jsonl", queries)
    assert list(read_corpus(tmp_path).values()) == passages
    assert list(read_queries(tmp_path).values()) == queries


@given(
    qrels=st.dictionaries(
        IDS, st.dictionaries(IDS, st.integers(0, 3), min_size=1, max_size=3), max_size=3
    )
)
def test_qrels_come_back(tmp_path_factory: pytest.TempPathFactory, qrels: dict) -> None:
    folder = tmp_path_factory.mktemp("corpus")
    write_qrels(folder / "qrels" / "test.tsv", qrels)
    known = {passage for gold in qrels.values() for passage in gold}
    back = read_qrels(folder, known)
    assert back == qrels
    assert list(back) == list(qrels)


@given(rows=st.lists(st.tuples(IDS, st.integers(1, 9), IDS), unique=True, max_size=5))
def test_hop_qrels_come_back(tmp_path_factory: pytest.TempPathFactory, rows: list) -> None:
    folder = tmp_path_factory.mktemp("corpus")
    gold = [HopGold(question=q, hop=hop, passage=passage) for q, hop, passage in rows]
    write_hop_qrels(folder / "hop_qrels" / "test.tsv", gold)
    assert read_hop_qrels(folder, {row.passage for row in gold}) == gold


def test_a_passage_without_our_metadata_is_read(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d1", "title": "T", "text": "x"}\n')
    passage = read_corpus(tmp_path)["d1"]
    assert (passage.metadata.entity, passage.metadata.facts) == (None, ())


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('{"_id": "a", "title": "", "text": ""}\n{"_id": "b"}\n', r"corpus\.jsonl:2: title: Field"),
        ('{"_id": "a", "title": "", "text": 3}\n', r"corpus\.jsonl:1: text: .*string"),
        ('{"_id": "a", "title": "", "text": ""}\n' * 2, r"corpus\.jsonl:2: _id: 'a' stands on"),
        ("no json\n", r"corpus\.jsonl:1: the line: Invalid JSON"),
    ],
)
def test_a_broken_corpus_names_line_and_field(tmp_path: Path, lines: str, message: str) -> None:
    (tmp_path / "corpus.jsonl").write_text(lines)
    with pytest.raises(InputError, match=message):
        read_corpus(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEADER + "q\ta\t1\nq\tz\t1\n", r"test\.tsv:3: corpus-id: the corpus has no passage 'z'"),
        (HEADER + "q\ta\t1\nq\ta\t1\n", r"test\.tsv:3: q and a stand together already"),
        (HEADER + "q\ta\n", r"test\.tsv:2: 2 cells where query-id, corpus-id, score belong"),
        (HEADER + "q\ta\tyes\n", r"test\.tsv:2: score: 'yes' is no whole number"),
        ("q\ta\t1\n", r"test\.tsv:1: the header is not"),
        ("", r"test\.tsv:1: the header is not"),
        (HEADER + 'q\t"a\t1\n', "is no table"),
    ],
)
def test_broken_qrels_name_line_and_field(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_qrels(qrels_of(tmp_path, text), {"a"})


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("q\t1\tz\t1\n", r"test\.tsv:2: corpus-id: the corpus has no passage 'z'"),
        ("q\tone\ta\t1\n", r"test\.tsv:2: hop: 'one' is no whole number"),
        ("q\t1\ta\t1\n" * 2, r"test\.tsv:3: hop 1 of q has a already"),
    ],
)
def test_broken_hop_qrels_name_line_and_field(tmp_path: Path, row: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_hop_qrels(qrels_of(tmp_path, HOP_HEADER + row, "hop_qrels"), {"a"})


def test_missing_and_undecodable_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"corpus\.jsonl: cannot be read: No such file"):
        read_corpus(tmp_path)
    with pytest.raises(InputError, match=r"test\.tsv: cannot be read: No such file"):
        read_qrels(tmp_path, ())
    qrels_of(tmp_path, "")
    (tmp_path / "qrels" / "test.tsv").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is no table of tab-separated UTF-8 text"):
        read_qrels(tmp_path, ())
