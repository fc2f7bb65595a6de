"""A model's server as both ways of sending know it: key, price, dialect, and where replies go."""

from __future__ import annotations

import openai

from factchain.progress import say
from factchain.questions.llm.budget import Cost, cost_of
from factchain.questions.llm.exchanges import Choice, Dialect, Request, Usage
from factchain.questions.llm.failures import SayOtherwise
from factchain.questions.llm.journal import Journal
from factchain.questions.llm.settings import NO_KEY, ModelSettings


class Endpoint:
    """A server; what is learned of its dialect holds for the run."""

    def __init__(self, settings: ModelSettings, journal: Journal) -> None:
        self.settings = settings
        self.journal = journal
        self.price = settings.price_of_model
        self.dialect = Dialect(schemas=settings.schemas)
        self._key = settings.key()

    def open(self, *, retries: int = 0) -> openai.AsyncOpenAI:
        """The client of `openai`, over aiohttp where that is installed: it takes half the time."""
        timeout = self.settings.timeout
        try:
            transport = openai.DefaultAioHttpClient(timeout=timeout)
        except RuntimeError:
            transport = None
        return openai.AsyncOpenAI(
            api_key=self._key,
            base_url=self.settings.address,
            timeout=timeout,
            max_retries=retries,
            http_client=transport,
        )

    def redact(self, text: str) -> str:
        """The text without the key, which a server may repeat."""
        return text if self._key == NO_KEY else text.replace(self._key, "[key]")

    def clean(self, choice: Choice) -> Choice:
        """The choice without the key."""
        refusal = None if choice.refusal is None else self.redact(choice.refusal)
        return Choice(self.redact(choice.text), choice.finish, refusal, choice.empty)

    def keep(self, request: Request, number: int, choice: Choice, usage: Usage) -> Cost:
        """Put a reply into the journal; returns what it took."""
        cost = cost_of(usage, self.price)
        self.journal.put(
            request.key,
            request.purpose,
            self.settings.model,
            request.messages,
            choice,
            usage,
            cost.usd,
            number,
        )
        return cost

    def learn(self, used: Dialect, failure: SayOtherwise) -> None:
        """Speak otherwise from now on; once, however many requests were refused together."""
        if self.dialect == used:
            self.dialect = failure.dialect
            say(f"  {failure.told}")
