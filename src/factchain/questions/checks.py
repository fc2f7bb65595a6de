"""Which checks a question must pass, and which models are asked for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from factchain.errors import ConfigError
from factchain.questions.llm.protocol import LanguageModel
from factchain.questions.model_checks.reading import NECESSITY, READING
from factchain.questions.prompts.hops_read import hops_read_version
from factchain.questions.prompts.reading import reading_version
from factchain.questions.verify import CHECKS

ALL_CHECKS = (*CHECKS, READING, NECESSITY)
"""Every check, in the order in which they are made: those first that cost nothing."""
NEED_A_MODEL = frozenset({READING, NECESSITY})
SYMBOLIC_VERIFIER = "symbolic"


@dataclass(frozen=True)
class Verification:
    """What is asked of a question before it is kept."""

    checks: tuple[str, ...] = CHECKS
    verifier: LanguageModel | None = None
    """Reads; with one, `coverage` asks it too."""
    language: str = "en"
    """Of the questions."""
    closed_book: int = 0
    """Replies of each of the readers without context; 0 asks none."""
    readers: tuple[LanguageModel, ...] = field(default=())
    """The models that are asked without context."""

    def __post_init__(self) -> None:
        needing = [check for check in self.checks if check in NEED_A_MODEL]
        if needing and self.verifier is None:
            raise ConfigError(
                f"the check {needing[0]} asks a language model: name one, or leave the check out"
            )
        if self.closed_book and not self.readers:
            raise ConfigError("the closed book asks language models: name at least one")

    @property
    def asks_model(self) -> bool:
        """Whether the verifier is asked anything."""
        return self.verifier is not None and bool({"coverage", *NEED_A_MODEL} & {*self.checks})

    @property
    def title(self) -> str:
        """Who verifies, as the provenance says it: with the versions of the verifier's prompts."""
        if self.verifier is None or not self.asks_model:
            return SYMBOLIC_VERIFIER
        versions = f"{reading_version(self.language)}, {hops_read_version()}"
        return f"{SYMBOLIC_VERIFIER}, {self.verifier.name} ({versions})"


def named_checks(names: str | Sequence[str] | None, *, has_model: bool) -> tuple[str, ...]:
    """The checks of a list such as `symbolic,leak`, in the order in which they are made.

    Without names, all that can be made. Raises ConfigError for a name that is none.
    """
    if names is None:
        return ALL_CHECKS if has_model else CHECKS
    listed = names.split(",") if isinstance(names, str) else list(names)
    given = {name.strip() for name in listed if name.strip()}
    if unknown := sorted(given - {*ALL_CHECKS}):
        raise ConfigError(f"{unknown[0]!r} is no check; there are {', '.join(ALL_CHECKS)}")
    if not given:
        raise ConfigError(f"no check is named; there are {', '.join(ALL_CHECKS)}")
    return tuple(check for check in ALL_CHECKS if check in given)
