"""Where the nodes of a reasoning graph stand: topics on top, the answer at the bottom.

A hop's layer is counted from the answer upwards, and columns are dealt out on a walk from the
answer back to the topics: what leads to one hop stands in columns of its own, and a hop stands in
the middle of what leads to it. An answer that several hops need is placed once; every other edge
from it runs down a column of its own, a lane. So no two nodes overlap, and no lane runs through a
node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Literal

from factchain.chains.records import Hop

NodeKey = tuple[Literal["topic", "answer"], int, int]
"""A topic entity of a hop, with its place among the hop's topics from 0, or the hop's answer."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a node stands, in columns and layers from the top left."""

    column: float
    layer: int


@dataclass(frozen=True, slots=True)
class Edge:
    """From what a hop needs to its answer, down the column `lane`."""

    source: NodeKey
    target: NodeKey
    lane: float


@dataclass(frozen=True, slots=True)
class Layout:
    """All places and edges of one reasoning graph."""

    places: dict[NodeKey, Place]
    edges: tuple[Edge, ...]
    columns: int
    layers: int


def sources(hop: Hop) -> list[NodeKey]:
    """What a hop starts from: earlier answers, then its topic entities."""
    earlier: list[NodeKey] = [answer_of(index) for index in hop.inputs]
    return [*earlier, *(("topic", hop.index, place) for place in range(len(hop.topics)))]


def answer_of(index: int) -> NodeKey:
    """The node of a hop's answer."""
    return "answer", index, 0


def lay_out(hops: Sequence[Hop]) -> Layout:
    """Place the nodes of any directed acyclic graph of hops whose last hop is the answer."""
    by_index = {hop.index: hop for hop in hops}
    depth: dict[NodeKey, int] = {answer_of(hops[-1].index): 0}
    for hop in reversed(hops):
        below = depth[answer_of(hop.index)]
        for source in sources(hop):
            depth[source] = max(depth.get(source, 0), below + 1)
    deepest = max(depth.values())

    columns = count()
    places: dict[NodeKey, Place] = {}
    edges: list[Edge] = []

    def place(node: NodeKey) -> float:
        """Place a node and all that leads to it; return its column."""
        kind, index, _ = node
        lanes: list[float] = []
        for source in sources(by_index[index]) if kind == "answer" else []:
            next_layer = depth[source] == depth[node] + 1
            own = source not in places and next_layer
            lanes.append(place(source) if own else float(next(columns)))
            edges.append(Edge(source, node, lanes[-1]))
        column = sum(lanes) / len(lanes) if lanes else float(next(columns))
        places[node] = Place(column, deepest - depth[node])
        return column

    place(answer_of(hops[-1].index))
    return Layout(places, tuple(edges), next(columns), deepest + 1)
