"""The page on one's own system does what it says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from factchain.eval.scores import collect

PAGE = Path(__file__).parents[2] / "docs" / "own-system.md"


class Answers(BaseHTTPRequestHandler):
    """Says `Warsaw` to every question."""

    def do_POST(self) -> None:
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["question"]
        body = json.dumps({"answer": "Warsaw" if question else ""}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing."""


def test_the_example_on_the_page(workspace: Path, tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (command,) = re.findall(r"```sh\ninspect (.*?)\n```", text, re.DOTALL)
    (tmp_path / "my_rag.py").write_text(code)
    server = HTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    words = (
        command.replace("http://localhost:8000", f"http://127.0.0.1:{server.server_port}")
        .replace("DIR", str(workspace))
        .split()
    )
    try:
        done = subprocess.run(
            [Path(sys.executable).with_name("inspect"), *words, "--display", "plain"],
            capture_output=True,
            text=True,
            check=False,
            timeout=200,
            cwd=tmp_path,
            env=os.environ | {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")},
        )
    finally:
        server.shutdown()
        server.server_close()
    assert done.returncode == 0, done.stdout + done.stderr
    rows = collect(workspace / "eval" / "logs", workspace).to_pylist()
    assert [row["accuracy"] for row in rows] == [0, 1, 0, 0, 0]
    assert {(row["task"], row["context"]) for row in rows} == {("my_rag", "my-rag")}
    assert len([line for line in code.splitlines() if line.strip()]) <= 16
