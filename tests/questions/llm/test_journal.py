"""The journal: one run at a time, nothing lost, and plain words where it cannot be used."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from factchain.errors import InputError, ModelError, OutputError
from factchain.questions.llm.client import ModelClient
from factchain.questions.llm.exchanges import Choice, Usage
from factchain.questions.llm.journal import Journal, Spent
from questions_llm import answers, asks, echo, settings_of
from scripted_server import ScriptedServer, Stall, Status, in_turn

MESSAGES = [("system", "s"), ("user", "u")]


def put(journal: Journal, key: str, usd: float | None = 0.5, number: int | None = None) -> None:
    journal.put(key, "read", "m", MESSAGES, Choice(f"to {key}"), Usage(10, 5), usd, number)


def test_what_is_put_is_there_and_counted(journal: Path) -> None:
    with Journal(journal) as first:
        assert first.get("a") is None
        assert first.spent() == Spent(0, 0, 0)
        put(first, "a")
        put(first, "b", usd=None)
    with Journal(journal) as second:
        assert second.get("a") == Choice("to a")
        assert second.spent() == Spent(30, 0.5, 1)
        assert second.mean_tokens("read", "m") == (10, 5)
        assert second.mean_tokens("write", "m") is None
        assert second.accounts() == [
            {
                "purpose": "read",
                "requests": 2,
                "prompt_tokens": 20,
                "reply_tokens": 10,
                "usd": 0.5,
            }
        ]


def test_what_was_sent_and_not_settled_counts_as_spent(journal: Path) -> None:
    with Journal(journal) as first:
        one, other = first.sent("a", "m", 100, 1.0), first.sent("b", "m", 100, 1.0)
        first.sent("c", "m", 100, 1.0)
        put(first, "a", number=one)
        first.unsent(other)
    with Journal(journal) as second:
        assert second.spent() == Spent(115, 1.5, 0)


def test_one_run_at_a_time(journal: Path) -> None:
    with (
        Journal(journal),
        pytest.raises(ModelError, match="another run is using this journal"),
    ):
        Journal(journal)
    Journal(journal).close()


def test_a_file_that_is_no_journal_is_told_and_left_alone(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("my notes, of which I have no copy\n" * 100)
    before = text.read_bytes()
    with pytest.raises(InputError, match=r"notes.txt: is no journal.*--journal"):
        Journal(text)
    assert text.read_bytes() == before
    with pytest.raises(OutputError, match="cannot be used as a journal"):
        Journal(tmp_path)
    with pytest.raises(OutputError, match="cannot be used as a journal"):
        Journal(text / "journal.sqlite")


def test_a_database_of_somebody_else_is_told_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs (x)")
    connection.execute("PRAGMA user_version = 7")
    connection.commit()
    connection.close()
    with pytest.raises(InputError, match="of another version of factchain"):
        Journal(path)
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]
    connection.close()


def test_a_stalled_request_that_may_have_been_paid_for_is_counted(journal: Path) -> None:
    with (
        ScriptedServer(in_turn(Stall(2.0, {"answer": "late"}), {"answer": "x"})) as server,
        ModelClient(settings_of(server, timeout=0.4), journal) as model,
    ):
        model.ask_all(asks(1), "reading")
        answered = model.journal.accounts()[0]
        known = answered["prompt_tokens"] + answered["reply_tokens"]
        assert model.journal.spent().tokens > known + 512


def test_a_refused_attempt_costs_nothing(journal: Path) -> None:
    with (
        ScriptedServer(in_turn(Status(429), Status(500), {"answer": "x"})) as server,
        ModelClient(settings_of(server), journal) as model,
    ):
        model.ask_all(asks(1), "reading")
        answered = model.journal.accounts()[0]
        known = answered["prompt_tokens"] + answered["reply_tokens"]
        assert model.journal.spent().tokens == known


def test_a_full_disk_is_told_and_what_was_kept_stays(
    journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedServer(echo) as server:
        with ModelClient(settings_of(server, concurrency=1), journal) as model:
            model.ask_all(asks(5), "reading")
            model.journal._connection.execute("PRAGMA max_page_count = 1")
            with pytest.raises(OutputError, match="is the disk full"):
                model.ask_all(asks(500), "reading")
        seen = len(server.chats)
        with ModelClient(settings_of(server), journal) as model:
            assert model.ask_all(asks(5), "reading") == answers(5)
        assert len(server.chats) == seen
