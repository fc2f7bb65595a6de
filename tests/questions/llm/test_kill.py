"""A run that is killed at any moment goes on where it was, and asks for nothing that it has."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import sqlite3
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import asking_run
from questions_llm import echo
from scripted_server import ScriptedServer

KILLS = 20
REQUESTS = 120 + 12
"""Two rounds of 60, and the repairs of those that are answered badly."""
IN_FLIGHT = 4


def model(body: dict[str, Any]) -> Any:
    """A tenth of the questions are answered badly first, half of those for good."""
    question, repair = body["messages"][1]["content"], len(body["messages"]) > 2
    digit = question.rstrip("?")[-1]
    if digit == "3" and not repair:
        return "no JSON"
    return echo(body)


FORKS = multiprocessing.get_context("forkserver")
# Or each process would import for seconds.
FORKS.set_forkserver_preload(["factchain.questions.llm.client", "openai.resources", "aiohttp"])


def start(server: ScriptedServer, folder: Path, *, batch: bool = False) -> Any:
    arguments = (server.url, folder / "journal.sqlite", folder / "out.txt", batch)
    process = FORKS.Process(target=asking_run.main, args=arguments)
    process.start()
    return process


def kill(process: Any) -> None:
    process.kill()
    process.join()
    process.close()


def finish(server: ScriptedServer, folder: Path, *, batch: bool = False) -> bytes:
    process = start(server, folder, batch=batch)
    process.join(60)
    assert process.exitcode == 0
    process.close()
    return (folder / "out.txt").read_bytes()


def stored(folder: Path) -> set[str]:
    """The last messages of the exchanges that stand in the journal: each is another."""
    journal = folder / "journal.sqlite"
    if not journal.exists():
        return set()
    connection = sqlite3.connect(journal)
    try:
        rows = connection.execute("SELECT request FROM exchange").fetchall()
    except sqlite3.OperationalError:
        return set()  # killed before the tables were made
    finally:
        connection.close()
    return {name_of(json.loads(row[0])) for row in rows}


def name_of(messages: list[Any]) -> str:
    texts = [one[1] if isinstance(one, list) else one["content"] for one in messages]
    return json.dumps(texts)


def wait_for(reached: Any, process: Any) -> None:
    deadline = time.monotonic() + 60
    while not reached() and process.is_alive():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def chats_reach(server: ScriptedServer, count: int) -> bool:
    return len(server.chats) >= count


def jobs_reach(server: ScriptedServer, count: int) -> bool:
    return len(server.jobs) >= count


def test_twenty_kills_change_nothing_and_cost_no_reply_that_was_stored(tmp_path: Path) -> None:
    (tmp_path / "calm").mkdir()
    (tmp_path / "killed").mkdir()
    with ScriptedServer(model) as server:
        undisturbed = finish(server, tmp_path / "calm")
        asked = Counter(name_of(body["messages"]) for body in server.chats)
    assert len(asked) == REQUESTS
    assert set(asked.values()) == {1}

    rng = random.Random(5)
    folder, resent = tmp_path / "killed", 0
    with ScriptedServer(model, latency=0.01) as server:
        for number in range(KILLS):
            before, seen = stored(folder), len(server.chats)
            until = seen + rng.randrange(1, 2 * REQUESTS // KILLS)
            process = start(server, folder)
            wait_for(partial(chats_reach, server, until), process)
            time.sleep(rng.random() * 0.03)
            kill(process)
            new = [name_of(body["messages"]) for body in server.chats[seen:]]
            assert before.isdisjoint(new), "a stored reply is never asked for again"
            assert len(new) == len(set(new)), "a run asks for nothing twice"
            lost = set(new) - stored(folder)
            assert len(lost) <= IN_FLIGHT, f"kill {number}: only what was on its way is lost"
            resent += len(lost)
        before, seen = stored(folder), len(server.chats)
        assert finish(server, folder) == undisturbed
        assert before.isdisjoint(name_of(body["messages"]) for body in server.chats[seen:])
        asked = Counter(name_of(body["messages"]) for body in server.chats)
        assert len(asked) == REQUESTS
        assert sum(asked.values()) == REQUESTS + resent


def test_an_interrupted_run_waits_for_what_is_on_its_way(tmp_path: Path) -> None:
    with ScriptedServer(model, latency=1.0) as server:
        process = start(server, tmp_path)
        wait_for(partial(chats_reach, server, IN_FLIGHT), process)
        os.kill(process.pid, signal.SIGINT)
        process.join(30)
        assert process.exitcode == 1
        assert len(server.chats) == IN_FLIGHT
    sent = {name_of(body["messages"]) for body in server.chats}
    assert stored(tmp_path) == sent, "what was sent is paid for and kept"


def test_three_kills_of_a_batch_run_find_its_jobs_again(tmp_path: Path) -> None:
    (tmp_path / "calm").mkdir()
    (tmp_path / "killed").mkdir()
    with ScriptedServer(model) as server:
        undisturbed = finish(server, tmp_path / "calm", batch=True)
        assert len(server.jobs) == 4, "two rounds, each with its repairs"
    folder = tmp_path / "killed"
    with ScriptedServer(model, batch_polls=40) as server:
        for jobs in (1, 1, 2):
            process = start(server, folder, batch=True)
            wait_for(partial(jobs_reach, server, jobs), process)
            time.sleep(0.02)
            kill(process)
        server.batch_polls = 2
        assert finish(server, folder, batch=True) == undisturbed
        assert len(server.jobs) == 4, "no job was submitted twice"
        assert not server.chats
