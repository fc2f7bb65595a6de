"""Requests sent as batch jobs, for half the price, until each has its reply in the journal.

A job is noted in the journal under a tag of ours before it is made, and the tag goes along as its
metadata: a run that was stopped at any moment finds its job again, and waits for that one.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from uuid import uuid4

import openai
import orjson
from openai.types import Batch

from factchain.errors import ModelError
from factchain.progress import SECONDS_BETWEEN_LINES, say
from factchain.questions.llm.budget import Budget, cost_of, upper_bound
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
from factchain.questions.llm.failures import (
    GiveUp,
    LeaveOut,
    Problem,
    SayOtherwise,
    in_words,
    meaning_of_status,
)
from factchain.questions.llm.journal import Journal
from factchain.questions.llm.settings import ModelSettings

MOST_LINES = 50_000
MOST_BYTES = 150_000_000
"""Requests and bytes of one job; OpenAI takes 200 MB."""
TAG = "factchain"
"""The name of our tag in the metadata of a job."""
LISTED = 1000
"""Jobs of the account that are looked through for one of ours."""
OVER = frozenset({"completed", "failed", "expired", "cancelled"})


class BatchSender:
    """Sends requests as batch jobs."""

    def __init__(self, settings: ModelSettings, journal: Journal) -> None:
        self._endpoint = Endpoint(settings, journal)
        self._settings = settings
        self._journal = journal

    async def send(self, requests: Sequence[Request], advance: Callable[[], None]) -> None:
        """Bring the replies to all requests into the journal; `advance` is called for each.

        Jobs of earlier runs are waited for first. Raises ModelError where a request can have no
        reply; the replies that came are kept.
        """
        wanted = {request.key: request for request in requests}
        async with self._endpoint.open(retries=self._settings.attempts - 1) as client:
            try:
                for tag, job in self._journal.open_batches():
                    if wanted.keys() & self._journal.in_batch(tag).keys():
                        await self._take_up(client, tag, job, wanted, advance)
                for _ in range(self._settings.attempts):
                    left = [one for one in requests if self._journal.get(one.key) is None]
                    for part in self._parts(left):
                        await self._work_on(client, part, wanted, advance)
                    if all(self._journal.get(one.key) for one in requests):
                        return
            except openai.APIError as error:
                reason = self._endpoint.redact(in_words(error))
                raise ModelError(
                    f"{self._settings.address}: {reason}. Batch jobs that were submitted go on "
                    "without us: run the same command again to collect them"
                ) from None
        raise ModelError(
            f"{self._settings.address}: some requests had no reply in {self._settings.attempts} "
            "batch jobs; the others are in the journal: run the same command again, or without "
            "--batch"
        )

    def _parts(self, requests: Sequence[Request]) -> Iterator[list[Request]]:
        """The requests in parts that fit a job and what is left of the budget.

        The budget is looked at again for each part, when the one before is settled.
        """
        rest = list(requests)
        while rest:
            budget = Budget(self._settings, self._journal.spent())
            part: list[Request] = []
            size = 0
            for request in rest[:MOST_LINES]:
                size += request.prompt_bound
                cost = cost_of(upper_bound(request), self._endpoint.price)
                if not part and not budget.fits(cost):
                    raise budget.spent_up(cost)
                if part and (size > MOST_BYTES or not budget.fits(cost)):
                    break
                budget.take(cost)
                part.append(request)
            yield part
            rest = rest[len(part) :]

    async def _work_on(
        self,
        client: openai.AsyncOpenAI,
        part: Sequence[Request],
        wanted: Mapping[str, Request],
        advance: Callable[[], None],
    ) -> None:
        """Submit a job, wait for it, and collect it."""
        bodies = [
            {
                "custom_id": request.key,
                "method": "POST",
                "url": "/v1/chat/completions",
                "body": body_of(request, self._settings, self._endpoint.dialect),
            }
            for request in part
        ]
        content = b"".join(orjson.dumps(body) + b"\n" for body in bodies)
        file = await client.files.create(file=("factchain.jsonl", content), purpose="batch")
        tag = uuid4().hex
        costs = [cost_of(upper_bound(request), self._endpoint.price) for request in part]
        self._journal.begin_batch(
            tag,
            [
                (request.key, self._settings.model, cost.tokens, cost.usd)
                for request, cost in zip(part, costs, strict=True)
            ],
        )
        job = await client.batches.create(
            input_file_id=file.id,
            endpoint="/v1/chat/completions",
            completion_window="24h",
            metadata={TAG: tag},
        )
        self._journal.name_batch(tag, job.id)
        say(f"  batch job {job.id}: {len(part)} requests; a stopped run goes on with it")
        await self._finish(client, tag, job.id, wanted, advance)

    async def _take_up(
        self,
        client: openai.AsyncOpenAI,
        tag: str,
        job: str | None,
        wanted: Mapping[str, Request],
        advance: Callable[[], None],
    ) -> None:
        """Go on with the job of an earlier run, which may have died before it knew its name."""
        if job is None:
            seen = 0
            async for one in client.batches.list(limit=100):
                seen += 1
                if (one.metadata or {}).get(TAG) == tag:
                    job = one.id
                    self._journal.name_batch(tag, job)
                    break
                if seen >= LISTED:
                    break
        if job is None:
            self._journal.end_batch(tag)
            return
        say(f"  batch job {job}: of an earlier run, taken up again")
        await self._finish(client, tag, job, wanted, advance)

    async def _finish(
        self,
        client: openai.AsyncOpenAI,
        tag: str,
        name: str,
        wanted: Mapping[str, Request],
        advance: Callable[[], None],
    ) -> None:
        """Wait for a job and bring what it answered into the journal."""
        job = await self._ended(client, name)
        numbers = self._journal.in_batch(tag)
        used = self._endpoint.dialect
        failures: list[str] = []
        fatal: str | None = None
        for file in (job.output_file_id, job.error_file_id):
            if file is None:
                continue
            response = await client.files.content(file)
            for line in response.content.splitlines():
                entry = orjson.loads(line)
                key = entry.get("custom_id")
                if key not in numbers or key not in wanted:
                    continue
                match self._collect(wanted[key], entry, numbers[key], used):
                    case None:
                        advance()
                    case GiveUp() as failure:
                        fatal = failure.reason
                    case failure:
                        failures.append(failure)
        self._journal.end_batch(tag)
        if fatal:
            raise ModelError(f"{self._settings.address}: {self._endpoint.redact(fatal)}")
        self._tell(job, failures)

    async def _ended(self, client: openai.AsyncOpenAI, name: str) -> Batch:
        """The job, when it is over; says how it is doing when that changes, and once a minute."""
        said, at = "", 0.0
        while True:
            job = await client.batches.retrieve(name)
            if job.status in OVER:
                return job
            counts = job.request_counts
            done = f", {counts.completed:,} of {counts.total:,} done" if counts else ""
            state = f"  batch job {name}: {job.status}{done}"
            now = time.monotonic()
            if state != said or now - at >= SECONDS_BETWEEN_LINES:
                said, at = state, now
                say(state)
            await asyncio.sleep(self._settings.batch_poll)

    def _collect(
        self, request: Request, entry: dict[str, Any], number: int, used: Dialect
    ) -> str | GiveUp | None:
        """Keep the reply in a line of a job; returns why there is none."""
        response = entry.get("response")
        if not isinstance(response, dict):
            error = entry.get("error") or {}
            return str(error.get("code") or error.get("message") or "no response")
        body, status = response.get("body"), int(response.get("status_code") or 500)
        if status == 200 and isinstance(body, dict):
            try:
                choice = self._endpoint.clean(choice_of(body))
            except ValueError as error:
                return str(error)
            self._endpoint.keep(request, number, choice, usage_of(body, upper_bound(request)))
            return None
        match meaning_of_status(Problem.of(status, body), used):
            case LeaveOut() as left_out:
                choice = Choice("", REFUSED_BY_SERVER, self._endpoint.redact(left_out.words))
                self._endpoint.keep(request, number, choice, Usage(0, 0))
                return None
            case SayOtherwise() as otherwise:
                self._endpoint.learn(used, otherwise)
                return otherwise.told
            case GiveUp() as failure:
                return failure
            case failure:
                return failure.reason

    def _tell(self, job: Batch, failures: Sequence[str]) -> None:
        """Say what became of a job. Raises ModelError where it failed as a whole."""
        if job.status == "failed":
            errors = (job.errors and job.errors.data) or []
            reasons = [one.message or one.code or "" for one in errors]
            raise ModelError(
                f"batch job {job.id} failed: {self._endpoint.redact('; '.join(reasons[:3]))}"
            )
        if job.status != "completed":
            say(f"  batch job {job.id}: {job.status}; what it answered is kept")
        if failures:
            say(
                f"  batch job {job.id}: {len(failures)} requests without a reply ({failures[0]}): "
                "they go into another job"
            )
