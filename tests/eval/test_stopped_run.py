"""A run that is stopped by Ctrl-C says what is kept, and the same command goes on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from factchain.eval.scores import collect
from small_dataset import write_small_dataset

RUN = """
import json, os, signal, sys
from pathlib import Path
from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, modelapi
from factchain.cli import main

ASKED = Path("asked.jsonl")


@modelapi(name="stopping")
class Stopping(ModelAPI):
    '''Is interrupted at its third question.'''

    async def generate(self, input, tools, tool_choice, config):
        with ASKED.open("a") as out:
            out.write(json.dumps(input[-1].text) + "\\n")
        if len(ASKED.read_text().splitlines()) == 3:
            os.kill(os.getpid(), signal.SIGINT)
            import anyio
            await anyio.sleep(30)
        output = ModelOutput.from_content(self.model_name, "Warsaw")
        output.usage = ModelUsage()
        return output


main(sys.argv[1:])
"""


@pytest.mark.slow
def test_a_run_that_is_interrupted_goes_on(tmp_path: Path) -> None:
    dataset = write_small_dataset(tmp_path / "dataset")
    (dataset / "manifest.json").write_text(json.dumps({"factchain": "0", "stages": {}}))
    (tmp_path / "run.py").write_text(RUN)

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        words = ["eval", "run", "dataset", "--model", "stopping/x", "--tasks", "parametric"]
        return subprocess.run(
            [sys.executable, "run.py", *words, *more],
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
            cwd=tmp_path,
            env=os.environ | {"HOME": str(tmp_path)},
        )

    assert run("--limit", "2").returncode == 0
    scores = dataset / "eval" / "scores.parquet"
    before = scores.read_bytes()
    stopped = run()
    assert stopped.returncode == 1, stopped.stderr
    assert "stopped: answers are kept in dataset/eval/logs: run this again" in stopped.stderr
    assert "Traceback" not in stopped.stderr
    assert scores.read_bytes() == before
    done = run()
    assert done.returncode == 0, done.stderr
    asked = (tmp_path / "asked.jsonl").read_text().splitlines()
    assert len(set(asked)) == 4
    assert [asked.count(one) for one in asked[:2]] == [1, 1]  # what was answered
    rows = collect(dataset / "eval" / "logs", dataset).to_pylist()
    assert [row["accuracy"] for row in rows] == [0, 0, 1, 0]
