"""SVG elements as escaped text: every drawing of the report is made of these."""

from __future__ import annotations

import functools
import unicodedata

from markupsafe import Markup, escape

NARROW = frozenset("fijlrtI.,:;'|!()[]{}- ")
BROAD = frozenset("mwMWQO@%—…●○")
BOLD = 1.1
"""How much wider a bold text is."""


def coordinate(value: float) -> str:
    """A number with at most two decimals, and none that say nothing: 12.50 -> `12.5`."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def element(tag: str, *children: str, **attributes: str | float) -> Markup:
    """An element; children that are not Markup and all attribute values are escaped.

    `class_` stands for `class`, and an underscore inside a name for a hyphen.
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="'
        f'{escape(value if isinstance(value, str) else coordinate(value))}"'
        for name, value in attributes.items()
    )
    # Put together as text, since Markup's own formatting takes ten times as long.
    return Markup(f"<{tag}{written}>{''.join(map(escape, children))}</{tag}>")


@functools.lru_cache(maxsize=10_000)
def advance(character: str) -> float:
    """About how wide a character is in a broad sans-serif face, in ems; no font is asked."""
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.0
    if character in NARROW:
        return 0.4
    if character in BROAD:
        return 0.95
    return 0.72 if character.isupper() else 0.62


def text_width(text: str, size: float) -> float:
    """About how wide a text is."""
    return sum(map(advance, text)) * size


def shorten(text: str, width: float, size: float) -> str:
    """The text, or as much of its beginning as fits, with an ellipsis."""
    if text_width(text, size) <= width:
        return text
    room = width / size - advance("…")
    for end, character in enumerate(text):
        room -= advance(character)
        if room < 0:
            return text[:end].rstrip() + "…"
    return text


def wrap(text: str, width: float, size: float) -> list[str]:
    """The text in lines that fit; a word that is longer stands alone, to be cut."""
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def bold_lines(
    text: str, y: float, *, size: float, width: float, class_: str
) -> tuple[list[Markup], float]:
    """A text in bold, in as many lines as it takes from the baseline y on, and how much higher it
    is than one line."""
    lines = wrap(text, width / BOLD, size)
    step = round(size * 1.25)
    drawn = [
        label(line, 0, y + step * i, size=size, width=width / BOLD, class_=class_)
        for i, line in enumerate(lines)
    ]
    return drawn, step * max(0, len(lines) - 1)


def label(
    text: str,
    x: float,
    y: float,
    *,
    size: float = 12,
    anchor: str = "start",
    width: float = float("inf"),
    class_: str = "text",
) -> Markup:
    """A line of text, cut to a width; what was cut off shows on hovering."""
    shown = shorten(text, width, size)
    hover = element("title", text) if shown != text else ""
    return element(
        "text", shown, hover, x=x, y=y, font_size=size, text_anchor=anchor, class_=class_
    )


def picture(
    name: str, title: str, description: str, width: float, height: float, *body: str
) -> Markup:
    """A drawing with its text alternative. `name` is unique in the page."""
    return element(
        "svg",
        element("title", title, id=f"{name}-title"),
        element("desc", description, id=f"{name}-desc"),
        *body,
        role="img",
        aria_labelledby=f"{name}-title",
        aria_describedby=f"{name}-desc",
        viewBox=f"0 0 {coordinate(width)} {coordinate(height)}",
        width=width,
        height=height,
    )
