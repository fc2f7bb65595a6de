"""Draw the chains of one axis: entity chains by stratum, then shares of mathematics and comparison.

First the strata of entity chains are filled, longest first. Then, for every number of hops from
three, chains with mathematics and with comparison are drawn so that they make up the shares that
are asked for; their strata take turns, so that the share is spread over topologies and labels.
Last come the strata of the types that are drawn between topic entities.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from factchain.chains.domains import domains_of
from factchain.chains.drafts import Draft
from factchain.chains.graph.graph_index import GraphIndex
from factchain.chains.kinds.candidates import direct_strata, direct_types, find_direct
from factchain.chains.mathematics.compose import enumerate_mathematics
from factchain.chains.mathematics.joins import Table
from factchain.chains.mathematics.patterns import patterns
from factchain.chains.sampling.pools import Content, Identity, Pools, Stratum
from factchain.chains.sampling.sampler import enumerate_drafts
from factchain.chains.sampling.search_lists import usable_edges
from factchain.chains.sampling.selection import Selection, shared
from factchain.chains.settings import LEAST_MATHEMATICS_HOPS, SampleSettings

LEAST_EACH = 20
"""Fewest candidates of every kind of mathematics, so that caps leave a choice."""


@dataclass
class Sample:
    """The drawn chains, and how it went."""

    drafts: list[Draft]
    """Longest first."""
    strata: list[StratumCount]
    rejected: dict[str, int]
    """Facts, prefixes and candidates that were left out, by reason."""
    shares: dict[str, float]
    """See `build.ChainSummary`."""


@dataclass(frozen=True)
class StratumCount:
    """How one stratum was filled."""

    stratum: Stratum
    available: int
    """Valid chains."""
    estimated: bool
    """Whether that is an estimate."""
    wanted: int
    taken: int
    binding: dict[str, int] = field(default_factory=dict)
    """If fewer were taken: how many candidates each reason kept out."""


class Draw:
    """One draw: candidates are found once, and chosen as often as some turn out to be unfit."""

    def __init__(self, graph: GraphIndex, settings: SampleSettings) -> None:
        """Find the candidates. Raises StoreError where the store has no labels on the axis, and
        ConfigError where no topology has one of the numbers of hops."""
        self.graph = graph
        self.settings = settings
        self.rejected: Counter[str] = Counter()
        self.pools = Pools(limit=0)
        if "chain" in settings.types:
            self.pools = enumerate_drafts(graph, settings, self.rejected)
        self.mathematics = Pools(limit=self.pools.limit)
        if "chain" in settings.types and (settings.mathematics or settings.comparison):
            self.mathematics = enumerate_mathematics(
                graph, settings, lookup_table(graph, settings), self._each(), self.rejected
            )
        self.direct = Pools(limit=0)
        if direct_types(settings):
            self.direct = find_direct(graph, settings, self.rejected)
        self.domains = self._domains() if settings.cross_domain else {}

    def _each(self) -> int:
        """Candidates of every pattern with every combination of labels, of which a pattern has
        about ten: several times as many as will be needed."""
        settings = self.settings
        lengths = [hops for hops in settings.hops if hops >= LEAST_MATHEMATICS_HOPS]
        kinds = sum(len(patterns(t, hops)) for t in settings.topologies for hops in lengths)
        entities = sum(1 for s in self.pools.available if s.hops in lengths)
        share = settings.mathematics + settings.comparison
        most = settings.per_stratum * entities * share / max(1 - share, 0.1)
        return max(LEAST_EACH, math.ceil(2 * most / max(kinds, 1)))

    def _domains(self) -> dict[int, str]:
        answers = self.pools.answers() | self.mathematics.answers() | self.direct.answers()
        return domains_of(self.graph.store, answers)

    def choose(self, banned: frozenset[Identity] = frozenset()) -> Sample:
        """Choose among the candidates, but for those that are banned."""
        selection = Selection(self.settings, self.domains, banned)
        wanted: dict[Stratum, int] = {}
        for hops in sorted(self.settings.hops, reverse=True):
            strata = [s for s in self.pools.available if s.hops == hops]
            quota = self.settings.per_stratum if self._has_entities(hops) else 0
            wanted |= dict.fromkeys(strata, quota)
            selection.fill(self.pools, strata, quota)
        for hops in sorted(self.settings.hops, reverse=True):
            if hops >= LEAST_MATHEMATICS_HOPS:
                wanted |= self._add_shares(selection, hops)
        direct = direct_strata(self.settings, self.direct)
        wanted |= dict.fromkeys(direct, self.settings.per_stratum)
        selection.fill(self.direct, direct, self.settings.per_stratum)
        return self._sample(selection, wanted)

    def _has_entities(self, hops: int) -> bool:
        shares = self.settings.mathematics + self.settings.comparison
        return hops < LEAST_MATHEMATICS_HOPS or shares < 1

    def _add_shares(self, selection: Selection, hops: int) -> dict[Stratum, int]:
        """Draw the shares of mathematics and comparison of one number of hops."""
        settings = self.settings
        rest = 1 - settings.mathematics - settings.comparison
        entities = [s for s in self.pools.available if s.hops == hops]
        wanted: dict[Stratum, int] = {}
        shares: dict[Content, float] = {
            "mathematics": settings.mathematics,
            "comparison": settings.comparison,
        }
        for content, share in shares.items():
            if rest > 0:
                total = round(selection.count(hops, "entities") * share / rest)
            else:
                total = round(settings.per_stratum * max(len(entities), 1) * share)
            strata = [
                s for s in self.mathematics.available if s.hops == hops and s.content == content
            ]
            selection.fill(self.mathematics, strata, total, together=True)
            taken = {stratum: len(selection.drafts[stratum]) for stratum in strata}
            # The strata share one quota: where it is reached, none of them is short.
            wanted |= taken if sum(taken.values()) == total else shared(strata, total)
        return wanted

    def _sample(self, selection: Selection, wanted: dict[Stratum, int]) -> Sample:
        rejected = self.rejected.copy()
        counts = []
        for stratum in sorted(wanted, key=lambda s: (s.topology, s.hops, s.content, s.pattern)):
            pools = self._pools_of(stratum)
            taken = len(selection.drafts.get(stratum, ()))
            passed_over = selection.passed_over.get(stratum, Counter())
            rejected.update(passed_over)
            short = taken < wanted[stratum]
            counts.append(
                StratumCount(
                    stratum,
                    max(pools.available[stratum], taken),
                    stratum in pools.estimated,
                    wanted[stratum],
                    taken,
                    dict(sorted(passed_over.items())) if short else {},
                )
            )
        drafts = [draft for stratum in selection.drafts for draft in selection.drafts[stratum]]
        drafts.sort(key=lambda draft: -len(draft.hops))
        return Sample(drafts, counts, dict(sorted((+rejected).items())), self._shares(selection))

    def _pools_of(self, stratum: Stratum) -> Pools:
        if stratum.content == "entities":
            return self.pools
        return self.mathematics if stratum.hops >= LEAST_MATHEMATICS_HOPS else self.direct

    def _shares(self, selection: Selection) -> dict[str, float]:
        """Which shares of the longer chains do what was asked for."""
        long = [
            (stratum, draft)
            for stratum, drafts in selection.drafts.items()
            for draft in drafts
            if stratum.hops >= LEAST_MATHEMATICS_HOPS
        ]
        shares: dict[str, float] = {}
        for content in ("mathematics", "comparison"):
            own = sum(1 for stratum, _ in long if stratum.content == content)
            shares[content] = round(own / len(long), 4) if long else 0.0
        if self.settings.cross_domain:
            several = [d for s, drafts in selection.drafts.items() if s.hops > 1 for d in drafts]
            crossing = sum(1 for draft in several if not selection.is_within(draft))
            shares["cross_domain"] = round(crossing / len(several), 4) if several else 0.0
        return shares


def lookup_table(graph: GraphIndex, settings: SampleSettings) -> Table:
    """The facts that lookups may use, with one answer each."""
    arrays = graph.arrays
    usable, codes = usable_edges(graph, settings, Counter())
    edges = np.flatnonzero(usable & graph.single_valued())
    columns: dict[str, npt.NDArray[np.integer]] = {
        "fact": arrays.facts[edges],
        "s": arrays.ids[graph.subjects_of(edges)],
        "p": arrays.property_ids[arrays.properties[edges]],
        "o": arrays.ids[arrays.objects[edges]],
        "code": codes[edges],
    }
    return Table({name: values.astype(np.int64) for name, values in columns.items()})
