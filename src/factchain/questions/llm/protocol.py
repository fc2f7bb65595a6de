"""What is asked of a language model, and what comes back.

A procedure asks in rounds: it makes all requests of a round, waits for the replies, and makes the
next. So the requests of a round go out concurrently, or as one batch job, and the procedure stays
a plain function; what was answered once is read from the journal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True)
class Ask(Generic[T]):
    """One request. Two that are equal are sent once."""

    purpose: str
    """What it is for, such as `verbalize`: accounts and estimates are kept by it."""
    system: str
    """The system message: this project's own words."""
    user: str
    """The user message; data of the graph stand in it delimited."""
    reply: type[T]
    """The model of the JSON object that is wanted."""
    max_tokens: int = 512
    """Most tokens of the reply."""
    temperature: float = 0.0
    """0 for the likeliest reply."""
    repeat: int = 0
    """Tells apart several samples of one request."""


@dataclass(frozen=True)
class Quarantined:
    """A reply that could not be read, after a request to repair it too."""

    text: str
    """The reply as it came; empty where the model sent none."""
    problem: str
    """What is wrong with it, in words."""


class LanguageModel(Protocol):
    """Answers requests."""

    name: str
    """The model's name, as its endpoint knows it."""

    def ask_all(self, asks: Sequence[Ask[T]], doing: str) -> list[T | Quarantined]:
        """The replies in the order of `asks`; `doing` is what the progress bar says.

        Raises a ModelError where no reply can be had: a wrong key, a used-up budget.
        """
        ...
