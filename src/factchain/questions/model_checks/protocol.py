"""A check that asks a model: its requests for a question, and what the replies say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from factchain.questions.llm.protocol import Ask, LanguageModel, Quarantined
from factchain.questions.records import Question, Verdict

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found."""

    verdict: Verdict
    advice: tuple[str, ...] = ()
    """What whoever wrote the question is told to mend, without any name of an answer."""


class ModelCheck(Protocol, Generic[T]):
    """One check."""

    name: str
    doing: str
    """What the progress bar says."""

    def asks(self, question: Question) -> list[Ask[T]]:
        """The requests for a question, all at once."""
        ...

    def judge(self, question: Question, replies: Sequence[T | Quarantined]) -> Finding:
        """What the replies, one a request, say of the question."""
        ...


def run_check(
    check: ModelCheck[T], questions: Sequence[Question], model: LanguageModel
) -> list[Finding]:
    """The findings on all questions, in one round of requests."""
    asks = [check.asks(question) for question in questions]
    replies = iter(model.ask_all([ask for of_one in asks for ask in of_one], check.doing))
    return [
        check.judge(question, [next(replies) for _ in of_one])
        for question, of_one in zip(questions, asks, strict=True)
    ]


def unreadable(reply: Quarantined) -> str:
    """What a verdict says of a reply that is none."""
    return f"the model's reply cannot be read ({reply.problem})"
