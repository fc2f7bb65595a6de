"""How a language model is asked: which, where, how patiently, and for how much at most."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from urllib.parse import urlsplit

from pydantic import JsonValue

from factchain.errors import ConfigError, ModelError
from factchain.questions.llm.prices import Price, known_price

OPENAI_URL = "https://api.openai.com/v1"
KEY_NAME = "OPENAI_API_KEY"
NO_KEY = "none"
"""What is sent as the key to servers that want none."""
OURS = frozenset(
    {"model", "messages", "temperature", "max_tokens", "max_completion_tokens", "response_format"}
    | {"n", "stream"}
)
"""Parameters of a request that are not the user's to set."""
_KEY = re.compile(r"[!-~]+")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class ModelSettings:
    """A model, its endpoint, and the limits of a run."""

    model: str
    """The model's name, as its endpoint knows it."""
    base_url: str | None = None
    """Address of the endpoint, up to `/v1`; without it OPENAI_BASE_URL, or OpenAI's."""
    key_env: str = KEY_NAME
    """The environment variable that holds the key."""
    concurrency: int = 8
    """Requests in flight."""
    timeout: float = 120.0
    """Seconds after which a request without a reply is given up, and tried again."""
    attempts: int = 6
    """How often a request is tried where the server is busy or the connection fails."""
    first_wait: float = 1.0
    """Seconds before the second attempt; doubled for each further one, with jitter."""
    longest_wait: float = 60.0
    """Most seconds between attempts, where the server names none."""
    max_usd: float | None = None
    """Most dollars that all runs with one journal may cost."""
    max_tokens: int | None = None
    """Most tokens, of prompts and replies, that all runs with one journal may take."""
    price: Price | None = None
    """Price of the model; without it that of the list of well-known models."""
    batch: bool = False
    """Send batch jobs, for half the price, in place of single requests."""
    batch_poll: float = 30.0
    """Seconds between looks at a batch job."""
    schemas: bool = True
    """Whether replies are asked for by JSON schema, as long as the server takes it; otherwise the
    schema stands in the prompt."""
    thinking_tokens: int = 0
    """Tokens added to the limit of every reply, for models that think before they answer."""
    parameters: Mapping[str, JsonValue] = field(default_factory=lambda: MappingProxyType({}))
    """Further parameters of every request, such as `reasoning_effort`."""

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise ConfigError("the model has no name")
        for name, least in {"concurrency": 1, "attempts": 1, "thinking_tokens": 0}.items():
            if getattr(self, name) < least:
                raise ConfigError(f"{name} must be at least {least}")
        for name in ("max_usd", "max_tokens"):
            limit = getattr(self, name)
            if limit is not None and not limit > 0:
                raise ConfigError(f"{name} must be more than 0")
        for name in self.parameters:
            if name in OURS or not _NAME.fullmatch(name):
                raise ConfigError(f"{name!r} is no parameter of a request that may be set")
        _check_address(self.address)
        if self.max_usd is not None and self.price_of_model is None:
            raise ConfigError(
                f"the price of {self.model} is not known, so --max-usd cannot be kept: give the "
                "dollars for a million tokens of prompts and of replies with --price IN,OUT "
                "(0,0 for a server of your own), or limit the tokens with --max-tokens"
            )

    @property
    def address(self) -> str:
        """Where requests go."""
        return (self.base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL).rstrip("/")

    @property
    def price_of_model(self) -> Price | None:
        """What tokens cost, by batch job where those are wanted; None where it is not known."""
        price = self.price or known_price(self.model)
        return price.halved() if price and self.batch else price

    def key(self) -> str:
        """The key, from the environment; a stand-in for servers that want none.

        Raises ModelError where it is missing or cannot be sent; the message does not show it.
        """
        key = os.environ.get(self.key_env, "").strip()
        if not key:
            if self.address == OPENAI_URL:
                raise ModelError(
                    f"{OPENAI_URL} wants a key: put it into the environment as {self.key_env} "
                    "(export it in your shell; it is read from nowhere else), or name another "
                    "server with --base-url"
                )
            return NO_KEY
        if not _KEY.fullmatch(key):
            raise ModelError(
                f"the key in {self.key_env} holds characters that cannot be sent: is it one line?"
            )
        return key


def _check_address(address: str) -> None:
    """Raise ConfigError for an address that is none, or that holds a key."""
    try:
        parts = urlsplit(address)
    except ValueError as error:
        raise ConfigError(f"--base-url: not an address: {error}") from error
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigError(
            "--base-url: an address without user, password and query is wanted; a key goes into "
            "the environment"
        )
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(f"--base-url: {address} is no address such as http://localhost:8000/v1")
