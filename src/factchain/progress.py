"""Progress of long work, on stderr: a bar on a terminal, one line a minute elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

T = TypeVar("T")

SECONDS_BETWEEN_LINES = 60.0
_silent = False


def set_silent(silent: bool) -> None:
    """Switch all messages and progress bars of this process off or on."""
    global _silent
    _silent = silent


@contextmanager
def silenced() -> Iterator[None]:
    """Switch them off in the block, for work that another bar stands for."""
    before = _silent
    set_silent(True)
    try:
        yield
    finally:
        set_silent(before)


def say(message: str) -> None:
    """Print a message to stderr, unless silenced."""
    if not _silent:
        print(message, file=sys.stderr)


def track(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """Yield the items, showing how many are done and, with a `total`, the time left."""
    with counting(what, total) as advance:
        for item in items:
            yield item
            advance()


@contextmanager
def counting(what: str, total: int | None = None) -> Iterator[Callable[[], None]]:
    """Show the progress of the block, which calls what it is given for each thing done."""
    if _silent:
        yield lambda: None
    elif sys.stderr.isatty():
        columns = (
            TextColumn("  {task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task(what, total=total)
            yield lambda: progress.advance(task)
    else:
        yield _lines(what, total)


@contextmanager
def measuring(what: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """Show how many bytes the block has read, of `total`; it calls what it is given for more."""
    if _silent:
        yield lambda count: None
    elif sys.stderr.isatty():
        columns = (
            TextColumn("  {task.description}"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task(what, total=total)
            yield lambda count: progress.advance(task, count)
    else:
        yield _byte_lines(what, total)


def _byte_lines(what: str, total: int | None) -> Callable[[int], None]:
    """Add up bytes, and say once a minute how many there were and how long the rest will take."""
    start = last = time.monotonic()
    done = 0

    def advance(count: int) -> None:
        nonlocal done, last
        done += count
        now = time.monotonic()
        if now - last >= SECONDS_BETWEEN_LINES:
            last = now
            line = f"  {what}: {done / 1e6:,.0f} MB"
            if total:
                left = (now - start) * max(0, total - done) / max(1, done)
                line += f" of {total / 1e6:,.0f}, {left / 60:,.0f} min left"
            say(line)

    return advance


def _lines(what: str, total: int | None) -> Callable[[], None]:
    """Count calls, and say how many there were once a minute."""
    done, last = 0, time.monotonic()

    def advance() -> None:
        nonlocal done, last
        done += 1
        now = time.monotonic()
        if now - last >= SECONDS_BETWEEN_LINES:
            last = now
            say(f"  {what}: {done}" + (f" of {total}" if total else ""))

    return advance
