"""Files of text, told apart by their content -> pages of a wiki, or passages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from factchain.errors import InputError
from factchain.kg.records import TextPassage
from factchain.kg.text import wikiextractor
from factchain.kg.text.pages import Page, TitleRedirect
from factchain.kg.text.wikitext_dump import read_articles
from factchain.kg.triples.lines import open_stream

Format = Literal["jsonl", "wikiextractor", "mediawiki"]
FORMATS: tuple[Format, ...] = ("jsonl", "wikiextractor", "mediawiki")
LARGEST_PAGE = 2**31 - 1

Read = Page | TitleRedirect | TextPassage


def files_of(sources: Sequence[Path]) -> list[Path]:
    """The files, and those below the folders, sorted by path. Raises InputError for none."""
    files: list[Path] = []
    for source in sources:
        if source.is_dir():
            below = source.rglob("*")
            found = sorted(p for p in below if p.is_file() and not p.name.startswith("."))
            if not found:
                raise InputError(f"{source}: the folder holds no file")
            files += found
        else:
            files.append(source)
    return files


def read_sources(
    files: Iterable[Path], form: Format | None, skipped: Counter[str]
) -> Iterator[Read]:
    """Yield what the files hold, in their order; `form` is told by each one's content if None.

    Raises InputError for a malformed file or an id that stands twice.
    """
    pages, passages = bytearray(), set[str]()
    for file in files:
        for one in _read(file, form, skipped):
            if isinstance(one, Page):
                _once(file, one.id, pages)
            elif isinstance(one, TextPassage):
                if one.id in passages:
                    raise InputError(f"{file}: the passage id {one.id!r} stands twice")
                passages.add(one.id)
            yield one


def _once(file: Path, page: int, seen: bytearray) -> None:
    """Mark a page as seen, one bit each. Raises InputError where it was, or is no id."""
    if not 0 < page <= LARGEST_PAGE:
        raise InputError(f"{file}: {page} is no page id: expected 1 to {LARGEST_PAGE}")
    byte, bit = page // 8, 1 << page % 8
    if byte >= len(seen):
        seen.extend(bytes(byte + 1 - len(seen)))
    if seen[byte] & bit:
        raise InputError(f"{file}: the page id {page} stands twice: is a file given twice?")
    seen[byte] |= bit


def _read(file: Path, form: Format | None, skipped: Counter[str]) -> Iterator[Read]:
    with open_stream(file) as stream:
        start = stream.peek().removeprefix(b"\xef\xbb\xbf").lstrip()
        if not start:
            raise InputError(f"{file}: is empty")
        found = form or _form(file, start)
        if found == "mediawiki":
            yield from read_articles(file, stream, skipped)
        elif found == "jsonl":
            yield from _passages(file, stream)
        elif start.startswith(b"{"):
            yield from wikiextractor.read_json(file, stream)
        else:
            yield from wikiextractor.read_docs(file, stream)


def _form(file: Path, start: bytes) -> Format:
    """What a file is, by how it begins. Raises InputError where it is nothing known."""
    if start.startswith(b"<doc "):
        return "wikiextractor"
    if start.startswith((b"<mediawiki", b"<?xml", b"<!--")):
        return "mediawiki"
    if start.startswith(b"{"):
        return "wikiextractor" if wikiextractor.begins(start) else "jsonl"
    raise InputError(
        f"{file}: neither JSON Lines of passages, nor wikiextractor's output, nor a MediaWiki XML "
        f"dump, by its beginning {start[:40].decode(errors='replace')!r}; --format says which it is"
    )


def _passages(file: Path, stream: Iterable[bytes]) -> Iterator[TextPassage]:
    for number, line in enumerate(stream, start=1):
        try:
            passage = TextPassage.model_validate_json(line)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "the line"
            raise InputError(
                f"{file}:{number}: {where}: {first['msg']} (expected a TextPassage)"
            ) from error
        yield passage
