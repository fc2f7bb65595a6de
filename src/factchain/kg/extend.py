"""The store that a command adds to, or a new one; a failure leaves it as it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from factchain.errors import OutputError
from factchain.kg.store import Store


@contextmanager
def extended(path: Path) -> Iterator[Store]:
    """Open the store at `path` for writing; a new one takes its place when the block succeeds.

    What the block adds to an existing store it adds in one transaction. Raises StoreError where
    the file is no store, and OutputError where the place cannot be written.
    """
    if path.exists():
        with Store.open(path, read_only=False) as store:
            yield store
            store.checkpoint()
        return
    aside = path.with_name(f".{path.name}.{uuid4().hex}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error
    try:
        with Store.create(aside) as store:
            yield store
            store.checkpoint()
        aside.replace(path)
    finally:
        for leftover in (aside, aside.with_name(f"{aside.name}.wal")):
            with suppress(OSError):
                leftover.unlink(missing_ok=True)
