"""Which edges a search may walk, as lists by entity, cut from the graph index for one run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import numpy.typing as npt

from factchain.chains.graph.edge_lists import MOST_EDGES, Entities, Positions, stable_order, starts
from factchain.chains.graph.graph_index import SINGLE, SOLE, Codes, GraphIndex
from factchain.chains.sampling.programme import JOIN_OUT, LOOKUP_IN, LOOKUP_OUT
from factchain.chains.settings import SampleSettings
from factchain.errors import StoreError

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class SearchLists:
    """The lists of some kinds, one kind after the other; 9 bytes an edge of each kind."""

    kinds: npt.NDArray[np.int32]
    """Which kinds, as `programme` numbers them."""
    starts: Positions
    """By row of `kinds` and entity where its edges begin."""
    ends: Entities
    """The entity at the other end of each edge."""
    marks: Codes
    """The label code of each edge on the axis."""
    edges: Positions
    """The position of each edge in the index."""

    def row(self, kind: int) -> int:
        """The row of a kind."""
        return int(np.flatnonzero(self.kinds == kind)[0])

    @property
    def parts(self) -> tuple[Positions, Entities, Codes, Positions]:
        """The arrays, as the search takes them."""
        return self.starts, self.ends, self.marks, self.edges

    def save(self, folder: Path) -> None:
        """Write the arrays into a folder, for other processes to map."""
        for field in fields(self):
            np.save(folder / f"{field.name}.npy", getattr(self, field.name), allow_pickle=False)

    @classmethod
    def open(cls, folder: Path) -> SearchLists:
        """Map what `save` wrote into memory."""
        return cls(
            **{
                field.name: np.load(folder / f"{field.name}.npy", mmap_mode="c", allow_pickle=False)
                for field in fields(cls)
            }
        )


def usable_edges(
    graph: GraphIndex, settings: SampleSettings, rejected: Counter[str]
) -> tuple[Mask, Codes]:
    """Which edges a hop may use, and their label codes on the axis.

    Counts the others by the first reason against them; with single answers also the edges that
    are usable in intersections but not in lookups.
    """
    arrays, codes = graph.arrays, graph.codes(settings.axis)
    allowed = ~np.isin(arrays.property_ids, sorted(settings.exclude_properties))
    reasons = {
        "fact without label on the axis": codes >= 0,
        "excluded property": allowed[arrays.properties],
        "entity without label": arrays.named[arrays.objects]
        & np.repeat(arrays.named, np.diff(arrays.out_start)),
    }
    usable = np.ones(len(graph), np.bool_)
    for reason, holds in reasons.items():
        rejected[reason] += int((usable & ~holds).sum())
        usable &= holds
    if settings.answers == "single":
        rejected["several answers"] += int((usable & (arrays.flags & SINGLE == 0)).sum())
    return usable, codes


def cut_lists(
    graph: GraphIndex, usable: Mask, codes: Codes, kinds: Sequence[int], *, single: bool
) -> SearchLists:
    """The lists of these kinds, in their order; lookups of `single` have one answer each.

    An intersection walks only edges that have others beside them: a condition that one entity
    alone satisfies makes the other conditions needless. Raises StoreError where the lists are
    longer than 32 bits can number.
    """
    flags = graph.arrays.flags
    begins: list[Positions] = []
    parts: list[tuple[Entities, Positions]] = []
    total = 0
    for kind in kinds:
        if kind in (LOOKUP_OUT, LOOKUP_IN):
            kept = usable & (flags & SINGLE != 0) if single else usable
        else:
            kept = usable & (flags & (SOLE if kind == JOIN_OUT else SINGLE) == 0)
        begin, ends, edges = (
            _by_subject(graph, kept) if kind in (LOOKUP_OUT, JOIN_OUT) else _by_object(graph, kept)
        )
        if total + len(edges) > MOST_EDGES:
            raise StoreError("too many edges for one search: exclude properties")
        begins.append(begin + np.uint32(total))
        parts.append((ends, edges))
        total += len(edges)
    edges = np.concatenate([edges for _, edges in parts])
    return SearchLists(
        kinds=np.array(kinds, np.int32),
        starts=np.stack(begins),
        ends=np.concatenate([ends for ends, _ in parts]),
        marks=codes[edges],
        edges=edges,
    )


def _by_subject(graph: GraphIndex, kept: Mask) -> tuple[Positions, Entities, Positions]:
    """Where each subject's kept edges begin, their objects, their positions."""
    before = np.zeros(len(kept) + 1, np.uint32)
    np.cumsum(kept, out=before[1:], dtype=np.uint32)
    edges = np.flatnonzero(kept).astype(np.uint32)
    return before[graph.arrays.out_start], graph.arrays.objects[edges], edges


def _by_object(graph: GraphIndex, kept: Mask) -> tuple[Positions, Entities, Positions]:
    """Where each object's kept edges begin, their subjects, their positions."""
    edges = np.flatnonzero(kept).astype(np.uint32)
    begin = starts(graph.arrays.objects[edges], graph.entities)
    order = np.empty(len(edges), np.uint32)
    stable_order(edges, graph.arrays.objects, begin.copy(), order)
    return begin, graph.subjects_of(order), order
