from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factchain.eval.report.records import ReportData
from factchain.eval.report.store_figures import class_sizes, degrees, label_coverage, powers


@pytest.mark.parametrize(
    ("largest", "ticks"),
    [
        (0, (0, 1, 10)),
        (10, (0, 1, 10)),
        (11, (0, 1, 10, 100)),
        (9_999, (0, 1, 10, 100, 1_000, 10_000)),
        (99_999, (0, 1, 100, 10_000, 1_000_000)),
        (100_000_000, (0, 1, 100, 10_000, 1_000_000, 100_000_000)),
    ],
)
def test_powers_of_ten(largest: int, ticks: tuple[int, ...]) -> None:
    assert powers(largest).ticks == ticks


@given(st.integers(0, 10**12))
def test_any_count_fits_its_logarithmic_axis(largest: int) -> None:
    scale = powers(largest)
    assert scale.ticks[-1] >= largest
    assert len(scale.ticks) <= 8
    assert scale.place(0, 10, 20) == 10
    assert scale.place(scale.ticks[-1], 10, 20) == 20
    assert scale.place(largest, 10, 20) <= scale.place(largest + 1, 10, 20)


def test_a_tenfold_count_is_a_step_further() -> None:
    scale = powers(10_000)
    steps = [scale.place(10**e - 1, 0, 1) for e in range(5)]
    width = 1 / math.log10(10_001)
    assert steps == pytest.approx([width * e for e in range(5)])


def test_degrees(data: ReportData) -> None:
    figure = degrees(data.store)
    assert figure.table.rows == (
        ("0", "100", "500"),
        ("1", "300", "300"),
        ("2–3", "442", "40"),
        ("4–7", "0", "0"),
        ("8–15", "0", "2"),
    )
    subject, of_object = (ElementTree.fromstring(panel) for panel in figure.panels)
    assert subject.findtext("desc") == (
        "Entities by the number of facts that have them as subject; logarithmic axes. "
        "0: 100; 1: 300; 2–3: 442."
    )
    widths = [float(rect.attrib["width"]) for rect in of_object.iter("rect")]
    # In logarithms of one more: 501, 301, 41, 1, 3.
    assert widths[3] == 0
    assert widths[2] / widths[4] == pytest.approx(math.log(41) / math.log(3), abs=0.02)


def test_coverage_and_classes(data: ReportData) -> None:
    assert label_coverage(data.store).table.rows == (
        ("with label", "842", "100.0"),
        ("with description", "421", "50.0"),
    )
    assert class_sizes(data.store.class_sizes).table.rows == (("human", "300"), ("city", "100"))
