from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factchain.eval.report.figures import (
    AXIS,
    HEADING,
    ROW,
    SHARES,
    TITLE,
    WIDTH,
    Bar,
    BarGroup,
    bar_chart,
    counts,
)


@pytest.mark.parametrize(
    ("largest", "ticks"),
    [
        (0, (0, 1)),
        (1, (0, 1)),
        (4, (0, 1, 2, 3, 4)),
        (5, (0, 2, 4, 6)),
        (55, (0, 20, 40, 60)),
        (100, (0, 50, 100)),
        (900, (0, 500, 1000)),
        (123_456, (0, 50_000, 100_000, 150_000)),
    ],
)
def test_counts_have_round_ticks(largest: int, ticks: tuple[int, ...]) -> None:
    assert counts(largest).ticks == ticks


@given(st.integers(0, 10**12))
def test_any_count_fits_its_scale(largest: int) -> None:
    ticks = counts(largest).ticks
    assert 2 <= len(ticks) <= 5
    assert ticks[-1] >= largest
    assert ticks[-2] < max(largest, 1)


def test_values_in_words() -> None:
    assert (counts(9_999).value(1_234), counts(9_999).tick(5_000)) == ("1,234", "5,000")
    assert (SHARES.value(0.1234), SHARES.tick(0.25)) == ("12.3", "25")


def bars(svg: ElementTree.Element) -> list[tuple[float, float, float]]:
    rects = svg.iter("rect")
    return [tuple(float(rect.attrib[k]) for k in ("x", "y", "width")) for rect in rects]


def test_the_geometry_of_a_small_chart() -> None:
    groups = [
        BarGroup("", (Bar("a", 0),)),
        BarGroup("two", (Bar("b", 0.5, (0.25, 1.0), "second"),)),
    ]
    svg = ElementTree.fromstring(bar_chart("c", "Title", "Shows.", groups, SHARES))
    # A letter is 0.62 em, "100.0" four digits and a point; both at 12 px, with gaps of 8 px.
    left = 8 + 0.62 * 12
    right = WIDTH - (4 * 0.62 + 0.4) * 12 - 16
    height = TITLE + ROW + HEADING + ROW + AXIS
    assert svg.attrib["viewBox"] == f"0 0 {WIDTH} {height}"
    assert bars(svg) == [
        (pytest.approx(left, abs=0.01), TITLE + 4.5, 0),
        (
            pytest.approx(left, abs=0.01),
            TITLE + ROW + HEADING + 4.5,
            pytest.approx((right - left) / 2, abs=0.01),
        ),
    ]
    (whisker,) = svg.iter("path")
    quarter, middle = left + (right - left) / 4, TITLE + ROW + HEADING + ROW / 2
    assert whisker.attrib["d"].startswith(f"M{quarter:.2f} {middle:.2f}H{right:.2f}M")
    assert [rect.attrib["class"] for rect in svg.iter("rect")] == ["bar first", "bar second"]
    assert [text.text for text in svg.iter("text")] == [
        *("Title", "a", "0.0", "two", "b", "50.0"),
        *("0", "25", "50", "75", "100"),
    ]


def test_the_text_alternative_holds_the_values() -> None:
    groups = [BarGroup("2 hops", (Bar("BM25", 0.5, (0.25, 1.0)), Bar("none", 0.0)))]
    svg = ElementTree.fromstring(bar_chart("c", "T", "Accuracy.", groups, SHARES))
    assert svg.findtext("desc") == (
        "Accuracy. 2 hops, BM25: 50.0 (25.0 to 100.0); 2 hops, none: 0.0."
    )


def test_the_text_alternative_of_many_bars_points_to_the_table() -> None:
    groups = [BarGroup("", tuple(Bar(str(i), i) for i in range(1, 14)))]
    svg = ElementTree.fromstring(bar_chart("c", "T", "Facts.", groups, counts(13)))
    assert svg.findtext("desc") == "Facts. 13 bars from 1 to 13; the table below holds the values."


def test_labels_are_escaped_and_cut() -> None:
    hostile = "<script>alert('x')</script> & a long name that cannot fit"
    svg = bar_chart("c", hostile, "S", [BarGroup(hostile, (Bar(hostile, 1),))], counts(1))
    assert "<script" not in svg
    texts = [text.text or "" for text in ElementTree.fromstring(svg).iter("text")]
    # Title and heading go on in further lines; a bar's label is cut.
    lines = [text for text in texts if text.startswith("<script>")]
    assert sum(text.endswith("…") for text in lines) == 1
    assert len(lines) == 3
    assert " ".join(texts).count(hostile) == 2


def test_a_chart_without_bars_is_an_empty_axis() -> None:
    svg = ElementTree.fromstring(bar_chart("c", "T", "S", [], counts(0)))
    assert bars(svg) == []
