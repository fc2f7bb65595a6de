"""When Python looks for garbage: a fifth of the time, where millions of objects live."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

OBJECTS_BETWEEN_COLLECTIONS = 100_000
"""New objects after which the youngest are looked through; Python's own number is 700."""


@contextmanager
def collector_off() -> Iterator[None]:
    """Never, in the block: for what holds no cycles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def rare_collections() -> Iterator[None]:
    """Rarely, in the block."""
    thresholds = gc.get_threshold()
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
