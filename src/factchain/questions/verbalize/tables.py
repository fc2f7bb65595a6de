"""The tables beside this module, and a user's own laid over them.

A user's file is recognised by its columns; a folder holds files named like the built-in ones. Rows
of `phrases.tsv` and `literals.tsv` take the place of all built-in rows of their property, those of
`frames.tsv` of the frame; rows of `nouns.tsv` and `mentions.tsv` come before the built-in ones.
Where the frames are of another language, nothing that is built in is used besides them.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from factchain.errors import InputError
from factchain.questions.verbalize.table_rows import COLUMNS, check_row

PHRASES, LITERALS = "phrases.tsv", "literals.tsv"
MENTIONS, NOUNS, FRAMES = "mentions.tsv", "nouns.tsv", "frames.tsv"
ENGLISH = "en"
_TABLES = (PHRASES, LITERALS, MENTIONS, NOUNS, FRAMES)
_KEYS = {PHRASES: "property", LITERALS: "property", FRAMES: "frame"}
_FOLDER = files("factchain.questions.verbalize")

Row = dict[str, str]


@dataclass(frozen=True)
class Line:
    """A row of a table, and where it stands."""

    where: str
    cells: Row


class Tables:
    """The rows of every table by column, the user's in front or in place of the built-in."""

    def __init__(self, own: Path | None = None) -> None:
        """Raises InputError, naming line and column, for a file that is no such table."""
        self._own: dict[str, list[Row]] = {}
        self._bytes = b"".join((_FOLDER / name).read_bytes() for name in _TABLES)
        built_in = {row["frame"]: row["text"] for row in read_table(FRAMES)}
        for path in _files(own) if own else []:
            name, rows = _read_own(path, built_in)
            self._own[name] = rows
            self._bytes += path.read_bytes()
        frames = {row["frame"]: row["text"] for row in self._own.get(FRAMES, [])}
        self.frames = built_in | frames
        self.language = self.frames["language"]
        if self.language != ENGLISH and (missing := sorted(set(built_in) - set(frames))):
            raise InputError(
                f"{own}: the frames of another language must be complete; {FRAMES} lacks "
                f"{', '.join(missing)}: docs/templates.md shows each"
            )

    def rows(self, name: str) -> list[Row]:
        """The rows of a table, those that count first in front."""
        own = self._own.get(name, [])
        built_in = read_table(name) if self.language == ENGLISH else []
        key = _KEYS.get(name)
        if key:
            taken = {row[key] for row in own}
            built_in = [row for row in built_in if row[key] not in taken]
        return [*own, *built_in]

    @property
    def version(self) -> str:
        """`templates-` and a checksum of all tables."""
        return f"templates-{hashlib.sha256(self._bytes).hexdigest()[:8]}"


def read_table(name: str) -> list[Row]:
    """The rows of a built-in table by column."""
    with (_FOLDER / name).open("r", encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def _files(own: Path) -> list[Path]:
    """The tables of a folder, or the one file."""
    if not own.is_dir():
        return [own]
    found = [own / name for name in _TABLES if (own / name).is_file()]
    if not found:
        raise InputError(f"{own}: the folder holds none of {', '.join(_TABLES)}")
    return found


def _read_own(path: Path, frames: Row) -> tuple[str, list[Row]]:
    """The name of the built-in table that a file is like, and its rows."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 at byte {error.start}; save it as UTF-8") from error
    lines = text.split("\n")
    header = lines[0].rstrip("\r").split("\t")
    name = _table_of(path, header)
    rows = []
    for line in _lines(path, lines, header):
        check_row(name, line.where, line.cells, frames)
        rows.append(line.cells)
    return name, rows


def _table_of(path: Path, header: list[str]) -> str:
    for name, columns in COLUMNS.items():
        needed = {column for column, is_needed in columns.items() if is_needed}
        if needed <= set(header):
            if unknown := sorted(set(header) - set(columns)):
                raise InputError(
                    f"{path}:1: column `{unknown[0]}` is none of {name}: {', '.join(columns)}"
                )
            if len(set(header)) < len(header):
                raise InputError(f"{path}:1: a column is named twice")
            return name
    kinds = "; ".join(
        f"{name}: {', '.join(c for c, is_needed in columns.items() if is_needed)}"
        for name, columns in COLUMNS.items()
    )
    raise InputError(
        f"{path}:1: the first line must name the columns of a table, apart by tabs ({kinds}); "
        f"it is: {', '.join(header)[:200]}"
    )


def _lines(path: Path, lines: list[str], header: list[str]) -> Iterator[Line]:
    """The rows after the header, without empty lines and those that begin with `#`."""
    for number, raw in enumerate(lines[1:], start=2):
        text = raw.rstrip("\r")
        if not text.strip() or text.startswith("#"):
            continue
        cells = [cell.strip() for cell in text.split("\t")]
        if len(cells) > len(header):
            raise InputError(
                f"{path}:{number}: {len(cells)} cells, but the first line names {len(header)} "
                "columns: is a tab inside a cell?"
            )
        row = dict.fromkeys(header, "") | dict(zip(header, cells, strict=False))
        yield Line(f"{path}:{number}", row)
