"""Inspect's logs read as the archives that they are, twenty times as fast as by its reader.

Inspect checks every summary anew, and opens the log anew for every sample. It reads those logs
alone that are no archives, or that were not finished.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zipfile import ZipFile, is_zipfile

import orjson
from inspect_ai.log import read_eval_log_sample, read_eval_log_sample_summaries

from factchain.errors import InputError

_SUMMARIES = "summaries.json"
_LEFT_OUT = {"events", "messages", "attachments"}

Summary = Mapping[str, Any]
"""What `inspect_ai.log.EvalSampleSummary` has, as JSON."""


@contextmanager
def reading(path: Path | str) -> Iterator[None]:
    """Raise InputError, with the remedy, where a log cannot be read in the block."""
    try:
        yield
    except Exception as error:  # neither Inspect nor archives have one for all that can be broken
        raise InputError(
            f"{path}: is no readable log: it is broken, or another version of Inspect wrote it: "
            "move it away"
        ) from error


def read_summaries(location: str) -> list[Summary]:
    """What Inspect keeps of every sample of a log: `id`, `metadata`, `scores`, `error`.

    Raises InputError for a log that cannot be read.
    """
    path = _path_of(location)
    with reading(path):
        if is_zipfile(path):
            with ZipFile(path) as archive:
                if _SUMMARIES in archive.namelist():
                    read: list[Summary] = json.loads(archive.read(_SUMMARIES))
                    return read
        return [one.model_dump() for one in read_eval_log_sample_summaries(location)]


def read_stores(
    location: str, samples: Iterable[int | str]
) -> Iterator[tuple[int | str, Mapping[str, Any] | None]]:
    """What solvers kept of these samples; none for one that was not asked or that failed.

    Raises InputError for a log that cannot be read.
    """
    path = _path_of(location)
    if not is_zipfile(path):
        yield from ((sample, _read_store(location, sample)) for sample in samples)
        return
    with reading(path), ZipFile(path) as archive:
        names = set(archive.namelist())
        for sample in samples:
            name = f"samples/{sample}_epoch_1.json"
            kept: dict[str, Any] = orjson.loads(archive.read(name)) if name in names else {}
            yield sample, None if kept.get("error") else kept.get("store")


def _read_store(location: str, sample: int | str) -> Mapping[str, Any] | None:
    try:
        read = read_eval_log_sample(location, id=sample, exclude_fields=_LEFT_OUT)
    except (IndexError, KeyError):
        return None
    return None if read.error else dict(read.store)


def _path_of(location: str) -> str:
    return location.removeprefix("file://")
