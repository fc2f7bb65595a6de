"""The project and its exports against a real Label Studio server.

Set LABEL_STUDIO_URL and LABEL_STUDIO_TOKEN (a legacy token) for one that runs, or have the command
`label-studio` on the path (`pip install label-studio`, in an environment of its own).
"""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from factchain.questions.review.decide import Decision, review_questions
from factchain.questions.review.exports import read_export
from factchain.questions.review.label_studio import labelling_config, task
from small_dataset import small_questions

pytestmark = pytest.mark.slow
START = 300
"""Seconds that a new server may take: it fills its database first."""


class Server:
    def __init__(self, address: str, token: str) -> None:
        self._address = address
        self._headers = {"Authorization": f"Token {token}"}

    def call(self, method: str, path: str, **more: Any) -> Any:
        answer = requests.request(
            method, self._address + path, headers=self._headers, timeout=60, **more
        )
        assert answer.ok, answer.text
        return answer.json()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    address, token = os.environ.get("LABEL_STUDIO_URL"), os.environ.get("LABEL_STUDIO_TOKEN")
    if address and token:
        yield Server(address, token)
        return
    command = shutil.which("label-studio")
    if command is None:
        pytest.skip("no LABEL_STUDIO_URL with LABEL_STUDIO_TOKEN, and no command label-studio")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(20)
    process = subprocess.Popen(
        [
            *(command, "start", "--no-browser", "--port", str(port)),
            *("--internal-host", "127.0.0.1", "--username", "reviewer@example.test"),
            *("--password", secrets.token_hex(8), "--user-token", token),
            "--enable-legacy-api-token",
        ],
        env=os.environ
        | {"LABEL_STUDIO_BASE_DATA_DIR": str(tmp_path), "collect_analytics": "False"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(f"http://127.0.0.1:{port}/health", process)
        yield Server(f"http://127.0.0.1:{port}", token)
    finally:
        process.terminate()
        process.wait()


def _wait(address: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START
    while time.monotonic() < end and process.poll() is None:
        try:
            if requests.get(address, timeout=5).ok:
                return
        except requests.RequestException:
            pass
        time.sleep(1)
    pytest.fail("the server did not start")


def test_there_and_back(server: Server, tmp_path: Path) -> None:
    questions = small_questions()
    project = server.call(
        "POST",
        "/api/projects",
        json={"title": "factchain review", "label_config": labelling_config()},
    )["id"]
    try:
        sent = [task(question) for question in questions]
        imported = server.call("POST", f"/api/projects/{project}/import", json=sent)
        assert imported["task_count"] == len(questions)
        listed = server.call("GET", f"/api/tasks?project={project}&fields=all")["tasks"]
        result = [
            _result("logic", "question", "rating", {"rating": 5}),
            _result("factuality_0", "hop_0", "rating", {"rating": 4}),
            _result("hop_fluency_0", "hop_0", "rating", {"rating": 3}),
            _result("comment", "question", "textarea", {"text": ["Fine <b>"]}),
        ]
        for one in listed:
            server.call("POST", f"/api/tasks/{one['id']}/annotations/", json={"result": result})
        found = []
        for kind in ("JSON", "JSON_MIN"):
            path = tmp_path / f"{kind}.json"
            exported = requests.get(
                f"{server._address}/api/projects/{project}/export?exportType={kind}",
                headers=server._headers,
                timeout=60,
            )
            path.write_bytes(exported.content)
            found.append(read_export(path))
        assert [one.scores for one in found[0]] == [one.scores for one in found[1]]
        assert [one.comment for one in found[0]] == ["Fine <b>"] * len(questions)
        kept, reviews = review_questions(questions, found[0], Decision(threshold=4), tmp_path)
        assert [question.id for question in kept] == [question.id for question in questions]
        assert {review.mean for review in reviews} == {4.0}
    finally:
        requests.delete(
            f"{server._address}/api/projects/{project}", headers=server._headers, timeout=60
        )


def _result(name: str, of: str, kind: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"from_name": name, "to_name": of, "type": kind, "value": value}
