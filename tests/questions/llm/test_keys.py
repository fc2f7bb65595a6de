"""Keys come from the environment alone and are found nowhere else."""

from __future__ import annotations

import logging
import os
import traceback
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from factchain.cli.model_options import (
    ModelOptions,
    model_client,
    model_clients,
    model_options,
    print_estimate,
)
from factchain.errors import ConfigError, FactchainError, ModelError
from factchain.questions.llm.client import ModelClient
from factchain.questions.llm.settings import ModelSettings
from questions_llm import asks, echo, settings_of
from scripted_server import Choice, Drop, NoJson, ScriptedServer, Stall, Status

CANARY = "sk-canary-7f3a9c51d2"


def blabbing(body: dict[str, Any]) -> Any:
    """A server that repeats the key wherever it can."""
    question = body["messages"][1]["content"]
    said = {
        "Question 0?": {"answer": f"the key is {CANARY}"},
        "Question 1?": f"no JSON but {CANARY}",
        "Question 2?": Choice(refusal=f"{CANARY} may not"),
        "Question 3?": Status(400, f"filtered {CANARY}", error_code="content_filter"),
        "Question 5?": Drop(),
        "Question 6?": NoJson(CANARY),
        "Question 7?": Stall(0.5, {"answer": CANARY}),
    }
    return said.get(question, echo(body))


@pytest.mark.parametrize("batch", [False, True])
def test_the_canary_is_in_no_file_no_message_and_no_error(
    batch: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("MY_KEY", CANARY)
    told: list[str] = []

    def run(server: ScriptedServer, count: int, out: str, **more: Any) -> None:
        settings = settings_of(server, key_env="MY_KEY", attempts=2, batch=batch, **more)
        told.append(repr(settings))
        try:
            with ModelClient(settings, tmp_path / "journal.sqlite") as model:
                replies = model.ask_all(asks(count), "reading")
                (tmp_path / out).write_text(repr(replies))
        except FactchainError as error:
            told.extend(traceback.format_exception(error))

    with ScriptedServer(blabbing, key=CANARY) as server:
        run(server, 5, "replies.txt")
        run(server, 8, "never.txt", concurrency=1, timeout=0.3)
        assert len(server.requests) > 5, "the key was sent, and was right"
        for status in (400, 401, 403, 404, 429, 500):
            server.answer = lambda body, code=status: Status(code, f"your key {CANARY} is bad")
            run(server, 40, "never.txt", max_tokens=10**6)
        server.key = "another"
        run(server, 40, "never.txt")
    assert len(told) > 8
    out, err = capfd.readouterr()
    assert CANARY not in "".join(told) + out + err + caplog.text
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"journal.sqlite", "replies.txt"} <= {path.name for path in files}
    for path in files:
        assert CANARY.encode() not in path.read_bytes(), path
    assert "[key]" in (tmp_path / "replies.txt").read_text()


def test_openai_wants_a_key_and_a_server_of_one_s_own_does_not(
    journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ModelError, match="wants a key: put it into the environment as MY_KEY"):
        ModelClient(ModelSettings("gpt-4o-mini", key_env="MY_KEY"), journal)
    with ScriptedServer(echo) as server, ModelClient(settings_of(server), journal) as model:
        model.ask_all(asks(1), "reading")
        assert server.requests[0].headers["authorization"] == "Bearer none"
    for bad in ("two\nlines", "clé"):
        monkeypatch.setenv("MY_KEY", bad)
        with pytest.raises(ModelError, match="characters that cannot be sent") as caught:
            ModelSettings("m", key_env="MY_KEY").key()
        assert bad not in str(caught.value)
    monkeypatch.setenv("MY_KEY", f" {CANARY}\n")
    assert ModelSettings("m", key_env="MY_KEY").key() == CANARY


@pytest.mark.parametrize(
    "bad",
    [
        {"base_url": "http://me:secret@localhost/v1"},
        {"base_url": "http://localhost/v1?key=secret"},
        {"base_url": "ftp://localhost/v1"},
        {"base_url": "localhost:8000/v1"},
        {"base_url": "http://[half/v1"},
        {"model": " "},
        {"concurrency": 0},
        {"max_usd": 0.0, "model": "gpt-4o"},
        {"max_tokens": -1},
        {"parameters": {"messages": []}},
        {"parameters": {"a b": 1}},
    ],
    ids=repr,
)
def test_settings_that_do_not_fit_are_told_without_secrets(bad: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as caught:
        ModelSettings(**{"model": "m"} | bad)
    assert "secret" not in str(caught.value)


def test_the_address_is_the_option_s_or_the_environment_s(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ModelSettings("m").address == "https://api.openai.com/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:8000/v1/")
    assert ModelSettings("m").address == "http://localhost:8000/v1"
    assert ModelSettings("m", "http://localhost:1/v1").address == "http://localhost:1/v1"


@click.command()
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--all", "everyone", is_flag=True)
@model_options
def reading(out: Path, everyone: bool, asking: ModelOptions) -> None:
    """A command that asks."""
    if asking.dry_run:
        print_estimate(asks(3), asking, out, as_json=False)
    elif everyone:
        with model_clients(asking, out) as models:
            replies = [model.ask_all(asks(2), "reading") for model in models]
            out.write_text(repr(replies))
    else:
        with model_client(asking, out) as model:
            out.write_text(repr(model.ask_all(asks(3), "reading")))


def test_the_options_make_the_settings(tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    words = ["--parameter", "reasoning_effort=low", "--parameter", "top_k=5", "--no-schemas"]
    words += ["--concurrency", "2", "--thinking-tokens", "8", "--max-tokens", "99999"]
    with ScriptedServer(echo) as server:
        command = [str(out), "--model", "m", "--base-url", server.url, *words]
        result = CliRunner().invoke(reading, command, catch_exceptions=False)
        assert result.exit_code == 0
        body = server.chats[0]
    assert (body["reasoning_effort"], body["top_k"], body["max_tokens"]) == ("low", 5, 520)
    assert "response_format" not in body
    assert "to Question 2?" in out.read_text()
    assert (tmp_path / "model-journal.sqlite").exists()


def test_several_models_share_the_journal(tmp_path: Path) -> None:
    out, journal = tmp_path / "out.txt", tmp_path / "named.sqlite"
    with ScriptedServer(lambda body: {"answer": body["model"]}) as server:
        command = [str(out), "--all", "--model", "one", "--model", "two", "--base-url", server.url]
        CliRunner().invoke(reading, [*command, "--journal", str(journal)], catch_exceptions=False)
        assert len(server.chats) == 4
    assert out.read_text().count("'two'") == 2
    assert journal.exists()


def test_a_dry_run_sends_nothing_and_needs_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    command = [str(tmp_path / "out.txt"), "--dry-run", "--model", "gpt-4o-mini"]
    result = CliRunner().invoke(reading, command, catch_exceptions=False)
    assert result.exit_code == 0
    assert "Nothing was sent." in result.output
    row = next(line.split() for line in result.output.splitlines() if "gpt-4o-mini" in line)
    assert row[1:4] == ["read", "3", "0"]
    assert list(tmp_path.iterdir()) == []
    unknown = CliRunner().invoke(reading, [*command[:-1], "m"], catch_exceptions=False)
    assert "unknown" in unknown.output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "name one language model with --model"),
        (["--model", "a", "--model", "b"], "name one language model with --model"),
        (["--all"], "name the language models with --model"),
        (["--dry-run"], "name the language model with --model"),
        (["--model", "a", "--parameter", "x"], "'x' is not NAME=JSON"),
    ],
)
def test_wrong_usage_is_told(words: list[str], told: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(reading, [str(tmp_path / "out.txt"), *words])
    assert result.exit_code == 2
    assert told in result.output
    assert os.listdir(tmp_path) == []
