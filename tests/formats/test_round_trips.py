"""An import, exported again, is what it was: every field of every record, whatever it holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import format_sources as sources
from factchain.formats.exporting import export_dataset
from factchain.formats.importing import import_dataset
from factchain.formats.registry import FORMATS
from factchain.progress import set_silent
from factchain.questions.records import Question
from factchain.records import read_records
from factchain.retrieval_corpus.formats import read_corpus
from format_sources import Json

FEW = settings(max_examples=25)
BY_QUESTION = {
    "musique": (sources.musique, "test.jsonl", sources.read_lines),
    "hotpotqa": (sources.hotpotqa, "test.json", sources.read_array),
    "2wikimultihopqa": (sources.two_wiki, "test.json", sources.read_array),
    "mintqa": (sources.mintqa, "test.jsonl", sources.read_lines),
    "omanic": (sources.omanic, "test.jsonl", sources.read_lines),
    "flashrag": (sources.flashrag, "test.jsonl", sources.read_lines),
}


def through(name: str, files: list[Path], folder: Path) -> Path:
    """Import the files and export them again; return the folder of the export."""
    set_silent(True)
    import_dataset(FORMATS[name], files, folder / "in")
    export_dataset(FORMATS[name], folder / "in", folder / "out")
    return folder / "out"


def keyed(
    draw: Callable[[st.SearchStrategy], object], make: Callable[[str], st.SearchStrategy[Json]]
) -> list[Json]:
    keys = draw(st.lists(sources.IDS, min_size=1, max_size=4, unique=True))
    return [draw(make(key)) for key in keys]


@pytest.mark.parametrize("name", BY_QUESTION)
@FEW
@given(data=st.data())
def test_questions_come_back(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    make, exported, read = BY_QUESTION[name]
    folder = tmp_path_factory.mktemp(name)
    objects = keyed(data.draw, make)
    write = data.draw(st.sampled_from([sources.write_lines, sources.write_array]))
    out = through(name, [write(folder / "x.json", objects)], folder)
    assert read(out / exported) == objects


@FEW
@given(data=st.data())
def test_flashrag_comes_back_with_its_corpus(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("flashrag")
    questions = keyed(data.draw, sources.flashrag)
    passages = keyed(data.draw, sources.flashrag_passage)
    files = [
        sources.write_lines(folder / "dev.jsonl", questions),
        sources.write_lines(folder / "corpus.jsonl", passages),
    ]
    out = through("flashrag", files, folder)
    assert sources.read_lines(out / "dev.jsonl") == questions
    assert sources.read_lines(out / "corpus.jsonl") == passages


@FEW
@given(data=st.data())
def test_beir_comes_back(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("beir")
    source = folder / "beir"
    (source / "qrels").mkdir(parents=True)
    passages = keyed(data.draw, sources.beir_passage)
    queries = keyed(data.draw, sources.beir_query)
    sources.write_lines(source / "corpus.jsonl", passages)
    sources.write_lines(source / "queries.jsonl", queries)
    ids = [passage["_id"] for passage in passages]
    gold = st.dictionaries(st.sampled_from(ids), st.integers(0, 3), min_size=1)
    rows = {query["_id"]: data.draw(gold) for query in queries}
    written = "query-id\tcorpus-id\tscore\n" + "".join(
        f"{_cell(query)}\t{_cell(passage)}\t{score}\n"
        for query, scores in rows.items()
        for passage, score in scores.items()
    )
    (source / "qrels" / "dev.tsv").write_text(written, "utf-8")
    out = through("beir", [source], folder)
    assert sources.read_lines(out / "corpus.jsonl") == passages
    assert sources.read_lines(out / "queries.jsonl") == queries
    assert sorted((out / "qrels" / "dev.tsv").read_text("utf-8").split("\n")) == sorted(
        written.split("\n")
    )


def _cell(text: str) -> str:
    """As the csv module writes a cell."""
    return '"' + text.replace('"', '""') + '"' if '"' in text else text


@FEW
@given(data=st.data())
def test_multihop_rag_comes_back(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("mhr")
    articles = keyed(data.draw, sources.article)
    queries = data.draw(st.lists(sources.multihop_rag(articles), min_size=1, max_size=4))
    files = [
        sources.write_array(folder / "MultiHopRAG.json", queries),
        sources.write_array(folder / "corpus.json", articles),
    ]
    out = through("multihop-rag", files, folder)
    assert sources.read_array(out / "MultiHopRAG.test.json") == queries
    assert sources.read_array(out / "corpus.json") == articles


@pytest.mark.parametrize(
    ("name", "file", "exported"),
    [
        ("musique", "musique_train.json", "train.jsonl"),
        ("hotpotqa", "hotpotqa_train.json", "train.json"),
    ],
)
def test_real_questions_come_back(
    reference: Callable[[str], Path], tmp_path: Path, name: str, file: str, exported: str
) -> None:
    out = through(name, [reference(file)], tmp_path)
    read = sources.read_lines if name == "musique" else sources.read_array
    original = sources.read_array(reference(file))
    assert len(original) == 100
    assert read(out / exported) == original
    # Out of our records, and not because fields were kept as they were.
    for question in read_records(tmp_path / "in" / "questions.jsonl", Question):
        assert not {"verbatim", "absent"} & question.metadata.keys()


def test_the_passages_of_real_musique_are_its_corpus(
    reference: Callable[[str], Path], tmp_path: Path
) -> None:
    through("musique", [reference("musique_train.json")], tmp_path)
    corpus = sources.read_array(reference("musique_train_corpus.json"))
    passages = read_corpus(tmp_path / "in" / "corpus").values()
    assert sorted((p.title, p.text) for p in passages) == sorted(
        (row["title"], row["text"]) for row in corpus
    )
