"""Strata, and the pools of candidates that the enumerations fill and the selection draws from."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from factchain.chains.drafts import Draft, DraftHop
from factchain.chains.sampling.candidates import Candidates

Content = Literal["entities", "mathematics", "comparison", "temporal", "inference"]
"""What the hops of a chain do: only look up and intersect entities; count, reckon or meet a
literal; compare (and do not reckon). Chains of one hop between topic entities bear their type:
comparison, temporal, inference."""

POOL = 200
"""Candidates that a stratum keeps for each chain that it is to have."""


class Stratum(NamedTuple):
    """What quotas are set for; strata of one length are filled in turn."""

    topology: str
    hops: int
    pattern: tuple[str, ...]
    """Labels of the hops that have one."""
    content: Content = "entities"


def content_of(draft: Draft) -> Content:
    """What the hops of a chain do."""
    kinds = {hop.kind for hop in draft.hops}
    literal_condition = any(
        fact.value is not None
        for hop in draft.hops
        if hop.kind == "intersect"
        for fact in hop.facts
    )
    if literal_condition or kinds & {"count", "arithmetic"}:
        return "mathematics"
    return "comparison" if "compare" in kinds else "entities"


def stratum_of(draft: Draft) -> Stratum:
    """The stratum of a chain."""
    return Stratum(draft.topology, len(draft.hops), draft.pattern, content_of(draft))


Identity = tuple[Hashable, ...]


def identity(draft: Draft) -> Identity:
    """What tells a chain from others: what is done in each hop, with which facts."""
    return (draft.topology, *map(hop_identity, draft.hops))


def hop_identity(hop: DraftHop) -> Hashable:
    """What tells a hop from others, as in `uniqueness`: its kind, facts and operation."""
    facts = frozenset(fact.fact for fact in hop.facts)
    if hop.operation is None:
        return hop.kind, facts
    operands = tuple(operand.value.key for operand in hop.operation.operands)
    return hop.kind, facts, hop.operation.operator, operands


@dataclass
class Pools:
    """Per stratum the candidates of smallest key, and how many valid chains there are.

    A key is a keyed 64-bit hash of a chain's facts: each chain of a stratum is equally likely to
    be among the candidates, and to come early among them, whatever the order of enumeration.
    """

    limit: int
    """Most candidates of a stratum."""
    available: Counter[Stratum] = field(default_factory=Counter)
    """Valid chains of each stratum."""
    estimated: set[Stratum] = field(default_factory=set)
    """Strata whose number of valid chains is an estimate."""
    found: dict[Stratum, Candidates] = field(default_factory=dict)
    """Candidates that a search found; a stratum has these or a heap."""
    heaps: dict[Stratum, list[tuple[int, Draft]]] = field(default_factory=lambda: defaultdict(list))
    """Negated keys, so that the largest key is the first to go."""

    def offer(self, key: int, draft: Draft, stratum: Stratum | None = None) -> None:
        """Keep a candidate if its key is among the smallest; `available` is counted apart."""
        heap = self.heaps[stratum or stratum_of(draft)]
        if len(heap) < self.limit:
            heapq.heappush(heap, (-key, draft))
        elif -key > heap[0][0]:
            heapq.heapreplace(heap, (-key, draft))

    def candidates(self, stratum: Stratum) -> list[tuple[int, Draft]]:
        """The candidates of a stratum with their keys, smallest key first."""
        if found := self.found.get(stratum):
            return list(zip(found.keys.tolist(), found.drafts(), strict=True))
        ordered = sorted(self.heaps.get(stratum, ()), key=lambda entry: -entry[0])
        return [(-key, draft) for key, draft in ordered]

    def answers(self) -> set[int]:
        """Q-numbers of the answers of all candidates' hops."""
        drafts = [draft for heap in self.heaps.values() for _, draft in heap]
        answers = {hop.answer for draft in drafts for hop in draft.hops}
        numbers = {answer for answer in answers if isinstance(answer, int)}
        return numbers.union(*(found.answers() for found in self.found.values()))
