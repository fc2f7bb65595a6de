"""`conversion.json`: what an import or export read, wrote, and had no place for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import orjson
from pydantic import Field, ValidationError

from factchain import __version__
from factchain.errors import OutputError
from factchain.files import write_atomically
from factchain.formats.protocol import Drops
from factchain.progress import say
from factchain.records import Record

FILE = "conversion.json"


class Conversion(Record):
    """What a conversion did."""

    factchain: str = __version__
    """The version that made it."""
    direction: Literal["import", "export"]
    """Into our records, or out of them."""
    format: str
    """The format's name."""
    read: tuple[str, ...]
    """Names of the files, or of the folder, that were read."""
    questions: int = Field(ge=0)
    """Questions that were written."""
    passages: int = Field(ge=0)
    """Passages that were written."""
    dropped: dict[str, int]
    """What had no place, and how often: fields of questions, sub-questions or records."""
    files: tuple[str, ...]
    """Files that were written, within the folder."""


def dropped(drops: Drops) -> dict[str, int]:
    """What was dropped at all, by name."""
    return {name: count for name, count in sorted(drops.items()) if count}


def take_over(out: Path, direction: str) -> tuple[str, ...]:
    """Make sure that the folder is ours to write: absent, empty, or of such a conversion.

    Returns the files that an earlier conversion wrote. Raises OutputError for any other folder.
    """
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return ()
    try:
        earlier = Conversion.model_validate_json((out / FILE).read_bytes())
    except (OSError, ValidationError):
        earlier = None
    if earlier is None or earlier.direction != direction:
        raise OutputError(
            f"{out}: holds something that `factchain {direction}` did not write: choose a new or "
            "empty folder with --out"
        )
    return earlier.files


def finish(out: Path, conversion: Conversion, earlier: Sequence[str]) -> None:
    """Write `conversion.json`, take away what only the earlier conversion wrote, and tell."""
    for name in earlier:
        parts = Path(name).parts
        inside = parts and not Path(name).is_absolute() and ".." not in parts
        if inside and name not in conversion.files and not (out / name).is_symlink():
            (out / name).unlink(missing_ok=True)
    with write_atomically(out / FILE) as file:
        value = conversion.model_dump(mode="json")
        file.write(orjson.dumps(value, option=orjson.OPT_INDENT_2) + b"\n")
    for name, count in conversion.dropped.items():
        say(f"dropped: {name}: {count:,}")


def as_text(conversion: Conversion, out: Path) -> str:
    """The conversion for a reader."""
    lines = [f"{conversion.questions:,} questions and {conversion.passages:,} passages"]
    lines += [f"  {out / name}" for name in conversion.files]
    if conversion.dropped:
        lines.append(f"  {out / FILE} lists what was dropped")
    return "\n".join(lines)
