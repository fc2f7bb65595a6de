"""The command line: help with examples that run, and every mistake as one message."""

from __future__ import annotations

import json
import os
import re
import resource
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from conftest import DATES, claim, item, item_snak, property_entity, write_dump
from factchain.cli import main

PEOPLE = 6


def world(year: int) -> list[dict]:
    """Films with directors, who are born in cities of countries; some are recorded later."""
    entities = [
        property_entity("P57", "director"),
        property_entity("P19", "place of birth"),
        property_entity("P17", "country"),
        property_entity("P36", "capital"),
    ]
    for n in range(1, PEOPLE + 1):
        newer = n % 2 and year == 2021
        director = [] if newer else [claim(item_snak("P57", f"Q{20 + n}"))]
        entities += [
            item(f"Q{10 + n}", f"Film{n}", director),
            item(f"Q{20 + n}", f"Person{n}", [claim(item_snak("P19", f"Q{30 + n}"))]),
            item(f"Q{30 + n}", f"Town{n}", [claim(item_snak("P17", f"Q{40 + n}"))]),
            item(f"Q{40 + n}", f"Land{n}", [claim(item_snak("P36", f"Q{50 + n}"))]),
            item(f"Q{50 + n}", f"City{n}", []),
        ]
    return entities


CONFIG = """
snapshots:
  - {dump: 2021.json, date: 2021-06-21}
  - {dump: 2024.json, date: 2024-06-05}
passages: passages.jsonl
popularity: {unpopular_max: 1, popular_min: 2}
chains: {per_stratum: 4, property_share: 1.0}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a config, two dumps and passages."""
    for date in DATES:
        write_dump(tmp_path / f"{date[:4]}.json", world(int(date[:4])))
    lines = []
    for n in range(1, PEOPLE + 1):
        for copy in range(1 + n % 2):
            text = f"Film{n} is by Person{n}, born in Town{n} in Land{n}, of capital City{n}."
            lines.append(json.dumps({"id": f"p{n}-{copy}", "title": f"Film{n}", "text": text}))
    (tmp_path / "passages.jsonl").write_text("\n".join(lines) + "\n")
    (tmp_path / "config.yaml").write_text(CONFIG)
    return tmp_path


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def build(project: Path, *more: object) -> Result:
    return call("build", project / "config.yaml", "--out", project / "out", *more)


def test_a_build_of_one_s_own_data(project: Path) -> None:
    result = build(project)
    assert result.exit_code == 0, result.output
    for told in ("Questions by axis and hops", "Left out, and why", "Files in", "Try next"):
        assert told in result.output
    out = project / "out"
    questions = [json.loads(line) for line in (out / "questions.jsonl").read_text().splitlines()]
    texts = {question["question"] for question in questions}
    assert texts == {
        f"What is the capital of the country of the birthplace of the director of Film{n}?"
        for n in range(1, PEOPLE + 1)
    }
    assert {question["axis"] for question in questions} == {"popularity", "recency"}
    again = build(project)
    assert again.exit_code == 0
    assert again.stderr.count("done already") == len(
        json.loads((out / "manifest.json").read_text())["stages"]
    )
    checked = call("chains", "check", out / "chains.jsonl", "--kg", out / "kg.duckdb")
    assert checked.exit_code == 0
    assert "violations: none" in checked.output
    counted = call("kg", "stats", "--kg", out / "kg.duckdb", "--json")
    assert json.loads(counted.stdout)["counts"]["entities"] == 5 * PEOPLE
    assert "place of birth" in call("kg", "stats", "--kg", out / "kg.duckdb").output


def test_json_and_quiet(project: Path) -> None:
    result = build(project, "--json", "--quiet")
    assert result.exit_code == 0
    assert result.stderr == ""
    manifest = json.loads(result.stdout)
    assert manifest["seed"] == 1
    assert [entry["file"] for entry in manifest["inputs"]] == [
        "2021.json",
        "2024.json",
        "passages.jsonl",
    ]


def test_a_violated_constraint_is_told(project: Path) -> None:
    build(project)
    chains = project / "out/chains.jsonl"
    lines = [json.loads(line) for line in chains.read_text().splitlines()]
    broken = next(line for line in lines if len(line["hops"]) > 1)
    broken["hops"][0]["answer"]["id"] = "Q999"
    (project / "broken.jsonl").write_text(json.dumps(broken) + "\n")
    result = call("chains", "check", project / "broken.jsonl", "--kg", project / "out/kg.duckdb")
    assert result.exit_code == 1
    assert "connectivity" in result.output


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hops": []}, "hops: Tuple should have at least 1 item"),
        ({"answer": None}, "answer: Input should be a valid string"),
        ({"schema": 1}, "has the layout of chains 1"),
        ({"extra": 1}, "extra: Extra inputs are not permitted"),
    ],
)
def test_a_broken_chains_file_is_told(project: Path, change: dict, message: str) -> None:
    build(project)
    first = json.loads((project / "out/chains.jsonl").read_text().splitlines()[0])
    (project / "broken.jsonl").write_text(json.dumps(first | change) + "\n")
    result = call("chains", "check", project / "broken.jsonl", "--kg", project / "out/kg.duckdb")
    assert result.exit_code == 1
    assert f"broken.jsonl:1: {message}" in result.stderr


def snapshot_of(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def no_leftovers(folder: Path) -> None:
    assert not list(folder.rglob("*.part*")), "something half-written stays behind"


BAD = {
    "no config": (lambda p: (p / "config.yaml").unlink(), "no such config"),
    "unknown key": (
        lambda p: (p / "config.yaml").write_text(CONFIG + "chain: {}\n"),
        "chain: there is no such setting",
    ),
    "no dump": (lambda p: (p / "2021.json").unlink(), "2021.json: no such file"),
    "not a dump": (
        lambda p: (p / "2021.json").write_bytes(b"\x89PNG\r\n" * 99),
        "2021.json:1: this is not a Wikidata JSON dump",
    ),
    "empty dump": (lambda p: (p / "2024.json").write_text(""), "2024.json: the dump is empty"),
    "malformed line": (
        lambda p: (p / "2024.json").write_text(
            (p / "2024.json").read_text().replace('"id": "Q12"', '"id": 12')
        ),
        "2024.json:",
    ),
    "nothing to ask": (
        lambda p: (p / "config.yaml").write_text(
            CONFIG.replace(
                "chains: {", "chains: {axes: [recency], exclude_properties: [P57, P19, P17, P36], "
            )
        ),
        "none of 0 chains became a question",
    ),
    "bounds that suit no fact": (
        lambda p: (p / "config.yaml").write_text(
            CONFIG.replace("unpopular_max: 1, popular_min: 2", "unpopular_min: 8, popular_min: 99")
        ),
        "no fact has a label on the axis popularity",
    ),
    "malformed passage": (
        lambda p: (p / "passages.jsonl").write_text('{"id": "x"}\n'),
        "passages.jsonl:1: title: Field required",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_mistake_is_one_message_with_exit_status_1(project: Path, name: str) -> None:
    spoil, message = BAD[name]
    spoil(project)
    missing = name in {"no config", "unknown key", "no dump"}
    result = build(project)
    assert result.exit_code == 1
    assert message in result.stderr
    assert "Traceback" not in result.output + result.stderr
    assert (project / "out").exists() is not missing
    no_leftovers(project)


def test_a_truncated_archive_always_fails(project: Path) -> None:
    import gzip

    whole = gzip.compress((project / "2024.json").read_bytes())
    (project / "2024.json.gz").write_bytes(whole[: len(whole) // 2])
    (project / "config.yaml").write_text(
        CONFIG.replace("2024.json", "2024.json.gz") + "kg: {max_rejects: 1.0}\n"
    )
    result = build(project)
    assert result.exit_code == 1
    assert "2024.json.gz: the archive is cut off or damaged" in result.stderr
    assert not (project / "out/kg.duckdb").exists()


def test_a_folder_of_the_user_s_is_left_as_it_is(project: Path) -> None:
    out = project / "out"
    out.mkdir()
    (out / "thesis.tex").write_text("mine")
    before = snapshot_of(project)
    result = build(project)
    assert result.exit_code == 1
    assert "holds something that factchain did not write" in result.stderr
    assert snapshot_of(project) == before


@pytest.mark.parametrize(
    "arguments",
    [["biuld"], ["build", "--seed", "x"], ["build", "--workers", "0"], ["kg", "stats"]],
)
def test_wrong_usage_has_exit_status_2(arguments: list[str]) -> None:
    assert call(*arguments).exit_code == 2


def run_process(project: Path, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "factchain", "build", "config.yaml", "--out", "out"]
    return subprocess.run(
        command, cwd=project, capture_output=True, text=True, timeout=300, **options
    )


def same_content(a: Path, b: Path) -> None:
    """Text files are equal byte by byte; the manifest but for its times."""
    for name in (
        "chains.jsonl",
        "questions.jsonl",
        "corpus/corpus.jsonl",
        "corpus/queries.jsonl",
        "corpus/qrels/test.tsv",
        "corpus/hop_qrels/test.tsv",
        "report.html",
    ):
        assert (a / name).read_bytes() == (b / name).read_bytes(), name


@pytest.mark.slow
@pytest.mark.parametrize("limit", [2_000, 60_000, 900_000])
def test_a_disk_that_fills_leaves_nothing_half_written(project: Path, limit: int) -> None:
    def fill() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    result = run_process(project, preexec_fn=fill)
    assert result.returncode == 1, result.stderr
    assert "Traceback" not in result.stderr
    assert "Error: " in result.stderr
    again = run_process(project)
    assert again.returncode == 0, again.stderr
    no_leftovers(project / "out")
    assert build(project, "--out", project / "undisturbed").exit_code == 0
    same_content(project / "out", project / "undisturbed")


def kill_when(project: Path, name: str) -> None:
    """Start a build, and kill it as soon as a file of its workspace is there."""
    command = [sys.executable, "-m", "factchain", "build", "config.yaml", "--out", "out"]
    process = subprocess.Popen(
        command, cwd=project, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    while process.poll() is None and not list((project / "out").glob(name)):
        time.sleep(0.002)
    process.kill()
    process.wait()


@pytest.mark.slow
@pytest.mark.parametrize(
    "names",
    [
        (".kg.duckdb.part", "manifest.json", "kg.duckdb", "chains.jsonl"),
        ("corpus/qrels/test.tsv", "eval/logs/*"),
    ],
)
def test_a_killed_run_goes_on(project: Path, names: tuple[str, ...]) -> None:
    for name in names:
        kill_when(project, name)
    result = run_process(project)
    assert result.returncode == 0, result.stderr
    assert "store: done already" in result.stderr
    no_leftovers(project / "out")
    assert build(project, "--out", project / "undisturbed").exit_code == 0
    same_content(project / "out", project / "undisturbed")


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name)


@pytest.mark.parametrize("path", list(commands(main)), ids=" ".join)
def test_every_command_shows_an_example_of_itself(path: tuple[str, ...]) -> None:
    text = call(*path, "--help").output
    (example,) = re.findall(r"Example: (factchain .+(?:\n    .+)*)", text)
    words = shlex.split(example)
    assert tuple(words[1 : 1 + len(path)]) == path
    command: click.Command = main
    for name in path:
        assert isinstance(command, click.Group)
        command = command.commands[name]
    options = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= options


def test_python_dash_m() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "factchain", "--version"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ,
    )
    assert result.stdout.startswith("factchain, version")


def test_a_retriever_is_scored_on_a_workspace(project: Path) -> None:
    build(project)
    table = project / "scores.csv"
    result = call("corpus", "evaluate", project / "out", "--k", "1,5", "--out", table, "--json")
    assert result.exit_code == 0, result.output
    scored = json.loads(result.stdout)
    scores = {(s["axis"], s["by"], s["group"], s["k"]): s for s in scored["groups"]}
    for k, recall in ((1, 0.25), (5, 1.0)):
        found = scores["popularity", "hops", "4", k]
        assert (found["hit"], found["reciprocal_rank"]) == (1, 1)
        assert found["recall"] <= recall
        assert scores["popularity", "topology", "chain", k]["questions"] >= found["questions"]
    assert len(table.read_text().splitlines()) == len(scores) + 1
    shown = call("corpus", "evaluate", project / "out", "--retriever", "bm26")
    assert shown.exit_code == 1
    assert "'bm26' is no retriever" in shown.stderr
