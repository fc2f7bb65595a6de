"""The candidates of one stratum, as numbers in arrays, made into drafts one after the other.

A stratum keeps hundreds of candidates for each chain that is wanted, so that the caps leave enough:
most are never looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from factchain.chains.drafts import Draft, DraftHop
from factchain.chains.graph.edge_lists import Entities
from factchain.chains.graph.graph_index import GraphIndex
from factchain.chains.sampling.programme import Programme, Slot

AT_ONCE = 64
"""Drafts that are made together."""


@dataclass(frozen=True)
class Candidates:
    """Chains of one length and pattern that the programmes of one template found."""

    graph: GraphIndex
    programmes: tuple[Programme, ...]
    pattern: tuple[str, ...]
    length: int
    """Number of hops."""
    keys: npt.NDArray[np.uint64]
    """Of each chain, ascending."""
    edges: npt.NDArray[np.uint32]
    """The edges of each chain, by slot; those of slots beyond the length mean nothing."""
    found_by: npt.NDArray[np.uint8]
    """Which of the programmes found each."""

    def __len__(self) -> int:
        return len(self.keys)

    @cached_property
    def slots(self) -> list[Slot]:
        """The slots of the facts; they are alike in all programmes."""
        return [slot for slot in self.programmes[0].slots if slot.hop <= self.length]

    @property
    def properties(self) -> Entities:
        """P-numbers of the facts of each chain, in the order of its draft's facts."""
        arrays = self.graph.arrays
        return arrays.property_ids[arrays.properties[self.edges[:, : len(self.slots)]]]

    def answers(self) -> set[int]:
        """Q-numbers of the answers of all hops."""
        numbers: set[int] = set()
        for at, programme in enumerate(self.programmes):
            edges = self.edges[self.found_by == at]
            for hop, form in enumerate(programme.forms[: self.length], start=1):
                first = next(i for i, slot in enumerate(self.slots) if slot.hop == hop)
                ends = np.unique(edges[:, first])
                entities = (
                    self.graph.subjects_of(ends)
                    if form == "subject"
                    else self.graph.arrays.objects[ends]
                )
                numbers.update(self.graph.arrays.ids[entities].tolist())
        return numbers

    def drafts(self, order: npt.NDArray[np.integer] | None = None) -> Iterator[Draft]:
        """The drafts in the order of their keys, or in another."""
        rows = np.arange(len(self)) if order is None else order
        for begin in range(0, len(rows), AT_ONCE):
            some = rows[begin : begin + AT_ONCE]
            edges = self.edges[some]
            columns = [self.graph.draft_facts(edges[:, i]) for i in range(len(self.slots))]
            for found_by, facts in zip(
                self.found_by[some].tolist(), zip(*columns, strict=True), strict=True
            ):
                programme, hops = self.programmes[found_by], []
                for hop, (inputs, form) in enumerate(
                    zip(programme.inputs[: self.length], programme.forms, strict=False), start=1
                ):
                    of_hop = tuple(
                        fact
                        for fact, slot in zip(facts, self.slots, strict=True)
                        if slot.hop == hop
                    )
                    hops.append(
                        DraftHop(
                            kind="lookup" if form is None else "intersect",
                            inputs=inputs,
                            topics=() if inputs else (of_hop[0].s,),
                            facts=of_hop,
                            answer=of_hop[0].s if form == "subject" else of_hop[0].o,
                            label=self.pattern[hop - 1] if self.pattern else None,
                        )
                    )
                yield Draft(programme.name, tuple(hops))
