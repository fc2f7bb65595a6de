"""A file in the wrong format, or with a field missing, is one message; nothing half-written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from factchain.cli import main
from factchain.errors import FactchainError
from factchain.formats.exporting import export_dataset
from factchain.formats.importing import import_dataset
from factchain.formats.registry import FORMATS
from format_examples import (
    FLASHRAG,
    HOP,
    HOTPOT,
    MINTQA,
    MUSIQUE,
    OMANIC,
    POPQA,
    QUERY,
    TWO_WIKI,
    deep,
    lines,
    without,
)


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


CASES = [
    ("musique", lines(MUSIQUE, without(MUSIQUE, "question")), "x:2: question: Field required"),
    ("musique", lines(MUSIQUE, MUSIQUE), "question '2hop__1_2': stands twice"),
    ("musique", lines(HOTPOT), "x:1: id: Field required (expected a question of MuSiQue)"),
    (
        "musique",
        json.dumps([deep(MUSIQUE, "paragraphs", 1, "title", value=3)]),
        "x: record 1: paragraphs.1.title: Input should be a valid string",
    ),
    (
        "musique",
        lines(deep(MUSIQUE, "paragraphs", 1, "idx", value=0)),
        "x:1: paragraphs: two of them have the same idx",
    ),
    (
        "musique",
        lines(deep(MUSIQUE, "question_decomposition", 1, "paragraph_support_idx", value=7)),
        "x:1: question_decomposition.1.paragraph_support_idx: there is no paragraph 7",
    ),
    ("musique", lines(MUSIQUE | {"id": "a\tb"}), r"x:1: id: 'a\tb' is no id"),
    ("musique", lines(MUSIQUE | {"id": " "}), "x:1: id: ' ' is no id"),
    ("musique", "[]", "x: holds no question of MuSiQue"),
    ("hotpotqa", lines(MUSIQUE), "x:1: context: Field required (expected a question of HotpotQA)"),
    (
        "hotpotqa",
        lines(deep(HOTPOT, "supporting_facts", 0, value=["T"])),
        "x:1: supporting_facts.0.1: Field required",
    ),
    (
        "hotpotqa",
        lines(deep(HOTPOT, "supporting_facts", 0, 1, value="0")),
        "x:1: supporting_facts.0.1: Input should be a valid integer",
    ),
    (
        "hotpotqa",
        lines(deep(HOTPOT, "context", 0, 1, value="s")),
        "x:1: context.0.1: Input should be a valid list",
    ),
    ("2wikimultihopqa", lines(TWO_WIKI | {"type": "bridge"}), "x:1: type: 'bridge' is none of"),
    ("mintqa", lines(MINTQA | {"num_hops": 3}), "x:1: triple: has 2 values where there are 3 hops"),
    ("mintqa", lines(MINTQA | {"type": ["Old", "Odd"]}), "x:1: type: 'Odd' is none of popular"),
    ("mintqa", lines(MINTQA | {"type": ["Old", "Popular"]}), "are labels of two axes"),
    ("omanic", lines(without(OMANIC, "single_hop")), "x:1: single_hop: Field required"),
    ("omanic", lines(OMANIC | {"single_hop": [HOP]}), "x:1: single_hop: has 1 hops where"),
    (
        "omanic",
        lines(OMANIC | {"single_hop": [{"question": "?"}] * 4}),
        "x:1: single_hop.0: answer: Field required",
    ),
    (
        "omanic",
        lines(OMANIC | {"multiple_choice_options": {"A": "x"}, "correct_answer_label": "E"}),
        "x:1: correct_answer_label: 'E' is none of A",
    ),
    (
        "flashrag",
        lines(FLASHRAG | {"choices": ["a"], "golden_answers": [1]}),
        "x:1: golden_answers: 1 is no index of the 1 choices",
    ),
    ("flashrag", lines({"id": "1", "contents": "c"}), "x: holds no question of FlashRAG"),
    ("flashrag", lines(*[{"id": "1", "contents": "c"}] * 2), "x:2: id: '1' stands earlier"),
    ("multihop-rag", lines(QUERY | {"question_type": "x"}), "x:1: question_type: 'x' is none of"),
    ("multihop-rag", lines({"title": "T", "body": "b"}), "x: holds no question of MultiHop-RAG"),
    ("beir", "", "x: is no folder"),
    ("popqa", "id,question\n", "x:1: id: there is no such column"),
    ("popqa", POPQA + "1\ta\tb\tc\tq\tnone\n", "x:2: possible_answers: is no JSON list"),
    ("popqa", POPQA + '1\ta\tb\tc\tq\t"[1]"\n', "x:2: possible_answers: expected a JSON list"),
    ("popqa", POPQA + "1\ta\tb\t\tq\t[]\n", "x:2: obj: the cell is empty or missing"),
]


@pytest.mark.parametrize(("name", "content", "message"), CASES, ids=[case[2] for case in CASES])
def test_what_is_wrong_is_told(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / "x").write_text(content, encoding="utf-8")
    result = call("import", name, tmp_path / "x", "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert f"{message}" in result.stderr
    assert "Traceback" not in result.stderr
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "x"]


EXAMPLES = {
    "musique": MUSIQUE,
    "hotpotqa": HOTPOT,
    "2wikimultihopqa": TWO_WIKI,
    "mintqa": MINTQA,
    "omanic": OMANIC,
    "flashrag": FLASHRAG | {"choices": ["x", "y"], "golden_answers": [1], "metadata": {"hops": 2}},
    "multihop-rag": QUERY,
}
ODD = st.sampled_from([None, True, -1, 3, 2.5, "", "#1", "x", [], [[]], {}, {"a": 1}, ["x"], [3]])


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to everything within a value."""
    if path:
        yield path
    whole = list(enumerate(value)) if isinstance(value, list) else []
    for key, one in value.items() if isinstance(value, dict) else whole:
        yield from paths(one, (*path, key))


@pytest.mark.parametrize("name", EXAMPLES)
@settings(max_examples=60)
@given(data=st.data())
def test_whatever_stands_in_a_field_there_is_no_traceback(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    """A value is read and comes back as it was, or the error names the record."""
    tmp_path = tmp_path_factory.mktemp("odd")
    path = data.draw(st.sampled_from(list(paths(EXAMPLES[name]))))
    record = deep(EXAMPLES[name], *path, value=data.draw(ODD))
    (tmp_path / "x").write_text(lines(record))
    told = ""
    try:
        import_dataset(FORMATS[name], [tmp_path / "x"], tmp_path / "in")
        done = export_dataset(FORMATS[name], tmp_path / "in", tmp_path / "out")
    except FactchainError as error:
        told = str(error)
    if told:
        assert str(tmp_path / "x") in told or "has no corpus/corpus.jsonl" in told
        return
    (back,) = (json.loads(line) for line in read_back(tmp_path / "out" / done.files[0]))
    assert back == record


def read_back(path: Path) -> list[str]:
    """The records of a file, one a line."""
    return [line.strip(",") for line in path.read_text("utf-8").split("\n") if line not in "[]"]


def test_evidence_without_its_article_is_told(tmp_path: Path) -> None:
    (tmp_path / "q").write_text(lines(QUERY))
    (tmp_path / "c").write_text(lines({"title": "Another", "body": "b", "url": "v"}))
    files = (tmp_path / "q", tmp_path / "c")
    result = call("import", "multihop-rag", *files, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "q:1: evidence_list.0: no article has the title 'T' or its url" in result.stderr
    assert not list((tmp_path / "out").rglob("*.json*"))


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        ("q\td\t1\n", "test.tsv:2: corpus-id: the corpus has no passage 'd'"),
        ("q\tp\tyes\n", "test.tsv:2: expected query-id, corpus-id and a whole score"),
        ("q\tp\n", "test.tsv:2: expected query-id, corpus-id and a whole score"),
        ("q\tp\t1\nq\tp\t1\n", "test.tsv:3: q and p stand together already"),
        ("r\tp\t1\n", "qrels/test.tsv: there is no query 'r'"),
        ("", "holds no question of BEIR"),
    ],
)
def test_beir_that_does_not_fit_together(tmp_path: Path, qrels: str, message: str) -> None:
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text('{"_id": "p", "title": "", "text": "x"}\n')
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "?"}\n')
    (folder / "qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\n" + qrels)
    result = call("import", "beir", folder, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert message in result.stderr
    assert not (tmp_path / "out/questions.jsonl").exists()


def test_a_split_that_would_name_another_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text(lines(MUSIQUE))
    for split in ("../up", "a/b", ""):
        result = call(
            "import", "musique", tmp_path / "x", "--out", tmp_path / "o", "--split", split
        )
        assert result.exit_code == 1, split
        assert "cannot name a file" in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x"]


def test_folders_of_others_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "x").write_text(lines(MUSIQUE))
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.tex").write_text("mine")
    assert call("import", "musique", tmp_path / "x", "--out", mine).exit_code == 1
    assert call("import", "musique", tmp_path / "x", "--out", tmp_path / "data").exit_code == 0
    refused = call("export", "musique", tmp_path / "data", "--out", mine)
    assert "holds something that `factchain export` did not write" in refused.stderr
    refused = call("export", "musique", tmp_path / "data", "--out", tmp_path / "data")
    assert "is the folder that is exported" in refused.stderr
    assert [path.name for path in mine.iterdir()] == ["thesis.tex"]
    assert call("export", "musique", tmp_path / "nowhere", "--out", tmp_path / "o").exit_code == 1
    assert not (tmp_path / "o").exists()


def test_a_later_import_takes_away_what_only_the_earlier_one_wrote(tmp_path: Path) -> None:
    (tmp_path / "x").write_text(lines(MUSIQUE))
    out = tmp_path / "out"
    for split in ("dev", "train"):
        done = call("import", "musique", tmp_path / "x", "--out", out, "--split", split)
        assert done.exit_code == 0
        assert [path.name for path in (out / "corpus/qrels").iterdir()] == [f"{split}.tsv"]
    conversion = json.loads((out / "conversion.json").read_text())
    (tmp_path / "keep").write_text("")
    listed = [*conversion["files"], "../keep", str(tmp_path / "keep")]
    (out / "conversion.json").write_text(json.dumps(conversion | {"files": listed}))
    assert call("import", "musique", tmp_path / "x", "--out", out, "--split", "dev").exit_code == 0
    assert (tmp_path / "keep").exists()


def test_an_export_that_has_nothing_to_say_is_told(tmp_path: Path) -> None:
    (tmp_path / "x").write_text(lines(MUSIQUE))
    call("import", "musique", tmp_path / "x", "--out", tmp_path / "data", "--split", "dev")
    result = call("export", "omanic", tmp_path / "data", "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "questions not of 4 hops, left out" in result.stderr
    result = call("export", "beir", tmp_path / "data", "--out", tmp_path / "out", "--split", "test")
    assert result.exit_code == 1
    assert "has no question of the split 'test'" in result.stderr
    assert not [path for path in (tmp_path / "out").rglob("*") if path.is_file()]


def test_a_corpus_that_lacks_what_is_gold_is_told(tmp_path: Path) -> None:
    (tmp_path / "x").write_text(lines(MUSIQUE))
    call("import", "musique", tmp_path / "x", "--out", tmp_path / "data")
    corpus = tmp_path / "data/corpus/corpus.jsonl"
    corpus.write_text(corpus.read_text().splitlines(keepends=True)[0])
    result = call("export", "musique", tmp_path / "data", "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "test.tsv:3: corpus-id: the corpus has no passage" in result.stderr


def test_a_dataset_whose_split_would_name_another_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text(lines(MUSIQUE))
    call("import", "musique", tmp_path / "x", "--out", tmp_path / "data")
    questions = tmp_path / "data/questions.jsonl"
    questions.write_text(questions.read_text().replace('"split":"test"', '"split":"../../up"'))
    result = call("export", "musique", tmp_path / "data", "--out", tmp_path / "out" / "deep")
    assert result.exit_code == 1
    assert "questions.jsonl:1: split: '../../up' cannot name a file" in result.stderr
    assert not list(tmp_path.rglob("up*"))


def test_a_format_with_paragraphs_needs_a_corpus(tmp_path: Path) -> None:
    (tmp_path / "x").write_text(lines(MINTQA))
    call("import", "mintqa", tmp_path / "x", "--out", tmp_path / "data")
    for name in ("musique", "hotpotqa", "2wikimultihopqa"):
        result = call("export", name, tmp_path / "data", "--out", tmp_path / name)
        assert result.exit_code == 1
        assert "has no corpus/corpus.jsonl" in result.stderr
    assert call("export", "flashrag", tmp_path / "data", "--out", tmp_path / "f").exit_code == 0
    assert not (tmp_path / "f" / "corpus.jsonl").exists()


def test_the_formats_are_named(tmp_path: Path) -> None:
    for name in ("musique", "hotpotqa", "2wikimultihopqa", "popqa", "multihop-rag"):
        assert name in call("import", "--help").output
    assert call("import", "squad", tmp_path, "--out", tmp_path).exit_code == 2
    assert call("export", "popqa", tmp_path, "--out", tmp_path).exit_code == 2
