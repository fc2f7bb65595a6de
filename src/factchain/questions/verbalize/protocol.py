"""What a verbalizer does: fact chains in, questions and their sub-questions out.

One that asks a language model puts many chains into words at once, since its requests go out
together, and does it again for those that a check refused, told what was wrong. `one_by_one` makes
such a verbalizer of one that knows only single chains.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from factchain.chains.records import FactChain
from factchain.questions.names import EntityName


@dataclass(frozen=True, slots=True)
class Wording:
    """A chain in words."""

    question: str
    sub_questions: tuple[str, ...]
    """One a hop, with the earlier answers put in."""
    templates: tuple[str, ...]
    """The same with `#k` in place of the answer of hop k."""


@dataclass(frozen=True, slots=True)
class NoWording:
    """A chain that could not be put into words this time."""

    check: str
    """What it fails: `form`, or `reply` where the model sent nothing readable."""
    problem: str
    """What is wrong, in words that may be told to the model."""
    last: str = ""
    """What the model wrote, as JSON; empty where it cannot be read."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A chain to be put into words, and what was wrong with the last attempt."""

    chain: FactChain
    names: Mapping[str, EntityName]
    """Every entity of the chain by Q-id."""
    meanings: Mapping[str, str]
    """Descriptions of its properties by P-id, as far as the store has them."""
    last: Wording | str | None = None
    """The wording that was refused, or the reply that was none, as JSON; none the first time."""
    problems: tuple[str, ...] = ()
    """Why, without the names that the model does not know."""


class Verbalizer(Protocol):
    """Puts chains into words, one at a time."""

    name: str

    @property
    def version(self) -> str:
        """Version of the prompt or of the phrases."""
        ...

    def verbalize(self, chain: FactChain, names: Mapping[str, EntityName]) -> Wording:
        """The chain in words; `names` holds every entity of the chain."""
        ...


@runtime_checkable
class RoundVerbalizer(Protocol):
    """Puts chains into words, many at a time, and again where it is told what was wrong."""

    name: str
    model: str | None
    """Name of the language model, none for templates."""
    attempts: int
    """How often a chain is put into words at most."""

    @property
    def version(self) -> str:
        """Version of the prompt or of the phrases."""
        ...

    def verbalize_all(self, drafts: Sequence[Draft]) -> list[Wording | NoWording]:
        """The drafts in words, in their order."""
        ...


class OneByOne:
    """A verbalizer of single chains, which says the same every time, as one for rounds."""

    model: str | None = None
    attempts = 1

    def __init__(self, verbalizer: Verbalizer) -> None:
        self._verbalizer = verbalizer
        self.name = verbalizer.name

    @property
    def version(self) -> str:
        """Version of the phrases."""
        return self._verbalizer.version

    def verbalize_all(self, drafts: Sequence[Draft]) -> list[Wording | NoWording]:
        """The drafts in words, in their order."""
        return [self._verbalizer.verbalize(draft.chain, draft.names) for draft in drafts]


def in_rounds(verbalizer: Verbalizer | RoundVerbalizer) -> RoundVerbalizer:
    """The verbalizer for rounds, whichever kind it is of."""
    return verbalizer if isinstance(verbalizer, RoundVerbalizer) else OneByOne(verbalizer)
