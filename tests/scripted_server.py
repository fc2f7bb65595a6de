"""An OpenAI-compatible server on loopback that answers by a script and misbehaves on demand.

Real HTTP, any thread: `ScriptedServer(answer)` calls `answer` with the body of every chat request.
What that returns is the reply: a dict (its JSON), a text (as it is), or one of the misbehaviours
below. Every request is recorded.

    with ScriptedServer(lambda body: {"answer": "Paris"}) as server:
        settings = ModelSettings(model="scripted", base_url=server.url)

Batch jobs run through the same script: the files and batches endpoints are served as well.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from types import TracebackType
from typing import Any, Literal


@dataclass(frozen=True)
class Status:
    """An error status, with or without the seconds after which to try again."""

    code: int
    message: str = "scripted"
    retry_after: str | None = None
    error_code: str | None = None
    param: str | None = None


@dataclass(frozen=True)
class Stall:
    """Nothing for some seconds, then the reply."""

    seconds: float
    then: Any = None


@dataclass(frozen=True)
class Drop:
    """The connection is closed without a word."""


@dataclass(frozen=True)
class HalfBody:
    """The response breaks off in the middle, although its length was announced."""

    of: Any


@dataclass(frozen=True)
class NoJson:
    """A response with status 200 whose body is not JSON."""

    text: str = "<html>the gateway is tired</html>"
    content_type: str = "application/json"


@dataclass(frozen=True)
class Choice:
    """A choice with its fields as given."""

    content: str | None = None
    refusal: str | None = None
    finish_reason: str = "stop"


@dataclass(frozen=True)
class NoChoices:
    """A completion without any choice."""


@dataclass(frozen=True)
class Silent:
    """A reply that tells no usage."""

    of: Any


@dataclass(frozen=True)
class Received:
    """A request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any
    """The JSON of a chat or batch request; the bytes of an upload."""
    at: float
    """Seconds on the monotonic clock."""


Answer = Callable[[dict[str, Any]], Any]


@dataclass
class Job:
    """A batch job."""

    id: str
    input_file: str
    metadata: dict[str, str] | None = None
    polls: int = 0
    output: str | None = None
    errors: str | None = None


@dataclass
class ScriptedServer:
    """A server; start it with `with`."""

    answer: Answer
    """From the body of a chat request to its reply."""
    latency: float = 0.0
    """Seconds before each reply."""
    schemas: bool = True
    """Whether `response_format` is understood; where not, it is refused with status 400."""
    key: str | None = None
    """The key that requests must bear."""
    batch_fate: Literal["completed", "failed", "expired", "in_progress"] = "completed"
    """What becomes of batch jobs; `expired` ones have answered the first half of their lines."""
    batch_polls: int = 2
    """How often a job says that it is at work."""
    requests: list[Received] = field(default_factory=list)
    """All requests, in the order in which they came."""
    most_in_flight: int = 0
    """Most chat requests at a time."""

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._in_flight = 0
        self._numbers = count(1)
        self.files: dict[str, bytes] = {}
        self.jobs: dict[str, Job] = {}

    @property
    def url(self) -> str:
        """The base address, as `--base-url` wants it."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def chats(self) -> list[dict[str, Any]]:
        """The bodies of the chat requests that came, batch jobs' lines not among them."""
        with self._lock:
            return [one.body for one in self.requests if one.path == "/v1/chat/completions"]

    def __enter__(self) -> ScriptedServer:
        scripted = self

        class Handler(_Handler):
            script = scripted

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, request: Any, client_address: Any) -> None:
                """Clients that go away are part of the tests."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def note(self, received: Received) -> None:
        """Record a request."""
        with self._lock:
            self.requests.append(received)

    def reply(self, body: dict[str, Any]) -> Any:
        """What the script says to a chat request, a misbehaviour among it."""
        with self._lock:
            self._in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            if self.latency:
                time.sleep(self.latency)
            if not self.schemas and "response_format" in body:
                return Status(400, "response_format json_schema is not supported here")
            return self.answer(body)
        finally:
            with self._lock:
                self._in_flight -= 1

    def upload(self, content: bytes) -> dict[str, Any]:
        """Keep an uploaded file."""
        with self._lock:
            name = f"file-{next(self._numbers)}"
            self.files[name] = content
        return {"id": name, "object": "file", "bytes": len(content), "purpose": "batch"}

    def start_job(self, request: dict[str, Any]) -> dict[str, Any]:
        """Take on a batch job."""
        with self._lock:
            name = f"batch-{next(self._numbers)}"
            job = Job(name, request["input_file_id"], request.get("metadata"))
            self.jobs[job.id] = job
        return self.job_state(job, "validating")

    def poll(self, name: str) -> dict[str, Any] | None:
        """How a job is doing; its lines are answered when it ends."""
        job = self.jobs.get(name)
        if job is None:
            return None
        job.polls += 1
        if self.batch_fate == "in_progress" or job.polls <= self.batch_polls:
            return self.job_state(job, "in_progress")
        if self.batch_fate != "failed" and job.output is None:
            self._work(job)
        return self.job_state(job, self.batch_fate)

    def _work(self, job: Job) -> None:
        lines = [json.loads(line) for line in self.files[job.input_file].splitlines()]
        if self.batch_fate == "expired":
            half = (len(lines) + 1) // 2
            done, late = lines[:half], lines[half:]
        else:
            done, late = lines, []
        good, bad = [], []
        for line in reversed(done):  # a job's lines come back in any order
            said = self.reply(line["body"])
            entry = {"id": f"r-{line['custom_id']}", "custom_id": line["custom_id"]}
            if isinstance(said, Status):
                response = {"status_code": said.code, "body": error_body(said)}
                bad.append(entry | {"response": response, "error": None})
            else:
                completion = completion_of(said, line["body"])
                response = {"status_code": 200, "request_id": "r", "body": completion}
                good.append(entry | {"response": response, "error": None})
        for line in late:
            error = {"code": "batch_expired", "message": "not done within the window"}
            bad.append({"custom_id": line["custom_id"], "response": None, "error": error})
        job.output = self._keep(good)
        job.errors = self._keep(bad) if bad else None

    def _keep(self, lines: list[dict[str, Any]]) -> str:
        content = "".join(json.dumps(line) + "\n" for line in lines)
        name: str = self.upload(content.encode())["id"]
        return name

    @staticmethod
    def job_state(job: Job, status: str) -> dict[str, Any]:
        """A job as the endpoint describes it."""
        ended = status in ("completed", "expired")
        failed = {"object": "list", "data": [{"code": "x", "message": "the file was refused"}]}
        return {
            "id": job.id,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "input_file_id": job.input_file,
            "completion_window": "24h",
            "status": status,
            "metadata": job.metadata,
            "created_at": 1,
            "output_file_id": job.output if ended else None,
            "error_file_id": job.errors if ended else None,
            "errors": failed if status == "failed" else None,
            "request_counts": {"total": 0, "completed": 0, "failed": 0},
        }


def completion_of(said: Any, body: dict[str, Any]) -> dict[str, Any]:
    """A chat completion as the endpoint sends it."""
    if isinstance(said, Silent):
        return completion_of(said.of, body) | {"usage": None}
    if isinstance(said, NoChoices):
        return completion_of("", body) | {"choices": []}
    choice = said if isinstance(said, Choice) else Choice(_text(said))
    message = {"role": "assistant", "content": choice.content, "refusal": choice.refusal}
    sent = sum(len(one["content"]) for one in body["messages"]) // 4
    told = len(choice.content or choice.refusal or "") // 4 + 1
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [{"index": 0, "finish_reason": choice.finish_reason, "message": message}],
        "usage": {
            "prompt_tokens": sent,
            "completion_tokens": told,
            "total_tokens": sent + told,
        },
    }


def _text(said: Any) -> str:
    return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)


def error_body(status: Status) -> dict[str, Any]:
    """An error as the endpoint sends it."""
    return {
        "error": {
            "message": status.message,
            "type": "scripted",
            "param": status.param,
            "code": status.error_code,
        }
    }


def in_turn(*replies: Any) -> Answer:
    """An answer function that gives these in the order of the requests; the last for all others."""
    left, lock = list(replies), threading.Lock()

    def answer(body: dict[str, Any]) -> Any:
        with lock:
            return left.pop(0) if len(left) > 1 else left[0]

    return answer


class _Handler(BaseHTTPRequestHandler):
    script: ScriptedServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self._handle(None)

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.headers.get_content_type() == "multipart/form-data":
            self._handle(_uploaded(self.headers["Content-Type"], content))
        else:
            self._handle(json.loads(content) if content else None)

    def _handle(self, body: Any) -> None:
        script = self.script
        headers = {name.lower(): value for name, value in self.headers.items()}
        script.note(Received(self.command, self.path, headers, body, time.monotonic()))
        if script.key is not None and headers.get("authorization") != f"Bearer {script.key}":
            self._send_error(Status(401, "Incorrect API key provided"))
        elif self.path == "/v1/chat/completions" and self.command == "POST":
            self._say(script.reply(body), body)
        elif self.path == "/v1/models":
            self._send({"object": "list", "data": [{"id": "scripted", "object": "model"}]})
        elif self.path == "/v1/files" and self.command == "POST":
            self._send(script.upload(body))
        elif self.path == "/v1/batches" and self.command == "POST":
            self._send(script.start_job(body))
        elif self.path.startswith("/v1/batches?"):
            jobs = [script.job_state(job, "in_progress") for job in script.jobs.values()]
            self._send({"object": "list", "data": jobs, "has_more": False})
        elif match := re.fullmatch(r"/v1/batches/([\w-]+)", self.path):
            state = script.poll(match[1])
            self._send(state) if state else self._send_error(Status(404, "no such batch"))
        elif match := re.fullmatch(r"/v1/files/([\w-]+)/content", self.path):
            self._send_bytes(200, script.files[match[1]], "application/jsonl")
        else:
            self._send_error(Status(404, f"nothing at {self.path}"))

    def _say(self, said: Any, body: dict[str, Any]) -> None:
        match said:
            case Status():
                self._send_error(said)
            case Stall():
                time.sleep(said.seconds)
                self._say(said.then, body)
            case Drop():
                self.close_connection = True
            case NoJson():
                self._send_bytes(200, said.text.encode(), said.content_type)
            case HalfBody():
                content = json.dumps(completion_of(said.of, body)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content[: len(content) // 2])
                self.close_connection = True
            case _:
                self._send(completion_of(said, body))

    def _send(self, content: dict[str, Any]) -> None:
        self._send_bytes(200, json.dumps(content).encode(), "application/json")

    def _send_error(self, status: Status) -> None:
        content = json.dumps(error_body(status)).encode()
        after = {} if status.retry_after is None else {"Retry-After": status.retry_after}
        self._send_bytes(status.code, content, "application/json", after)

    def _send_bytes(
        self, status: int, content: bytes, kind: str, more: dict[str, str] | None = None
    ) -> None:
        head = "".join(f"{name}: {value}\r\n" for name, value in (more or {}).items())
        self.wfile.write(
            f"HTTP/1.1 {status} scripted\r\nContent-Type: {kind}\r\n"
            f"Content-Length: {len(content)}\r\n{head}\r\n".encode()
            + content
        )


def _uploaded(content_type: str, content: bytes) -> bytes:
    """The bytes of the file in a multipart form."""
    form = BytesParser(policy=HTTP).parsebytes(
        b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + content
    )
    for part in form.iter_parts():
        if part.get_filename():
            payload = part.get_payload(decode=True)
            assert isinstance(payload, bytes)
            return payload
    raise AssertionError("no file in the form")
