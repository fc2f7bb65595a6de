"""JSON arrays and JSON Lines, told apart, one object at a time."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from factchain.errors import InputError
from factchain.progress import measuring

_CHUNK = 1 << 20
_SPACE = " \t\r\n"
_LONGEST_TOKEN = 512
"""Longer than any name, number or escape that the end of a chunk could cut."""

Json = dict[str, Any]
Advance = Callable[[int], None]


class SourceRecord(BaseModel):
    """A record of a published dataset; fields beyond those that are known are kept."""

    model_config = ConfigDict(extra="allow", frozen=True, populate_by_name=True)


S = TypeVar("S", bound=SourceRecord)


def read_objects(path: Path) -> Iterator[tuple[str, Json]]:
    """Yield place and value of every object of a JSON array or a JSON Lines file.

    The place is `FILE:LINE` in JSON Lines, `FILE: record N` in an array. Raises InputError for a
    file that cannot be read, is neither, or is broken off.
    """
    try:
        with (
            path.open("rb") as file,
            measuring(f"reading {path.name}", path.stat().st_size) as advance,
        ):
            file.seek(len(codecs.BOM_UTF8) if file.read(3) == codecs.BOM_UTF8 else 0)
            start = file.tell()
            first = _first_character(file)
            file.seek(start)
            if first == b"[":
                yield from _array(path, file, advance)
            elif first == b"{":
                yield from _lines(path, file, advance)
            else:
                raise InputError(
                    f"{path}: is neither a JSON array nor JSON Lines: "
                    + ("it is empty" if not first else f"it begins with {first!r}")
                )
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error


def parse(place: str, value: Json, kind: type[S], what: str) -> S:
    """The value as a record of a format.

    Raises InputError, naming place, field and what was expected.
    """
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the record"
        raise InputError(f"{place}: {where}: {first['msg']} (expected {what})") from error


def _first_character(file: BinaryIO) -> bytes:
    while chunk := file.read(_CHUNK):
        if stripped := chunk.lstrip():
            return stripped[:1]
    return b""


def _lines(path: Path, file: BinaryIO, advance: Advance) -> Iterator[tuple[str, Json]]:
    for number, line in enumerate(file, start=1):
        if line.strip():
            yield f"{path}:{number}", _load(f"{path}:{number}", line)
        advance(len(line))


def _array(path: Path, file: BinaryIO, advance: Advance) -> Iterator[tuple[str, Json]]:
    """Decode the elements one by one; a part of the file at a time is in memory."""
    text = _Window(path, file, advance)
    text.skip("[")
    number = 0
    while (following := text.peek()) != "]":
        if number:
            if following != ",":
                raise InputError(f"{path}: record {number}: no comma or bracket follows it")
            text.skip(",")
        number += 1
        place = f"{path}: record {number}"
        yield place, _load(place, text.take_value(place).encode())
    text.skip("]")
    if text.peek(at_end=True):
        raise InputError(f"{path}: something follows the array's last bracket")


class _Window:
    """The part of a file that is being decoded."""

    def __init__(self, path: Path, file: BinaryIO, advance: Advance) -> None:
        self._path, self._file, self._advance = path, file, advance
        self._decode = codecs.getincrementaldecoder("utf-8")().decode
        self._scan = json.JSONDecoder(strict=False).raw_decode
        self._text = ""
        self._at = 0

    def peek(self, *, at_end: bool = False) -> str:
        """The next character that is no white space; "" at the end, where it may come."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                if at_end:
                    return ""
                raise InputError(f"{self._path}: the array is broken off: it has no last bracket")

    def skip(self, character: str) -> None:
        """Pass over the character that comes next."""
        assert self.peek() == character
        self._at += 1

    def take_value(self, place: str) -> str:
        """The text of the JSON value that comes next."""
        self.peek()
        while True:
            try:
                _, end = self._scan(self._text, self._at)
            except json.JSONDecodeError as error:
                if self._is_fault(error) or not self._more():
                    raise InputError(
                        f"{place}: is no JSON, or is broken off: {error.msg}"
                    ) from error
                continue
            except RecursionError as error:
                raise InputError(f"{place}: is nested too deep") from error
            # A number could go on in the next part; an object cannot.
            value, self._at = self._text[self._at : end], end
            return value

    def _is_fault(self, error: json.JSONDecodeError) -> bool:
        """Whether more text would not mend it: it lies before the end of what is held."""
        open_string = error.msg.startswith("Unterminated string")
        return not open_string and error.pos < len(self._text) - _LONGEST_TOKEN

    def _more(self) -> bool:
        """Read on: as much again as is held, so that long values are not scanned too often."""
        chunk = self._file.read(max(_CHUNK, len(self._text) - self._at))
        try:
            more = self._decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            raise InputError(f"{self._path}: is no UTF-8 text") from error
        self._text, self._at = self._text[self._at :] + more, 0
        self._advance(len(chunk))
        return bool(chunk)


def _load(place: str, text: bytes) -> Json:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InputError(f"{place}: is no JSON: {error.msg}") from error
    if not isinstance(value, dict):
        raise InputError(f"{place}: is no JSON object with named fields")
    return value
