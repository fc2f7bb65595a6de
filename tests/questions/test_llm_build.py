"""The verbalizer llm end to end, through the real client, against a server on loopback."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from factchain import stages
from factchain.chains.records import FactChain
from factchain.cli import main
from factchain.config import read_config
from factchain.data.render import render_sample
from factchain.kg.store import Store
from factchain.questions.checks import ALL_CHECKS
from factchain.questions.names import entity_names
from factchain.questions.records import Question
from factchain.records import read_records, write_records
from knowing_model import KnowingModel
from scripted_server import ScriptedServer, Status

KEY = "sk-canary-3141592653589793"


class Script:
    """Answers as a model that knows the chains of a folder, as soon as they are there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._model: KnowingModel | None = None
        self.fails_after: int | None = None
        self.seen = 0

    def __call__(self, body: dict[str, Any]) -> Any:
        with self._lock:
            self.seen += 1
            if self.fails_after is not None and self.seen > self.fails_after:
                return Status(401, "the key is gone")
            self._model = self._model or self._load()
            return self._model.of_body(body)

    def _load(self) -> KnowingModel:
        chains = list(read_records(self._folder / "chains.jsonl", FactChain))
        with Store.open(self._folder / "kg.duckdb") as store:
            return KnowingModel(chains, entity_names(store, chains))


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def sample_config(folder: Path, url: str, **chains: Any) -> Path:
    """The bundled sample's config, of fewer chains, with a model that writes."""
    sample = render_sample(folder)
    config = yaml.safe_load(sample.config.read_text(encoding="utf-8"))
    config.pop("unanswerable", None)
    config["chains"] = {"per_stratum": 1, "mathematics": 0.5, **chains}
    config["questions"] = {
        "verbalizer": "llm",
        "model": "scripted",
        "base_url": url,
        "price": [1, 2],
        "max_usd": 50,
        "concurrency": 16,
        "closed_book": 1,
    }
    sample.config.write_text(yaml.safe_dump(config), encoding="utf-8")
    return sample.config


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stages from the bundled sample's dumps to the corpus, of some dozens of chains."""
    folder = tmp_path_factory.mktemp("llm")
    out = folder / "out"
    out.mkdir()
    with ScriptedServer(Script(out), key=KEY) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", KEY)
        file = sample_config(folder / "input", server.url, hops=[2, 4], axes=["recency"])
        config = read_config(file)
        stages.make_store(config, out, 1, "local")
        stages.draw_chains(config, out, 1, 1, "local")
        report = stages.make_questions(config, out)
        assert report.rejected == {}
        stages.make_corpus(config, out, 1)
    return out


def test_the_bundled_sample_with_a_model_that_writes(built: Path) -> None:
    chains = list(read_records(built / "chains.jsonl", FactChain))
    questions = list(read_records(built / "questions.jsonl", Question))
    assert 20 < len(chains) < 100
    assert len(questions) == len(chains)
    assert {q.topology for q in questions} == {"chain", "bridge", "converging"}
    kinds = Counter(kind for question in questions for kind in question.kinds)
    assert {"lookup", "intersect"} < set(kinds)
    assert {"count", "arithmetic"} & set(kinds)
    for question in questions:
        made = question.provenance
        assert (made.verbalizer, made.model, made.attempts) == ("llm", "scripted", 1)
        assert [verdict.check for verdict in made.verdicts] == list(ALL_CHECKS)
        assert all(verdict.passed for verdict in made.verdicts)
        assert question.closed_book is not None
        assert question.closed_book.correct == question.closed_book.asked == 1
    queries = (built / "corpus/queries.jsonl").read_text().splitlines()
    assert {json.loads(line)["text"] for line in queries} == {q.question for q in questions}


def test_the_key_is_in_no_file(built: Path) -> None:
    files = [path for path in built.parent.rglob("*") if path.is_file()]
    assert any(path.name == "model-journal.sqlite" for path in files)
    for path in files:
        assert KEY.encode() not in path.read_bytes(), path


def test_what_was_written_is_verified_again(built: Path) -> None:
    result = call(
        *("questions", "verify", built / "questions.jsonl", "--kg", built / "kg.duckdb"),
        *("--checks", "symbolic,distinguishable,leak,coverage", "--json"),
    )
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["passed all"] == told["questions"] > 0


@pytest.fixture
def work(built: Path, tmp_path: Path) -> Iterator[Path]:
    """Some chains, to be put into words in a folder of their own."""
    chains = list(read_records(built / "chains.jsonl", FactChain))
    write_records(tmp_path / "chains.jsonl", chains[::2][:8])
    return tmp_path


def generate(built: Path, work: Path, url: str, *more: object) -> Result:
    return call(
        *("questions", "generate", work / "chains.jsonl", "--kg", built / "kg.duckdb"),
        *("--verbalizer", "llm", "--model", "scripted", "--base-url", url),
        *("--out", work / "questions.jsonl", *more),
    )


def test_a_run_that_fails_goes_on_and_pays_nothing_twice(built: Path, work: Path) -> None:
    script = Script(built)
    with ScriptedServer(script, key=KEY) as server:
        undisturbed = generate(built, work, server.url, "--out", work / "undisturbed.jsonl")
        assert undisturbed.exit_code == 0, undisturbed.output
        (work / "model-journal.sqlite").unlink()
        needed = script.seen
        script.seen, script.fails_after = 0, needed // 2
        failed = generate(built, work, server.url, "--concurrency", 1)
        assert failed.exit_code == 1
        assert "Traceback" not in failed.output
        assert KEY not in failed.output + failed.stderr
        assert not (work / "questions.jsonl").exists()
        script.seen, script.fails_after = 0, None
        again = generate(built, work, server.url)
        assert again.exit_code == 0, again.output
        assert script.seen == needed - needed // 2
        once_more = generate(built, work, server.url, "--json")
        assert script.seen == needed - needed // 2
    assert json.loads(once_more.stdout)["questions"] > 5
    assert (work / "questions.jsonl").read_bytes() == (work / "undisturbed.jsonl").read_bytes()
    assert "wordings refused" not in again.output
    assert "at attempt 1" in again.output


def test_a_dry_run_sends_nothing(built: Path, work: Path) -> None:
    with ScriptedServer(Script(built)) as server:
        result = generate(
            *(built, work, server.url, "--dry-run", "--price", "1,2", "--json"),
            *("--verifier-model", "reader", "--closed-book", 2),
        )
        assert result.exit_code == 0, result.output
        assert server.requests == []
    lines = {(line["model"], line["purpose"]): line for line in json.loads(result.stdout)}
    chains = sum(1 for _ in read_records(work / "chains.jsonl", FactChain))
    assert lines["scripted", "verbalize"]["requests"] == chains
    assert lines["reader", "closed book"]["requests"] == 2 * chains
    assert {purpose for _, purpose in lines} == {
        *("verbalize", "coverage", "reading", "necessity", "closed book")
    }
    assert not (work / "questions.jsonl").exists()
    assert not (work / "model-journal.sqlite").exists()


def test_a_model_must_be_named(built: Path, work: Path) -> None:
    result = call(
        *("questions", "generate", work / "chains.jsonl", "--kg", built / "kg.duckdb"),
        *("--verbalizer", "llm", "--out", work / "q.jsonl"),
    )
    assert result.exit_code == 1
    assert "name one with --model" in result.stderr


@pytest.mark.slow
def test_a_build_whose_questions_a_model_wrote_is_scored(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with ScriptedServer(Script(out), key=KEY) as server:
        config = sample_config(
            tmp_path / "input", server.url, hops=[2], axes=["none"], mathematics=0
        )
        result = call("build", config, "--out", out)
        assert result.exit_code == 0, result.output
        sent = len(server.chats)
        # What decides nothing about the questions renews nothing.
        config.write_text(config.read_text().replace("concurrency: 16", "concurrency: 2"))
        again = call("build", config, "--out", out)
        assert again.exit_code == 0
        assert "questions: done already" in again.stderr
        assert len(server.chats) == sent > 0
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["settings"]["questions"]["model"] == "scripted"
    assert manifest["stages"]["questions"]["rows_out"] > 0
    assert (out / "eval/scores.parquet").is_file()
    assert KEY not in (out / "report.html").read_text()
