"""Choose chains among candidates: strata in turn, longest first, within the caps."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

Stratum = tuple[int, tuple[str, ...]]
"""Number of hops, label pattern."""


@dataclass(frozen=True, slots=True)
class Caps:
    """How often one thing may recur in the chains of one axis."""

    property_share: float = 0.25
    """Of a stratum's hops, the share that one property may take."""
    per_answer: int = 5
    """Chains with the same answer."""
    per_topic: int = 3
    """Chains that start at the same topic entity."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A valid chain."""

    edges: tuple[int, ...]
    """Positions in the graph index."""
    facts: tuple[int, ...]
    properties: tuple[int, ...]
    topic: int
    answer: int


def select(
    candidates: Mapping[Stratum, Sequence[Candidate]],
    per_stratum: int,
    caps: Caps,
    rejected: Counter[str],
) -> dict[Stratum, list[Candidate]]:
    """Take up to `per_stratum` candidates of each stratum, in their order.

    Strata of the same length take one chain each in turn, so that scarce entities are shared
    evenly. No chosen chain is a contiguous sub-chain of another, nor asks for the same property
    twice in a row ("the region of the region of ..."). Adds to `rejected` how many candidates
    were passed over, by reason.
    """
    chosen: dict[Stratum, list[Candidate]] = {}
    rules = _Rules(per_stratum, caps)
    for hops in sorted({hops for hops, _ in candidates}, reverse=True):
        strata = sorted(stratum for stratum in candidates if stratum[0] == hops)
        queues = {stratum: iter(candidates[stratum]) for stratum in strata}
        for stratum in strata:
            chosen[stratum] = []
        while queues:
            for stratum in list(queues):
                for candidate in queues[stratum]:
                    reason = rules.against(stratum, candidate)
                    if reason is None:
                        rules.take(stratum, candidate)
                        chosen[stratum].append(candidate)
                        break
                    rejected[reason] += 1
                else:
                    del queues[stratum]
                if len(chosen[stratum]) == per_stratum:
                    queues.pop(stratum, None)
    return chosen


class _Rules:
    """What the chains chosen so far forbid."""

    def __init__(self, per_stratum: int, caps: Caps) -> None:
        self.per_stratum = per_stratum
        self.caps = caps
        self.topics: Counter[int] = Counter()
        self.answers: Counter[int] = Counter()
        self.properties: Counter[tuple[Stratum, int]] = Counter()
        self.covered: set[tuple[int, ...]] = set()

    def against(self, stratum: Stratum, candidate: Candidate) -> str | None:
        """Why the candidate may not be taken, or None."""
        hops = stratum[0]
        most = math.ceil(self.caps.property_share * self.per_stratum * hops)
        if any(a == b for a, b in pairwise(candidate.properties)):
            return "one property twice in a row"
        if candidate.facts in self.covered:
            return "sub-chain of another"
        if self.topics[candidate.topic] >= self.caps.per_topic:
            return "cap on topics"
        if self.answers[candidate.answer] >= self.caps.per_answer:
            return "cap on answers"
        counts = Counter(candidate.properties)
        if any(self.properties[stratum, p] + n > most for p, n in counts.items()):
            return "cap on properties"
        return None

    def take(self, stratum: Stratum, candidate: Candidate) -> None:
        """Count a chosen chain."""
        self.topics[candidate.topic] += 1
        self.answers[candidate.answer] += 1
        for p in candidate.properties:
            self.properties[stratum, p] += 1
        facts = candidate.facts
        self.covered.update(
            facts[begin:end]
            for begin in range(len(facts))
            for end in range(begin + 1, len(facts) + 1)
        )
