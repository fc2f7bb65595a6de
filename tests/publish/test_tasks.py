"""The tasks that go with a published dataset: their prompts and scores, and both harnesses."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factchain.eval import prompts
from factchain.publish.build import publish
from factchain.publish.settings import PublishSettings
from factchain.questions import text_scores
from small_dataset import HOSTILE, OPTIONS, small_passages, small_questions, write_small_dataset

NAMES = ("closed_book", "gold_passages", "multiple_choice")
REPLIES = {"birthplace": "Warsaw", "capital": "It is London."}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("tasks")
    publish(write_small_dataset(place / "data"), place / "out", PublishSettings(name="Small.set"))
    return place / "out"


@pytest.fixture(scope="module")
def published(folder: Path) -> ModuleType:
    return _load(folder / "tasks/published.py")


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("published_for_test", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_prompts_are_those_of_the_evaluation_suite(published: ModuleType) -> None:
    tested = {question.id: question for question in small_questions()}
    passages = {passage.id: passage for passage in small_passages()}
    assert published.default_split() == "test"
    closed = published.closed_book("test")
    assert [one["id"] for one in closed] == ["q-3", "q-4"], "q-5 has no answer"
    for one in closed:
        assert one["prompt"] == prompts.direct_answer(tested[one["id"]].question)
    gold = {"q-3": ["p5", "p6"], "q-4": ["p3", "p4"]}
    for one in published.gold_passages("test"):
        documents = [
            prompts.Document(passages[key].title, passages[key].text) for key in gold[one["id"]]
        ]
        expected = prompts.answer_with_documents(tested[one["id"]].question, documents)
        assert one["prompt"] == expected
        assert one["prompt"].count("</document>") == 2, "a label closes no tag"
    (choice,) = published.multiple_choice("test")
    assert choice["prompt"] == prompts.choose_option(tested["q-3"].question, OPTIONS)
    assert choice["gold"] == 0
    assert len(published.closed_book("train")) == 2


@given(st.text(), st.lists(st.text(min_size=1), min_size=1))
def test_the_scores_are_those_of_the_evaluation_suite(prediction: str, names: list[str]) -> None:
    published = _load(Path(__file__).parents[2] / "src/factchain/publish/task_files/published.py")
    assert published.normalise(prediction) == text_scores.normalise(prediction)
    assert published.score(prediction, names[0], names) == {
        "exact_match": text_scores.exact_match(prediction, names),
        "f1": text_scores.token_f1(prediction, names),
        "accuracy": text_scores.containment(prediction, names[:1]),
    }


@pytest.mark.parametrize(
    ("name", "split"), [*((name, "") for name in NAMES), *((name, "train") for name in NAMES[:2])]
)
def test_inspect_runs_them(
    folder: Path, tmp_path: Path, name: str, split: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    inspect_ai = pytest.importorskip("inspect_ai", reason="the extra eval is not installed")
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def reply(messages: list, *_: object) -> ModelOutput:
        asked = messages[-1].text
        words = next((said for key, said in REPLIES.items() if key in asked), "Nobody")
        words = "ANSWER: A" if name == "multiple_choice" else words
        output = ModelOutput.from_content("mockllm/model", words)
        output.usage = ModelUsage()  # mockllm would fetch a tokenizer to count tokens
        return output

    monkeypatch.chdir(folder / "tasks")
    (log,) = inspect_ai.eval(
        f"inspect_{name}.py",
        model=get_model("mockllm/model", custom_outputs=reply),
        task_args={"split": split} if split else {},
        log_dir=str(tmp_path),
        display="none",
    )
    assert log.status == "success", log.error
    assert log.results is not None
    found = {one.name: one.metrics for one in log.results.scores}
    if name == "multiple_choice":
        assert found["choice"]["accuracy"].value == 1
    elif split:
        assert found["accuracy"]["mean"].value == 0
    else:
        assert found["accuracy"]["mean"].value == 1
        assert found["exact_match"]["mean"].value == 0.5
        assert found["f1"]["mean"].value == pytest.approx((1 + 0.5) / 2)


def test_the_yaml_files_name_what_there_is(folder: Path, published: ModuleType) -> None:
    files = {path.stem: path.read_text() for path in (folder / "tasks").glob("*.yaml")}
    assert set(files) == {f"small_set_{name}" for name in NAMES}
    for name, text in files.items():
        called = [line.partition("!function published.")[2] for line in text.splitlines()]
        for function in filter(None, called):
            assert isinstance(getattr(published, function), Callable), function
        assert f"task: {name}\n" in text


@pytest.mark.slow
def test_lm_eval_runs_them(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("lm_eval", reason="lm-eval is not installed (make test-all)")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "lm_eval", "--model", "dummy"),
            *("--include_path", str(folder / "tasks")),
            *("--tasks", ",".join(f"small_set_{name}" for name in NAMES)),
            *("--output_path", str(tmp_path / "results"), "--log_samples"),
        ],
        cwd=tmp_path,
        env=os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    (path,) = (tmp_path / "results").rglob("results_*.json")
    results = json.loads(path.read_text())
    for name in NAMES[:2]:
        assert results["n-samples"][f"small_set_{name}"]["original"] == 2
        assert results["results"][f"small_set_{name}"]["exact_match,none"] == 0
    assert results["n-samples"]["small_set_multiple_choice"]["original"] == 1
    assert "acc,none" in results["results"]["small_set_multiple_choice"]
    (samples,) = (tmp_path / "results").rglob("samples_small_set_gold_passages_*.jsonl")
    sent = [
        json.loads(line)["arguments"]["gen_args_0"]["arg_0"]
        for line in samples.read_text().splitlines()
    ]
    assert any(" ".join(HOSTILE.split()[1:]) in text for text in sent)
    assert all(text.startswith("Answer the question from the documents.") for text in sent)
