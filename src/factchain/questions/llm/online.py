"""Requests sent one by one, some in flight at a time, until each has its reply in the journal."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Iterator, Sequence

import openai
import orjson

from factchain.errors import FactchainError, ModelError
from factchain.progress import say
from factchain.questions.llm.budget import NOTHING, Budget, cost_of, upper_bound
from factchain.questions.llm.endpoint import Endpoint
from factchain.questions.llm.exchanges import (
    REFUSED_BY_SERVER,
    Choice,
    Dialect,
    Request,
    Usage,
    body_of,
    choice_of,
    usage_of,
)
from factchain.questions.llm.failures import GiveUp, LeaveOut, SayOtherwise, TryAgain, meaning_of
from factchain.questions.llm.journal import Journal
from factchain.questions.llm.settings import ModelSettings

SECONDS_BETWEEN_COMPLAINTS = 10.0


class _StoppedError(Exception):
    """Another request ended the run, or the user did."""


class OnlineSender:
    """Sends requests to an endpoint, `concurrency` at a time."""

    def __init__(self, settings: ModelSettings, journal: Journal) -> None:
        self._endpoint = Endpoint(settings, journal)
        if journal.open_batches():
            say(
                f"  a batch job in {journal.path} is not collected: with --batch it would be; "
                "without, its requests are sent and paid for again"
            )

    async def send(self, requests: Sequence[Request], advance: Callable[[], None]) -> None:
        """Bring the replies to all requests into the journal; `advance` is called for each.

        Raises ModelError where one can have none; those in flight are waited for and kept.
        """
        async with self._endpoint.open() as client:
            await _Round(self._endpoint, client, iter(requests), advance).run(len(requests))


class _Round:
    """The requests of one call, worked on by as many coroutines as may be in flight."""

    def __init__(
        self,
        endpoint: Endpoint,
        client: openai.AsyncOpenAI,
        requests: Iterator[Request],
        advance: Callable[[], None],
    ) -> None:
        self._endpoint = endpoint
        self._settings = endpoint.settings
        self._journal = endpoint.journal
        self._client = client
        self._requests = requests
        self._advance = advance
        self._budget = Budget(self._settings, self._journal.spent())
        self._stopping = asyncio.Event()
        self._failure: FactchainError | None = None
        self._not_before = 0.0
        self._complained = 0.0

    async def run(self, count: int) -> None:
        """Work on all requests; stop at the first failure, or when cancelled, but let those in
        flight come home: they are paid for."""
        workers = [
            asyncio.create_task(self._work()) for _ in range(min(self._settings.concurrency, count))
        ]
        everything = asyncio.gather(*workers)
        try:
            await asyncio.shield(everything)
        except asyncio.CancelledError:
            self._stopping.set()
            say("  stopping: waiting for the replies that are on their way (again to leave them)")
            await everything
            raise
        if self._failure:
            raise self._failure

    async def _work(self) -> None:
        for request in self._requests:
            if self._stopping.is_set():
                return
            try:
                await self._exchange(request)
            except _StoppedError:
                return
            except FactchainError as error:
                self._failure = self._failure or error
                self._stopping.set()
                return
            self._advance()

    async def _exchange(self, request: Request) -> None:
        """Send a request until it has its reply."""
        address, attempts, attempt = self._settings.address, self._settings.attempts, 1
        while True:
            dialect = self._endpoint.dialect
            match await self._once(request, dialect):
                case None:
                    return
                case SayOtherwise() as otherwise:
                    self._endpoint.learn(dialect, otherwise)
                case TryAgain() as failure if attempt < attempts:
                    await self._wait(attempt, failure)
                    attempt += 1
                case TryAgain() as failure:
                    raise ModelError(
                        f"{address}: gave no answer: {failure.reason} (last of {attempts} "
                        "attempts). Is the server there? The replies that came are in the journal: "
                        "run the same command again to go on"
                    )
                case GiveUp() as failure:
                    raise ModelError(f"{address}: {self._endpoint.redact(failure.reason)}")

    async def _once(
        self, request: Request, dialect: Dialect
    ) -> TryAgain | SayOtherwise | GiveUp | None:
        """Send a request once; None where its reply is in the journal."""
        if self._not_before > time.monotonic():
            await self._sleep_until(self._not_before)
        bound = upper_bound(request)
        reserved = cost_of(bound, self._endpoint.price)
        await self._budget.reserve(reserved)
        if self._stopping.is_set():
            self._budget.settle(reserved, NOTHING)
            raise _StoppedError
        number = self._journal.sent(
            request.key, self._settings.model, reserved.tokens, reserved.usd
        )
        actual = reserved  # what went wrong on the way may have been paid for
        try:
            content = orjson.dumps(body_of(request, self._settings, dialect))
            text = await self._client.post("/chat/completions", content=content, cast_to=str)
            completion = orjson.loads(text)
            choice = self._endpoint.clean(choice_of(completion))
            actual = self._endpoint.keep(request, number, choice, usage_of(completion, bound))
        except openai.APIError as error:
            failure = meaning_of(error, dialect)
            if isinstance(failure, LeaveOut):
                refused = Choice("", REFUSED_BY_SERVER, self._endpoint.redact(failure.words))
                actual = self._endpoint.keep(request, number, refused, Usage(0, 0))
                return None
            if not (isinstance(failure, TryAgain) and failure.may_have_cost):
                self._journal.unsent(number)
                actual = NOTHING
            return failure
        except (ValueError, AttributeError):
            return TryAgain("the response is no chat completion, or cut off")
        finally:
            self._budget.settle(reserved, actual)
        return None

    async def _wait(self, attempt: int, failure: TryAgain) -> None:
        """Wait before the next attempt; where the server says how long, all requests wait."""
        settings, now = self._settings, time.monotonic()
        if failure.seconds is None:
            longest = min(settings.longest_wait, settings.first_wait * 2 ** (attempt - 1))
            until = now + longest * random.uniform(0.5, 1.0)
        else:
            self._not_before = max(self._not_before, now + failure.seconds)
            until = now + failure.seconds + settings.first_wait * random.random()
        if now >= self._complained + SECONDS_BETWEEN_COMPLAINTS:
            self._complained = now
            say(f"  {settings.address}: {failure.reason}: trying again")
        await self._sleep_until(until)

    async def _sleep_until(self, until: float) -> None:
        """Sleep, unless the run is stopped."""
        try:
            await asyncio.wait_for(self._stopping.wait(), max(0.0, until - time.monotonic()))
        except TimeoutError:
            return
        raise _StoppedError
