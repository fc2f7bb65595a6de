"""Find the candidates of every stratum: the chains of entities alone, of all topologies.

A stratum is a topology, a number of hops and a label pattern. Every valid chain of a stratum is
equally likely to be among its candidates: all are found, or each with the same probability, and
those with the smallest keys are kept, keyed hashes of their facts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from operator import truediv

import numpy as np
import numpy.typing as npt

from factchain.chains.graph.graph_index import LABELS, GraphIndex
from factchain.chains.sampling.candidates import Candidates
from factchain.chains.sampling.enumeration import REASONS
from factchain.chains.sampling.exploration import Found, Keys, Search, explore, plan
from factchain.chains.sampling.pools import POOL, Pools, Stratum
from factchain.chains.sampling.programme import Programme, programmes
from factchain.chains.sampling.search_lists import cut_lists, usable_edges
from factchain.chains.settings import SampleSettings
from factchain.chains.topologies import Topologies
from factchain.errors import ConfigError, StoreError

MOST_CANDIDATES = 1_000_000
"""Of all strata of one programme together; bounds the memory of long chains' many strata."""
RARER = {"popularity": 0, "recency": 1, "none": 0}
"""Label code of a hop whose facts have different labels: the rarer one."""


def enumerate_drafts(graph: GraphIndex, settings: SampleSettings, rejected: Counter[str]) -> Pools:
    """The candidates of every stratum that the settings name, and how many chains there are.

    Adds to `rejected` which edges are of no use, and which prefixes were cut, by reason; where
    only a share of the graph was searched, what was met there. Raises StoreError where the store
    has no labels on the axis, and ConfigError where no topology has one of the numbers of hops.
    """
    codes = graph.codes(settings.axis)
    if not (codes >= 0).any():
        needs = {
            "popularity": "a text corpus (`passages` in the config), and bounds that suit it",
            "recency": "two snapshots in the config",
        }[settings.axis]
        raise StoreError(f"no fact has a label on the axis {settings.axis}: it needs {needs}")
    groups = list(_searches(settings))
    usable, codes = usable_edges(graph, settings, rejected)
    kinds = sorted({kind for group in groups for one in group for kind in one.steps[:, 0].tolist()})
    lists = cut_lists(graph, usable, codes, kinds, single=settings.answers == "single")
    pools = Pools(limit=POOL * settings.per_stratum)
    for group in groups:
        parts = []
        for programme in group:
            search = plan(
                graph,
                lists,
                programme,
                seed=settings.seed,
                rarer=RARER[settings.axis],
                capacity=max(1, min(pools.limit, MOST_CANDIDATES // programme.strata)),
                work=settings.work,
            )
            found = explore(graph, lists, search, workers=settings.workers, engine=settings.engine)
            rejected.update(dict(zip(REASONS, found.rejected.tolist(), strict=True)))
            parts.append((search, found))
        _pour(graph, settings, parts, pools)
    return pools


def _searches(settings: SampleSettings) -> Iterable[list[Programme]]:
    """Per topology and number of hops the programmes that find its chains; one for all lengths
    of `chain`, one for each choice of forms of the others."""
    topologies = Topologies(settings.user_topologies)
    paper = settings.no_shortcut == "paper"
    found = False
    for name in settings.topologies:
        lengths = sorted(set(settings.hops) & set(topologies.hops(name)))
        for hops in lengths[-1:] if name == "chain" else lengths:
            found = True
            shorter = lengths[:-1] if name == "chain" else []
            template = topologies.template(name, hops)
            yield list(programmes(template, name, settings.axis, shorter, paper=paper))
    if not found:
        raise ConfigError(
            f"topologies {', '.join(settings.topologies)}: none has "
            f"{' or '.join(map(str, settings.hops))} hops"
        )


def _pour(
    graph: GraphIndex,
    settings: SampleSettings,
    parts: list[tuple[Search, Found]],
    pools: Pools,
) -> None:
    """Put what the programmes of one template found into the pools.

    A chain that was found with probability q bears a key that is uniform below 1: times q it is
    as if every chain had been found, as far as the smallest q. Above that, keys of the programme
    with the smaller q would be missing, so that none is used.
    """
    labels = LABELS[settings.axis]
    name = parts[0][0].programme.name
    for length, (step, first) in parts[0][0].programme.ends.items():
        reach = [search.probability(step) for search, _ in parts]
        for bits in range(max(1, len(labels)) ** length):
            pattern = tuple(labels[bits >> hop & 1] for hop in range(length)) if labels else ()
            stratum = Stratum(name, length, pattern)
            available = [int(found.available[first + bits]) for _, found in parts]
            if not any(available):
                continue
            pools.available[stratum] = round(sum(map(truediv, available, reach)))
            if min(reach) < 1:
                pools.estimated.add(stratum)
            chains = [
                _comparable(*found.chains(first + bits), q, min(reach))
                for (_, found), q in zip(parts, reach, strict=True)
            ]
            keys = np.concatenate([keys for keys, _ in chains])
            order = np.argsort(keys, kind="stable")[: pools.limit]
            found_by = np.repeat(np.arange(len(parts)), [len(keys) for keys, _ in chains])
            pools.found[stratum] = Candidates(
                graph=graph,
                programmes=tuple(search.programme for search, _ in parts),
                pattern=pattern,
                length=length,
                keys=keys[order],
                edges=np.concatenate([edges for _, edges in chains])[order],
                found_by=found_by[order].astype(np.uint8),
            )


def _comparable(
    keys: Keys, edges: npt.NDArray[np.uint32], q: float, least: float
) -> tuple[Keys, npt.NDArray[np.uint32]]:
    """Chains that were found with probability q as if all had been found, as far as is known of
    those found with the `least`."""
    if least < 1:
        keys = (keys * q).astype(np.uint64)
        keys = keys[: np.searchsorted(keys, np.uint64(least * 2.0**63) * 2)]
    return keys, edges[: len(keys)]
