"""Entities that a passage names, by label or alias, or by a link to their page.

Names are matched with their case as whole words, the longest first, in the title and the text. A
wiki link outranks every name that its text overlaps: it means the entity of the page that it
leads to, or, where no page of the graph has that title (a redirect), the one bearer of the title
as a name; what leads elsewhere means no entity of the graph.

A name that several entities bear is read, in this order, as
1. what a link of the passage with the same text means,
2. the page's own entity,
3. a neighbour of that entity, joined to it by a fact of the graph,
4. the most popular bearer, where it dominates: its degree (the number of facts between entities
   that it takes part in) is at least `dominance` times that of the next;
several neighbours are told apart by the fourth rule. What remains is left out and counted. Degree
stands for popularity, since it depends on the graph alone: counts of an earlier text would make
the outcome depend on the order of runs.

A passage names its page's entity once at least. Where the passage does not say what its page is
about, the page's title does, if an entity of the graph has that Wikipedia title.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from ahocorasick_rs import AhoCorasick, Implementation, MatchKind

from factchain.garbage import collector_off
from factchain.kg.dumps.values import LARGEST_NUMBER
from factchain.kg.extraction.lexicon import ID_BITS, UNKNOWN, Ids, Lexicon
from factchain.kg.extraction.protocol import Evidence, Mentions
from factchain.kg.extraction.spans import Positions, clear_of, longest, whole_words
from factchain.kg.extraction.wiki_links import read_links
from factchain.kg.records import PassageView, number
from factchain.kg.store import Store

NAME = "cooccurrence"
GAP = "\0"
"""Between title, text and the next passage: no name holds it."""
SCAN = 200_000
"""Characters that are searched at once: what comes of them stays in the processor's cache."""
DOMINANCE = 10.0
AMBIGUOUS = "ambiguous name"


@dataclass(frozen=True, slots=True)
class CooccurrenceSettings:
    """What makes a co-occurrence extractor."""

    folder: str
    """Where the lexicon is saved."""
    lexicon: str
    """Hash of the lexicon."""
    dominance: float = DOMINANCE
    shard_bytes: int = 4_000_000

    @classmethod
    def of_store(
        cls, store: Store, folder: str, dominance: float = DOMINANCE
    ) -> CooccurrenceSettings:
        """The names of a store's newest snapshot, saved in a folder that workers see."""
        return cls(folder, Lexicon.of(store).save(folder), dominance)

    @property
    def name(self) -> str:
        """The extractor's name in the store."""
        return NAME

    def key(self) -> str:
        """Changes with everything that changes what is found."""
        return f"{NAME} 1 {self.lexicon} {self.dominance}"

    def make(self) -> Cooccurrence:
        """Load the lexicon and make the extractor."""
        return Cooccurrence(Lexicon.load(self.folder, self.lexicon), self.dominance)


class Cooccurrence:
    """The co-occurrence extractor over the names of a graph's entities."""

    def __init__(self, lexicon: Lexicon, dominance: float = DOMINANCE) -> None:
        self._lexicon = lexicon
        self._dominance = dominance
        self._automaton = AhoCorasick(
            lexicon.names,
            matchkind=MatchKind.Standard,
            store_patterns=False,
            implementation=Implementation.ContiguousNFA,
        )

    def extract(self, passages: Sequence[PassageView]) -> Evidence:
        """The entities that each passage mentions, and how often."""
        parts: list[tuple[Ids, Ids]] = []
        ambiguous = 0
        for first, stretch in _stretches(passages):
            passage, entity, unread = self._read(stretch)
            parts.append((passage + first, entity))
            ambiguous += unread
        return Evidence(
            _counted(parts), rejected=Counter({AMBIGUOUS: ambiguous} if ambiguous else {})
        )

    def _read(self, passages: Sequence[PassageView]) -> tuple[Ids, Ids, int]:
        """(passage, entity) for each mention, and how many names could not be told apart."""
        pieces = [f"{one.title}{GAP}{one.text}{GAP}" for one in passages]
        begins = np.cumsum([0, *map(len, pieces)])
        text_begins = [b + len(one.title) + 1 for b, one in zip(begins, passages, strict=False)]
        links = read_links(passages, text_begins, self._lexicon)
        name, start = self._find("".join(pieces), links.spans)
        at = np.searchsorted(begins, start, side="right") - 1
        # A name means the same wherever a passage has it.
        names = max(1, len(self._lexicon.names))
        pair, repeats = np.unique(at * names + name, return_counts=True)
        at, name = np.divmod(pair, names)
        pages = np.array([self._page(one) for one in passages], dtype=np.int64)
        entity = self._resolve(name, pages[at])
        ambiguous = entity == UNKNOWN
        if links.meanings:
            for position, key in enumerate(zip(at.tolist(), name.tolist(), strict=True)):
                if key in links.meanings:
                    entity[position] = links.meanings[key]
                    ambiguous[position] = False
        known = entity != UNKNOWN
        linked = np.array(links.mentions, dtype=np.int64).reshape(-1, 2)
        at = np.concatenate([np.repeat(at[known], repeats[known]), linked[:, 0]])
        entity = np.concatenate([np.repeat(entity[known], repeats[known]), linked[:, 1]])
        unnamed = pages != UNKNOWN
        unnamed[at[entity == pages[at]]] = False
        own = np.flatnonzero(unnamed)
        return (
            np.concatenate([at, own]),
            np.concatenate([entity, pages[own]]),
            int(np.count_nonzero(ambiguous)),
        )

    def _page(self, passage: PassageView) -> int:
        if passage.entity:
            entity = number(passage.entity)
            return entity if entity <= LARGEST_NUMBER else UNKNOWN
        return self._lexicon.page_entity.get(passage.title, UNKNOWN)

    def _find(self, text: str, links: list[tuple[int, int]]) -> tuple[Positions, Positions]:
        """The names in a text, and where they start."""
        with collector_off():  # matches are many small tuples, without cycles
            found = self._automaton.find_matches_as_indexes(text, overlapping=True)
            flat = np.fromiter(chain.from_iterable(found), np.int64, 3 * len(found))
        name, start, end = flat.reshape(-1, 3).T
        kept = np.flatnonzero(whole_words(text, start, end) & clear_of(start, end, links))
        kept = kept[longest(start[kept], end[kept])]
        return name[kept], start[kept]

    def _resolve(self, name: Ids, page: Ids) -> Ids:
        """The entity that each name means on a page about `page`, or UNKNOWN."""
        lexicon = self._lexicon
        first, size = lexicon.first[name], lexicon.first[name + 1] - lexicon.first[name]
        entity = lexicon.bearer[first]
        shared = np.flatnonzero(size > 1)
        # One row for each bearer of a shared name, the best one last.
        row = np.repeat(shared, size[shared])
        last = np.cumsum(size[shared])
        bearing = np.arange(len(row)) - np.repeat(last - size[shared], size[shared]) + first[row]
        bearer, degree = lexicon.bearer[bearing], lexicon.bearer_degree[bearing]
        nearness = np.where(bearer == page[row], 2, lexicon.joined(page[row], bearer))
        order = np.lexsort((degree, nearness, row))
        best, next_best = order[last - 1], order[last - 2]
        told = (nearness[best] > nearness[next_best]) | (
            degree[best] >= self._dominance * np.maximum(degree[next_best], 1)
        )
        entity[shared] = np.where(told, bearer[best], UNKNOWN)
        return entity


def _stretches(
    passages: Sequence[PassageView],
) -> Iterator[tuple[int, Sequence[PassageView]]]:
    """The passages, some at a time, with the position of the first of them."""
    first, characters = 0, 0
    for position, passage in enumerate(passages, start=1):
        characters += len(passage.title) + len(passage.text)
        if characters >= SCAN or position == len(passages):
            yield first, passages[first:position]
            first, characters = position, 0


def _counted(parts: list[tuple[Ids, Ids]]) -> Mentions:
    if not parts:
        return Mentions.none()
    passage, entity = (np.concatenate(column) for column in zip(*parts, strict=True))
    pair, count = np.unique((passage << ID_BITS) | entity, return_counts=True)
    return Mentions(pair >> ID_BITS, pair & ((1 << ID_BITS) - 1), count.astype(np.int64))
