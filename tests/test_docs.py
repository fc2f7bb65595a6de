"""The documentation says what is so."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from factchain.cli import main

ROOT = Path(__file__).parents[1]
GROUPS = {name for name, command in main.commands.items() if isinstance(command, click.Group)}
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


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
