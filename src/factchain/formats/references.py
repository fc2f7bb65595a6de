"""References `#k` to earlier answers, and the topology that they make (SPEC.md 2, 5.1)."""

from __future__ import annotations

import re
from collections.abc import Sequence

import networkx as nx
from networkx.utils import graphs_equal

from factchain.chains.topologies import BUILT_IN

UNKNOWN, OTHER = "unknown", "other"
"""Topologies of questions without hops, and of hops that make none of the built-in shapes."""

_REFERENCE = re.compile(r"#([1-9][0-9]?)(?![0-9])")
_NO_REFERENCE = ("who is #1 most listened to on spotify",)
"""Sub-questions of MuSiQue in which the sign stands for itself (SPEC.md 2)."""


def inputs_of(template: str, index: int) -> tuple[int, ...]:
    """The earlier hops that a template names; `#k` refers to nothing from hop k on."""
    if template.strip().casefold().rstrip(" ?") in _NO_REFERENCE:
        return ()
    named = {int(number) for number in _REFERENCE.findall(template)}
    return tuple(sorted(hop for hop in named if hop < index))


def put_in(template: str, inputs: Sequence[int], answers: Sequence[str]) -> str:
    """The template with the answers of its inputs; `answers` are those of the hops from 1."""

    def answer(match: re.Match[str]) -> str:
        hop = int(match[1])
        return answers[hop - 1] if hop in inputs else match[0]

    return _REFERENCE.sub(answer, template)


def take_out(question: str, index: int, answers: Sequence[str]) -> tuple[str, tuple[int, ...]]:
    """A template and its inputs, from a sub-question in which earlier answers stand.

    The latest hop whose answer, as whole words, stands in the question is taken for each place;
    longer answers first, so that one inside another is not.
    """
    template, inputs = question, set[int]()
    earlier = sorted(
        enumerate(answers[: index - 1], start=1), key=lambda one: (-len(one[1]), -one[0])
    )
    for hop, answer in earlier:
        if not answer.strip():
            continue
        found = re.compile(rf"(?<![\w#]){re.escape(answer)}(?!\w)", re.IGNORECASE)
        template, times = found.subn(f"#{hop}", template)
        if times:
            inputs.add(hop)
    return template, tuple(sorted(inputs))


def topology_of(inputs: Sequence[Sequence[int]]) -> str:
    """The built-in topology that hops with these inputs make, `other`, or `unknown` without hops.

    Edges decide; hops may come in another order than the template's. A chain where both fit.
    """
    if not inputs:
        return UNKNOWN
    graph = _graph(len(inputs), [(k, hop) for hop, of in enumerate(inputs, 1) for k in of])
    templates = [
        (name, _graph(hops, edges))
        for name, by_hops in BUILT_IN.items()
        for hops, edges in by_hops.items()
        if hops == len(inputs)
    ]
    for same in (graphs_equal, nx.is_isomorphic):
        for name, template in templates:
            if same(graph, template):
                return name
    return OTHER


def _graph(hops: int, edges: Sequence[tuple[int, int]]) -> nx.DiGraph[int]:
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(1, hops + 1))
    graph.add_edges_from(edges)
    return graph
