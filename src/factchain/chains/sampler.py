"""Draw fact chains, evenly over strata.

A stratum is a number of hops with a label pattern. All valid chains are enumerated depth first:
a prefix that revisits an entity, or that a shortcut joins, is cut with everything below it. Each
chain gets a key, a keyed hash of its facts, and a stratum keeps the chains of smallest key: every
chain is equally likely, whatever the order of enumeration. Then strata take chains in turn,
longest first, within the caps.
"""

from __future__ import annotations

import hashlib
import heapq
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from factchain.chains.graph_index import LABELS, GraphIndex
from factchain.chains.records import Axis
from factchain.chains.selection import Candidate, Caps, Stratum, select
from factchain.errors import StoreError

POOL = 200
"""Candidates that a stratum keeps for each chain that it is to have."""


@dataclass(frozen=True)
class SampleSettings:
    """What to draw."""

    axis: Axis
    hops: tuple[int, ...]
    per_stratum: int
    seed: int
    caps: Caps = field(default_factory=Caps)
    exclude_properties: frozenset[int] = frozenset()


@dataclass
class Sample:
    """The drawn chains as edges of the index, and how it went."""

    chains: list[tuple[int, ...]]
    """Positions in the index, one a hop; longest first."""
    available: dict[Stratum, int]
    """Valid chains of each stratum."""
    taken: dict[Stratum, int]
    """Chains drawn from each stratum."""
    rejected: dict[str, int]
    """Chains and extensions that were left out, by reason."""


def sample(graph: GraphIndex, settings: SampleSettings) -> Sample:
    """Draw chains. Raises StoreError where the store has no labels on the axis."""
    codes = graph.codes[settings.axis]
    if settings.axis != "none" and not (codes >= 0).any():
        needs = {
            "popularity": "a text corpus (`passages` in the config), and bounds that suit it",
            "recency": "two snapshots in the config",
        }[settings.axis]
        raise StoreError(f"no fact has a label on the axis {settings.axis}: it needs {needs}")
    rejected: Counter[str] = Counter()
    pools: dict[Stratum, list[tuple[int, tuple[int, ...]]]] = defaultdict(list)
    available: Counter[Stratum] = Counter()
    for edges in enumerate_chains(graph, settings, rejected):
        if len(edges) not in settings.hops:
            continue
        stratum = stratum_of(graph, settings.axis, edges)
        available[stratum] += 1
        # heapq keeps the smallest first; negated keys make the largest the one to drop.
        entry = (-chain_key(settings.seed, graph, edges), edges)
        pool = pools[stratum]
        if len(pool) < POOL * settings.per_stratum:
            heapq.heappush(pool, entry)
        else:
            heapq.heappushpop(pool, entry)
    candidates = {
        stratum: [
            Candidate(
                edges=edges,
                facts=tuple(graph.fact[list(edges)].tolist()),
                properties=tuple(graph.p[list(edges)].tolist()),
                topic=int(graph.s[edges[0]]),
                answer=int(graph.o[edges[-1]]),
            )
            for _, edges in sorted(pool, reverse=True)
        ]
        for stratum, pool in pools.items()
    }
    chosen = select(candidates, settings.per_stratum, settings.caps, rejected)
    return Sample(
        chains=[candidate.edges for stratum in chosen for candidate in chosen[stratum]],
        available=dict(sorted(available.items())),
        taken={stratum: len(chosen.get(stratum, [])) for stratum in sorted(available)},
        rejected=dict(sorted(rejected.items())),
    )


def enumerate_chains(
    graph: GraphIndex, settings: SampleSettings, rejected: Counter[str]
) -> Iterator[tuple[int, ...]]:
    """Every valid chain of 1 to max(hops) hops, as positions of its edges in the index.

    Valid: each hop's fact is labelled on the axis and is the only one of its subject and
    property; entities have labels and are pairwise distinct; no fact of any snapshot joins two
    entities that the chain holds apart.
    """
    out: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for position in np.flatnonzero(_usable_edges(graph, settings, rejected)).tolist():
        out[int(graph.s[position])].append((position, int(graph.o[position])))
    joined = set(graph.joined.tolist())
    longest = max(settings.hops)

    def extend(edges: tuple[int, ...], nodes: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        for edge, o in out.get(nodes[-1], ()):
            if o in nodes:
                rejected["acyclicity"] += 1
            elif any((min(n, o) << 32) | max(n, o) in joined for n in nodes[:-1]):
                rejected["no shortcut"] += 1
            else:
                longer = (*edges, edge)
                yield longer
                if len(longer) < longest:
                    yield from extend(longer, (*nodes, o))

    for topic in sorted(out):
        yield from extend((), (topic,))


def _usable_edges(
    graph: GraphIndex, settings: SampleSettings, rejected: Counter[str]
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which edges a chain may use; counts the others by the first reason against them."""
    labelled = np.array(sorted(graph.entity_labels), np.int64)
    usable = np.ones(len(graph.s), np.bool_)
    reasons = {
        "fact without label on the axis": graph.codes[settings.axis] >= 0,
        "excluded property": ~np.isin(graph.p, sorted(settings.exclude_properties)),
        "several answers": graph.single_valued(),
        "entity without label": np.isin(graph.s, labelled) & np.isin(graph.o, labelled),
    }
    for reason, holds in reasons.items():
        rejected[reason] += int((usable & ~holds).sum())
        usable &= holds
    return usable


def stratum_of(graph: GraphIndex, axis: Axis, edges: tuple[int, ...]) -> Stratum:
    """Number of hops and label pattern of a chain."""
    names = LABELS[axis]
    pattern = tuple(names[graph.codes[axis][edge]] for edge in edges) if names else ()
    return len(edges), pattern


def chain_key(seed: int, graph: GraphIndex, edges: tuple[int, ...]) -> int:
    """A 64-bit key of the chain's facts, uniform over seeds."""
    content = ",".join(str(v) for e in edges for v in (graph.s[e], graph.p[e], graph.o[e]))
    digest = hashlib.blake2b(content.encode(), digest_size=8, key=str(seed).encode())
    return int.from_bytes(digest.digest())
