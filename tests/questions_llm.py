"""What the tests of the model client share: a reply, asks, and quick settings."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from factchain.questions.llm.protocol import Ask
from factchain.questions.llm.settings import ModelSettings
from scripted_server import ScriptedServer


class Answer(BaseModel):
    """The reply that is asked for."""

    answer: str


def ask(question: str, **more: Any) -> Ask[Answer]:
    return Ask("read", "You answer questions.", question, Answer, **more)


def asks(count: int) -> list[Ask[Answer]]:
    return [ask(f"Question {n}?") for n in range(count)]


def echo(body: dict[str, Any]) -> dict[str, str]:
    """A model that knows the answer to everything."""
    return {"answer": f"to {body['messages'][1]['content']}"}


def answers(count: int) -> list[Answer]:
    """What `echo` says to `asks`."""
    return [Answer(answer=f"to Question {n}?") for n in range(count)]


def settings_of(server: ScriptedServer, **more: Any) -> ModelSettings:
    """Settings that lose no time."""
    quick: dict[str, Any] = {"first_wait": 0.01, "timeout": 10.0, "batch_poll": 0.01}
    return ModelSettings("scripted", server.url, **quick | more)
