"""A table of shares as a drawing: the fuller a cell, the darker; every cell says its value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from factchain.eval.report.svg import bold_lines, element, label, picture, text_width

WIDTH = 320
TITLE = 30
HEAD = 22
ROW = 30
GAP = 8
LEFT_MAX = 90
DARKEST = 0.5
"""Opacity of a full cell: its text must stay readable."""
CELLS_IN_WORDS = 16


def heat_map(
    name: str,
    title: str,
    shows: str,
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Mapping[tuple[str, str], float],
) -> Markup:
    """Draw shares from 0 to 1 in per cent; a cell without a value stays blank.

    `shows` is the sentence that opens the text alternative; the values follow by themselves.
    """
    left = GAP + min(LEFT_MAX, max((text_width(row, 12) for row in rows), default=0))
    width = (WIDTH - left) / max(len(columns), 1)
    heading, more = bold_lines(title, 15, size=14, width=WIDTH, class_="panel-title")
    top = TITLE + more + HEAD
    drawn = [
        label(column, left + width * (i + 0.5), top - 7, size=11, anchor="middle", class_="muted")
        for i, column in enumerate(columns)
    ]
    for j, row in enumerate(rows):
        y = top + ROW * j
        drawn.append(label(row, left - GAP, y + ROW / 2 + 4, anchor="end", width=LEFT_MAX))
        for i, column in enumerate(columns):
            if (row, column) in cells:
                drawn.append(_cell(cells[row, column], left + width * i, y, width))
    return picture(
        name,
        title,
        _description(shows, rows, columns, cells),
        WIDTH,
        top + ROW * len(rows) + GAP,
        *heading,
        *drawn,
    )


def _cell(value: float, x: float, y: float, width: float) -> Markup:
    return element(
        "g",
        element(
            "rect",
            x=x + 1,
            y=y + 1,
            width=width - 2,
            height=ROW - 2,
            fill_opacity=DARKEST * value,
            class_="cell",
        ),
        label(
            f"{value * 100:.0f}", x + width / 2, y + ROW / 2 + 4, anchor="middle", class_="value"
        ),
    )


def _description(
    shows: str,
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Mapping[tuple[str, str], float],
) -> str:
    said = [
        f"{row}, {column}: {cells[row, column] * 100:.0f}"
        for row in rows
        for column in columns
        if (row, column) in cells
    ]
    if len(said) > CELLS_IN_WORDS:
        low, high = min(cells.values()) * 100, max(cells.values()) * 100
        return (
            f"{shows} {len(said)} cells from {low:.0f} to {high:.0f}; the table below holds the "
            "values."
        )
    return f"{shows} {'; '.join(said)}."
