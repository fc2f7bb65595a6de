"""What the program wikiextractor writes: JSON lines, or `<doc>` elements; a paragraph a line."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote

import msgspec

from factchain.errors import InputError
from factchain.kg.text.pages import Page
from factchain.kg.text.passages import numbered_lines
from factchain.kg.text.wikitext import BREAK, Paragraph, Piece, article_title, join_paragraphs

_DOC = re.compile(r'<doc id="([^"]*)".*? title="(.*)">')
_KEYS = re.compile(rb'\{\s*"id":\s*"[^"]*",\s*"(?:revid|url)":')
_END = "</doc>"
_ANCHOR = re.compile(r'<a href="([^"]*)">(.*?)</a>')
_TAG = re.compile(r"</?(?:a|b|br|code|div|em|i|p|ref|s|small|span|strong|sub|sup|u)\b[^<>]*>")


class Extract(msgspec.Struct, gc=False):
    """A line of wikiextractor's `--json`."""

    id: str
    title: str
    text: str
    url: str = ""


_decoder = msgspec.json.Decoder(Extract)


def begins(start: bytes) -> bool:
    """Whether this is how its JSON lines begin: `id` and `url` (or `revid`) before the text."""
    return _KEYS.match(start) is not None


def read_json(path: Path, stream: BinaryIO) -> Iterator[Page]:
    """Yield the pages of a file of JSON lines. Raises InputError for a malformed line."""
    for number, line in numbered_lines(path, stream):
        if not line.strip():
            continue
        try:
            extract = _decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise InputError(
                f"{path}:{number}: {error}; expected a line of wikiextractor's --json"
            ) from error
        yield _page(path, number, extract.id, extract.title, extract.text)


def read_docs(path: Path, stream: BinaryIO) -> Iterator[Page]:
    """Yield the pages of a file of `<doc>` elements. Raises InputError where one is malformed."""
    begun, head, lines = 0, ("", ""), list[str]()
    for number, raw in numbered_lines(path, stream):
        try:
            line = raw.decode().rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise InputError(f"{path}:{number}: the line is no UTF-8: {error}") from error
        match = _DOC.fullmatch(line)
        if match is not None and not begun:
            begun, head = number, (match[1], match[2])
        elif line == _END and begun:
            yield _page(path, begun, head[0], head[1], "\n".join(lines))
            begun, lines = 0, []
        elif begun:
            lines.append(line)
        elif line.strip():
            raise InputError(f'{path}:{number}: expected `<doc id="…" url="…" title="…">`')
    if begun:
        raise InputError(
            f"{path}:{begun}: the <doc> has no end: the file is cut off; run wikiextractor again"
        )


def _page(path: Path, number: int, page: str, title: str, text: str) -> Page:
    if not page.isascii() or not page.isdigit():
        raise InputError(f"{path}:{number}: {page!r} is no page id: expected a number")
    return Page(int(page), html.unescape(title), text, "extracted")


def paragraphs(title: str, text: str) -> list[Paragraph]:
    """The paragraphs of a page: its lines, but for the title that stands first.

    wikiextractor escapes `<`, `>` and `&`, and with `--links` writes links as `<a href>`.
    """
    lines = html.unescape(text).strip().split("\n")
    if lines[0].strip() == title:
        del lines[0]
    pieces: list[Piece] = []
    for line in lines:
        end = 0
        for match in _ANCHOR.finditer(line):
            pieces.append(Piece(_TAG.sub("", line[end : match.start()])))
            target = article_title(unquote(html.unescape(match[1])))
            pieces.append(Piece(_TAG.sub("", match[2]), target or None))
            end = match.end()
        pieces += [Piece(_TAG.sub("", line[end:])), Piece(BREAK)]
    return join_paragraphs(pieces)
