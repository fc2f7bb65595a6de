"""What the manifest of a workspace tells of how a dataset was made, without places of a machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from factchain.errors import InputError
from factchain.manifest import MANIFEST, read_manifest


@dataclass(frozen=True)
class Making:
    """How a workspace came about."""

    version: str
    """factchain's version."""
    seed: int
    inputs: tuple[tuple[str, int, str], ...]
    """Name, bytes and SHA-256 of every input file."""
    stages: tuple[tuple[str, int, int, tuple[tuple[str, int], ...]], ...]
    """Name, rows read, rows written, and how many were left out by reason."""
    snapshots: tuple[tuple[str, str], ...]
    """Name and date of every snapshot of the graph."""
    ended: date | None
    """The day on which the last of the stages that are published ended."""


# Scores and reports are no part of the dataset, and may be renewed after it was made.
_NOT_PUBLISHED = ("evaluation", "report")


def read_making(workspace: Path) -> Making | None:
    """What the manifest says; none where the workspace has none, as an imported dataset.

    Raises InputError for a manifest that is not of a build, OutputError for a broken one.
    """
    if not (workspace / MANIFEST).is_file():
        return None
    content = read_manifest(workspace)
    try:
        return _making(content)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"{workspace / MANIFEST}: is not as a build writes it ({error!r}): build it anew"
        ) from error


def _making(content: Mapping[str, Any]) -> Making:
    stages = content["stages"]
    published = {name: entry for name, entry in stages.items() if name not in _NOT_PUBLISHED}
    days = [date.fromisoformat(entry["end"][:10]) for entry in published.values()]
    return Making(
        version=str(content["factchain"]),
        seed=int(content["seed"]),
        inputs=tuple(
            (Path(entry["file"]).name, int(entry["bytes"]), str(entry["sha256"]))
            for entry in content["inputs"]
        ),
        stages=tuple(
            (
                name,
                int(entry["rows_in"]),
                int(entry["rows_out"]),
                tuple(sorted((str(r), int(n)) for r, n in entry["rejected"].items() if n)),
            )
            for name, entry in published.items()
        ),
        snapshots=tuple(
            (str(one.get("name") or one["date"]), str(one["date"]))
            for one in (content["settings"] or {}).get("snapshots", ())
        ),
        ended=max(days, default=None),
    )
