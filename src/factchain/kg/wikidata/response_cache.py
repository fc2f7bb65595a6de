"""What a service answered, on disk: JSON values by request, in SQLite."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from factchain.errors import InputError, OutputError

_MAKE = """
CREATE TABLE IF NOT EXISTS response (
    request TEXT PRIMARY KEY,
    answer  TEXT NOT NULL,   -- JSON
    asked   REAL NOT NULL    -- seconds since 1970
)
"""
_GET = "SELECT answer FROM response WHERE request = ? AND asked >= ?"
_PUT = "INSERT OR REPLACE INTO response VALUES (?, ?, ?)"


class ResponseCache:
    """Answers that are at most `max_age` seconds old; may be used by several threads."""

    def __init__(self, path: Path, max_age: float) -> None:
        self.path = path
        self._max_age = max_age
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, check_same_thread=False)
            with self._connection:
                self._connection.execute(_MAKE)
        except (OSError, sqlite3.Error) as error:
            raise OutputError(f"{path}: cannot be used as a cache: {error}") from error

    def get(self, request: str) -> dict[str, Any] | None:
        """The answer to a request, if it is there and young enough."""
        try:
            with self._lock:
                row = self._connection.execute(
                    _GET, (request, time.time() - self._max_age)
                ).fetchone()
            answer = json.loads(row[0]) if row else None
        except (sqlite3.Error, ValueError) as error:
            raise InputError(f"{self.path}: the cache is damaged ({error}): remove it") from error
        return answer if isinstance(answer, dict) else None

    def put(self, answers: Mapping[str, dict[str, Any]]) -> None:
        """Keep the answers to some requests, all or none."""
        now = time.time()
        rows = [(request, json.dumps(answer), now) for request, answer in answers.items()]
        try:
            with self._lock, self._connection:
                self._connection.executemany(_PUT, rows)
        except sqlite3.Error as error:
            raise OutputError(f"{self.path}: cannot be written: {error}") from error

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> ResponseCache:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
