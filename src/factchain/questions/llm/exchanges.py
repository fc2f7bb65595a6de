"""One exchange with a model: the request as it is sent, its key in the journal, and the choice that
comes back.

The key is made of what determines a reply (model, messages, parameters, wanted schema, number of
the repeat), not of the address or of the dialect of a server: a model that moves to another port
is not paid twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import openai
import orjson
from pydantic import BaseModel

from factchain.questions.llm.protocol import Ask
from factchain.questions.llm.settings import ModelSettings

OVERHEAD = 64
"""Tokens of a request beside its texts: roles, separators, the priming of the reply."""
BY_SCHEMA = "\n\nReply with one JSON object and nothing else. It follows this JSON schema:\n"

REFUSED_BY_SERVER = "refused"
"""The finish of a request that the server refused for its content."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request before it is put into the dialect of a server."""

    key: str
    """Its place in the journal."""
    purpose: str
    messages: tuple[tuple[str, str], ...]
    """Roles and texts."""
    reply: type[BaseModel]
    """The model of the wanted JSON object."""
    max_tokens: int
    """Most tokens of the reply."""
    temperature: float

    @property
    def prompt_bound(self) -> int:
        """Most tokens of the prompt: its bytes, since a token of a byte-level vocabulary stands for
        one byte at least; the schema may be put in front of the model too."""
        texts = sum(len(text.encode()) for _, text in self.messages)
        return texts + len(schema_text(self.reply)) + len(BY_SCHEMA) + OVERHEAD


@dataclass(frozen=True, slots=True)
class Choice:
    """What came back."""

    text: str
    """The reply; empty where there is none."""
    finish: str = "stop"
    """Why it ends: `stop`, `length`, `content_filter`, ..."""
    refusal: str | None = None
    """The model's words where it refuses, or the server's."""
    empty: bool = False
    """The server sent no choice at all."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of an exchange."""

    prompt: int
    reply: int
    counted: bool = True
    """Whether the server counted them; otherwise they are the upper bound."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a server is found to understand."""

    schemas: bool = True
    """`response_format` with a JSON schema; otherwise the schema stands in the prompt."""
    limit: str = "max_tokens"
    """The name of the limit of a reply."""
    temperature: bool = True
    """Whether a temperature may be given."""


@cache
def strict_schema(reply: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a reply as strict servers want it: all fields required, no others."""
    function = openai.pydantic_function_tool(reply, name=reply.__name__)["function"]
    return dict(function["parameters"])


@cache
def schema_text(reply: type[BaseModel]) -> str:
    """The JSON schema of a reply in one line, ASCII only."""
    return orjson.dumps(strict_schema(reply)).decode().encode("ascii", "backslashreplace").decode()


def first_request(ask: Ask[Any], settings: ModelSettings) -> Request:
    """The request that an ask begins with."""
    messages = (("system", ask.system), ("user", ask.user))
    return _request(ask, settings, messages)


def repair_request(ask: Ask[Any], settings: ModelSettings, choice: Choice, problem: str) -> Request:
    """The one request that asks for an unreadable reply again, and says what was wrong."""
    reply: type[BaseModel] = ask.reply
    note = (
        f"That reply cannot be used: {problem}. Reply again, with one JSON object and nothing "
        f"else. It follows this JSON schema:\n{schema_text(reply)}"
    )
    said = (("assistant", choice.text),) if choice.text.strip() else ()
    messages = (("system", ask.system), ("user", ask.user), *said, ("user", note))
    return _request(ask, settings, messages)


def _request(
    ask: Ask[Any], settings: ModelSettings, messages: tuple[tuple[str, str], ...]
) -> Request:
    reply: type[BaseModel] = ask.reply
    max_tokens = ask.max_tokens + settings.thinking_tokens
    determines = [
        settings.model,
        messages,
        schema_text(reply),
        max_tokens,
        ask.temperature,
        ask.repeat,
        dict(settings.parameters),
    ]
    packed = orjson.dumps(determines, option=orjson.OPT_SORT_KEYS)
    key = hashlib.sha256(packed).hexdigest()[:32]
    return Request(key, ask.purpose, messages, reply, max_tokens, ask.temperature)


def body_of(request: Request, settings: ModelSettings, dialect: Dialect) -> dict[str, Any]:
    """The JSON that is sent."""
    messages = [{"role": role, "content": text} for role, text in request.messages]
    body: dict[str, Any] = {"model": settings.model, "messages": messages}
    if dialect.schemas:
        wanted = {
            "name": request.reply.__name__[:64],
            "strict": True,
            "schema": strict_schema(request.reply),
        }
        body["response_format"] = {"type": "json_schema", "json_schema": wanted}
    else:
        messages[0]["content"] += BY_SCHEMA + schema_text(request.reply)
    body[dialect.limit] = request.max_tokens
    if dialect.temperature:
        body["temperature"] = request.temperature
    return body | dict(settings.parameters)


def choice_of(completion: Mapping[str, Any]) -> Choice:
    """The choice in a chat completion. Raises ValueError where it is none."""
    choices = completion.get("choices")
    if not isinstance(choices, list):
        raise ValueError("the response is no chat completion")
    if not choices:
        return Choice("", "none", empty=True)
    message = choices[0].get("message") if isinstance(choices[0], dict) else None
    if not isinstance(message, dict):
        raise ValueError("the response holds no message")
    text, refusal = message.get("content"), message.get("refusal")
    return Choice(
        _sound(text) if isinstance(text, str) else "",
        str(choices[0].get("finish_reason") or "stop"),
        _sound(refusal) if isinstance(refusal, str) and refusal else None,
    )


def _sound(text: str) -> str:
    """The text without halves of characters, which JSON can hold and files cannot."""
    return text.encode("utf-8", "replace").decode()


def usage_of(completion: Mapping[str, Any], bound: Usage) -> Usage:
    """The tokens that the server counted; the bound where it tells none."""
    told = completion.get("usage")
    if isinstance(told, dict):
        prompt, reply = told.get("prompt_tokens"), told.get("completion_tokens")
        if isinstance(prompt, int) and isinstance(reply, int) and prompt >= 0 and reply >= 0:
            return Usage(prompt, reply)
    return bound
