"""Pages of a wiki on their way to passages."""

from __future__ import annotations

from typing import Literal, NamedTuple

from factchain.kg.text.wikitext import ENGLISH, Prefixes
from factchain.records import Record


class Page(NamedTuple):
    """An article."""

    id: int
    title: str
    body: str
    markup: Literal["wikitext", "extracted"]
    """Wikitext, or what wikiextractor made of it."""
    prefixes: Prefixes = ENGLISH
    """Of titles in its wiki that are no articles."""


class TitleRedirect(Record):
    """A title that leads to another page: one line of the file of redirects."""

    title: str
    """Title of the redirect."""
    target: str
    """Title that it leads to."""
