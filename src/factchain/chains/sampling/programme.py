"""From a topology to the steps of a search that finds all of its reasoning graphs.

A template with an intersection is searched backwards from its last join: the join entity first,
then one condition after the other, then the lookups that lead to each input, up to the topics;
what comes after the join is searched forwards. A chain is searched forwards from its topic. Every
step walks along one list of edges from a known entity, and either finds a new entity or meets one
that is known.

Variables are numbered: 0 to n-1 the answers of hops 1 to n, then the topics in the order of hops.
Slots are numbered in the order of the facts in a chain: by hop, then by input.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import networkx as nx
import numpy as np
import numpy.typing as npt
from networkx.algorithms.isomorphism import DiGraphMatcher

from factchain.chains.records import Axis
from factchain.chains.topologies import Graph

Form = Literal["subject", "object"]
"""Of an intersection: (?, p, a) and (?, q, b), or (a, p, ?) and (b, q, ?)."""

LOOKUP_OUT, LOOKUP_IN, JOIN_OUT, JOIN_IN = range(4)
"""Lists of edges: of a lookup, from its subject or from its object; of an intersection in subject
form, from the answer as subject; in object form, from the answer as object."""

STEP_FIELDS = (
    "edges",  # which lists of edges
    "at",  # variable whose list is walked
    "to",  # variable at the other end
    "known",  # how many variables are known; the other end is one of them where `meets` is 1
    "meets",
    "slot",
    "hop",  # from 0
    "opens",  # 1 at the first fact of its hop
    "closes",  # 1 at the last fact of its hop
    "object_form",  # 1 for an intersection in object form
    "width",  # facts of the hop
    "first_slot",  # of the hop
    "emits",  # number of the first stratum of chains that end here, -1 where none does
)


class Slot(NamedTuple):
    """One fact of a reasoning graph."""

    hop: int
    """Number of the hop, from 1."""
    source: int
    """Variable of the input or topic."""


@dataclass(frozen=True)
class Programme:
    """The search for one topology and one choice of forms, as arrays."""

    name: str
    """Of the topology."""
    ends: dict[int, tuple[int, int]]
    """By number of hops (several for the topology `chain`) the step at which a chain is complete,
    and the number of its first stratum; the bits of a pattern are added, that of hop 1 first."""
    inputs: tuple[tuple[int, ...], ...]
    """Inputs of each hop, from hop 1."""
    forms: tuple[Form | None, ...]
    """Form of each hop that intersects, from hop 1."""
    slots: tuple[Slot, ...]
    order: npt.NDArray[np.int32]
    """Variables in the order in which they become known."""
    steps: npt.NDArray[np.int32]
    """One row a step, with the columns STEP_FIELDS."""
    apart: npt.NDArray[np.int8]
    """By pair of variables: 0 no test; 1 no fact may join them; 2 none may lead from the first to
    the second; 3 none from the second to the first."""
    smaller: npt.NDArray[np.int32]
    """(step, a, b): at that step the edge of slot a must come before that of slot b. So of
    reasoning graphs that differ by the numbers of like hops only, one is found."""
    strata: int
    """Number of strata of all lengths together."""


def programmes(
    template: Graph, name: str, axis: Axis, hops: Sequence[int], *, paper: bool = False
) -> Iterator[Programme]:
    """The searches of a template, one for each choice of forms; they find different chains.

    A chain's programme finds the shorter ones of `hops` on its way; others have one length.
    `paper` tests for shortcuts as MINTQA prints the rule, see `_apart`.
    """
    joins = [hop for hop in sorted(template) if template.in_degree(hop) > 1]
    choices: list[Form] = ["subject", "object"]
    for forms in itertools.product(choices, repeat=len(joins)):
        yield _programme(template, name, axis, hops, dict(zip(joins, forms, strict=True)), paper)


def _programme(
    template: Graph,
    name: str,
    axis: Axis,
    lengths: Sequence[int],
    forms: dict[int, Form],
    paper: bool,
) -> Programme:
    hops = sorted(template)
    inputs = {hop: sorted(template.predecessors(hop)) for hop in hops}
    topics = {hop: len(hops) + i for i, hop in enumerate(h for h in hops if not inputs[h])}
    slots = [
        Slot(hop, source)
        for hop in hops
        for source in ([i - 1 for i in inputs[hop]] or [topics[hop]])
    ]
    order, moves = _plan(hops, inputs, topics, forms)
    assert {slot for slot, *_ in moves} == set(slots)
    labels = 1 if axis == "none" else 2
    emits, strata = {}, 0
    for length in [n for n in lengths if n < len(hops) and not forms] + [len(hops)]:
        emits[length] = strata
        strata += labels**length
    rows: list[tuple[int, ...]] = []
    ends: dict[int, tuple[int, int]] = {}
    done = dict.fromkeys(hops, 0)
    for slot, edges, at, to, known in moves:
        done[slot.hop] += 1
        width = max(1, len(inputs[slot.hop]))
        closes = done[slot.hop] == width
        reached = sum(done[hop] for hop in hops)
        complete = slot.hop if not forms else len(hops) * (reached == len(slots))
        if complete in emits:
            ends[complete] = (len(rows), emits[complete])
        rows.append(
            (
                edges,
                at,
                to,
                known,
                int(to in order[:known]),
                slots.index(slot),
                slot.hop - 1,
                int(done[slot.hop] == 1),
                int(closes),
                int(forms.get(slot.hop) == "object"),
                width,
                next(i for i, other in enumerate(slots) if other.hop == slot.hop),
                emits.get(complete, -1),
            )
        )
    return Programme(
        name=name,
        ends=ends,
        inputs=tuple(tuple(inputs[hop]) for hop in hops),
        forms=tuple(forms.get(hop) for hop in hops),
        slots=tuple(slots),
        order=np.array(order, np.int32),
        steps=np.array(rows, np.int32),
        apart=_apart(template, slots, len(order), paper),
        smaller=_smaller(template, forms, topics, slots, [slots.index(move[0]) for move in moves]),
        strata=strata,
    )


Move = tuple[Slot, int, int, int, int]
"""Slot, lists of edges, from which variable, to which, and how many are known before."""


def _plan(
    hops: list[int],
    inputs: dict[int, list[int]],
    topics: dict[int, int],
    forms: dict[int, Form],
) -> tuple[list[int], list[Move]]:
    """The variables in the order in which they become known, and the moves that find them."""
    moves: list[Move] = []
    root = max(forms) - 1 if forms else topics[hops[0]]
    order = [root]

    def move(slot: Slot, edges: int, at: int, to: int) -> None:
        moves.append((slot, edges, at, to, len(order)))
        if to not in order:
            order.append(to)

    backwards = [hop for hop in reversed(hops) if forms and hop <= max(forms)]
    for hop in backwards:
        answer = hop - 1
        if hop in forms:
            edges = JOIN_OUT if forms[hop] == "subject" else JOIN_IN
            for source in inputs[hop]:
                move(Slot(hop, source - 1), edges, answer, source - 1)
            continue
        source = inputs[hop][0] - 1 if inputs[hop] else topics[hop]
        if source in order:
            move(Slot(hop, source), LOOKUP_OUT, source, answer)
        else:
            move(Slot(hop, source), LOOKUP_IN, answer, source)
    for hop in hops[len(backwards) :]:
        source = inputs[hop][0] - 1 if inputs[hop] else topics[hop]
        move(Slot(hop, source), LOOKUP_OUT, source, hop - 1)
    return order, moves


def _apart(
    template: Graph, slots: Sequence[Slot], variables: int, paper: bool
) -> npt.NDArray[np.int8]:
    """Which pairs of variables no fact may join, and in which direction.

    Strict: in neither direction, unless a hop links the two. Paper: MINTQA prints that no fact
    (s_i, r, o_j) with j > i + 1 may be there, so none may lead from where hop i starts to the
    answer of a hop that follows i, but not directly; the other direction, and skipping one
    bridge, are allowed.
    """
    rules = np.zeros((variables, variables), np.int8)
    if paper:
        ahead = dict(nx.all_pairs_shortest_path_length(template))
        for slot in slots:
            for hop, distance in ahead[slot.hop].items():
                if distance >= 2:
                    rules[slot.source, hop - 1], rules[hop - 1, slot.source] = 2, 3
        return rules
    linked = {frozenset((slot.source, slot.hop - 1)) for slot in slots}
    for a, b in itertools.permutations(range(variables), 2):
        rules[a, b] = frozenset((a, b)) not in linked
    return rules


def _smaller(
    template: Graph,
    forms: dict[int, Form],
    topics: dict[int, int],
    slots: Sequence[Slot],
    found: list[int],
) -> npt.NDArray[np.int32]:
    """The order of edges that picks one of each set of reasoning graphs alike.

    Two of them differ by an automorphism of the template. Their edges are compared in the order
    in which the steps find them; as no edge recurs, the first slot that the automorphism moves
    decides.
    """
    marked = template.copy()
    nx.set_node_attributes(marked, {hop: forms.get(hop, "") for hop in template}, "form")
    step_of = {slot: step for step, slot in enumerate(found)}
    rules = set()
    matcher = DiGraphMatcher(marked, marked, node_match=lambda a, b: a["form"] == b["form"])
    for mapping in matcher.isomorphisms_iter():
        variables = {hop - 1: mapping[hop] - 1 for hop in template}
        variables |= {topics[hop]: topics[mapping[hop]] for hop in topics}
        for slot in found:
            hop, source = slots[slot]
            image = slots.index(Slot(mapping[hop], variables[source]))
            if image != slot:
                rules.add((max(step_of[slot], step_of[image]), slot, image))
                break
    return np.array(sorted(rules), np.int32).reshape(-1, 3)
