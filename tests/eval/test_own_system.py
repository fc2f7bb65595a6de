"""The page on one's own system does what it says, in fifteen lines."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from factchain.eval.scores import collect

PAGE = (Path(__file__).parents[2] / "docs" / "own-system.md").read_text(encoding="utf-8")
FILES = ("my_rag", "my_endpoint")
CODES = dict(zip(FILES, re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL), strict=True))
COMMANDS = dict(zip(FILES, re.findall(r"```sh\ninspect (.*?)\n```", PAGE, re.DOTALL), strict=True))
FUNCTION = """
def answer(question):
    if "Hamlet" in question:
        raise RuntimeError("the index is gone")
    return "Warsaw"
"""


class Answers(BaseHTTPRequestHandler):
    """Says `Warsaw` to every question, and fails where Hamlet is asked about."""

    def do_POST(self) -> None:
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["question"]
        body = json.dumps({"answer": "Warsaw"}).encode()
        self.send_response(500 if "Hamlet" in question else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def endpoint() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("name", FILES)
def test_the_example_on_the_page(name: str, workspace: Path, tmp_path: Path, endpoint: str) -> None:
    assert len([line for line in CODES[name].splitlines() if line.strip()]) <= 15
    (tmp_path / f"{name}.py").write_text(CODES[name])
    (tmp_path / "my_package.py").write_text(FUNCTION)
    words = COMMANDS[name].replace("http://localhost:8000", endpoint)
    done = subprocess.run(
        [
            Path(sys.executable).with_name("inspect"),
            *words.replace("DIR", str(workspace)).split(),
            *("--display", "plain"),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
        cwd=tmp_path,
        env=os.environ | {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")},
    )
    found: list[dict[str, Any]] = collect(workspace / "eval" / "logs", workspace).to_pylist()
    assert {(row["task"], row["context"]) for row in found} == {(name, name.replace("_", "-"))}, (
        done.stdout + done.stderr
    )
    # Of two questions about Hamlet the system failed; they are no wrong answers.
    assert [row["accuracy"] for row in found] == [0, 1, None, None, 0]
    reason = "the index is gone" if name == "my_rag" else "500 Internal Server Error"
    assert [reason in row["error"] for row in found if row["error"]] == [True, True]
