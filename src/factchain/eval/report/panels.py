"""Bars of several models side by side: from rows of figures to drawings and tables."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol, TypeVar

from markupsafe import Markup

from factchain.eval.report.figures import SHARES, Bar, BarGroup, Scale, Tone, bar_chart, counts
from factchain.eval.report.tables import percent, span
from factchain.eval.results import FLOOR

TONES: tuple[Tone, ...] = ("second", "third", "hollow")


@dataclass(frozen=True, slots=True)
class MeanScale(Scale):
    """An axis of mean numbers, with two decimals."""

    def value(self, value: float) -> str:
        """A bar's value in words."""
        return f"{value:.2f}"


@dataclass(frozen=True, slots=True)
class Shown:
    """One bar: under which heading it stands, what it is called, and its value."""

    heading: str
    name: str
    mean: float
    low: float
    high: float
    floor: float | None = None


class OfModel(Protocol):
    """A row of figures that says of which model it is."""

    @property
    def model(self) -> str:
        """Inspect's name of the model, or that of a floor."""


Row = TypeVar("Row", bound=OfModel)


def of_models(rows: Iterable[Row]) -> list[Row]:
    """The rows of models, without those of floors."""
    return [row for row in rows if not row.model.startswith(FLOOR)]


def floors(
    rows: Iterable[Row],
    key: Callable[[Row], Hashable],
    value: Callable[[Row], float],
    best: Callable[[float, float], float] = max,
) -> dict[Hashable, float]:
    """What the best of the floors comes to, by the key of their rows."""
    found: dict[Hashable, float] = {}
    for row in rows:
        if row.model.startswith(FLOOR):
            found[key(row)] = best(found.get(key(row), value(row)), value(row))
    return found


def model_order(model: str) -> tuple[bool, str]:
    """Sort key of models: floors last."""
    return model.startswith(FLOOR), model


def mean_scale(largest: float) -> MeanScale:
    """The axis of means that holds the largest."""
    return MeanScale(counts(largest).ticks)


def draw(name: str, title: str, shown: Iterable[Shown], scale: Scale = SHARES) -> Markup:
    """One drawing; bars of the same name have the same tone in it."""
    bars = list(shown)
    names = list(dict.fromkeys(bar.name for bar in bars))
    groups = [
        BarGroup(
            heading,
            tuple(
                Bar(
                    bar.name,
                    bar.mean,
                    (bar.low, bar.high),
                    TONES[names.index(bar.name) % len(TONES)],
                    bar.floor,
                )
                for bar in of_heading
            ),
        )
        for heading, of_heading in groupby(bars, key=lambda bar: bar.heading)
    ]
    unit = "in per cent" if scale.percent else "as means"
    return bar_chart(name, title, f"{title}, {unit}, with 95 % intervals.", groups, scale)


def with_interval(mean: float, low: float, high: float, *, share: bool = True) -> str:
    """A figure with its interval: `25.0 (12.5-62.5)` for a share, `2.31 (2.02-2.60)` else."""
    if share:
        return f"{percent(mean)} ({span(percent(low), percent(high))})"
    return f"{mean:.2f} ({span(f'{low:.2f}', f'{high:.2f}')})"


def signed(mean: float, low: float, high: float) -> str:
    """A difference of shares in points with its interval: `+4.7 (-1.0 to +9.2)`."""
    return f"{mean * 100:+.1f} ({low * 100:+.1f} to {high * 100:+.1f})"


def in_order(found: Iterable[str], order: Sequence[str]) -> list[str]:
    """What is found, each once: first by the given order, then as it comes."""
    names = list(dict.fromkeys(found))
    return [one for one in order if one in names] + [one for one in names if one not in order]
