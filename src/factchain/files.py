"""Files that are complete or absent, and their checksums."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from factchain.errors import OutputError


@contextmanager
def write_atomically(path: Path) -> Iterator[BinaryIO]:
    """Open a file beside `path` for writing; move it into place when the block succeeds.

    Raises OutputError where the place cannot be written (no permission, full disk); nothing
    half-written stays behind.
    """
    aside = path.with_name(f".{path.name}.{uuid4().hex}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with aside.open("wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        aside.replace(path)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            aside.unlink(missing_ok=True)


@contextmanager
def sweep(folder: Path) -> Iterator[None]:
    """Remove what killed or failed runs left half-written, before and after the block."""
    _remove_parts(folder)
    try:
        yield
    finally:
        _remove_parts(folder)


def _remove_parts(folder: Path) -> None:
    for leftover in folder.rglob(".*.part*"):
        leftover.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 text file, complete or not at all."""
    with write_atomically(path) as out:
        out.write(text.encode())


def sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
