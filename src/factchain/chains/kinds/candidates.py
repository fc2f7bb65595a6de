"""The candidates of the strata of comparisons, orders in time and inferences between topics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from factchain.chains.graph.graph_index import LABELS, GraphIndex
from factchain.chains.kinds.described import Described
from factchain.chains.kinds.pairs import Pairs
from factchain.chains.kinds.types import DIRECT_TYPES, DirectType
from factchain.chains.mathematics.compose import Kept, salt_of
from factchain.chains.sampling.pools import Pools, Stratum
from factchain.chains.settings import SampleSettings

LEAST_EACH = 20
"""Fewest candidates of every kind, so that caps leave a choice."""
TIMES_WANTED = 4
"""Candidates of every kind for each chain that is wanted."""


def direct_types(settings: SampleSettings) -> tuple[DirectType, ...]:
    """The types that are drawn between topic entities."""
    return tuple(one for one in DIRECT_TYPES if one in settings.types)


def direct_strata(settings: SampleSettings, pools: Pools) -> list[Stratum]:
    """The strata that have candidates; of a type that has none, one for each label of the axis.

    Facts with literals may have no label on the axis, and are then a stratum of their own.
    """
    labels = LABELS[settings.axis]
    patterns: list[tuple[str, ...]] = [(label,) for label in labels] if labels else [()]
    strata: list[Stratum] = []
    for one in direct_types(settings):
        found = [stratum for stratum in pools.available if stratum.content == one]
        strata += found or [Stratum("chain", 1, pattern, one) for pattern in patterns]
    return sorted(strata)


def find_direct(graph: GraphIndex, settings: SampleSettings, rejected: Counter[str]) -> Pools:
    """Candidates of every type; adds to `rejected` why pairs and facts were left out.

    In a stratum the ways to ask (which of two, yes, no, two facts, three, four) take turns.
    """
    pools = Pools(limit=2**62)
    types = direct_types(settings)
    each = max(LEAST_EACH, TIMES_WANTED * settings.per_stratum)
    for one, kept in _kinds(graph, settings, types, each, rejected):
        shares: Counter[Stratum] = Counter()
        for place, draft in enumerate(kept.drafts):
            stratum = Stratum("chain", 1, draft.pattern, one)
            salt = salt_of([fact.fact for fact in draft.facts], settings.seed)
            pools.offer((place << 64) | salt, draft, stratum)
            shares[stratum] += 1
        for stratum, count in shares.items():
            pools.available[stratum] += round(kept.available * count / len(kept.drafts))
            if not kept.exact:
                pools.estimated.add(stratum)
    return pools


def _kinds(
    graph: GraphIndex,
    settings: SampleSettings,
    types: tuple[DirectType, ...],
    each: int,
    rejected: Counter[str],
) -> Iterator[tuple[DirectType, Kept]]:
    if "comparison" in types or "temporal" in types:
        yield from Pairs(graph, settings).draw(types, each, rejected)
    if "inference" in types:
        for kept in Described(graph, settings).draw(each, rejected):
            yield "inference", kept
