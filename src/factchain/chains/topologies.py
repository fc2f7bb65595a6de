"""The shapes of reasoning graphs, as templates whose nodes are hop numbers."""

from __future__ import annotations

from typing import Any, TypeAlias

import networkx as nx

from factchain.chains.records import MAX_HOPS, FactChain

Graph: TypeAlias = "nx.DiGraph[Any]"


def chain_template(hops: int) -> Graph:
    """1 -> 2 -> ... -> hops. Raises ValueError outside 1 to MAX_HOPS."""
    if not 1 <= hops <= MAX_HOPS:
        raise ValueError(f"a chain has 1 to {MAX_HOPS} hops, not {hops}")
    template: Graph = nx.DiGraph()
    template.add_nodes_from(range(1, hops + 1))
    nx.add_path(template, range(1, hops + 1))
    return template


def reasoning_graph(chain: FactChain) -> Graph:
    """The hops of a chain, with an edge from every hop to those that need its answer."""
    graph: Graph = nx.DiGraph()
    graph.add_nodes_from(hop.index for hop in chain.hops)
    graph.add_edges_from((source, hop.index) for hop in chain.hops for source in hop.inputs)
    return graph
