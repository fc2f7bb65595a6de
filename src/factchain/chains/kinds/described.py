"""Draw inferences: the one entity that two, three or four facts describe.

All facts lead from the entity, as in "which film was directed by A and composed by B", or all
lead to it. Facts and entity are drawn so that every fact is needed: together they describe one
entity of the whole graph, and whichever is left out, others fit the rest too. Which entities
share which facts is read from the index once for an entity; then every choice of its facts is
decided by bits.
"""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from factchain.chains.drafts import Draft, DraftHop
from factchain.chains.graph.graph_index import LABELS, Codes, GraphIndex
from factchain.chains.mathematics.compose import Kept
from factchain.chains.sampling.sampler import RARER
from factchain.chains.sampling.search_lists import usable_edges
from factchain.chains.settings import SampleSettings

SIZES = (2, 3, 4)
"""How many facts describe an entity."""
MOST_FACTS = 8
"""Facts of one entity among which they are chosen."""
MOST_READ = 64
"""Facts of one entity that are looked at for these."""
MOST_SHARING = 5000
"""A condition that more entities meet says too little, and takes long to intersect."""
MOST_TRIED = 2000
"""Entities of one label and direction that are tried."""


class _Condition(NamedTuple):
    """One fact of an entity, as a condition that others may meet."""

    edge: int
    source: int
    """Dense number of the entity at its other end."""
    met_by: npt.NDArray[np.int32]
    """Dense numbers of all that meet it."""


class Described:
    """The facts that can describe an entity, on one axis."""

    def __init__(self, graph: GraphIndex, settings: SampleSettings) -> None:
        self._graph = graph
        self._settings = settings
        self._usable, self._codes = usable_edges(graph, settings, Counter())

    def draw(self, each: int, rejected: Counter[str]) -> Iterator[Kept]:
        """At most `each` inferences of each number of facts, direction and label."""
        codes: Codes = np.unique(self._codes[self._usable])
        for code, forward in itertools.product(codes.tolist(), (False, True)):
            yield from self._draw(code, forward, each, rejected)

    def _draw(self, code: int, forward: bool, each: int, rejected: Counter[str]) -> Iterator[Kept]:
        edges = np.flatnonzero(self._usable & (self._codes == code))
        ends = self._graph.arrays.objects[edges] if forward else self._graph.subjects_of(edges)
        entities = np.unique(ends)
        name = f"{self._settings.seed} described {code} {forward}"
        rng = np.random.default_rng(list(hashlib.sha256(name.encode()).digest()))
        drafts: dict[int, list[Draft]] = {size: [] for size in SIZES}
        valid: Counter[int] = Counter()
        tried = 0
        for entity in rng.permutation(entities)[:MOST_TRIED].tolist():
            if all(len(found) >= each for found in drafts.values()):
                break
            tried += 1
            conditions = self._conditions(entity, forward, rng)
            for size, choices in self._choices(entity, conditions, code, rejected).items():
                valid[size] += len(choices)
                if choices and len(drafts[size]) < each:
                    chosen = choices[int(rng.integers(len(choices)))]
                    drafts[size].append(self._draft(entity, chosen, code, forward))
        for size, found in drafts.items():
            exact = tried == len(entities)
            yield Kept(found, round(valid[size] * len(entities) / max(tried, 1)), exact)

    def _conditions(self, entity: int, forward: bool, rng: np.random.Generator) -> list[_Condition]:
        """Some facts of the entity that others share, in a random order."""
        arrays = self._graph.arrays
        start = arrays.in_start if forward else arrays.out_start
        begin, end = start[entity : entity + 2].tolist()
        found: list[_Condition] = []
        for at in (begin + rng.permutation(end - begin)[:MOST_READ]).tolist():
            condition = self._led_to(entity, at) if forward else self._leading(entity, at)
            others = len(condition.met_by)
            if self._usable[condition.edge] and 2 <= others <= MOST_SHARING:
                found.append(condition)
                if len(found) == MOST_FACTS:
                    break
        return found

    def _leading(self, entity: int, edge: int) -> _Condition:
        """A fact (entity, p, o), which all (?, p, o) share."""
        arrays = self._graph.arrays
        source, code = int(arrays.objects[edge]), int(arrays.properties[edge])
        begin, end = arrays.in_start[source : source + 2].tolist()
        low, high = np.searchsorted(arrays.in_properties[begin:end], [code, code + 1])
        return _Condition(edge, source, arrays.in_subjects[begin + low : begin + high])

    def _led_to(self, entity: int, at: int) -> _Condition:
        """A fact (s, p, entity), in its place of the reverse order; all (s, p, ?) share it."""
        arrays = self._graph.arrays
        source, code = int(arrays.in_subjects[at]), int(arrays.in_properties[at])
        begin, end = arrays.out_start[source : source + 2].tolist()
        low, high = np.searchsorted(arrays.properties[begin:end], [code, code + 1])
        met_by = arrays.objects[begin + low : begin + high]
        edge = begin + int(low) + int(np.searchsorted(met_by, entity))
        return _Condition(edge, source, met_by)

    def _choices(
        self, entity: int, conditions: list[_Condition], code: int, rejected: Counter[str]
    ) -> dict[int, list[tuple[_Condition, ...]]]:
        """By size the choices of conditions that describe the entity, all of them needed."""
        found: dict[int, list[tuple[_Condition, ...]]] = {size: [] for size in SIZES}
        if len(conditions) < min(SIZES):
            return found
        masks = _masks(entity, conditions)
        apart = self._apart(entity, [condition.source for condition in conditions])
        codes = [int(self._codes[condition.edge]) for condition in conditions]
        rarer = RARER[self._settings.axis]
        for size in SIZES:
            for places in itertools.combinations(range(len(conditions)), size):
                bits = sum(1 << place for place in places)
                if any(mask & bits == bits for mask in masks):
                    continue
                if not all(_is_met(bits & ~(1 << place), masks) for place in places):
                    continue
                if not all(pair in apart for pair in itertools.combinations(places, 2)):
                    rejected["no shortcut"] += 1
                    continue
                of_hop = {codes[place] for place in places}
                if (rarer if len(of_hop) > 1 else of_hop.pop()) == code:
                    found[size].append(tuple(conditions[place] for place in places))
        return found

    def _apart(self, entity: int, sources: list[int]) -> set[tuple[int, int]]:
        """Which two of the sources are different entities that no fact joins."""
        ids = self._graph.arrays.ids
        return {
            (i, j)
            for i, j in itertools.combinations(range(len(sources)), 2)
            if len({entity, sources[i], sources[j]}) == 3
            and not self._graph.are_joined(int(ids[sources[i]]), int(ids[sources[j]]))
        }

    def _draft(
        self, entity: int, chosen: tuple[_Condition, ...], code: int, forward: bool
    ) -> Draft:
        facts = self._graph.draft_facts([condition.edge for condition in chosen])
        names = LABELS[self._settings.axis]
        hop = DraftHop(
            kind="intersect",
            inputs=(),
            topics=tuple(fact.s if forward else number_of(fact.o) for fact in facts),
            facts=tuple(facts),
            answer=int(self._graph.arrays.ids[entity]),
            label=names[code] if names else None,
        )
        return Draft("chain", (hop,))


def number_of(entity: int | None) -> int:
    """The object of a fact between entities."""
    assert entity is not None
    return entity


def _masks(entity: int, conditions: list[_Condition]) -> set[int]:
    """Which conditions other entities meet together, as bits."""
    met = np.concatenate([condition.met_by for condition in conditions])
    lengths = [len(condition.met_by) for condition in conditions]
    bits = np.repeat(1 << np.arange(len(conditions)), lengths)
    entities, rows = np.unique(met, return_inverse=True)
    masks = np.zeros(len(entities), np.int64)
    np.bitwise_or.at(masks, rows, bits)
    return set(np.unique(masks[entities != entity]).tolist())


def _is_met(bits: int, masks: set[int]) -> bool:
    return any(mask & bits == bits for mask in masks)
