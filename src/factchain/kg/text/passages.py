"""A text corpus, JSON Lines of passages: blocks of its lines, and the passages in a block.

Lines are decoded by msgspec, which is some ten times as fast as pydantic; a line that it refuses is
put to `TextPassage`, whose word counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, BinaryIO

import msgspec

from factchain.errors import InputError
from factchain.kg.records import PassageView, TextPassage
from factchain.kg.text.repeated_ids import PassageIds, passage_ids
from factchain.kg.triples.lines import LONGEST_LINE, Block, blocks, open_stream
from factchain.records import read_record


class _Link(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    start: int
    end: int
    title: str


class _Passage(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    id: str
    title: str
    text: str
    entity: Annotated[str, msgspec.Meta(pattern=r"^Q[1-9][0-9]{0,9}\Z")] | None = None
    links: tuple[_Link, ...] = ()

    def __post_init__(self) -> None:
        for link in self.links:
            if not 0 <= link.start < link.end <= len(self.text):
                raise ValueError("a link lies outside the text")


class _Id(msgspec.Struct, gc=False):
    id: str


_decoder = msgspec.json.Decoder(_Passage)
_id_decoder = msgspec.json.Decoder(_Id)


def corpus_blocks(path: Path, size: int = 0) -> Iterator[Block]:
    """Blocks of some `size` bytes of whole lines of a file, which may be compressed.

    Raises InputError where it is unreadable, or a line is far too long.
    """
    with open_stream(path) as stream:
        yield from line_blocks(path, stream, size)


def line_blocks(path: Path, stream: BinaryIO, size: int = 0) -> Iterator[Block]:
    """The same of a file that is open."""
    for block in blocks(stream, size=size, longest=LONGEST_LINE):
        if block.too_long:
            raise InputError(
                f"{path}:{block.first}: the line has more than {LONGEST_LINE:,} bytes: a passage "
                "is a paragraph, not a book"
            )
        yield block


def numbered_lines(path: Path, stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that is open, with their numbers. Raises InputError as above."""
    for block in line_blocks(path, stream):
        yield from enumerate(block.data.split(b"\n"), start=block.first)


def check_corpus(path: Path) -> int:
    """The bytes of a corpus whose ids are checked; memory does not grow with them.

    Raises InputError where a line is no JSON object with an id, an id stands twice, or there is
    no passage.
    """
    size = 0
    with passage_ids() as ids:
        for block in corpus_blocks(path):
            size += len(block.data) + 1
            _take_ids(path, block, ids)
    if not size:
        raise InputError(f"{path}: holds no passage")
    return size


def _take_ids(path: Path, block: Block, ids: PassageIds) -> None:
    lines = block.data.split(b"\n")
    try:
        found = [_id_decoder.decode(line).id for line in lines]
    except (msgspec.MsgspecError, UnicodeDecodeError):
        found = [
            read_record(path, n, line, TextPassage).id
            for n, line in enumerate(lines, start=block.first)
        ]
    ids.add(found, path, block.first)


def passages_of(path: Path, block: Block) -> list[PassageView]:
    """The passages in a block of a corpus. Raises InputError where a line is none."""
    passages: list[PassageView] = []
    for number, line in enumerate(block.data.split(b"\n"), start=block.first):
        try:
            passages.append(_decoder.decode(line))
        except (msgspec.MsgspecError, UnicodeDecodeError):
            passages.append(read_record(path, number, line, TextPassage))
    return passages
