"""The one form of chart in the report: bars in rows, with intervals where there are any.

Every bar carries its label and its value in words, so that a chart needs neither colour nor
legend; it is narrow enough to be read on a phone, and wider screens set several side by side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from factchain.eval.report.svg import bold_lines, element, label, picture, text_width

WIDTH = 320
TITLE = 30
HEADING = 24
ROW = 20
BAR = 11
AXIS = 24
GAP = 8
LABEL_MAX = 150
BARS_IN_WORDS = 12

Tone = Literal["first", "second", "third", "hollow"]


@dataclass(frozen=True, slots=True)
class Bar:
    """One row of a chart."""

    label: str
    value: float
    interval: tuple[float, float] | None = None
    tone: Tone = "first"
    floor: float | None = None
    """What one scores who knows nothing: a dashed line across the row."""


@dataclass(frozen=True, slots=True)
class BarGroup:
    """Rows under one heading; an empty heading takes no room."""

    heading: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis from zero to its last tick."""

    ticks: tuple[float, ...]
    percent: bool = False

    def place(self, value: float, start: float, end: float) -> float:
        """The x of a value between the ends of the axis."""
        return start + (end - start) * value / self.ticks[-1]

    def tick(self, value: float) -> str:
        """A tick's value in words."""
        return f"{value * 100:.0f}" if self.percent else f"{value:,.0f}"

    def value(self, value: float) -> str:
        """A bar's value in words."""
        return f"{value * 100:.1f}" if self.percent else f"{value:,.0f}"


SHARES = Scale((0, 0.25, 0.5, 0.75, 1), percent=True)


def counts(largest: float) -> Scale:
    """The scale with the fewest round steps (1, 2 or 5 times a power of ten) that holds a count."""
    power = 10 ** max(0, math.floor(math.log10(max(largest, 1))) - 1)
    step = next(factor * power for factor in (1, 2, 5, 10, 20, 50) if largest <= 4 * factor * power)
    return Scale(tuple(step * i for i in range(max(1, math.ceil(largest / step)) + 1)))


def bar_chart(
    name: str, title: str, shows: str, groups: Sequence[BarGroup], scale: Scale
) -> Markup:
    """Draw bars from the left of an axis, in groups, with whiskers for the intervals.

    `shows` is the sentence that opens the text alternative; the values follow by themselves.
    """
    bars = [bar for group in groups for bar in group.bars]
    left = GAP + min(LABEL_MAX, max((text_width(bar.label, 12) for bar in bars), default=0))
    # As wide in every chart of the same scale, so that charts side by side can be compared.
    value_width = text_width(scale.value(scale.ticks[-1]), 12)
    right = WIDTH - value_width - 2 * GAP
    rows, more = bold_lines(title, 15, size=14, width=WIDTH, class_="panel-title")
    y = TITLE + more
    for group in groups:
        if group.heading:
            drawn, more = bold_lines(group.heading, y + 17, size=12, width=WIDTH, class_="heading")
            rows += drawn
            y += HEADING + more
        bottom = y + ROW * len(group.bars)
        rows += [_line(scale.place(tick, left, right), y, bottom, tick) for tick in scale.ticks]
        for bar in group.bars:
            rows.append(_row(bar, y, left, right, scale))
            y += ROW
    ticks = [
        label(
            scale.tick(tick),
            scale.place(tick, left, right),
            y + 15,
            size=11,
            anchor="middle",
            class_="muted",
        )
        for tick in scale.ticks
    ]
    return picture(
        name,
        title,
        _description(shows, groups, scale),
        WIDTH,
        y + AXIS,
        *rows,
        *ticks,
    )


def _line(x: float, top: float, bottom: float, tick: float) -> Markup:
    return element("line", x1=x, x2=x, y1=top, y2=bottom, class_="grid" if tick else "base")


def _row(bar: Bar, y: float, left: float, right: float, scale: Scale) -> Markup:
    middle = y + ROW / 2
    end = scale.place(bar.value, left, right)
    drawn = [
        label(bar.label, left - GAP, middle + 4, anchor="end", width=LABEL_MAX),
        element(
            "rect",
            x=left,
            y=middle - BAR / 2,
            width=end - left,
            height=BAR,
            class_=f"bar {bar.tone}",
        ),
        label(scale.value(bar.value), WIDTH, middle + 4, anchor="end", class_="value"),
    ]
    if bar.interval is not None:
        low, high = (scale.place(value, left, right) for value in bar.interval)
        whisker = (
            f"M{low:.2f} {middle:.2f}H{high:.2f}"
            f"M{low:.2f} {middle - 3:.2f}v6M{high:.2f} {middle - 3:.2f}v6"
        )
        drawn.append(element("path", d=whisker, class_="whisker"))
    if bar.floor is not None:
        x = scale.place(bar.floor, left, right)
        drawn.append(element("line", x1=x, x2=x, y1=y, y2=y + ROW, class_="floor"))
    return element("g", *drawn)


def _description(shows: str, groups: Sequence[BarGroup], scale: Scale) -> str:
    said = [
        (", ".join(filter(None, (group.heading, bar.label))), bar)
        for group in groups
        for bar in group.bars
    ]
    if len(said) > BARS_IN_WORDS:
        values = [bar.value for _, bar in said]
        return (
            f"{shows} {len(said)} bars from {scale.value(min(values))} to "
            f"{scale.value(max(values))}; the table below holds the values."
        )
    parts = []
    for where, bar in said:
        value = scale.value(bar.value)
        if bar.interval is not None:
            value += " ({} to {})".format(*map(scale.value, bar.interval))
        if bar.floor is not None:
            value += f", floor {scale.value(bar.floor)}"
        parts.append(f"{where}: {value}")
    return f"{shows} {'; '.join(parts)}."
