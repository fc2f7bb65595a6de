from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from xml.etree import ElementTree

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain_builder import ChainBuilder, amount, day
from factchain.chains.records import EntityRef, FactChain, Hop
from factchain.eval.report.graph_drawing import (
    LAYER,
    NODE_HEIGHT,
    NODE_WIDTH,
    PITCH,
    describe,
    draw_chain,
)
from factchain.eval.report.graph_layout import Place, lay_out

ChainMaker = Callable[..., FactChain]
BRIDGE = [(), (1,), (), (2, 3)]
CONVERGING = [(), (), (1, 2), (3,)]


def hop(index: int, inputs: tuple[int, ...], topics: int) -> Hop:
    return Hop(
        index=index,
        kind="lookup",
        inputs=inputs,
        topics=tuple(f"Q{900 + 10 * n + index}" for n in range(topics)),
        answer=EntityRef(id=f"Q{index}", label=f"e{index}"),
        facts=(),
    )


@st.composite
def graphs(draw: st.DrawFn) -> list[Hop]:
    """Any directed acyclic graph of hops in which every hop leads to the last."""
    n = draw(st.integers(1, 8))
    inputs: dict[int, set[int]] = {k: set() for k in range(1, n + 1)}
    for k in range(1, n):
        later = st.sets(st.integers(k + 1, n), min_size=1)
        for user in draw(later):
            inputs[user].add(k)
    return [
        hop(k, tuple(sorted(inputs[k])), draw(st.integers(0 if inputs[k] else 1, 3)))
        for k in range(1, n + 1)
    ]


def test_a_chain_is_one_column() -> None:
    layout = lay_out([hop(1, (), 1), hop(2, (1,), 0)])
    assert layout.places == {
        ("topic", 1, 0): Place(0, 0),
        ("answer", 1, 0): Place(0, 1),
        ("answer", 2, 0): Place(0, 2),
    }
    assert (layout.columns, layout.layers) == (1, 3)


def test_a_bridge_has_its_second_topic_beside_the_first_answer() -> None:
    layout = lay_out([hop(k, i, int(not i)) for k, i in enumerate(BRIDGE, start=1)])
    assert layout.places == {
        ("topic", 1, 0): Place(0, 0),
        ("answer", 1, 0): Place(0, 1),
        ("answer", 2, 0): Place(0, 2),
        ("topic", 3, 0): Place(1, 1),
        ("answer", 3, 0): Place(1, 2),
        ("answer", 4, 0): Place(0.5, 3),
    }


@given(graphs())
def test_any_graph_of_hops_is_drawn_downwards_without_overlap(hops: list[Hop]) -> None:
    layout = lay_out(hops)
    wanted = nx.DiGraph()
    for one in hops:
        answer = ("answer", one.index, 0)
        wanted.add_edges_from((("answer", i, 0), answer) for i in one.inputs)
        wanted.add_edges_from((("topic", one.index, n), answer) for n in range(len(one.topics)))
    assert {(edge.source, edge.target) for edge in layout.edges} == set(wanted.edges)
    assert set(layout.places) == set(wanted.nodes)

    for place in layout.places.values():
        assert 0 <= place.column <= layout.columns - 1
        assert 0 <= place.layer <= layout.layers - 1
    for one, other in combinations(layout.places.values(), 2):
        assert one.layer != other.layer or abs(one.column - other.column) >= 1
    for edge in layout.edges:
        start, end = layout.places[edge.source].layer, layout.places[edge.target].layer
        assert start < end
        for place in layout.places.values():
            if start < place.layer < end:
                assert abs(place.column - edge.lane) >= 1
    into: dict[object, list[float]] = {}
    for edge in layout.edges:
        into.setdefault(layout.places[edge.target].layer, []).append(edge.lane)
    for lanes in into.values():  # labels stand on the lanes, just above the target's layer
        assert all(abs(a - b) >= 1 for a, b in combinations(lanes, 2))


def test_a_drawing_names_topics_answers_properties_and_labels(make_chain: ChainMaker) -> None:
    chain = make_chain([(), (1,)], ["popular", "unpopular"])
    svg = ElementTree.fromstring(draw_chain(chain, "g"))
    assert svg.findtext("title") == "Reasoning graph: chain, 2 hops"
    assert svg.attrib["viewBox"] == f"0 0 {PITCH} {2 * LAYER + NODE_HEIGHT + 4}"
    shown = {text.text for text in svg.iter("text")}
    assert shown == {
        *("topic", "label of Q901", "x1", "label of Q1", "x2 · answer", "label of Q2"),
        *("label of P10", "hop 1 · popular · P10", "label of P20", "hop 2 · unpopular · P20"),
    }
    classes = [group.attrib["class"] for group in svg.iter("g")]
    assert classes == [
        *("edge familiar", "edge unfamiliar"),
        *("node step", "node answer", "node topic"),
    ]


def test_the_geometry_of_one_hop(make_chain: ChainMaker) -> None:
    svg = ElementTree.fromstring(draw_chain(make_chain([()]), "g"))
    rects = {group.attrib["class"]: next(group.iter("rect")).attrib for group in svg.iter("g")}
    x = str((PITCH - NODE_WIDTH) // 2)
    assert (rects["node topic"]["x"], rects["node topic"]["y"]) == (x, "2")
    assert (rects["node answer"]["x"], rects["node answer"]["y"]) == (x, str(2 + LAYER))
    tip = next(path for path in svg.iter("path") if path.attrib["class"] == "tip")
    assert tip.attrib["d"].startswith(f"M{PITCH // 2} {2 + LAYER}l")


def test_an_arrow_points_to_the_object_even_against_the_flow(make_chain: ChainMaker) -> None:
    svg = ElementTree.fromstring(draw_chain(make_chain(CONVERGING, topology="converging"), "g"))
    tips = [path.attrib["d"] for path in svg.iter("path") if path.attrib["class"] == "tip"]
    # Of the intersection's two facts the second has the answer as its subject.
    pointing_up = [tip for tip in tips if not tip.split("l")[1].startswith("-5 -")]
    assert len(tips) == 5
    assert pointing_up == [f"M{PITCH * 3 // 2} {2 + LAYER + NODE_HEIGHT}l-5 8h10z"]


def test_the_text_alternative_tells_every_hop(make_chain: ChainMaker) -> None:
    chain = make_chain(BRIDGE, ["old", "new", "old", "new"], axis="recency", topology="bridge")
    said = describe(chain)
    assert said.startswith(
        "Hop 1 (old): label of Q901, label of P10, label of Q1. Answer: label of Q1. "
        "Hop 2 after hop 1 (new): "
    )
    assert said.endswith(
        "Hop 4 after hop 2 and 3 (new, intersect): label of Q2, label of P40, label of Q4; "
        "label of Q4, label of P41, label of Q3. Answer: label of Q4."
    )
    assert ElementTree.fromstring(draw_chain(chain, "g")).findtext("desc") == said


@pytest.mark.parametrize("hostile", ["<script>alert(1)</script>", "\"'><img src=x>", "日本" * 40])
def test_labels_in_a_drawing_are_text(make_chain: ChainMaker, hostile: str) -> None:
    svg = draw_chain(make_chain([()], name=lambda entity: hostile), "g")
    tags = {node.tag for node in ElementTree.fromstring(svg).iter()}
    assert tags == {"svg", "title", "desc", "g", "path", "rect", "text"}


def test_a_hop_without_facts_shows_its_kind() -> None:
    counted = hop(2, (1,), 0).model_copy(update={"kind": "count"})
    chain = FactChain(
        id="c-1",
        axis="none",
        topology="chain",
        topics=("Q901",),
        answer="Q2",
        hops=(hop(1, (), 1), counted),
        query={"sparql": ""},
        snapshot="s",
        seed=1,
    )
    svg = ElementTree.fromstring(draw_chain(chain, "g"))
    shown = [text.text for text in svg.iter("text")]
    assert "count" in shown
    assert "hop 2" in shown
    assert "edge plain" in {group.attrib["class"] for group in svg.iter("g")}


def test_values_operations_and_several_topics_are_drawn() -> None:
    builder = ChainBuilder()
    builder.lookup("P569 date of birth", "Ann", day("1879-03-14"))
    builder.count("P40 child", "Bob", ["Cat", "Dan"])
    builder.arithmetic("years_after", 1, 2)
    builder.intersect(("P571 inception", 3), ("P17 country", "Peru"), answer="Acme")
    builder.compare("largest", "P1128 employees", (4, amount(7)), ("Zoo", amount(5)))
    chain = builder.chain("own")
    svg = ElementTree.fromstring(draw_chain(chain, "g"))
    shown = [text.text for text in svg.iter("text")]
    assert {"x1 · date", "14 March 1879", "x2 · number", "x3 · date", "1881"} <= set(shown)
    assert {"Ann", "Bob", "Peru", "Zoo", "x5 · answer", "Acme"} <= set(shown)
    assert shown.count("years after") == 2
    assert "hop 5 · P1128 · the largest" in shown
    assert "hop 2 · P40 · count" in shown
    said = describe(chain)
    assert "Operation: years after: 14 March 1879, 2. Result: 1881. Answer: 1881." in said
    assert said.endswith(
        "Hop 5 after hop 4 (compare): Acme, employees, 7; Zoo, employees, 5. Operation: the "
        "largest: Acme 7, Zoo 5. Result: Acme. Answer: Acme."
    )


def test_a_constant_is_told_and_long_lists_are_counted() -> None:
    builder = ChainBuilder()
    builder.count("P40 child", "Bob", [f"child {n}" for n in range(20)])
    builder.arithmetic("product", amount(3), 1)
    said = describe(builder.chain())
    assert "Bob, child, child 7; and 12 more facts. Operation: count. Result: 20." in said
    svg = ElementTree.fromstring(draw_chain(builder.chain(), "g"))
    assert "product (3)" in {text.text for text in svg.iter("text")}


def test_a_literal_condition_points_up_to_its_value() -> None:
    builder = ChainBuilder()
    builder.lookup("P571 inception", "Acme", day("1900"))
    builder.intersect(("P571 inception", 1), ("P17 country", "Peru"), answer="Beta")
    svg = ElementTree.fromstring(draw_chain(builder.chain(), "g"))
    tips = [path.attrib["d"] for path in svg.iter("path") if path.attrib["class"] == "tip"]
    down = [tip for tip in tips if tip.split("l")[1].startswith("-5 -")]
    assert (len(tips), len(down)) == (3, 1)
