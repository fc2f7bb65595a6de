"""Batch jobs: submitted, taken up again, collected; half the price."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from factchain.errors import ModelError
from factchain.questions.llm.client import ModelClient
from factchain.questions.llm.exchanges import body_of, first_request
from factchain.questions.llm.prices import Price
from factchain.questions.llm.protocol import Quarantined
from questions_llm import Answer, answers, asks, echo, settings_of
from scripted_server import Choice, ScriptedServer, Status


def client(server: ScriptedServer, journal: Path, **more: Any) -> ModelClient:
    return ModelClient(settings_of(server, batch=True, **more), journal)


def test_a_job_gives_the_same_replies_for_half_the_price(journal: Path, tmp_path: Path) -> None:
    price = Price(10.0, 40.0)
    with ScriptedServer(echo) as server:
        with client(server, journal, price=price) as model:
            assert model.ask_all([*asks(30), *asks(30)], "reading") == answers(30) * 2
            half = model.journal.spent()
        assert not server.chats, "nothing was sent one by one"
        (job,) = server.jobs.values()
        lines = [orjson.loads(line) for line in server.files[job.input_file].splitlines()]
        with ModelClient(settings_of(server, price=price), tmp_path / "online.sqlite") as model:
            assert model.ask_all(asks(30), "reading") == answers(30)
            whole = model.journal.spent()
            assert lines[0]["body"] == server.chats[0] or lines[0]["body"] in server.chats
    assert len(lines) == 30
    assert {(line["method"], line["url"]) for line in lines} == {("POST", "/v1/chat/completions")}
    assert half.tokens == whole.tokens
    assert half.usd == pytest.approx(whole.usd / 2)


def test_progress_is_told(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ScriptedServer(echo) as server, client(server, journal) as model:
        model.ask_all(asks(3), "reading")
    told = capsys.readouterr().err
    assert "batch job batch-2: 3 requests" in told
    assert "batch job batch-2: in_progress" in told


def test_a_stopped_run_takes_up_its_job_again(
    journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedServer(echo, batch_fate="in_progress") as server:
        with monkeypatch.context() as patched:
            patched.setattr("factchain.questions.llm.batch.asyncio.sleep", _interrupt)
            with client(server, journal) as model, pytest.raises(KeyboardInterrupt):
                model.ask_all(asks(5), "reading")
        server.batch_fate = "completed"
        with client(server, journal) as model:
            assert model.journal.spent().tokens > 5 * 512, "the open job is counted"
            assert model.ask_all(asks(7), "reading") == answers(7)
            assert model.journal.open_batches() == []
            (account,) = model.journal.accounts()
            total = account["prompt_tokens"] + account["reply_tokens"]
            assert model.journal.spent().tokens == total
        assert len(server.jobs) == 2, "the five are not sent again, the two others are"


async def _interrupt(seconds: float) -> None:
    raise KeyboardInterrupt


def test_a_run_that_died_before_it_knew_its_job_finds_it(journal: Path) -> None:
    with ScriptedServer(echo) as server:
        settings = settings_of(server, batch=True)
        requests = [first_request(one, settings) for one in asks(4)]
        with client(server, journal) as model:
            lines = [(one.key, "scripted", 600, None) for one in requests]
            model.journal.begin_batch("our-tag", lines)
            model.journal.begin_batch("never-made", [("x", "scripted", 600, None)])
            content = b"".join(
                orjson.dumps({"custom_id": one.key, "body": body_of(one, settings, _dialect())})
                + b"\n"
                for one in requests
            )
            file = server.upload(content)
            server.start_job({"input_file_id": file["id"], "metadata": {"factchain": "our-tag"}})
        with client(server, journal) as model:
            assert model.ask_all(asks(4), "reading") == answers(4)
        assert len(server.jobs) == 1


def _dialect() -> Any:
    from factchain.questions.llm.exchanges import Dialect

    return Dialect()


def test_lines_with_errors_go_into_another_job_or_are_left_out(journal: Path) -> None:
    failed: set[str] = set()

    def answer(body: dict[str, Any]) -> Any:
        question = body["messages"][1]["content"]
        if question == "Question 1?" and question not in failed:
            failed.add(question)
            return Status(500)
        if question == "Question 2?":
            return Status(400, "no", error_code="content_filter")
        if question == "Question 3?":
            return Choice(refusal="I must not.")
        if question == "Question 4?" and len(body["messages"]) == 2:
            return "no JSON"
        return echo(body)

    with ScriptedServer(answer) as server, client(server, journal) as model:
        replies = model.ask_all(asks(6), "reading")
        assert len(server.jobs) == 3, "all, the one with status 500, the repair"
    quarantined = [one.text for one in replies if isinstance(one, Quarantined)]
    assert quarantined == ["no", "I must not."]
    assert [one for one in replies if isinstance(one, Answer)] == [
        answers(6)[n] for n in (0, 1, 4, 5)
    ]


def test_what_will_not_pass_stops_after_one_job(journal: Path) -> None:
    with ScriptedServer(lambda body: Status(404, "no such model")) as server:
        with (
            client(server, journal) as model,
            pytest.raises(ModelError, match="no such model"),
        ):
            model.ask_all(asks(3), "reading")
        assert len(server.jobs) == 1


def test_a_server_without_schemas_gets_a_second_job(journal: Path) -> None:
    with ScriptedServer(echo, schemas=False) as server, client(server, journal) as model:
        assert model.ask_all(asks(3), "reading") == answers(3)
        assert len(server.jobs) == 2


def test_an_expired_job_keeps_what_it_answered(
    journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedServer(echo, batch_fate="expired") as server, client(server, journal) as model:
        assert model.ask_all(asks(8), "reading") == answers(8)
        assert len(server.jobs) == 4, "8, 4, 2 and 1 requests are left"
    told = capsys.readouterr().err
    assert "expired; what it answered is kept" in told
    assert "4 requests without a reply (batch_expired)" in told


def test_a_failed_job_is_told(journal: Path) -> None:
    with ScriptedServer(echo, batch_fate="failed") as server:
        with (
            client(server, journal) as model,
            pytest.raises(ModelError, match="batch job batch-2 failed: the file was refused"),
        ):
            model.ask_all(asks(3), "reading")
        server.batch_fate = "completed"
        with client(server, journal) as model:
            assert model.journal.spent().tokens == 0
            assert model.ask_all(asks(3), "reading") == answers(3)


def test_a_wrong_key_is_told_without_it(journal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong")
    with (
        ScriptedServer(echo, key="sk-right") as server,
        client(server, journal) as model,
        pytest.raises(ModelError, match=r"\(401\): Incorrect API key") as caught,
    ):
        model.ask_all(asks(1), "reading")
    assert "sk-wrong" not in str(caught.value)


def test_jobs_keep_to_the_budget_one_after_the_other(journal: Path) -> None:
    with ScriptedServer(echo) as server:
        with (
            client(server, journal, max_tokens=2000) as model,
            pytest.raises(ModelError, match="the budget is spent"),
        ):
            model.ask_all(asks(120), "reading")
        with client(server, journal) as model:
            assert 1000 < model.journal.spent().tokens <= 2000
        assert len(server.jobs) > 1


def test_leaving_batch_jobs_behind_is_told(
    journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedServer(echo) as server:
        with client(server, journal) as model:
            model.journal.begin_batch("tag", [("x", "scripted", 600, None)])
        with ModelClient(settings_of(server), journal):
            pass
    assert "with --batch it would be" in capsys.readouterr().err
