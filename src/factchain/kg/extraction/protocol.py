"""What an extractor does: passages in, the entities that each of them mentions out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Protocol

from factchain.kg.records import TextPassage


class Extractor(Protocol):
    """Finds the entities of the graph that passages mention."""

    name: str
    ambiguous: Counter[str]
    """Names that were left out because several entities bear them."""

    def mentions(self, passages: Iterable[TextPassage]) -> Iterator[tuple[str, int]]:
        """Yield (passage id, entity) for every entity that a passage mentions, once each."""
        ...
