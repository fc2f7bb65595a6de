"""The house: the top-level links, and what the wheel holds."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("kg", "chains", "questions", "retrieval_corpus", "eval", "data")
VAGUE = {"utils", "util", "helpers", "common", "misc", "core", "base"}


@pytest.mark.parametrize("name", PACKAGES)
def test_top_level_links_point_into_the_package(name: str) -> None:
    link = ROOT / name
    assert link.is_symlink()
    assert link.readlink() == Path("src/factchain") / name
    assert (link / "__init__.py").is_file()


def modules() -> list[Path]:
    return sorted((ROOT / "src").rglob("*.py"))


def test_modules_have_telling_names_and_one_idea_each() -> None:
    for module in modules():
        assert module.stem not in VAGUE, module
        lines = module.read_text(encoding="utf-8").splitlines()
        assert len(lines) <= 330, f"{module} has {len(lines)} lines"
        assert lines[0].startswith('"""'), f"{module} does not say what it is"


@pytest.mark.slow
def test_the_wheel_holds_every_module_and_the_sample(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "-w",
        str(tmp_path),
        str(ROOT),
    ]
    subprocess.run(command, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    source = ROOT / "src"
    expected = {
        path.relative_to(source).as_posix()
        for path in (source / "factchain").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert "factchain/data/sample/passages.jsonl" in expected
    assert expected <= held
