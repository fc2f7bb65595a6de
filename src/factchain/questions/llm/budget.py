"""The limits of what models may cost: reserved before a request is sent, settled by its usage.

What is spent, reserved and asked for is never more than a limit, however many requests are in
flight: one that does not fit now waits until others are settled, and one that does not fit even
then ends the run. All runs with one journal share the limits.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from factchain.errors import ModelError
from factchain.questions.llm.exchanges import Request, Usage
from factchain.questions.llm.journal import Spent
from factchain.questions.llm.prices import Price
from factchain.questions.llm.settings import ModelSettings


@dataclass(frozen=True, slots=True)
class Cost:
    """Tokens, and their dollars where the price is known."""

    tokens: int
    usd: float | None


def cost_of(usage: Usage, price: Price | None) -> Cost:
    """What an exchange takes."""
    usd = price.usd(usage.prompt, usage.reply) if price else None
    return Cost(usage.prompt + usage.reply, usd)


def upper_bound(request: Request) -> Usage:
    """Most tokens that a request may take."""
    return Usage(request.prompt_bound, request.max_tokens, counted=False)


class Budget:
    """What is left, in one event loop."""

    def __init__(self, settings: ModelSettings, spent: Spent) -> None:
        self._settings = settings
        self._tokens, self._usd = spent.tokens, spent.usd
        self._in_flight = 0
        self._settled = asyncio.Event()

    async def reserve(self, cost: Cost) -> None:
        """Set a cost aside, as soon as it fits. Raises ModelError where it never will."""
        while not self.fits(cost):
            if not self._in_flight:
                raise self.spent_up(cost)
            self._settled.clear()
            await self._settled.wait()
        self.take(cost)
        self._in_flight += 1

    def settle(self, reserved: Cost, actual: Cost) -> None:
        """Put what a request took in place of what was set aside for it."""
        self.take(reserved, -1)
        self.take(actual)
        self._in_flight -= 1
        self._settled.set()

    def take(self, cost: Cost, sign: int = 1) -> None:
        """Count a cost, or count it off."""
        self._tokens += sign * cost.tokens
        self._usd += sign * (cost.usd or 0.0)

    def fits(self, cost: Cost) -> bool:
        """Whether a cost fits what is left."""
        limits = self._settings
        tokens_fit = limits.max_tokens is None or self._tokens + cost.tokens <= limits.max_tokens
        return tokens_fit and (
            limits.max_usd is None or self._usd + (cost.usd or 0.0) <= limits.max_usd
        )

    def spent_up(self, cost: Cost) -> ModelError:
        """The error of a cost that does not fit."""
        limits = []
        if self._settings.max_usd is not None:
            limits.append(
                f"--max-usd {self._settings.max_usd:g}: ${self._usd:.4f} are spent, the next "
                f"request may take ${cost.usd or 0.0:.4f}"
            )
        if self._settings.max_tokens is not None:
            limits.append(
                f"--max-tokens {self._settings.max_tokens}: {self._tokens} are spent, the next "
                f"request may take {cost.tokens}"
            )
        return ModelError(
            f"the budget is spent ({'; '.join(limits)}). The replies that were paid for are in the "
            "journal: run the same command with a larger budget to go on"
        )


NOTHING = Cost(0, 0.0)
"""The cost of a request that was refused or never arrived."""
