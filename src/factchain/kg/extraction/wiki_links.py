"""What the wiki links of passages mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from factchain.kg.extraction.lexicon import UNKNOWN, Lexicon
from factchain.kg.records import PassageView


@dataclass(slots=True)
class LinkReading:
    """The links of some passages; positions are in the passages' joined text."""

    spans: list[tuple[int, int]] = field(default_factory=list)
    """Where links stand, in order and apart."""
    mentions: list[tuple[int, int]] = field(default_factory=list)
    """(passage, entity) of the links that mean one."""
    meanings: dict[tuple[int, int], int] = field(default_factory=dict)
    """Of (passage, name): the entity that the first link with that text means, or UNKNOWN."""


def read_links(
    passages: Sequence[PassageView], text_begins: Sequence[int], lexicon: Lexicon
) -> LinkReading:
    """Read the links of the passages, whose texts begin at `text_begins`.

    Of links that overlap the first counts.
    """
    reading = LinkReading()
    for position, (passage, begin) in enumerate(zip(passages, text_begins, strict=True)):
        if not passage.links:
            continue
        done = 0
        for link in sorted(passage.links, key=lambda link: (link.start, link.end)):
            if link.start < done:
                continue
            done = link.end
            entity = _meaning(link.title, lexicon)
            reading.spans.append((begin + link.start, begin + link.end))
            if entity != UNKNOWN:
                reading.mentions.append((position, entity))
            name = lexicon.number_of_name.get(passage.text[link.start : link.end])
            if name is not None:
                reading.meanings.setdefault((position, name), entity)
    return reading


def _meaning(title: str, lexicon: Lexicon) -> int:
    """The entity with the page of this title, else the one bearer of the title as a name."""
    entity = lexicon.page_entity.get(title)
    if entity is not None:
        return entity
    name = lexicon.number_of_name.get(title)
    if name is not None and lexicon.first[name + 1] - lexicon.first[name] == 1:
        return int(lexicon.bearer[lexicon.first[name]])
    return UNKNOWN
