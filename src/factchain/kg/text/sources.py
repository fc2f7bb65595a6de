"""Files of text, told apart by their content -> pages of a wiki, or passages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Literal

from factchain.errors import InputError
from factchain.kg.records import TextPassage
from factchain.kg.text import wikiextractor
from factchain.kg.text.pages import Page, TitleRedirect
from factchain.kg.text.passages import line_blocks
from factchain.kg.text.repeated_ids import PassageIds, passage_ids
from factchain.kg.text.wikitext_dump import read_articles
from factchain.kg.triples.lines import open_stream
from factchain.records import read_record

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
    files: Iterable[Path],
    form: Format | None,
    skipped: Counter[str],
    on_read: Callable[[int], None] | None = None,
) -> Iterator[Read]:
    """Yield what the files hold, in their order; `form` is told by each one's content if None.

    `on_read` is told of the bytes that were read.
    Raises InputError for a malformed file or an id that stands twice.
    """
    pages = bytearray()
    with passage_ids() as ids:
        for file in files:
            for one in _read(file, form, skipped, ids, on_read):
                if isinstance(one, Page):
                    _once(file, one.id, pages)
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


def _read(
    file: Path,
    form: Format | None,
    skipped: Counter[str],
    ids: PassageIds,
    on_read: Callable[[int], None] | None,
) -> Iterator[Read]:
    with open_stream(file, on_read=on_read) as stream:
        start = stream.peek().removeprefix(b"\xef\xbb\xbf").lstrip()
        if not start:
            raise InputError(f"{file}: is empty")
        found = form or _form(file, start)
        if found == "mediawiki":
            yield from read_articles(file, stream, skipped)
        elif found == "jsonl":
            yield from _passages(file, stream, ids)
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


def _passages(file: Path, stream: BinaryIO, ids: PassageIds) -> Iterator[TextPassage]:
    for block in line_blocks(file, stream):
        lines = enumerate(block.data.split(b"\n"), start=block.first)
        passages = [read_record(file, number, line, TextPassage) for number, line in lines]
        ids.add([passage.id for passage in passages], file, block.first)
        yield from passages
