"""What the triple store holds: figures of degrees, label coverage and classes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from factchain.eval.report.figures import SHARES, Bar, BarGroup, Scale, bar_chart, counts
from factchain.eval.report.records import DegreeBin, StoreStatistics
from factchain.eval.report.tables import Figure, Table, percent, span


@dataclass(frozen=True, slots=True)
class LogScale(Scale):
    """An axis of powers of ten from 0; one more than the value is what is placed."""

    def place(self, value: float, start: float, end: float) -> float:
        """The x of a value between the ends of the axis."""
        return start + (end - start) * math.log10(1 + value) / math.log10(1 + self.ticks[-1])


def powers(largest: float) -> LogScale:
    """The axis 0, 1, 10, 100 and so on that holds a count; every other power where many."""
    last = max(1, math.ceil(math.log10(max(largest, 1))))
    step = 1 + last // 5
    exponents = range(step * math.ceil(last / step), -1, -step)
    return LogScale((0, *(10.0**e for e in reversed(exponents))))


def degrees(store: StoreStatistics) -> Figure:
    """Entities by their number of facts, on logarithmic axes."""
    directions = (
        ("degrees-out", "As subject", "subject", store.out_degrees),
        ("degrees-in", "As object", "object", store.in_degrees),
    )
    largest = max(one.entities for _, _, _, bins in directions for one in bins)
    scale = powers(largest)
    bins = max((store.out_degrees, store.in_degrees), key=len)
    return Figure(
        "Entities by the number of facts of the newest snapshot that join them to other entities, "
        "as subject and as object. Both axes are logarithmic.",
        tuple(
            bar_chart(
                name,
                title,
                f"Entities by the number of facts that have them as {role}; logarithmic axes.",
                [BarGroup("", tuple(Bar(_range(one), one.entities) for one in of))],
                scale,
            )
            for name, title, role, of in directions
        ),
        Table(
            ("Facts", "Entities as subject", "Entities as object"),
            tuple(
                (_range(one), _at(store.out_degrees, i), _at(store.in_degrees, i))
                for i, one in enumerate(bins)
            ),
            frozenset({"Facts", "Entities as subject", "Entities as object"}),
        ),
    )


def _range(one: DegreeBin) -> str:
    low, high = f"{one.low:,}", f"{one.high:,}"
    return low if low == high else span(low, high)


def _at(bins: Sequence[DegreeBin], i: int) -> str:
    return f"{bins[i].entities:,}" if i < len(bins) else "0"


def label_coverage(store: StoreStatistics) -> Figure:
    """Shares of the entities that have a label, a description and so on."""
    shares = {what: n / max(store.entities, 1) for what, n in store.coverage.items()}
    return Figure(
        f"What is known of the {store.entities:,} entities, in per cent.",
        (
            bar_chart(
                "label-coverage",
                "Entities, per cent",
                "Entities in per cent.",
                [BarGroup("", tuple(Bar(what, share) for what, share in shares.items()))],
                SHARES,
            ),
        ),
        Table(
            ("Entities", "Number", "%"),
            tuple((what, f"{n:,}", percent(shares[what])) for what, n in store.coverage.items()),
            frozenset({"Number", "%"}),
        ),
    )


def class_sizes(sizes: Mapping[str, int]) -> Figure:
    """The classes (P31) that most entities are instances of."""
    return Figure(
        "The largest classes of entities.",
        (
            bar_chart(
                "class-sizes",
                "Entities, by class",
                "Entities by class.",
                [BarGroup("", tuple(Bar(name, n) for name, n in sizes.items()))],
                counts(max(sizes.values())),
            ),
        ),
        Table(
            ("Class", "Entities"),
            tuple((name, f"{n:,}") for name, n in sizes.items()),
            frozenset({"Entities"}),
        ),
    )
