"""A stand-in for the Hugging Face hub on loopback: repositories, large files, commits."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "hf_canary0token0that0must0not0leak"
ADVICE = {401: "Invalid credentials", 403: "Forbidden", 409: "You already created this"}


class Hub(ThreadingHTTPServer):
    """Keeps what is uploaded; refuses with `status` where one is set."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.daemon_threads = True
        self.status: int | None = None
        self.takes_large = False
        """Whether Parquet files go where large files go; hf_xet cannot be imitated here."""
        self.repositories: dict[str, bool] = {}
        self.large: dict[str, bytes] = {}
        self.files: dict[str, bytes] = {}
        self.card = ""
        self.deleted: list[str] = []
        self.tokens: set[str] = set()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def hub() -> Iterator[Hub]:
    server = Hub()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def _answer(self, content: Any, status: int = 200) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") == "chunked":
            parts = []
            while size := int(self.rfile.readline(), 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def do_GET(self) -> None:
        if "/tree/" in self.path:
            listed = [
                {"type": "file", "path": name, "size": len(body), "oid": "0" * 40}
                for name, body in self.server.files.items()
            ]
            self._answer(listed)
        else:
            name = self.path.partition("/api/datasets/")[2].partition("/")[0]
            files = [{"rfilename": name} for name in self.server.files]
            self._answer({"id": name, "sha": "0" * 40, "siblings": files})

    def do_HEAD(self) -> None:
        self._answer({})

    def do_PUT(self) -> None:
        self.server.large[self.path.rpartition("/")[2]] = self._body()
        self._answer({})

    def do_POST(self) -> None:
        body = self._body()
        if sent := self.headers.get("Authorization"):
            self.server.tokens.add(sent.removeprefix("Bearer "))
        if self.server.status is not None:
            self._answer({"error": ADVICE.get(self.server.status, "No")}, self.server.status)
        elif self.path.startswith("/api/repos/create"):
            self._create(json.loads(body))
        elif self.path == "/api/validate-yaml":
            self.server.card = json.loads(body)["content"]
            self._answer({"errors": [], "warnings": []})
        elif "/preupload/" in self.path:
            modes = [
                {
                    "path": file["path"],
                    "uploadMode": self._mode(file["path"]),
                    "shouldIgnore": False,
                }
                for file in json.loads(body)["files"]
            ]
            self._answer({"files": modes})
        elif self.path.endswith("/objects/batch"):
            objects = [
                one | {"actions": {"upload": {"href": f"{self.server.address}/large/{one['oid']}"}}}
                for one in json.loads(body)["objects"]
            ]
            self._answer({"transfer": "basic", "objects": objects})
        elif "/commit/" in self.path:
            self._commit([json.loads(line) for line in body.splitlines()])
        else:
            self._answer({"error": "no such place"}, 404)

    def _mode(self, path: str) -> str:
        return "lfs" if self.server.takes_large and path.endswith(".parquet") else "regular"

    def _create(self, asked: dict[str, Any]) -> None:
        name = f"{asked['organization']}/{asked['name']}" if "organization" in asked else ""
        name = name or asked["name"]
        address = f"{self.server.address}/datasets/{name}"
        if name in self.server.repositories:
            self._answer({"error": ADVICE[409], "url": address}, 409)
        else:
            private = asked.get("visibility") == "private" or bool(asked.get("private"))
            self.server.repositories[name] = private
            self._answer({"url": address, "id": name})

    def _commit(self, lines: list[dict[str, Any]]) -> None:
        for line in lines:
            value = line["value"]
            if line["key"] == "file":
                self.server.files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                self.server.files[value["path"]] = self.server.large[value["oid"]]
            elif line["key"] == "deletedFile":
                self.server.deleted.append(value["path"])
                self.server.files.pop(value["path"], None)
        name = self.path.removeprefix("/api/datasets/").partition("/commit/")[0]
        address = f"{self.server.address}/datasets/{name}/commit/{'0' * 40}"
        self._answer({"commitUrl": address, "commitOid": "0" * 40, "success": True})
