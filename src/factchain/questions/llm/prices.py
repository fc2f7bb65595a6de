"""What tokens cost: a list of well-known models, and the price that a user gives."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from factchain.errors import ConfigError

MILLION = 1_000_000
_DATED = re.compile(r"(.+?)-\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True)
class Price:
    """Dollars for a million tokens."""

    prompt: float
    """Of prompts."""
    reply: float
    """Of replies."""

    def usd(self, prompt_tokens: float, reply_tokens: float) -> float:
        """Dollars for so many tokens."""
        return (prompt_tokens * self.prompt + reply_tokens * self.reply) / MILLION

    def halved(self) -> Price:
        """The price by batch job."""
        return Price(self.prompt / 2, self.reply / 2)


def read_price(text: str) -> Price:
    """The price written as `IN,OUT`. Raises ConfigError where it is none."""
    try:
        prompt, reply = (float(part) for part in text.split(","))
    except ValueError as error:
        raise ConfigError(
            f"--price: {text!r} is not IN,OUT, the dollars for a million tokens of prompts and of "
            "replies, such as 0.15,0.60"
        ) from error
    if not (0 <= prompt < MILLION and 0 <= reply < MILLION):
        raise ConfigError(f"--price: {text!r}: a price is 0 or more")
    return Price(prompt, reply)


def known_price(model: str) -> Price | None:
    """The price of a model by its name, with or without the date of its version."""
    dated = _DATED.fullmatch(model)
    return _listed().get(model) or (_listed().get(dated[1]) if dated else None)


@cache
def _listed() -> dict[str, Price]:
    """The list, by name; its first line says of when it is."""
    text = (files("factchain.questions.llm") / "prices.tsv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return {
        row["model"]: Price(float(row["prompt"]), float(row["reply"]))
        for row in csv.DictReader(lines, delimiter="\t")
    }
