"""The documentation says what is so."""

from __future__ import annotations

import importlib.util
import inspect
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from factchain.cli import main
from factchain.eval import _registry, prompts
from factchain.eval.tasks import make_tasks, task_makers
from small_dataset import write_small_dataset

ROOT = Path(__file__).parents[1]
GROUPS = {name for name, command in main.commands.items() if isinstance(command, click.Group)}
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
TASK_PAGES = {path.stem: path.read_text("utf-8") for path in (ROOT / "docs/tasks").glob("*.md")}
TASKS: dict[str, Callable[..., Any]] = {
    name: getattr(_registry, name) for name in _registry.__all__ if name != "BuiltInModels"
}
"""What `inspect eval factchain/...` finds."""


def test_the_formats_page_is_made_from_the_records() -> None:
    path = ROOT / "docs/generate.py"
    spec = importlib.util.spec_from_file_location("generate_docs", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page = (ROOT / "docs/formats.md").read_text(encoding="utf-8")
    assert page == module.formats(), "run `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_that_are_shown_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for words in re.findall(r"^(?:\.venv/bin/)?factchain ([a-z -]+)", text, flags=re.MULTILINE):
        command = [word for word in words.split() if not word.startswith("-")][:2]
        path = command if command[0] in GROUPS else command[:1]
        assert CliRunner().invoke(main, [*path, "--help"]).exit_code == 0, words


def test_make_targets_that_are_shown_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    for page in PAGES:
        for words in re.findall(r"`make ([a-z -]+)`", page.read_text(encoding="utf-8")):
            assert set(words.split()) <= targets, words


def page_of(task: str) -> str:
    """The page of a task of Inspect's registry."""
    return TASK_PAGES[task.replace("_", "-")]


def parameters(task: str) -> dict[str, str]:
    """The parameters of a task besides the dataset, with their defaults as a page writes them."""
    found = inspect.signature(TASKS[task]).parameters
    written = {None: "none", True: "true", False: "false"}
    return {
        name: written.get(one.default, str(one.default))
        for name, one in found.items()
        if name != "dataset"
    }


@pytest.mark.parametrize("task", TASKS)
def test_the_page_of_a_task_has_its_parameters(task: str) -> None:
    (table,) = re.findall(
        r"^\| parameter \| default \| \|\n\| --- .*\n((?:\|.*\n)+)",
        page_of(task),
        flags=re.MULTILINE,
    )
    rows = re.findall(r"^\| `(\w+)` \| `([^`]+)` \| .+ \|$", table, flags=re.MULTILINE)
    assert dict(rows) == parameters(task)
    assert len(rows) == len(table.splitlines())


def test_the_page_of_a_task_has_its_names() -> None:
    """Those for `--tasks`, with R for a retriever."""
    for name, maker in task_makers("no dataset", ["R"]).items():
        assert isinstance(maker, partial)
        while isinstance(maker.func, partial):
            maker = maker.func
        task = getattr(maker.func, "__name__", "").removeprefix("_").removesuffix("_judged")
        assert f"`{name}`" in page_of(task), name


def test_the_page_of_a_task_has_its_modes(tmp_path: Path) -> None:
    made, _ = make_tasks(write_small_dataset(tmp_path / "dataset"), None, ["bm25"], judged=True)
    for task in made.values():
        assert f"`{task.metadata['mode']}`" in page_of(task.name.rpartition("/")[2])


def test_prompts_on_the_pages_are_those_that_are_sent() -> None:
    shown = set()
    for name, page in TASK_PAGES.items():
        for text in re.findall(r"```text\n(.*?)\n```", page, flags=re.DOTALL):
            found = prompts.read(text)
            data = {"documents": found.documents, "steps": found.steps, "options": found.options}
            reply = found.reply or None
            assert found.kind, name
            assert prompts._prompt(found.kind, found.question, **data, reply=reply) == text, name
            shown.add(found.kind)
    assert shown == set(prompts.INSTRUCTIONS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_tasks_that_are_shown_to_inspect_exist(page: Path) -> None:
    lines = page.read_text(encoding="utf-8").replace("\\\n", " ")
    for task, words in re.findall(r"^inspect eval factchain/(\w+)(.*)$", lines, flags=re.MULTILINE):
        given = set(re.findall(r"-T (\w+)=", words))
        assert given - {"dataset"} <= set(parameters(task)), words
