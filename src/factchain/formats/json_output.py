"""Writing one JSON object a question, a file for each split."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

import orjson

from factchain.errors import InputError
from factchain.files import write_atomically
from factchain.formats.json_files import Json
from factchain.formats.losses import count_losses
from factchain.formats.protocol import Drops, Entry, Written
from factchain.formats.source import restore


def write_by_split(
    entries: Iterable[Entry],
    out: Path,
    build: Callable[[Entry], Json | None],
    *,
    name: str,
    holds: frozenset[str],
    drops: Drops,
    array: bool = False,
    prefix: str = "",
) -> Written:
    """Write what `build` makes of the entries into a file for each split; say which.

    A file holds JSON Lines, or one array, and is called by its split, after `prefix`.

    An entry of which it makes nothing is left out; `build` counts it. Complete or not at all.
    Raises InputError where nothing is left.
    """

    def file_name(split: str) -> str:
        return f"{prefix}{split}.{'json' if array else 'jsonl'}"

    with ExitStack() as stack:
        files: dict[str, BinaryIO] = {}
        count = shown = 0
        for entry in entries:
            made = build(entry)
            if made is None:
                continue
            count += 1
            shown += len(entry.pool) if "candidates" in holds else 0
            count_losses(entry, name, holds, drops)
            split = entry.question.split
            start = split not in files
            if start:
                files[split] = stack.enter_context(write_atomically(out / file_name(split)))
            line = orjson.dumps(restore(entry.question, name, made))
            if array:
                files[split].write((b"[\n" if start else b",\n") + line)
            else:
                files[split].write(line + b"\n")
        if not files:
            raise InputError(f"no question can be written in the format {name}: {dict(drops)}")
        if array:
            for file in files.values():
                file.write(b"\n]\n")
    return Written([file_name(split) for split in files], count, shown)


def answerable_only(
    build: Callable[[Entry, Drops], Json], drops: Drops
) -> Callable[[Entry], Json | None]:
    """`build` for a format that has no place for unanswerable questions: they are counted."""

    def build_answerable(entry: Entry) -> Json | None:
        if not entry.question.answerable:
            drops["unanswerable questions, left out"] += 1
            return None
        return build(entry, drops)

    return build_answerable
