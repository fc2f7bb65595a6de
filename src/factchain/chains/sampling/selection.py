"""Choose chains among candidates: strata in turn, longest first, within the caps."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from factchain.chains.drafts import Draft
from factchain.chains.proof.uniqueness import Part, parts
from factchain.chains.sampling.pools import (
    Content,
    Identity,
    Pools,
    Stratum,
    hop_identity,
    identity,
)
from factchain.chains.settings import LEAST_MATHEMATICS_HOPS, SampleSettings

WITHIN = "chains within one domain"
"""Why a chain is passed over whose hops span too few domains."""
VERDICTS = {("boolean", "yes"), ("boolean", "no")}
"""Answers that many chains must share."""


class Selection:
    """The chains of one axis, chosen one by one; what was chosen forbids what is too much.

    No chosen chain is part of another (`uniqueness`), nor asks for the same property twice in
    a row ("the region of the region of ..."); the caps of the settings hold.
    """

    def __init__(
        self,
        settings: SampleSettings,
        domains: Mapping[int, str],
        banned: frozenset[Identity] = frozenset(),
    ) -> None:
        """`domains` are those of entities; chains that are `banned` are not taken."""
        self.settings = settings
        self.drafts: dict[Stratum, list[Draft]] = {}
        """The chosen chains."""
        self.passed_over: dict[Stratum, Counter[str]] = defaultdict(Counter)
        """Per stratum how many candidates were not taken, by reason."""
        self._domains = domains
        self._banned = banned
        self._wanted: dict[Stratum, int] = {}
        self._topics: Counter[int] = Counter()
        self._answers: Counter[object] = Counter()
        self._bridges: Counter[int] = Counter()
        self._sequences: Counter[tuple[Stratum, tuple[int, ...]]] = Counter()
        self._properties: Counter[tuple[Stratum, int]] = Counter()
        self._within: Counter[Stratum] = Counter()
        self._wholes: set[Part] = set()
        self._parts: set[Part] = set()

    def count(self, hops: int, content: Content) -> int:
        """How many chains of a length and content were chosen."""
        return sum(
            len(drafts)
            for stratum, drafts in self.drafts.items()
            if (stratum.hops, stratum.content) == (hops, content)
        )

    def fill(
        self, pools: Pools, strata: Iterable[Stratum], quota: int, *, together: bool = False
    ) -> None:
        """Take candidates of each stratum, or of all strata `together`, up to a quota.

        The strata take one chain each in turn, so that scarce entities are shared evenly.
        """
        queues = {}
        for stratum in sorted(strata):
            self.drafts[stratum] = []
            self._wanted[_group(stratum)] = quota
            queues[stratum] = in_order(pools, stratum, self.settings.even_properties)
        taken = 0
        while queues:
            for stratum in list(queues):
                if (taken if together else len(self.drafts[stratum])) >= quota:
                    del queues[stratum]
                elif self._take_next(stratum, queues[stratum]):
                    taken += 1
                else:
                    del queues[stratum]

    def _take_next(self, stratum: Stratum, queue: Iterator[Draft]) -> bool:
        for draft in queue:
            reason = self._against(stratum, draft)
            if reason is None:
                self._take(stratum, draft)
                return True
            self.passed_over[stratum][reason] += 1
        return False

    def _against(self, stratum: Stratum, draft: Draft) -> str | None:
        """Why the chain may not be taken, or None."""
        caps, group = self.settings.caps, _group(stratum)
        if any(self._topics[topic] >= caps.per_topic for topic in topics_of(draft)):
            return "cap on topics"
        answer = _answer_key(draft)
        if answer not in VERDICTS and self._answers[answer] >= caps.per_answer:
            return "cap on answers"
        if any(self._bridges[e] >= caps.per_bridge_entity for e in bridges_of(draft)):
            return "cap on bridge entities"
        sequence = _sequence(draft)
        if self._sequences[group, sequence] >= caps.per_property_sequence:
            return "cap on property sequences"
        slots = max(stratum.hops, len(sequence))
        most = math.ceil(caps.property_share * self._wanted[group] * slots)
        if any(self._properties[group, p] + n > most for p, n in Counter(sequence).items()):
            return "cap on properties"
        if self.is_within(draft) and self._within[group] >= self._most_within(group):
            return WITHIN
        if _repeats(draft):
            return "one property twice in a row"
        own = list(parts_of(draft))
        if own[-1] in self._parts or any(part in self._wholes for part in own):
            return "sub-chain of another"
        if self._banned and identity(draft) in self._banned:
            return "failed the check"
        return None

    def is_within(self, draft: Draft) -> bool:
        """Whether the hops of a chain of several span too few domains."""
        answers = [hop.answer for hop in draft.hops if isinstance(hop.answer, int)]
        spanned = {self._domains.get(answer) for answer in answers} - {None}
        return len(draft.hops) > 1 and len(spanned) < self.settings.domains_crossed

    def _most_within(self, group: Stratum) -> int:
        quota = self._wanted[group]
        return quota - math.ceil(self.settings.cross_domain * quota)

    def _take(self, stratum: Stratum, draft: Draft) -> None:
        """Count a chosen chain."""
        group, sequence, own = _group(stratum), _sequence(draft), list(parts_of(draft))
        self.drafts[stratum].append(draft)
        self._topics.update(topics_of(draft))
        self._answers[_answer_key(draft)] += 1
        self._bridges.update(bridges_of(draft))
        self._sequences[group, sequence] += 1
        self._properties.update((group, p) for p in sequence)
        self._within[group] += self.is_within(draft)
        self._wholes.add(own[-1])
        self._parts.update(own)


def _group(stratum: Stratum) -> Stratum:
    """What the caps on properties and the share across domains are counted in: the stratum, or
    all strata of a length with mathematics, whose quota they share."""
    if stratum.content == "entities" or stratum.hops < LEAST_MATHEMATICS_HOPS:
        return stratum
    return Stratum("", stratum.hops, (), stratum.content)


def in_order(pools: Pools, stratum: Stratum, even: float) -> Iterator[Draft]:
    """The candidates of a stratum in the order in which they are offered, made as they are asked
    for: that of their keys, so that every order is equally likely, or with `even` above 0 a
    weighted one. Candidates with mathematics come by kind in turn, whatever their properties.
    """
    found = pools.found.get(stratum)
    if found is None:
        return (draft for _, draft in pools.candidates(stratum))
    if not even:
        return found.drafts()
    return found.drafts(np.argsort(waiting_times(found.keys, found.properties, even)))


def waiting_times(
    keys: npt.NDArray[np.uint64], properties: npt.NDArray[np.int32], even: float
) -> npt.NDArray[np.float64]:
    """What to sort chains by for a weighted order without replacement (Efraimidis and Spirakis
    2006): exponential waiting times from the uniform keys, whose rates are the weights.

    A chain weighs the geometric mean, over its facts (rows of `properties`), of 1 / (share of the
    property among all facts), to the power `even`.
    """
    _, kinds, uses = np.unique(properties, return_inverse=True, return_counts=True)
    rarity = -np.log(uses / uses.sum())[kinds.reshape(properties.shape)].mean(axis=1)
    times: npt.NDArray[np.float64] = -np.log1p(-(keys + 0.5) * 2.0**-64) * np.exp(-even * rarity)
    return times


def shared(strata: Sequence[Stratum], total: int) -> dict[Stratum, int]:
    """A quota spread over strata as evenly as can be; the first ones have the odd chains."""
    each, odd = divmod(total, len(strata)) if strata else (0, 0)
    return {stratum: each + (at < odd) for at, stratum in enumerate(sorted(strata))}


def parts_of(draft: Draft) -> Iterator[Part]:
    """The parts of a chain that could be chains themselves; the last one is the whole."""
    edges = tuple((s, hop) for hop, own in enumerate(draft.hops, start=1) for s in own.inputs)
    hops = [hop_identity(hop) for hop in draft.hops]
    yield from parts(hops, edges)


def topics_of(draft: Draft) -> tuple[int, ...]:
    """The topic entities of a chain."""
    return tuple(topic for hop in draft.hops for topic in hop.topics)


def bridges_of(draft: Draft) -> tuple[int, ...]:
    """The entities that hops before the last answer with."""
    return tuple(hop.answer for hop in draft.hops[:-1] if isinstance(hop.answer, int))


def _answer_key(draft: Draft) -> object:
    answer = draft.hops[-1].answer
    return answer if isinstance(answer, int) else (answer.datatype, answer.key)


def _sequence(draft: Draft) -> tuple[int, ...]:
    """The properties that the hops ask for, in order; the facts of a count are one."""
    return tuple(p for hop in draft.hops for p in dict.fromkeys(fact.p for fact in hop.facts))


def _repeats(draft: Draft) -> bool:
    """Whether a hop asks of an input's answer what that input was asked for itself."""
    return any(
        fact.p == before.p
        for hop in draft.hops
        for source in hop.inputs
        for fact in hop.facts
        if fact.s == draft.hops[source - 1].answer and fact.o is not None
        for before in draft.hops[source - 1].facts
    )
