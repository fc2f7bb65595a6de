"""Progress of long work, on stderr: a bar on a terminal, one line a minute elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

T = TypeVar("T")

SECONDS_BETWEEN_LINES = 60.0
_silent = False


def set_silent(silent: bool) -> None:
    """Switch all messages and progress bars of this process off or on."""
    global _silent
    _silent = silent


def say(message: str) -> None:
    """Print a message to stderr, unless silenced."""
    if not _silent:
        print(message, file=sys.stderr)


def track(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """Yield the items, showing how many are done and, with a `total`, the time left."""
    if _silent:
        yield from items
    elif sys.stderr.isatty():
        columns = (
            TextColumn("  {task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            yield from progress.track(items, total=total, description=what)
    else:
        last = time.monotonic()
        for done, item in enumerate(items, start=1):
            yield item
            if time.monotonic() - last >= SECONDS_BETWEEN_LINES:
                last = time.monotonic()
                say(f"  {what}: {done}" + (f" of {total}" if total else ""))
