"""A language model at an OpenAI-compatible endpoint: the replies of a round, each paid for once."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from pydantic import BaseModel

from factchain.progress import counting, say
from factchain.questions.llm.batch import BatchSender
from factchain.questions.llm.exchanges import Choice, Request, first_request, repair_request
from factchain.questions.llm.journal import Journal
from factchain.questions.llm.online import OnlineSender
from factchain.questions.llm.protocol import Ask, Quarantined
from factchain.questions.llm.replies import UnreadableError, read_reply, refused
from factchain.questions.llm.settings import ModelSettings

T = TypeVar("T", bound=BaseModel)


class ModelClient:
    """Answers requests from the journal, else from the endpoint; use it with `with`.

    `journal` is a file of its own, or a journal that is open already and shared by the models of
    one run.
    """

    def __init__(self, settings: ModelSettings, journal: Path | Journal) -> None:
        self.name = settings.model
        self._settings = settings
        sender = BatchSender if settings.batch else OnlineSender
        self._own = None if isinstance(journal, Journal) else Journal(journal)
        self.journal = journal if isinstance(journal, Journal) else self._own or Journal(journal)
        try:
            self._sender = sender(settings, self.journal)
        except BaseException:
            self._close_own()
            raise
        self._runner = asyncio.Runner()
        self._warn_of_unpriced()

    def ask_all(self, asks: Sequence[Ask[T]], doing: str) -> list[T | Quarantined]:
        """The replies in the order of `asks`; `doing` is what the progress bar says.

        What stands in the journal is not asked again. Raises ModelError where no reply can be had;
        those that came are kept.
        """
        firsts = [first_request(ask, self._settings) for ask in asks]
        choices = self._choices(firsts, doing)
        results: dict[str, T | Quarantined] = {}
        repairs: dict[str, tuple[Ask[T], Request]] = {}
        for ask, request in zip(asks, firsts, strict=True):
            if request.key in results or request.key in repairs:
                continue
            try:
                results[request.key] = self._read(choices[request.key], ask)
            except UnreadableError as error:
                again = repair_request(ask, self._settings, choices[request.key], str(error))
                repairs[request.key] = (ask, again)
        choices = self._choices([again for _, again in repairs.values()], f"{doing}: repairs")
        for key, (ask, again) in repairs.items():
            choice = choices[again.key]
            try:
                results[key] = self._read(choice, ask)
            except UnreadableError as error:
                results[key] = Quarantined(choice.text, str(error))
        self._keep_quarantined(firsts, results)
        return [results[request.key] for request in firsts]

    def _read(self, choice: Choice, ask: Ask[T]) -> T | Quarantined:
        """The object of a reply, or why there will be none. Raises UnreadableError."""
        return refused(choice) or read_reply(choice, ask.reply)

    def _choices(self, requests: Sequence[Request], doing: str) -> dict[str, Choice]:
        """What came to each request by its key, from the journal or, now, from the endpoint."""
        distinct = {request.key: request for request in requests}
        known = {key: self.journal.get(key) for key in distinct}
        missing = [request for key, request in distinct.items() if known[key] is None]
        if missing:
            with counting(doing, len(missing)) as advance:
                self._run(self._sender.send(missing, advance))
            known |= {request.key: self.journal.get(request.key) for request in missing}
        return {key: choice for key, choice in known.items() if choice is not None}

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        """Run to the end; in a thread where this one runs an event loop, as a notebook's does."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            self._runner.run(work)
            return
        with ThreadPoolExecutor(1) as pool:
            pool.submit(self._runner.run, work).result()

    def _keep_quarantined(
        self, requests: Sequence[Request], results: dict[str, T | Quarantined]
    ) -> None:
        """Keep what could not be read in the journal, for a reader."""
        rows = {
            request.key: (request.key, request.purpose, result.text, result.problem)
            for request in requests
            if isinstance(result := results[request.key], Quarantined)
        }
        if rows:
            self.journal.quarantine(rows.values())
            say(f"  {len(rows)} replies of {self.name} could not be read; {self.journal.path}")

    def _warn_of_unpriced(self) -> None:
        """Say where a budget in dollars cannot count what earlier runs took."""
        unpriced = self.journal.spent().unpriced
        if self._settings.max_usd is not None and unpriced:
            say(
                f"  {unpriced} exchanges in {self.journal.path} were made without a known price: "
                "--max-usd does not count them"
            )

    def close(self) -> None:
        """Leave the event loop, and close the journal where it is the client's own."""
        self._runner.close()
        self._close_own()

    def _close_own(self) -> None:
        if self._own is not None:
            self._own.close()

    def __enter__(self) -> ModelClient:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
