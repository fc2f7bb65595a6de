"""`questions options`, `filter` and `polish`, with a model over real HTTP."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from factchain.cli import main
from factchain.questions.records import Question
from factchain.records import read_records, write_records
from made_questions import as_questions
from random_chains import chain_of as chain_from
from scripted_server import ScriptedServer, Status
from typed_worlds import Fact, World, open_store
from written_chains import Written

TOWNS = 8


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store on disk, and a question about the birthplace of each of eight people."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    facts = tuple(Fact(f"Q{20 + n}", "P19", f"Q{40 + n}") for n in range(TOWNS))
    world = World(facts, classes={f"Q{40 + n}": ("Q515",) for n in range(TOWNS)})
    chains = [
        chain_from(Written().add("lookup", [f.s], f"{f.s} {f.p} {f.o}", f.o).hops) for f in facts
    ]
    with open_store(world) as store:
        write_records(tmp_path / "questions.jsonl", as_questions(store, chains))
        store.connection.execute(f"ATTACH '{tmp_path / 'kg.duckdb'}' AS disk")
        store.connection.execute("COPY FROM DATABASE memory TO disk")
        store.connection.execute("DETACH disk")
    return tmp_path


def call(folder: Path, command: str, *more: object, server: ScriptedServer | None = None) -> Result:
    words: list[object] = ["questions", command, folder / "questions.jsonl"]
    words += ["--out", folder / "out.jsonl", *more]
    if command != "filter":
        words += ["--kg", folder / "kg.duckdb"]
    if server is not None:
        words += ["--base-url", server.url, "--price", "1,1"]
    return CliRunner().invoke(main, [str(word) for word in words])


def questions(path: Path) -> list[Question]:
    return list(read_records(path, Question))


def data(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"])


def test_options_of_the_graph(folder: Path) -> None:
    result = call(folder, "options", "--json", "--seed", 3)
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert (told["question_options"], told["hop_options"]) == (TOWNS, TOWNS)
    assert told["question_letters"]["counts"] == dict.fromkeys("ABCD", TOWNS // 4)
    assert told["question_letters"]["chi_squared"] == 0
    first = (folder / "out.jsonl").read_bytes()
    shown = call(folder, "options", "--seed", 3)
    assert (folder / "out.jsonl").read_bytes() == first
    assert "right letters" in shown.output
    assert call(folder, "options", "--seed", 4).exit_code == 0
    assert (folder / "out.jsonl").read_bytes() != first
    assert all(one.options for one in questions(folder / "out.jsonl"))


def test_a_model_chooses_options_and_is_paid_once(folder: Path) -> None:
    def answer(body: dict[str, Any]) -> dict[str, Any]:
        return {"chosen": ["c7", "c6", "c5"] if "question 0?" in data(body) else ["Paris"]}

    with ScriptedServer(answer) as server:
        args = ("--options", "llm", "--model", "scripted")
        dry = call(folder, "options", *args, "--dry-run", "--json", server=server)
        assert json.loads(dry.stdout)[0]["requests"] == 2 * TOWNS
        assert server.chats == []
        result = call(folder, "options", *args, "--json", server=server)
        assert result.exit_code == 0, result.output
        told = json.loads(result.stdout)
        assert (told["chosen_by_model"], told["refused"]) == (1, 2 * TOWNS - 1)
        sent, first = len(server.chats), (folder / "out.jsonl").read_bytes()
        again = call(folder, "options", *args, server=server)
        assert "named no three candidates" in again.output
        assert len(server.chats) == sent
        assert (folder / "out.jsonl").read_bytes() == first


def test_an_ensemble_drops_what_it_knows(folder: Path) -> None:
    known = questions(folder / "questions.jsonl")[:3]
    answers = {one.question: one.answer.label for one in known}

    def answer(body: dict[str, Any]) -> dict[str, Any]:
        wise = body["model"] == "wise" or data(body) == known[0].question
        return {"answer": answers.get(data(body), "") if wise else ""}

    with ScriptedServer(answer) as server:
        models = ("--model", "wise", "--model", "simple", "--dropped", folder / "dropped.jsonl")
        result = call(folder, "filter", *models, "--json", server=server)
        assert result.exit_code == 0, result.output
        told = json.loads(result.stdout)["ensemble"]
        assert told["correct"] == {"0": TOWNS - 3, "1": 2, "2": 1}
        assert told["by_model"] == {"wise": 3, "simple": 1}
        assert [one.id for one in questions(folder / "dropped.jsonl")] == [known[0].id]
        kept = questions(folder / "out.jsonl")
        books = [one.closed_book for one in kept]
        assert [book.correct for book in books if book] == [1, 1, *[0] * (TOWNS - 3)]
        shown = call(folder, "filter", *models, server=server)
        assert "guessing drops nothing" in shown.output
        # Both models and both runs: each question once of each model.
        assert len(server.chats) == 2 * TOWNS


def test_options_are_asked_in_two_orders(folder: Path) -> None:
    assert call(folder, "options").exit_code == 0
    (folder / "out.jsonl").rename(folder / "questions.jsonl")
    with ScriptedServer(lambda body: {"letter": "A"}) as server:
        models = [word for n in range(4) for word in ("--model", f"guesser {n}")]
        result = call(folder, "filter", "--ask", "options", *models, server=server)
        assert result.exit_code == 0, result.output
        assert "would drop 2.2% of the questions" in result.output
        assert "(26.2% in one order)" in result.output
        assert len(server.chats) == 2 * 4 * TOWNS
    assert len(questions(folder / "out.jsonl")) == TOWNS


def test_polishing_keeps_the_raw_questions(folder: Path) -> None:
    def answer(body: dict[str, Any]) -> Any:
        reply = {"question": "", "sub_questions": [], "reason": "so"}
        return reply | {"outcome": "reject" if "question 0?" in data(body) else "pass"}

    with ScriptedServer(answer) as server:
        result = call(folder, "polish", "--model", "scripted", "--json", server=server)
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert (told["questions"], told["outcomes"]["reject"]) == (TOWNS - 1, 1)
    raw = questions(folder / "out.raw.jsonl")
    assert [one.provenance.verdicts[-1].passed for one in raw] == [False, *[True] * (TOWNS - 1)]
    assert [one.id for one in questions(folder / "out.jsonl")] == [one.id for one in raw[1:]]


@pytest.mark.parametrize("command", ["options", "filter", "polish"])
def test_a_refused_key_leaves_nothing_behind(folder: Path, command: str) -> None:
    with ScriptedServer(lambda body: Status(401, "no such key")) as server:
        more = ["--options", "llm"] if command == "options" else []
        result = call(
            folder,
            command,
            "--model",
            "scripted",
            *more,
            *(["--discard-at", 1] if command == "filter" else []),
            server=server,
        )
    assert result.exit_code == 1
    assert "Traceback" not in result.output
    assert "sk-canary" not in result.output
    assert not list(folder.glob("out*.jsonl"))


@pytest.mark.parametrize(
    ("command", "more", "status", "message"),
    [
        ("options", ["--model", "x"], 2, "only asked with --options llm"),
        ("options", ["--options", "llm"], 2, "--model"),
        ("polish", [], 2, "--model"),
        ("filter", ["--model", "x", "--model", "x"], 2, "has to be another one"),
        ("filter", ["--model", "x"], 2, "--discard-at 2 of 1 models drops nothing"),
        ("filter", ["--duplicates", "none", "--duplicates", "same text"], 2, "goes with no other"),
    ],
)
def test_mistakes_are_told(
    folder: Path, command: str, more: list[str], status: int, message: str
) -> None:
    result = call(folder, command, *more)
    assert result.exit_code == status
    assert message in result.stderr
    assert not (folder / "out.jsonl").exists()


def test_an_id_that_stands_there_twice_is_told(folder: Path) -> None:
    path = folder / "questions.jsonl"
    path.write_text(path.read_text() * 2)
    result = call(folder, "filter")
    assert result.exit_code == 1
    assert "stands there twice" in result.stderr
