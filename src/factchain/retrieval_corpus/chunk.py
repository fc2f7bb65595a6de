"""What is said of an entity -> passages of bounded length, cut between facts.

Passages have stable ids: `Q42`, `Q42@2021-06-21` for a dated version, `Q42#2` for the second
chunk.
"""

from __future__ import annotations

from collections.abc import Iterator

from factchain.errors import InputError
from factchain.retrieval_corpus.linearize import EntityVersion, StatedFact
from factchain.retrieval_corpus.records import Passage, PassageMetadata

MAX_TOKENS = 512
"""Size of a chunk in MINTQA (SPEC.md 4.5)."""


def count_tokens(text: str) -> int:
    """How many words `text` has."""
    return len(text.split())


def chunk(version: EntityVersion, max_tokens: int = MAX_TOKENS) -> Iterator[Passage]:
    """Yield the passages of `version`: as few as hold its facts in their order.

    Title and text of a passage have at most `max_tokens` words together. Raises InputError
    for a fact that is longer than that.
    """
    opening = "" if version.snapshot is None else f"As of {version.snapshot}:"
    room = max_tokens - count_tokens(version.title) - count_tokens(opening)
    name = version.entity if version.snapshot is None else f"{version.entity}@{version.snapshot}"
    for number, facts in enumerate(_fill(version.facts, room), start=1):
        lines = [fact.line for fact in facts]
        yield Passage(
            id=name if number == 1 else f"{name}#{number}",
            title=version.title,
            text="\n".join([opening, *lines] if opening else lines),
            metadata=PassageMetadata(
                entity=version.entity,
                snapshot=version.snapshot,
                facts=tuple(fact.triple for fact in facts),
            ),
        )


def _fill(facts: list[StatedFact], room: int) -> Iterator[list[StatedFact]]:
    """Cut `facts` into runs of at most `room` words."""
    run: list[StatedFact] = []
    used = 0
    for fact in facts:
        size = count_tokens(fact.line)
        if size > room:
            s, p, _ = fact.triple
            raise InputError(
                f"{s} {p}: the fact has {size} words where a chunk has room for {room}: "
                f"allow longer chunks or leave the fact out ({fact.line[:80]!r})"
            )
        if used + size > room:
            yield run
            run, used = [], 0
        run.append(fact)
        used += size
    if run:
        yield run
