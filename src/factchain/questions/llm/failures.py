"""What a failed request means: try it again, say it otherwise, leave it out, or end the run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import openai

from factchain.questions.llm.exchanges import Dialect
from factchain.retry_after import seconds_to_wait

LONGEST_ASKED_WAIT = 600.0
"""Seconds that a server may ask us to wait; one that asks for more ends the run."""
SHOWN = 300
MAY_PASS = frozenset({408, 409, 429})
"""Statuses besides 5xx that another attempt may change."""
MAY_HAVE_WORKED = frozenset({408, 504, 524})
"""Statuses of gateways that gave up waiting: the model behind may have worked, and cost."""
OF_THE_REQUEST = frozenset(
    {"content_filter", "content_policy_violation", "context_length_exceeded"}
)
"""Codes of errors that concern one request alone."""
USED_UP = "insufficient_quota"
_NEVER_SENT = frozenset(
    {"ConnectError", "ClientConnectorError", "ClientProxyConnectionError", "UnsupportedProtocol"}
    | {"ConnectionTimeoutError", "PoolTimeout", "gaierror", "ConnectionRefusedError"}
)
"""Errors of httpx, aiohttp and Python where no connection was made. Not httpx's ConnectTimeout:
over aiohttp, `openai` gives that name to connections that break off too."""
_NO_REPLY = frozenset({"ReadTimeout", "WriteTimeout", "SocketTimeoutError", "TimeoutError"})


@dataclass(frozen=True, slots=True)
class TryAgain:
    """A failure that may pass."""

    reason: str
    seconds: float | None = None
    """How long the server asked us to wait."""
    may_have_cost: bool = False
    """Whether the model may have worked, so that the request may be paid for."""


@dataclass(frozen=True, slots=True)
class SayOtherwise:
    """The server does not understand a part of the request."""

    dialect: Dialect
    """What it may understand."""
    told: str
    """What is said about it."""


@dataclass(frozen=True, slots=True)
class LeaveOut:
    """The server refuses this one request, whatever is done."""

    words: str
    """Its words."""


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Nothing will help."""

    reason: str


Meaning = TryAgain | SayOtherwise | LeaveOut | GiveUp


def meaning_of(error: openai.APIError, dialect: Dialect) -> Meaning:
    """What to do about a failure of a request that was sent in a dialect."""
    if not isinstance(error, openai.APIStatusError):
        causes = list(_causes(error))
        sent = _NEVER_SENT.isdisjoint(causes)
        if sent and not _NO_REPLY.isdisjoint(causes):
            return TryAgain("no reply in time", may_have_cost=True)
        return TryAgain(f"the connection failed ({causes[-1]})", may_have_cost=sent)
    problem = Problem.of(error.status_code, error.body, error.response.text)
    return meaning_of_status(problem, dialect, retry_after(error.response.headers))


@dataclass(frozen=True, slots=True)
class Problem:
    """An error as a server describes it."""

    status: int
    code: str
    param: str
    words: str
    """In one short line."""

    @classmethod
    def of(cls, status: int, body: object, text: str = "") -> Problem:
        """Read the body of an error response; `text` stands in where it is none."""
        error = body.get("error", body) if isinstance(body, dict) else None
        fields = error if isinstance(error, dict) else {"message": text}
        words = " ".join(str(fields.get("message") or text)[:SHOWN].split())
        return cls(status, str(fields.get("code") or ""), str(fields.get("param") or ""), words)


def meaning_of_status(problem: Problem, dialect: Dialect, seconds: float | None = None) -> Meaning:
    """What an error status means; `seconds` is how long the server asks us to wait."""
    status = problem.status
    if problem.code == USED_UP:
        return GiveUp(f"the account has nothing left ({status}): {problem.words}")
    if status in MAY_PASS or status >= 500:
        if seconds is not None and seconds > LONGEST_ASKED_WAIT:
            return GiveUp(f"busy ({status}), and asks to wait {seconds / 60:.0f} minutes")
        return TryAgain(f"status {status}", seconds, status in MAY_HAVE_WORKED)
    if problem.code in OF_THE_REQUEST:
        return LeaveOut(problem.words)
    if status in (400, 422) and (otherwise := _otherwise(problem, dialect)):
        return otherwise
    return GiveUp(f"refused the request ({status}): {problem.words}{_hint(status)}")


def in_words(error: openai.APIError) -> str:
    """A failure in one short line."""
    meaning = meaning_of(error, Dialect())
    match meaning:
        case TryAgain() | GiveUp():
            return meaning.reason
        case SayOtherwise():
            return meaning.told
        case LeaveOut():
            return meaning.words


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a response asks to wait: a number, or a date as HTTP writes it."""
    millis = headers.get("retry-after-ms", "").strip()
    if re.fullmatch(r"\d+(\.\d*)?", millis):
        return float(millis) / 1000
    return seconds_to_wait(headers.get("retry-after", ""))


def _causes(error: BaseException) -> Iterator[str]:
    """The names of an error and of all that led to it; the bottom last."""
    cause: BaseException | None = error
    while cause is not None:
        yield type(cause).__name__
        cause = cause.__cause__ or cause.__context__


def _otherwise(problem: Problem, dialect: Dialect) -> SayOtherwise | None:
    """What to leave out or rename, where the server names a part that it does not understand."""
    about = f"{problem.param} {problem.words}".lower()
    if dialect.schemas and re.search(r"response_format|json_schema|structured output", about):
        told = "the server refuses JSON schemas: the schema stands in the prompt from now on"
        return SayOtherwise(replace(dialect, schemas=False), told)
    if dialect.limit == "max_tokens" and "max_completion_tokens" in about:
        told = "the server wants the limit of a reply as max_completion_tokens"
        return SayOtherwise(replace(dialect, limit="max_completion_tokens"), told)
    if dialect.temperature and "temperature" in about:
        told = "the server refuses the temperature: it is left out, replies may vary"
        return SayOtherwise(replace(dialect, temperature=False), told)
    return None


def _hint(status: int) -> str:
    return {
        401: ". Is the key in the environment the right one?",
        403: ". Is the key in the environment allowed to use this model?",
        404: ". Are --model and --base-url right? The address ends in /v1 for most servers",
    }.get(status, "")
