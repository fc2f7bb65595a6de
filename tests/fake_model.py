"""A language model in memory, for tests of the procedures that ask one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel

from factchain.questions.llm.protocol import Ask, Quarantined

T = TypeVar("T", bound=BaseModel)


class FakeModel:
    """Answers by a function from a request to the fields of its reply; keeps every request."""

    def __init__(
        self, answer: Callable[[Ask[Any]], dict[str, Any] | Quarantined], name: str = "fake"
    ) -> None:
        self.name = name
        self.asked: list[Ask[Any]] = []
        self.rounds = 0
        self._answer = answer

    def ask_all(self, asks: Sequence[Ask[T]], doing: str) -> list[T | Quarantined]:
        """The replies in the order of `asks`."""
        assert doing
        self.rounds += 1
        self.asked += asks
        return [self._reply(ask) for ask in asks]

    def _reply(self, ask: Ask[T]) -> T | Quarantined:
        answer = self._answer(ask)
        return answer if isinstance(answer, Quarantined) else ask.reply.model_validate(answer)
