"""The wheel alone, in an empty environment, does the main job on the bundled sample."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_the_wheel_alone_builds_the_sample(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(tmp_path), str(ROOT)]
    subprocess.run(pip, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "empty", with_pip=True)
    python = tmp_path / "empty/bin/python"
    constraints = ["-c", str(ROOT / "constraints.txt")]
    subprocess.run([python, "-m", "pip", "install", "-q", *constraints, wheel], check=True)
    run = subprocess.run(
        [tmp_path / "empty/bin/factchain", "build", "--out", "out"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "it needs an extra: pip install 'factchain[eval]'" in run.stdout
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    assert manifest["stages"]["questions"]["rows_out"] >= 700
    assert "factchain[eval]" in manifest["stages"]["evaluation"]["details"]["skipped"]
    for name in ("kg.duckdb", "questions.jsonl", "corpus/corpus.jsonl", "report.html"):
        assert (tmp_path / "out" / name).stat().st_size > 100_000
    asked = subprocess.run(
        [tmp_path / "empty/bin/factchain", "eval", "run", "out", "--model", "factchain/lexical"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert asked.returncode == 1
    assert "pip install 'factchain[eval]'" in asked.stderr
