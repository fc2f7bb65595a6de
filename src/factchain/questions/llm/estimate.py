"""What asking will take, before anything is sent: requests, tokens and dollars by purpose.

The most that may be taken counts a token for each byte of a prompt (no byte-level vocabulary makes
more) and replies of full length. What is to be expected takes four bytes a token for ASCII and one
character a token for other scripts, and replies of a quarter of their limit; where the journal has
replies of the same purpose and model, their means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from factchain.questions.llm.budget import upper_bound
from factchain.questions.llm.exchanges import OVERHEAD, Request, first_request, schema_text
from factchain.questions.llm.journal import Journal
from factchain.questions.llm.prices import Price
from factchain.questions.llm.protocol import Ask
from factchain.questions.llm.settings import ModelSettings

ASCII_PER_TOKEN = 4
REPLY_SHARE = 0.25


@dataclass(frozen=True)
class Estimate:
    """What the requests of one purpose will take."""

    purpose: str
    requests: int
    """That are to be sent: equal ones once, those in the journal not."""
    in_journal: int
    """That were answered before."""
    expected_tokens: int
    most_tokens: int
    expected_usd: float | None
    """None where the price is not known."""
    most_usd: float | None


@dataclass
class _Sum:
    requests: int = 0
    in_journal: int = 0
    expected: tuple[float, float] = (0.0, 0.0)
    most: tuple[float, float] = (0.0, 0.0)


def estimate(
    asks: Sequence[Ask[Any]], settings: ModelSettings, journal: Journal | None = None
) -> list[Estimate]:
    """What a round will take, a line for each purpose, in alphabetical order."""
    sums: dict[str, _Sum] = {}
    seen: set[str] = set()
    for ask in asks:
        request = first_request(ask, settings)
        if request.key in seen:
            continue
        seen.add(request.key)
        total = sums.setdefault(ask.purpose, _Sum())
        if journal is not None and journal.get(request.key) is not None:
            total.in_journal += 1
            continue
        total.requests += 1
        bound = upper_bound(request)
        total.most = _plus(total.most, (bound.prompt, bound.reply))
        known = journal.mean_tokens(ask.purpose, settings.model) if journal else None
        total.expected = _plus(total.expected, known or _expected(request))
    price = settings.price_of_model
    return [_line(purpose, sums[purpose], price) for purpose in sorted(sums)]


def _line(purpose: str, total: _Sum, price: Price | None) -> Estimate:
    return Estimate(
        purpose,
        total.requests,
        total.in_journal,
        round(sum(total.expected)),
        round(sum(total.most)),
        price.usd(*total.expected) if price else None,
        price.usd(*total.most) if price else None,
    )


def expected_tokens(text: str) -> float:
    """Tokens of a text, by the rule of thumb above."""
    plain = len(text.encode("ascii", "ignore"))
    return plain / ASCII_PER_TOKEN + len(text) - plain


def _expected(request: Request) -> tuple[float, float]:
    """Tokens of the prompt and of the reply, by the rules of thumb above."""
    texts = [text for _, text in request.messages] + [schema_text(request.reply)]
    prompt = sum(map(expected_tokens, texts)) + OVERHEAD / 4
    return prompt, request.max_tokens * REPLY_SHARE


def _plus(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    return one[0] + other[0], one[1] + other[1]
