"""What a verbalizer does: a fact chain in, a question and its sub-questions out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

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


class Verbalizer(Protocol):
    """Puts chains into words."""

    name: str

    @property
    def version(self) -> str:
        """Version of the prompt or of the phrases."""
        ...

    def verbalize(self, chain: FactChain, names: Mapping[str, EntityName]) -> Wording:
        """The chain in words; `names` holds every entity of the chain."""
        ...
