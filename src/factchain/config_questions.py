"""The config's sections `questions` and `unanswerable`: who writes and verifies, at what cost."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, JsonValue, model_validator

from factchain.config_section import Settings

CheckName = Literal["symbolic", "distinguishable", "leak", "coverage", "reading", "necessity"]
NOT_IN_RESULT = (
    *("key_env", "concurrency", "max_usd", "max_tokens", "price", "batch", "base_url"),
    "verifier_base_url",
)
"""Settings with which the same questions come out, so that a changed one renews nothing."""


class QuestionsConfig(Settings):
    """Putting chains into words, and verifying the questions."""

    verbalizer: Literal["template", "llm"] = "template"
    """Who writes: the built-in templates, which need nothing, or a language model."""
    language: str = Field("en", pattern=r"^[a-z]{2,3}(-[a-z]{2,8})*$")
    """Code of the language of the labels in the store, and of the questions."""
    phrases: Path | None = None
    """A table of phrases, or a folder of tables, laid over those of the templates."""
    model: str = ""
    """The language model that writes and verifies, as its server knows it; none if empty. Its key
    is read from the environment."""
    base_url: str = ""
    """Its server, such as http://localhost:8000/v1; OPENAI_BASE_URL or OpenAI's if empty."""
    key_env: str = "OPENAI_API_KEY"
    """The environment variable that holds the key; the key itself must not stand here."""
    verifier_model: str = ""
    """Another model that verifies; the same if empty."""
    verifier_base_url: str = ""
    """Its server, if another."""
    checks: tuple[CheckName, ...] = ()
    """What a question must pass: symbolic, distinguishable, leak, coverage and, with a model,
    reading and necessity; all that can be made if empty."""
    regenerations: int = Field(3, ge=0)
    """How often a model is asked again for a wording that a check refused."""
    options: bool = False
    """Give questions and hops three wrong options besides the right one, proved by the graph; the
    tasks of multiple choice need them."""
    closed_book: int = Field(0, ge=0)
    """How often each question is asked without context, to know how hard it is."""
    closed_book_models: tuple[str, ...] = ()
    """Whom to ask without context; the verifier if empty."""
    max_usd: float | None = Field(None, gt=0)
    """Most dollars for models; null for no limit."""
    max_tokens: int | None = Field(None, gt=0)
    """Most tokens of models; null for no limit."""
    price: tuple[float, float] | None = None
    """Dollars for a million tokens of prompts and of replies, of a model that is not well known."""
    concurrency: int = Field(8, ge=1)
    """Requests in flight."""
    batch: bool = False
    """Send batch jobs, for half the price, within a day."""

    @model_validator(mode="after")
    def _models_are_named(self) -> QuestionsConfig:
        if not self.model and (self.verbalizer == "llm" or self.closed_book or self.verifier_model):
            raise ValueError("model: a language model is needed: name it")
        if not self.model and {"reading", "necessity"} & {*self.checks}:
            raise ValueError("checks: reading and necessity ask a language model: name it as model")
        if self.verbalizer == "template" and self.language != "en" and self.phrases is None:
            raise ValueError(
                "language: the templates are English: name a table of phrases, or the verbalizer "
                "llm"
            )
        if self.closed_book_models and not self.closed_book:
            raise ValueError("closed_book: says how often those closed_book_models are asked")
        return self

    def below(self, folder: Path) -> QuestionsConfig:
        """The settings with paths that are relative to the config's folder."""
        if self.phrases is None:
            return self
        return self.model_copy(update={"phrases": folder / self.phrases})

    def deciding(self) -> dict[str, JsonValue]:
        """The settings that decide which questions come out, as JSON values; files by name."""
        settings: dict[str, JsonValue] = self.model_dump(mode="json", exclude={*NOT_IN_RESULT})
        if self.phrases is not None:
            settings["phrases"] = self.phrases.name
        return settings


class UnanswerableConfig(Settings):
    """Questions that the corpus does not answer, besides those that it does."""

    share: float = Field(0.0, ge=0, le=1)
    """Of the questions, the share that is made unanswerable: facts of their hops are withheld from
    the corpus."""
    withhold: tuple[int, int] = (1, 1)
    """Fewest and most hops of such a question whose facts are withheld."""
    null_share: float = Field(0.0, ge=0, le=1)
    """Questions about made-up entities, which the graph does not hold, that are added: a share of
    the questions."""

    @model_validator(mode="after")
    def _hops_in_order(self) -> UnanswerableConfig:
        if not 1 <= self.withhold[0] <= self.withhold[1]:
            raise ValueError("withhold: the fewest and the most hops are needed, such as [1, 2]")
        return self

    @property
    def is_on(self) -> bool:
        """Whether there are to be such questions."""
        return self.share > 0 or self.null_share > 0
