"""What a retriever found, kept in a file, so that a query is searched once by all runs.

One SQLite file a retriever, which several processes may use at once. It only saves time: where it
cannot be read or written, the retriever searches again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from pathlib import Path

from factchain import __version__
from factchain.eval.queries import FIND_HITS, KEEP_HITS, MAKE_HITS

Hits = tuple[str, ...]
"""Ids of passages, the best first."""

_SECONDS_TO_WAIT = 60.0
"""For another process that is writing."""


class KeptHits:
    """The best `k` passages of one corpus, by query."""

    def __init__(self, path: Path, corpus: str, k: int) -> None:
        """`corpus` is its checksum: what was found in another one is never given. Nor is what
        another version of factchain found."""
        self._path = path
        self._of = (corpus, k, __version__)

    def get(self, queries: Iterable[str]) -> dict[str, Hits]:
        """What is known of these queries."""
        found: dict[str, Hits] = {}
        if not self._path.is_file():
            return found
        with suppress(sqlite3.Error), closing(self._open()) as file:
            for query in queries:
                for (ids,) in file.execute(FIND_HITS, (*self._of, query)):
                    found[query] = tuple(json.loads(ids))
        return found

    def put(self, found: Mapping[str, Hits]) -> None:
        """Keep what was found."""
        rows = [(*self._of, query, json.dumps(ids)) for query, ids in found.items()]
        with suppress(sqlite3.Error, OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(self._open()) as file, file:
                file.execute(MAKE_HITS)
                file.executemany(KEEP_HITS, rows)

    def _open(self) -> sqlite3.Connection:
        file = sqlite3.connect(self._path, timeout=_SECONDS_TO_WAIT)
        file.execute("PRAGMA synchronous = OFF")  # what a crash of the machine takes is found again
        return file
