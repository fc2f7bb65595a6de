"""What a corpus holds, and how it says it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from factchain.config import CorpusConfig
from factchain.errors import ConfigError

Style = Literal["triples", "sentences"]
Scope = Literal["all", "sampled", "questions"]

MAX_TOKENS = 512
"""Size of a chunk in MINTQA (SPEC.md 4.5)."""
LEAST_TOKENS = 16
WORDS = "words"


@dataclass(frozen=True, slots=True)
class CorpusSettings:
    """The settings of `factchain corpus build`. Raises ConfigError where two contradict."""

    style: Style = "triples"
    """`triples`: lines `Subject property object.`; `sentences`: by property templates."""
    incoming: bool = False
    """Whether a passage states the facts that lead to its entity, too."""
    scope: Scope = "all"
    """Which entities have passages: all of the store, those of facts with a label of popularity or
    recency, or those of the questions."""
    distractors: float = 0.0
    """How many further entities have passages, for each entity in a narrower scope."""
    tokenizer: str = WORDS
    """What the size of a chunk is counted in: `words`, or a Hugging Face tokenizer."""
    max_tokens: int = MAX_TOKENS
    """Most tokens of a passage, its title included."""
    strict: bool = False
    """Whether questions that fail the passage audit are left out."""
    seed: int = 1
    """Of the distractors."""

    def __post_init__(self) -> None:
        if self.max_tokens < LEAST_TOKENS:
            raise ConfigError(f"chunks of {self.max_tokens} tokens: {LEAST_TOKENS} are the least")
        if self.distractors < 0:
            raise ConfigError(f"distractors {self.distractors}: the ratio is 0 or more")
        if self.distractors and self.scope == "all":
            raise ConfigError(
                "distractors are taken from outside the scope, and the scope `all` leaves none: "
                "choose the scope `questions` or `sampled`"
            )


def corpus_settings(config: CorpusConfig, seed: int) -> CorpusSettings:
    """The settings that a build's config asks for."""
    return CorpusSettings(
        style=config.style,
        incoming=config.incoming,
        scope=config.scope,
        distractors=config.distractors,
        tokenizer=config.tokenizer,
        max_tokens=config.chunk_tokens,
        seed=seed,
    )
