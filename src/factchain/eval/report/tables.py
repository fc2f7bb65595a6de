"""What the template lays out: tables, and figures whose values stand in a table beneath."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from factchain.chains.records import Axis

AXES: tuple[Axis, ...] = ("popularity", "recency", "none")
FAMILIAR = frozenset({"popular", "old"})
"""Labels of facts that a model has more likely seen; drawn filled, and solid."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text. A column whose name is in `numeric` is set flush right."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[str]


@dataclass(frozen=True, slots=True)
class Figure:
    """One or more drawings, what they show, and their values."""

    caption: str
    panels: tuple[Markup, ...]
    table: Table
    title: str = ""
    """A heading above it, where a part has several figures."""
    folded: bool = False
    """Whether its table, where nothing is drawn, is shown only when asked for."""


def glyphs(labels: Sequence[str]) -> str:
    """A label pattern at a glance: a disc for popular or old, a ring for unpopular or new."""
    return "".join("●" if label in FAMILIAR else "○" for label in labels)


def tone(hop_label: str | None) -> str:
    """The class in `style.css` of a hop: `familiar` (solid), `unfamiliar` (dashed) or `plain`."""
    if hop_label is None:
        return "plain"
    return "familiar" if hop_label in FAMILIAR else "unfamiliar"


def pattern_order(labels: Sequence[str]) -> tuple[object, ...]:
    """Sort key of label patterns: shorter first, then the familiar label first."""
    return (len(labels), tuple(label not in FAMILIAR for label in labels), tuple(labels))


def hops_in_words(hops: int) -> str:
    """`1 hop`, `2 hops`."""
    return f"{hops} hop{'' if hops == 1 else 's'}"


def percent(value: float) -> str:
    """A share as a percentage with one decimal, without its sign."""
    return f"{value * 100:.1f}"


def span(low: str, high: str) -> str:
    """A range, with an en dash."""
    return f"{low}\u2013{high}"
