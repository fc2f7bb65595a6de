"""Publishing: what others load is what the workspace holds, and the card says what is so."""

from __future__ import annotations

import json
import re
import resource
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from factchain.cli import main
from factchain.errors import ConfigError, FactchainError, InputError, OutputError
from factchain.manifest import Manifest, Stage, StageReport
from factchain.publish.build import publish
from factchain.publish.card import escape
from factchain.publish.made_from import read_making
from factchain.publish.settings import PublishSettings, name_of
from factchain.questions.records import Question
from factchain.records import write_records
from factchain.retrieval_corpus.formats import candidates_file, write_candidates
from factchain.retrieval_corpus.records import Candidate, Passage
from small_dataset import small_passages, small_questions, write_small_dataset

SETTINGS = PublishSettings(name="small-set", date=date(2026, 1, 2))
PARTS = {
    "questions/train": 2,
    "questions/test": 3,
    "hops/train": 3,
    "hops/test": 7,
    "corpus/corpus": 8,
    "qrels/train": 3,
    "qrels/test": 6,
    "hop_qrels/train": 3,
    "hop_qrels/test": 6,
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_small_dataset(tmp_path_factory.mktemp("small") / "data")


@pytest.fixture(scope="module")
def published(data: Path) -> Path:
    publish(data, data.parent / "out", SETTINGS)
    return data.parent / "out"


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def header(folder: Path) -> dict[str, Any]:
    _, front, _ = (folder / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    found = yaml.safe_load(front)
    assert isinstance(found, dict)
    return found


def test_load_dataset_reads_every_configuration(
    published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    datasets = pytest.importorskip("datasets", reason="the extra publish is not installed")
    monkeypatch.setattr("datasets.config.HF_DATASETS_OFFLINE", True)
    found = {}
    for name in datasets.get_dataset_config_names(str(published)):
        for split, rows in datasets.load_dataset(
            str(published), name, cache_dir=str(tmp_path)
        ).items():
            found[f"{name}/{split}"] = rows
    assert {key: len(rows) for key, rows in found.items()} == PARTS
    questions = small_questions()
    tested = [question for question in questions if question.split == "test"]
    rows = list(found["questions/test"])
    assert [Question.model_validate_json(row["record"]) for row in rows] == tested
    assert rows[0]["answers"] == ["Warsaw"]
    assert rows[0]["options"] == ["Warsaw", "Paris", "London", "Berlin"]
    assert rows[0]["sub_answers"] == ["Marie Curie", "Warsaw"]
    assert (rows[2]["answerable"], rows[2]["withheld"]) == (False, [3])
    passages = [Passage.model_validate_json(row["record"]) for row in found["corpus/corpus"]]
    assert passages == small_passages()
    assert dict(found["hop_qrels/train"][2]) == {"query-id": "q-2", "hop": 2, "corpus-id": "p2"}
    default = datasets.load_dataset(str(published), cache_dir=str(tmp_path))
    assert set(default) == {"train", "test"}


def test_croissant_is_valid_and_loads_the_rows(published: Path) -> None:
    mlcroissant = pytest.importorskip("mlcroissant", reason="the extra publish is not installed")
    with warnings.catch_warnings():
        # Of rdflib and pandas, which it uses.
        warnings.filterwarnings("ignore", "ConjunctiveGraph is deprecated")
        warnings.filterwarnings("ignore", "The inplace keyword")
        dataset = mlcroissant.Dataset(str(published / "croissant.json"))
        assert not dataset.metadata.ctx.issues.errors
        assert not dataset.metadata.ctx.issues.warnings
        sets = {one.id: list(dataset.records(one.id)) for one in dataset.metadata.record_sets}
    assert {key: len(rows) for key, rows in sets.items()} == {
        key.replace("/", "-"): rows for key, rows in PARTS.items()
    }
    rows = sets["questions-test"]
    for row, question in zip(rows, small_questions()[2:], strict=True):
        record = row["questions-test/record"].decode()
        assert Question.model_validate_json(record) == question
        assert row["questions-test/question"].decode() == question.question
        assert row["questions-test/hops"] == question.hops
    assert rows[0]["questions-test/options"] == [b"Warsaw", b"Paris", b"London", b"Berlin"]


def test_croissant_says_what_neurips_asks_for(published: Path) -> None:
    content = json.loads((published / "croissant.json").read_text())
    for name in (
        *("dataCollection", "dataBiases", "dataLimitations", "dataUseCases", "dataSocialImpact"),
        *("personalSensitiveInformation", "dataReleaseMaintenancePlan"),
    ):
        assert content[f"rai:{name}"], name
    assert content["rai:hasSyntheticData"] is True
    assert content["prov:wasDerivedFrom"] == "https://www.wikidata.org/"
    assert "factchain" in content["prov:wasGeneratedBy"]
    assert content["conformsTo"] == [
        "http://mlcommons.org/croissant/1.0",
        "http://mlcommons.org/croissant/RAI/1.0",
    ]
    assert content["datePublished"] == "2026-01-02"
    assert content["license"] == "https://creativecommons.org/publicdomain/zero/1.0/"
    for file in content["distribution"]:
        assert (published / file["contentUrl"]).is_file()


def test_the_validate_command_accepts_it(published: Path) -> None:
    command = Path(shutil.which("mlcroissant") or Path(".venv/bin/mlcroissant").absolute())
    if not command.exists():
        pytest.skip("the command mlcroissant is not installed")
    done = subprocess.run(
        [command, "validate", "--jsonld", published / "croissant.json"],
        capture_output=True,
        text=True,
        timeout=120,
        env={"PATH": str(command.parent), "PYTHONWARNINGS": "ignore"},
    )
    assert done.returncode == 0, done.stderr
    assert "Done" in done.stderr


def test_the_checksums_are_those_of_the_files(published: Path) -> None:
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=published, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    lines = (published / "SHA256SUMS").read_text().splitlines()
    assert {line.split("  ")[1] for line in lines} == set(files_of(published)) - {"SHA256SUMS"}


def test_the_header_says_what_the_files_hold(published: Path) -> None:
    found = header(published)
    assert found["license"] == "cc0-1.0"
    assert found["size_categories"] == ["n<1K"]
    assert found["configs"][0]["config_name"] == "questions"
    assert [one["config_name"] for one in found["configs"] if one.get("default")] == ["questions"]
    for one, info in zip(found["configs"], found["dataset_info"], strict=True):
        for file, split in zip(one["data_files"], info["splits"], strict=True):
            table = pq.read_table(published / file["path"])
            assert (file["split"], table.num_rows) == (split["name"], split["num_examples"])
            assert split["num_bytes"] > 0
        sizes = [(published / file["path"]).stat().st_size for file in one["data_files"]]
        assert info["download_size"] == sum(sizes)


def test_the_card_says_how_it_was_made_and_what_it_cannot_do(published: Path) -> None:
    card = (published / "README.md").read_text(encoding="utf-8")
    assert "5 questions of 1 to 3 hops" in card
    assert "| popularity | 1 | 3 | 1 | 5 |" in card
    assert "5 of 5 questions were put into words by templates" in card
    assert "1 questions cannot be answered from the passages" in card
    assert "1 questions have options, 1 cannot be answered" in card
    for table in ("### questions", "### hops", "### corpus", "### qrels", "### hop_qrels"):
        assert table in card


def test_no_label_is_markup_in_the_card(tmp_path: Path) -> None:
    write_records(tmp_path / "data/questions.jsonl", small_questions()[2:3])
    publish(tmp_path / "data", tmp_path / "out", SETTINGS)
    card = (tmp_path / "out/README.md").read_text(encoding="utf-8")
    assert "<script" not in card
    assert "](http://evil" not in card
    assert "http://evil" not in card, "not even as a bare address"
    (shown,) = [line for line in card.splitlines() if line.startswith("- **What is the birth")]
    assert r"\*\*b\*\*" in shown
    assert r"\`code\`" in shown


@given(st.text())
def test_escaped_text_is_one_line_without_markup(text: str) -> None:
    shown = escape(text)
    assert "\n" not in shown
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_\[\]|$~]", shown)
    assert not re.search(r"[<>@]|://|www\.", shown)


def test_the_same_input_gives_the_same_bytes(data: Path, published: Path) -> None:
    again = data.parent / "again"
    publish(data, again, SETTINGS)
    assert files_of(again) == files_of(published)
    publish(data, again, SETTINGS)
    assert files_of(again) == files_of(published), "in place of itself"
    assert not list(data.parent.glob(".*.part"))


def test_a_folder_with_something_else_is_left_as_it_is(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    publish(data, out, SETTINGS)
    (out / "README.md").write_text("mine")
    before = files_of(out)
    with pytest.raises(OutputError, match=r"holds README\.md, which no earlier run wrote so"):
        publish(data, out, SETTINGS)
    assert files_of(out) == before
    (out / "notes.txt").write_text("mine")
    with pytest.raises(OutputError, match="holds "):
        publish(data, out, SETTINGS)
    with pytest.raises(OutputError, match="is a file"):
        publish(data, out / "README.md", SETTINGS)
    copy = shutil.copytree(data, tmp_path / "copy")
    for place in (copy, tmp_path):
        with pytest.raises(OutputError, match="holds the workspace itself"):
            publish(copy, place, SETTINGS)


def edit(path: Path, change: Callable[[list[dict[str, Any]]], None]) -> None:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    change(lines)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def double(lines: list[dict[str, Any]]) -> None:
    lines.append(lines[0])


def name_split(lines: list[dict[str, Any]]) -> None:
    lines[1]["split"] = "dev-set"


def lose_passage(lines: list[dict[str, Any]]) -> None:
    del lines[0]


BROKEN: dict[str, tuple[Callable[[Path], object], type[FactchainError], str]] = {
    "no questions": (
        lambda p: (p / "questions.jsonl").unlink(),
        InputError,
        r"questions\.jsonl: no such file: name a folder",
    ),
    "empty": (
        lambda p: (p / "questions.jsonl").write_text(""),
        InputError,
        "holds no question",
    ),
    "broken": (
        lambda p: (p / "questions.jsonl").write_text("{}\n"),
        InputError,
        r"questions\.jsonl:1: ",
    ),
    "same id": (
        lambda p: edit(p / "questions.jsonl", double),
        InputError,
        r"questions\.jsonl:6: id: 'q-1' stands on an earlier line",
    ),
    "split": (
        lambda p: edit(p / "questions.jsonl", name_split),
        InputError,
        r"questions\.jsonl:2: split: 'dev-set' cannot be published",
    ),
    "same passage": (
        lambda p: edit(p / "corpus/corpus.jsonl", double),
        InputError,
        r"corpus\.jsonl:9: _id: 'p1' stands on an earlier line",
    ),
    "missing passage": (
        lambda p: edit(p / "corpus/corpus.jsonl", lose_passage),
        InputError,
        "the corpus has no passage 'p1'",
    ),
    "chains": (
        lambda p: (p / "chains.jsonl").write_text("{}\n"),
        InputError,
        r"chains\.jsonl:1: ",
    ),
    "manifest": (
        lambda p: (p / "manifest.json").write_text('{"factchain": "1", "stages": {"store": 3}}'),
        InputError,
        r"manifest\.json: is not as a build writes it",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_workspace_is_told_and_nothing_is_written(
    data: Path, tmp_path: Path, name: str
) -> None:
    copy = shutil.copytree(data, tmp_path / "data")
    spoil, error, message = BROKEN[name]
    spoil(copy)
    with pytest.raises(error, match=message):
        publish(copy, tmp_path / "out", SETTINGS)
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_a_disk_that_fills_leaves_nothing_half_written(data: Path, tmp_path: Path) -> None:
    def fill() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (8_000, 8_000))

    done = subprocess.run(
        [sys.executable, "-m", "factchain", "publish", str(data), "--out", "out"],
        preexec_fn=fill,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1
    assert "out: cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_imported_questions_need_a_licence(data: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(data, tmp_path / "data")

    def forget(question: Question) -> Question:
        made = question.provenance.model_copy(update={"snapshot": None, "verbalizer": "musique"})
        return question.model_copy(update={"provenance": made, "query": None})

    write_records(copy / "questions.jsonl", [forget(question) for question in small_questions()])
    with pytest.raises(ConfigError, match=r"5 of 5 questions come from another .* --license"):
        publish(copy, tmp_path / "out", SETTINGS)
    assert not (tmp_path / "out").exists()
    publish(copy, tmp_path / "out", PublishSettings(name="small", licence="cc-by-4.0"))
    content = json.loads((tmp_path / "out/croissant.json").read_text())
    assert content["license"] == "https://creativecommons.org/licenses/by/4.0/"
    assert content["rai:hasSyntheticData"] is False
    assert "prov:wasDerivedFrom" not in content
    card = (tmp_path / "out/README.md").read_text()
    assert "5 of 5 questions were imported from another dataset" in card
    assert "Wikidata are in the public domain" not in card


def test_questions_alone_can_be_published(tmp_path: Path) -> None:
    write_records(tmp_path / "data/questions.jsonl", small_questions())
    done = publish(tmp_path / "data", tmp_path / "out", SETTINGS)
    assert {part.table.name for part in done.parts} == {"questions", "hops"}
    assert done.tasks == ("small_set_closed_book", "small_set_multiple_choice")
    assert not (tmp_path / "out/tasks/inspect_gold_passages.py").exists()


def test_candidates_are_published_too(data: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(data, tmp_path / "data")
    shown = [Candidate(question="q-4", rank=n, passage=f"p{5 - n}") for n in (1, 2, 3)]
    write_candidates(candidates_file(copy / "corpus", "test"), shown)
    done = publish(copy, tmp_path / "out", SETTINGS)
    (part,) = [part for part in done.parts if part.table.name == "candidates"]
    rows = pq.read_table(tmp_path / "out" / part.path).to_pylist()
    assert rows == [{"query-id": "q-4", "rank": n, "corpus-id": f"p{5 - n}"} for n in (1, 2, 3)]


def test_the_manifest_is_told_without_places(data: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(data, tmp_path / "secret-place")
    dump = tmp_path / "secret-place/dump.json"
    dump.write_text("[]")
    settings = {"snapshots": [{"dump": str(dump), "date": "2024-06-05", "name": ""}]}
    manifest = Manifest(copy, 7, settings)
    report = StageReport(10, 5, {"leak": 5, "nothing": 0})
    manifest.run([Stage("questions", {}, lambda: report, inputs=[dump])], lambda *_: None)
    making = read_making(copy)
    assert making is not None
    assert making.stages == (("questions", 10, 5, (("leak", 5),)),)
    assert making.snapshots == (("2024-06-05", "2024-06-05"),)
    publish(copy, tmp_path / "out", PublishSettings(name="small"))
    card = (tmp_path / "out/README.md").read_text()
    assert "| questions | 10 | 5 | leak 5 |" in card
    assert "| dump.json | 2 |" in card
    assert f"seed {manifest.seed}" in card
    content = json.loads((tmp_path / "out/croissant.json").read_text())
    assert content["datePublished"] == making.ended.isoformat() if making.ended else False
    for name, body in files_of(tmp_path / "out").items():
        assert b"secret-place" not in body, name


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"name": "a/b"}, "cannot name a dataset"),
        ({"name": ""}, "cannot name a dataset"),
        ({"licence": "mine"}, "there is only cc0-1.0"),
        ({"version": "1"}, "three numbers are needed"),
        ({"language": "English"}, "a code such as en"),
    ],
)
def test_wrong_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        PublishSettings(**({"name": "small"} | settings))


@given(st.text())
def test_any_folder_gives_a_name(text: str) -> None:
    name = re.sub(r"[/\x00]", "", text)
    PublishSettings(name=name_of(Path("/x") / name))


def test_the_command(data: Path, tmp_path: Path) -> None:
    arguments = [
        *("publish", str(data), "--out", str(tmp_path / "out"), "--name", "mine", "--json"),
        *("--citation", "@misc{x```}", "--creator", "A Lab", "--date", "2026-01-02"),
    ]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["files"] == {f"data/{name}.parquet": rows for name, rows in PARTS.items()}
    assert told["tasks"] == ["mine_closed_book", "mine_gold_passages", "mine_multiple_choice"]
    assert told["address"] is None
    assert "````\n@misc" not in (tmp_path / "out/README.md").read_text().partition("Citation")[0]
    shown = CliRunner().invoke(main, ["publish", str(tmp_path), "--out", str(tmp_path / "x")])
    assert shown.exit_code == 1
    assert "no such file" in shown.stderr
    told_off = CliRunner().invoke(main, [*arguments, "--push", "mine"], env={"HF_TOKEN": "x"})
    assert told_off.exit_code == 1
    assert "is no repository" in told_off.stderr
