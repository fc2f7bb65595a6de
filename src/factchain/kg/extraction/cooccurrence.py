"""Entities that a passage names, by label or alias.

Names are matched at word boundaries, the longest first, in the title and the text, with their
case. A name that several entities bear is read as the page's own entity if that bears it; else
as the only one of them that is joined by a fact to the page's entity; else it is left out and
counted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from ahocorasick_rs import AhoCorasick, MatchKind

from factchain.kg import queries
from factchain.kg.records import TextPassage, number
from factchain.kg.store import Store

SHORTEST_NAME = 3


class Cooccurrence:
    """The co-occurrence extractor over the names of a store's entities."""

    name = "cooccurrence"

    def __init__(self, store: Store) -> None:
        bearers: dict[str, set[int]] = defaultdict(set)
        for entity, label, aliases in store.rows(queries.NAMES):
            for name in (label, *aliases):
                if len(name) >= SHORTEST_NAME:
                    bearers[name].add(entity)
        self._bearers = dict(bearers)
        self._names = sorted(bearers)
        self._automaton = AhoCorasick(self._names, matchkind=MatchKind.Standard)
        self._neighbours: dict[int, set[int]] = defaultdict(set)
        for s, o in store.rows("SELECT s, o FROM current_edge"):
            self._neighbours[s].add(o)
            self._neighbours[o].add(s)
        self.ambiguous: Counter[str] = Counter()
        """Names that were left out because several entities bear them."""

    def mentions(self, passages: Iterable[TextPassage]) -> Iterator[tuple[str, int]]:
        """Yield (passage id, entity) for every entity that a passage mentions, once each."""
        for passage in passages:
            page = number(passage.entity) if passage.entity else None
            found = {page} if page is not None else set()
            for name in self._matched_names(f"{passage.title}\n{passage.text}"):
                entity = self._resolve(name, page)
                if entity is None:
                    self.ambiguous[name] += 1
                else:
                    found.add(entity)
            for entity in sorted(found):
                yield passage.id, entity

    def _matched_names(self, text: str) -> set[str]:
        """Names at word boundaries; of overlapping ones the longest, then the leftmost."""
        spans = [
            (end - start, -start, pattern)
            for pattern, start, end in self._automaton.find_matches_as_indexes(
                text, overlapping=True
            )
            if not (start > 0 and _joins(text[start - 1], text[start]))
            and not (end < len(text) and _joins(text[end - 1], text[end]))
        ]
        names, taken = set(), [False] * len(text)
        for length, minus_start, pattern in sorted(spans, reverse=True):
            start = -minus_start
            if not any(taken[start : start + length]):
                taken[start : start + length] = [True] * length
                names.add(self._names[pattern])
        return names

    def _resolve(self, name: str, page: int | None) -> int | None:
        bearers = self._bearers[name]
        if page in bearers:
            return page
        if len(bearers) > 1 and page is not None:
            bearers = bearers & self._neighbours[page]
        return next(iter(bearers)) if len(bearers) == 1 else None


def _joins(left: str, right: str) -> bool:
    """Whether two characters belong to one word."""
    return (left.isalnum() or left == "_") and (right.isalnum() or right == "_")
