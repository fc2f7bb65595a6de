"""Tables for a terminal, as text without colours; labels come from anywhere and are shown plain."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from factchain.kg.diff.diff import VersionDiff
    from factchain.kg.diff.series import History

WIDTH = 100
"""Columns where the output is no terminal."""


def table(head: Sequence[str], rows: Iterable[Sequence[str | int]], *, total: bool = False) -> str:
    """Columns of numbers are set flush right; `total` sets the last row apart."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    rows = list(rows)
    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for i, name in enumerate(head):
        numeric = bool(rows) and all(_is_number(row[i]) for row in rows)
        drawn.add_column(
            name,
            justify="right" if numeric else "left",
            no_wrap=bool(name),
            overflow="ellipsis",
            # Where there is no room for all, the column without a name is cut: the labels.
            min_width=max(map(len, (name, *(_shown(row[i]) for row in rows)))) if name else None,
        )
    for position, row in enumerate(rows):
        if total and position == len(rows) - 1:
            drawn.add_section()
        drawn.add_row(*(Text(_shown(cell), no_wrap=True, overflow="ellipsis") for cell in row))
    out = io.StringIO()
    width = shutil.get_terminal_size((WIDTH, 24)).columns
    Console(file=out, width=width, color_system=None).print(drawn)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def _shown(cell: str | int) -> str:
    return f"{cell:,}" if isinstance(cell, int) else plain(cell)


def _is_number(cell: str | int) -> bool:
    return isinstance(cell, int) or (cell[:1].isdigit() and cell[-1:] in "0123456789%")


def plain(text: str) -> str:
    """The text without characters that a terminal would obey."""
    return "".join(c if c.isprintable() else " " for c in text)


def diff_table(difference: VersionDiff, limit: int) -> str:
    """What changed between two snapshots, by property."""
    from factchain.kg.diff.diff import COUNTS

    head = ("property", "", *(name.replace("_", " ") for name in COUNTS))
    shown = difference.properties[:limit]
    rows: list[tuple[str | int, ...]] = [
        (p.id, p.label or "", *(getattr(p, name) for name in COUNTS)) for p in shown
    ]
    rows.append(("all", "", *difference.totals().values()))
    left_out = len(difference.properties) - len(shown)
    more = f"\n\n{left_out} more properties with a higher --limit" if left_out else ""
    older, newer = difference.older, difference.newer
    title = f"{plain(older.name)} ({older.date}) -> {plain(newer.name)} ({newer.date})\n\n"
    return title + table(head, rows, total=True) + more


def series_table(series: History) -> str:
    """What each snapshot of a series changed."""
    head = ("snapshot", "date", "facts", "new", "of these back", "gone")
    rows = [(s.snapshot, s.date, s.facts, s.new, s.back, s.gone) for s in series.steps]
    return f"{series.facts:,} facts in any snapshot\n\n" + table(head, rows)
