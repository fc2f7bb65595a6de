"""A fact chain drawn as its reasoning graph, read from the topics down to the answer."""

from __future__ import annotations

from markupsafe import Markup

from factchain.chains.records import ChainFact, EntityRef, FactChain, Hop, TypedValue
from factchain.eval.report.graph_layout import (
    Edge,
    Layout,
    NodeKey,
    answer_of,
    lay_out,
    sources,
)
from factchain.eval.report.operations import WORDS, constants, operation_in_words
from factchain.eval.report.svg import element, label, picture
from factchain.eval.report.tables import tone

PITCH = 208
NODE_WIDTH = 190
NODE_HEIGHT = 46
LAYER = 138
MARGIN = 2
ARROW = 8
PILL_HEIGHT = 34
BEND = 29
FACTS_IN_WORDS = 8
"""Facts of a hop that are written out; of longer lists the rest is counted."""
VALUE_NAMES = {"time": "date", "quantity": "number", "boolean": "yes or no"}


def draw_chain(chain: FactChain, name: str) -> Markup:
    """Draw topics, answers and, between them, the property and the label of every hop.

    An arrow runs from a fact's subject to its object, as Wikidata states it. `name` is unique in
    the page.
    """
    layout = lay_out(chain.hops)
    hops = {hop.index: hop for hop in chain.hops}
    entities = _entities(chain)
    last = chain.hops[-1].index
    body = [_edge(edge, layout, hops[edge.target[1]], entities) for edge in layout.edges]
    body += [_node(node, layout, entities[node], last) for node in sorted(layout.places)]
    hop_count = f"{len(chain.hops)} hop" + ("s" if len(chain.hops) > 1 else "")
    return picture(
        name,
        f"Reasoning graph: {chain.topology}, {hop_count}",
        describe(chain),
        layout.columns * PITCH,
        (layout.layers - 1) * LAYER + NODE_HEIGHT + 2 * MARGIN,
        *body,
    )


def describe(chain: FactChain) -> str:
    """The reasoning graph in words, hop by hop."""
    sentences = []
    for hop in chain.hops:
        stated = [f"{fact.s_label}, {fact.p_label}, {fact.o_label}" for fact in hop.facts]
        if more := len(stated) - FACTS_IN_WORDS:
            stated[FACTS_IN_WORDS:] = [f"and {more} more facts"] if more > 0 else []
        told = "; ".join(stated) or hop.kind
        if hop.operation is not None:
            told += f". Operation: {operation_in_words(hop.operation).removesuffix('.')}"
        after = f" after hop {' and '.join(map(str, hop.inputs))}" if hop.inputs else ""
        said = ", ".join(filter(None, (hop.label, hop.kind if hop.kind != "lookup" else None)))
        sentences.append(
            f"Hop {hop.index}{after}{f' ({said})' if said else ''}: {told}. "
            f"Answer: {hop.answer.label}."
        )
    return " ".join(sentences)


def _entities(chain: FactChain) -> dict[NodeKey, EntityRef | TypedValue]:
    entities: dict[NodeKey, EntityRef | TypedValue] = {}
    for hop in chain.hops:
        entities[answer_of(hop.index)] = hop.answer
        names = {fact.s: fact.s_label for fact in hop.facts}
        names |= {fact.o: fact.o_label for fact in hop.facts if fact.o}
        for place, topic in enumerate(hop.topics):
            entities["topic", hop.index, place] = EntityRef(id=topic, label=names.get(topic, topic))
    return entities


def _centre(column: float) -> float:
    return (column + 0.5) * PITCH


def _top(layer: int) -> float:
    return MARGIN + layer * LAYER


def _node(node: NodeKey, layout: Layout, entity: EntityRef | TypedValue, last: int) -> Markup:
    kind, index, _ = node
    place = layout.places[node]
    x, y = _centre(place.column), _top(place.layer)
    role = "topic" if kind == "topic" else "answer" if index == last else "step"
    caption = {"topic": "topic", "answer": f"x{index} · answer", "step": f"x{index}"}[role]
    if isinstance(entity, TypedValue):
        caption += f" · {VALUE_NAMES[entity.datatype]}"
    return element(
        "g",
        element(
            "rect",
            x=x - NODE_WIDTH / 2,
            y=y,
            width=NODE_WIDTH,
            height=NODE_HEIGHT,
            rx=NODE_HEIGHT / 2 if role == "topic" else 5,
        ),
        label(caption, x, y + 17, size=11, anchor="middle", class_="caption"),
        label(
            entity.label,
            x,
            y + 35,
            size=13,
            anchor="middle",
            width=NODE_WIDTH - 28,
            class_="name",
        ),
        class_=f"node {role}",
    )


def _edge(
    edge: Edge, layout: Layout, hop: Hop, entities: dict[NodeKey, EntityRef | TypedValue]
) -> Markup:
    source, target = layout.places[edge.source], layout.places[edge.target]
    start, lane, end = map(_centre, (source.column, edge.lane, target.column))
    top = _top(source.layer) + NODE_HEIGHT
    bottom = _top(target.layer)
    pill = bottom - (LAYER - NODE_HEIGHT + PILL_HEIGHT) / 2
    facts = _facts_of(edge.source, hop)
    # Against the flow of reasoning where the source is no subject.
    upward = bool(facts) and entities[edge.source].key not in {fact.s for fact in facts}
    first, final = (top + ARROW, bottom) if upward else (top, bottom - ARROW)
    path = (
        f"M{start:.0f} {first:.0f}"
        f"C{start:.0f} {top + BEND / 2:.0f} {lane:.0f} {top + BEND / 2:.0f} "
        f"{lane:.0f} {top + BEND:.0f}"
        f"V{bottom - BEND:.0f}"
        f"C{lane:.0f} {bottom - BEND / 2:.0f} {end:.0f} {bottom - BEND / 2:.0f} "
        f"{end:.0f} {final:.0f}"
    )
    point, back = (
        (f"{start:.0f} {top:.0f}", ARROW) if upward else (f"{end:.0f} {bottom:.0f}", -ARROW)
    )
    tip = f"M{point}l-5 {back}h10z"
    names = " / ".join(dict.fromkeys(fact.p_label for fact in facts)) or _reckoned(hop)
    properties = " / ".join(dict.fromkeys(fact.p for fact in facts))
    done = WORDS[hop.operation.operator] if hop.operation and facts else None
    said = " · ".join(filter(None, (f"hop {hop.index}", hop.label, properties, done)))
    return element(
        "g",
        element("path", d=path, class_="line"),
        element("path", d=tip, class_="tip"),
        element(
            "rect",
            x=lane - NODE_WIDTH / 2,
            y=pill,
            width=NODE_WIDTH,
            height=PILL_HEIGHT,
            class_="pill",
        ),
        label(names, lane, pill + 14, size=13, anchor="middle", width=NODE_WIDTH, class_="text"),
        label(said, lane, pill + 29, size=11, anchor="middle", width=NODE_WIDTH, class_="muted"),
        class_=f"edge {tone(hop.label)}",
    )


def _reckoned(hop: Hop) -> str:
    """What a hop without facts does with its inputs, and with which constants."""
    if hop.operation is None:
        return hop.kind
    given = ", ".join(constants(hop.operation))
    return f"{WORDS[hop.operation.operator]}{f' ({given})' if given else ''}"


def _facts_of(source: NodeKey, hop: Hop) -> list[ChainFact]:
    """The facts of a hop that belong to one of its sources; of a hop with one source, all."""
    starts = sources(hop)
    if len(starts) == len(hop.facts) > 1:
        return [hop.facts[starts.index(source)]]
    return list(hop.facts)
