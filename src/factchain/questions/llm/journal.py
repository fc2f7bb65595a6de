"""Every reply that was paid for, on disk: JSON values by the key of their request, in SQLite.

A request is noted before it is sent and its reply as soon as it came, each in a transaction of its
own, so a killed run loses the replies that were on their way and no other. What was sent and not
settled may have been paid for: it counts as spent, at its upper bound. One run uses a journal at a
time. Keys stand in no journal: they are struck from every text first.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import orjson

from factchain.errors import InputError, ModelError, OutputError
from factchain.questions.llm.exchanges import Choice, Usage

LAYOUT = 1
SECONDS_BETWEEN_SYNCS = 1.0
PRAGMAS = ("locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = NORMAL")
_MAKE = """
CREATE TABLE IF NOT EXISTS exchange (
    key           TEXT PRIMARY KEY,
    purpose       TEXT NOT NULL,
    model         TEXT NOT NULL,
    request       TEXT NOT NULL,    -- JSON: the messages
    reply         TEXT NOT NULL,    -- JSON: the choice
    prompt_tokens INTEGER NOT NULL,
    reply_tokens  INTEGER NOT NULL,
    counted       INTEGER NOT NULL, -- 1 where the server told the tokens
    usd           REAL,             -- NULL where the price is not known
    made          REAL NOT NULL,    -- seconds since 1970
    settles       INTEGER           -- what it settles
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS unsettled ( -- sent; no reply yet, or none that came
    id     INTEGER PRIMARY KEY,
    key    TEXT NOT NULL,
    model  TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    usd    REAL,
    sent   REAL NOT NULL,
    batch  TEXT                        -- the batch job it is part of
);
CREATE TRIGGER IF NOT EXISTS settle AFTER INSERT ON exchange WHEN NEW.settles IS NOT NULL
BEGIN
    DELETE FROM unsettled WHERE id = NEW.settles;
END;
CREATE TABLE IF NOT EXISTS quarantine (
    key     TEXT PRIMARY KEY,
    purpose TEXT NOT NULL,
    text    TEXT NOT NULL,
    problem TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS batch (
    tag   TEXT PRIMARY KEY,            -- ours, also sent as metadata of the job
    job   TEXT,                        -- the server's name for it; NULL until it is known
    made  REAL NOT NULL
);
"""
_GET = "SELECT reply FROM exchange WHERE key = ?"
_PUT = "INSERT OR REPLACE INTO exchange VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_SEND = "INSERT INTO unsettled (key, model, tokens, usd, sent) VALUES (?, ?, ?, ?, ?)"
_SEND_IN_BATCH = (
    "INSERT INTO unsettled (key, model, tokens, usd, sent, batch) VALUES (?, ?, ?, ?, ?, ?)"
)
_SETTLE = "DELETE FROM unsettled WHERE id = ?"
_QUARANTINE = "INSERT OR REPLACE INTO quarantine VALUES (?, ?, ?, ?)"
_QUARANTINED = "SELECT purpose, text, problem FROM quarantine ORDER BY purpose, key"
_SPENT = """
SELECT coalesce(sum(tokens), 0), coalesce(sum(usd), 0), count(*) - count(usd) FROM (
    SELECT prompt_tokens + reply_tokens AS tokens, usd FROM exchange
    UNION ALL
    SELECT tokens, usd FROM unsettled
)
"""
_MEAN = """
SELECT avg(prompt_tokens), avg(reply_tokens) FROM exchange
WHERE purpose = ? AND model = ? AND counted = 1
"""
_ACCOUNTS = """
SELECT purpose, count(*), sum(prompt_tokens), sum(reply_tokens), sum(usd)
FROM exchange GROUP BY purpose ORDER BY purpose
"""
_NEW_BATCH = "INSERT INTO batch VALUES (?, NULL, ?)"
_NAME_BATCH = "UPDATE batch SET job = ? WHERE tag = ?"
_BATCHES = "SELECT tag, job FROM batch ORDER BY made, tag"
_IN_BATCH = "SELECT key, id FROM unsettled WHERE batch = ?"
_END_BATCH = "DELETE FROM batch WHERE tag = ?"
_SETTLE_BATCH = "DELETE FROM unsettled WHERE batch = ?"


@dataclass(frozen=True, slots=True)
class Spent:
    """What all runs with a journal took."""

    tokens: int
    usd: float
    unpriced: int
    """Exchanges whose price was not known; they are not among the dollars."""


class Journal:
    """Replies by key; used by one run at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._synced = time.monotonic()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                path, timeout=1.0, isolation_level=None, check_same_thread=False
            )
        except (OSError, sqlite3.Error) as error:
            raise OutputError(f"{path}: cannot be used as a journal: {error}") from error
        try:
            self._open()
        except BaseException:
            self._connection.close()
            raise

    def _open(self) -> None:
        """Take the file for this run, and make its tables. Raises ModelError or InputError."""
        try:
            for pragma in PRAGMAS:
                self._connection.execute(f"PRAGMA {pragma}")
            self._connection.execute("BEGIN IMMEDIATE")
            layout = self._connection.execute("PRAGMA user_version").fetchone()[0]
            self._connection.execute("COMMIT")
            if layout not in (0, LAYOUT):
                raise InputError(
                    f"{self.path}: the journal of another version of factchain: name a new one "
                    "with --journal, or use that version"
                )
            self._connection.executescript(_MAKE)
            self._connection.execute(f"PRAGMA user_version = {LAYOUT}")
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise ModelError(
                    f"{self.path}: another run is using this journal: wait for it, or name "
                    "another with --journal"
                ) from error
            raise OutputError(f"{self.path}: cannot be used as a journal: {error}") from error
        except sqlite3.DatabaseError as error:
            raise InputError(
                f"{self.path}: is no journal, or a damaged one ({error}): name another with "
                "--journal"
            ) from error

    def get(self, key: str) -> Choice | None:
        """The choice that came to a request, if it did."""
        with self._told():
            row = self._connection.execute(_GET, (key,)).fetchone()
            return Choice(**orjson.loads(row[0])) if row else None

    def sent(self, key: str, model: str, tokens: int, usd: float | None) -> int:
        """Note that a request is sent, with its upper bound; returns the number to settle it by."""
        with self._told():
            cursor = self._connection.execute(_SEND, (key, model, tokens, usd, time.time()))
            return int(cursor.lastrowid or 0)

    def unsent(self, number: int) -> None:
        """Note that a request cost nothing: it was refused, or never reached the server."""
        with self._told():
            self._connection.execute(_SETTLE, (number,))

    def put(
        self,
        key: str,
        purpose: str,
        model: str,
        messages: Sequence[tuple[str, str]],
        choice: Choice,
        usage: Usage,
        usd: float | None,
        number: int | None = None,
    ) -> None:
        """Keep the reply to a request, and settle it."""
        row = (
            key,
            purpose,
            model,
            orjson.dumps(messages).decode(),
            orjson.dumps(choice).decode(),
            usage.prompt,
            usage.reply,
            int(usage.counted),
            usd,
            time.time(),
            number,
        )
        with self._told():
            self._connection.execute(_PUT, row)
            self._sync()

    def quarantine(self, rows: Iterable[tuple[str, str, str, str]]) -> None:
        """Keep unreadable replies: key, purpose, text, problem."""
        with self._told(), self._transaction():
            self._connection.executemany(_QUARANTINE, rows)

    def quarantined(self) -> list[dict[str, str]]:
        """Purpose, text and problem of the replies that could not be read."""
        with self._told():
            rows = self._connection.execute(_QUARANTINED).fetchall()
        return [dict(zip(("purpose", "text", "problem"), row, strict=True)) for row in rows]

    def spent(self) -> Spent:
        """What all runs took, with what may have been paid for without a reply."""
        with self._told():
            return Spent(*self._connection.execute(_SPENT).fetchone())

    def mean_tokens(self, purpose: str, model: str) -> tuple[float, float] | None:
        """Tokens of a prompt and a reply, on average, where there are some of the purpose."""
        with self._told():
            prompt, reply = self._connection.execute(_MEAN, (purpose, model)).fetchone()
            return None if prompt is None else (prompt, reply)

    def accounts(self) -> list[dict[str, Any]]:
        """Requests, tokens and dollars by purpose."""
        names = ("purpose", "requests", "prompt_tokens", "reply_tokens", "usd")
        with self._told():
            rows = self._connection.execute(_ACCOUNTS).fetchall()
        return [dict(zip(names, row, strict=True)) for row in rows]

    def begin_batch(self, tag: str, lines: Sequence[tuple[str, str, int, float | None]]) -> None:
        """Note a batch job before it is made: key, model and upper bound of its requests."""
        now = time.time()
        with self._told(), self._transaction():
            self._connection.execute(_NEW_BATCH, (tag, now))
            self._connection.executemany(_SEND_IN_BATCH, ((*line, now, tag) for line in lines))

    def name_batch(self, tag: str, job: str) -> None:
        """Note the server's name for a batch job."""
        with self._told():
            self._connection.execute(_NAME_BATCH, (job, tag))

    def open_batches(self) -> list[tuple[str, str | None]]:
        """Batch jobs that are not over: our tag, and the server's name where it is known."""
        with self._told():
            return self._connection.execute(_BATCHES).fetchall()

    def in_batch(self, tag: str) -> dict[str, int]:
        """The requests of a batch job that have no reply: their keys, and numbers to settle."""
        with self._told():
            return dict(self._connection.execute(_IN_BATCH, (tag,)).fetchall())

    def end_batch(self, tag: str) -> None:
        """Forget a batch job that is over; what it did not answer cost nothing."""
        with self._told(), self._transaction():
            self._connection.execute(_SETTLE_BATCH, (tag,))
            self._connection.execute(_END_BATCH, (tag,))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what SQLite complains about into messages."""
        try:
            yield
        except (sqlite3.Error, ValueError, TypeError) as error:
            raise OutputError(
                f"{self.path}: the journal cannot be used ({error}): is the disk full, or the file "
                "damaged? What was paid for stands in it: mend the cause and run again"
            ) from error

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def _sync(self) -> None:
        """Once a second, bring what was written to the disk itself, against a power cut."""
        now = time.monotonic()
        if now - self._synced >= SECONDS_BETWEEN_SYNCS:
            self._synced = now
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
