"""Wikitext -> plain paragraphs with their links.

Templates, references, tables, images, formulas and headings are left out; what a reader would see
of the rest stays, with white space made single. A link that leads to an article keeps its place.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

import mwparserfromhell
from mwparserfromhell.nodes import ExternalLink, HTMLEntity, Node, Tag, Text, Wikilink
from mwparserfromhell.nodes import Heading as WikiHeading
from mwparserfromhell.parser import ParserError
from mwparserfromhell.wikicode import Wikicode

from factchain.kg.records import Link

BREAK = "\n\n"


class Prefixes(NamedTuple):
    """Prefixes of titles, in lower case, that are no articles."""

    elsewhere: frozenset[str]
    """All of them."""
    hidden: frozenset[str]
    """Those of images and categories: such a link is not shown where it stands."""


_ENGLISH_HIDDEN = frozenset({"category", "file", "image"})
_ENGLISH = frozenset(
    {
        *("media", "special", "talk", "user", "wikipedia", "project", "template", "help"),
        *("portal", "draft", "module", "mediawiki", "timedtext", "book"),
    }
)
ENGLISH = Prefixes(_ENGLISH | _ENGLISH_HIDDEN, _ENGLISH_HIDDEN)
"""Every wiki understands most of these beside its own."""
_DROPPED = frozenset(
    {
        *("ref", "references", "table", "gallery", "math", "chem", "ce", "style", "script"),
        *("timeline", "imagemap", "score", "syntaxhighlight", "source", "hiero", "graph"),
        *("templatestyles", "mapframe", "maplink", "section", "noinclude", "categorytree"),
    }
)
_BLOCKS = frozenset({"li", "dd", "dt", "hr", "p", "div", "blockquote", "center", "ul", "ol", "dl"})
_INTERWIKI = re.compile(r"([a-z][a-z-]+):\S")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z-]+)?|simple")
_TRAIL = re.compile(r"[a-z]+")
_PARAGRAPH = re.compile(r"\n\s*\n")
_TABLE_LINE = re.compile(r"^\s*(?:\||\{\||!).*$", re.MULTILINE)
_MARKUP = re.compile(r"__[A-Z]+__|'{2,}")
_HOLLOW = re.compile(r"\s*\(\s*(?:[,;:]\s*)*\)|(?<=\()\s*(?:[,;:]\s*)+")
_SPACE = re.compile(r"\s+")


class Paragraph(NamedTuple):
    """A stretch of running text."""

    text: str
    links: tuple[Link, ...]


class Piece(NamedTuple):
    """Text, and the title of the article that it leads to where it is a link."""

    text: str
    title: str | None = None


def paragraphs(wikitext: str, prefixes: Prefixes = ENGLISH) -> list[Paragraph]:
    """The paragraphs of a page. Raises ValueError where the wikitext cannot be parsed."""
    try:
        code = mwparserfromhell.parse(wikitext)
        pieces = list(_pieces(code, prefixes))
    except (ParserError, RecursionError) as error:
        raise ValueError(f"the wikitext cannot be parsed: {error}") from error
    return join_paragraphs(_with_trails(_merged(pieces)))


def join_paragraphs(pieces: list[Piece]) -> list[Paragraph]:
    """Pieces as paragraphs, cut at empty lines; white space made single, offsets kept true."""
    found: list[Paragraph] = []
    builder = _Builder()
    for text, title in pieces:
        if title is not None:
            builder.add(text, title)
            continue
        first, *others = _PARAGRAPH.split(text)
        builder.add(first)
        for other in others:
            found += builder.finish()
            builder.add(other)
    return found + builder.finish()


class _Builder:
    """One paragraph in the making."""

    def __init__(self) -> None:
        self._text = ""
        self._links: list[Link] = []

    def add(self, text: str, title: str | None = None) -> None:
        """Append text; as a link where a title is given and something is to be seen of it."""
        spaced = _SPACE.sub(" ", text)
        shown = spaced.strip()
        if spaced.startswith(" ") and self._text and not self._text.endswith(" "):
            self._text += " "
        start = len(self._text)
        self._text += shown
        if shown and title is not None:
            self._links.append(Link(start=start, end=len(self._text), title=title))
        if shown and spaced.endswith(" "):
            self._text += " "

    def finish(self) -> list[Paragraph]:
        """The paragraph, unless it is empty; the next one begins."""
        text, links = self._text.rstrip(), tuple(self._links)
        self._text, self._links = "", []
        return [Paragraph(text, links)] if text else []


def _pieces(code: Wikicode, prefixes: Prefixes) -> Iterator[Piece]:
    for node in code.nodes:
        if isinstance(node, Text):
            yield Piece(str(node.value))
        elif isinstance(node, Wikilink):
            yield from _link(node, prefixes)
        elif isinstance(node, HTMLEntity):
            yield Piece(html.unescape(str(node)))
        elif isinstance(node, WikiHeading):
            yield Piece(BREAK)
        elif isinstance(node, ExternalLink):
            if node.title is not None:
                yield from _pieces(node.title, prefixes)
        elif isinstance(node, Tag):
            yield from _tag(node, prefixes)


def _tag(node: Tag, prefixes: Prefixes) -> Iterator[Piece]:
    name = str(node.tag).strip().lower()
    if name in _DROPPED:
        return
    around = BREAK if name in _BLOCKS else " " if name == "br" else ""
    yield Piece(around)
    if node.contents is not None:
        yield from _pieces(node.contents, prefixes)
        if not node.wiki_markup:
            yield Piece(around)


def _link(node: Wikilink, prefixes: Prefixes) -> Iterator[Piece]:
    target = article_title(str(node.title))
    shown_anyway = str(node.title).strip().startswith(":")
    prefix = target.partition(":")[0].strip().lower() if ":" in target else ""
    interwiki = _INTERWIKI.match(html.unescape(str(node.title)).strip().lstrip(":"))
    language = interwiki is not None and _LANGUAGE.fullmatch(interwiki[1]) is not None
    if (prefix in prefixes.hidden or language) and not shown_anyway:
        return
    text = _seen(node.text if node.text is not None else node.title, prefixes)
    if node.text is None:
        text = text.lstrip(":").replace("_", " ")
    # Only articles have facts: other namespaces, other wikis and this page's sections do not.
    elsewhere = prefix in prefixes.elsewhere or interwiki is not None or not target
    yield Piece(text, None if elsewhere else target)


def _seen(code: Node | Wikicode, prefixes: Prefixes) -> str:
    """What a reader sees of a link's text."""
    text = "".join(piece.text for piece in _pieces(mwparserfromhell.parse(code), prefixes))
    return _MARKUP.sub("", text)


def article_title(target: str) -> str:
    """The title of a link's target, as MediaWiki writes it: no section, the first letter great."""
    plain = html.unescape(target).partition("#")[0].replace("_", " ")
    title = _SPACE.sub(" ", plain).strip().lstrip(":").strip()
    return title[:1].upper() + title[1:]


def _merged(pieces: list[Piece]) -> list[Piece]:
    """Neighbouring texts as one, freed of what is left of markup."""
    merged: list[Piece] = []
    texts: list[str] = []

    def flush() -> None:
        if texts:
            text = _TABLE_LINE.sub("", "".join(texts))
            merged.append(Piece(_HOLLOW.sub("", _MARKUP.sub("", text))))
            texts.clear()

    for piece in pieces:
        if piece.title is None:
            texts.append(piece.text)
        else:
            flush()
            merged.append(piece)
    flush()
    return merged


def _with_trails(pieces: list[Piece]) -> list[Piece]:
    """Letters that follow a link belong to its text: `[[apple]]s` shows `apples`."""
    trailed: list[Piece] = []
    for piece in pieces:
        before = trailed[-1] if trailed else None
        match = _TRAIL.match(piece.text) if piece.title is None else None
        if match and before is not None and before.title is not None:
            trailed[-1] = Piece(before.text + match[0], before.title)
            piece = Piece(piece.text[match.end() :])
        trailed.append(piece)
    return trailed
