"""What a run read, did, rejected and wrote: `manifest.json`, renewed after every stage.

A stage is done when its fingerprint (version, settings, inputs, and those of the stages before
it) stands in the manifest and its files are as it left them; then it is not run again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from factchain import __version__
from factchain.errors import OutputError
from factchain.files import sha256, write_atomically

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class StageReport:
    """What a stage did."""

    rows_in: int
    """Records or lines read."""
    rows_out: int
    """Records written."""
    rejected: dict[str, int] = field(default_factory=dict)
    """What was left out, by reason."""
    details: dict[str, Any] = field(default_factory=dict)
    """Further figures."""


@dataclass(frozen=True)
class Stage:
    """One step of a run."""

    name: str
    settings: dict[str, Any]
    """What its result depends on, besides its inputs and the stages before it."""
    run: Callable[[], StageReport]
    """Do the work."""
    inputs: Sequence[Path] = ()
    """Files from outside the workspace."""
    outputs: Sequence[str] = ()
    """Files of the workspace that it writes, compared by checksum."""
    stores: Sequence[str] = ()
    """Files of the workspace whose bytes may change though their content does not."""


@dataclass
class Manifest:
    """The manifest of a workspace, read from its folder and kept there."""

    folder: Path
    seed: int
    settings: dict[str, Any]
    inputs: list[dict[str, Any]] = field(default_factory=list)
    stages: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def open(cls, folder: Path, seed: int, settings: dict[str, Any]) -> Manifest:
        """Take over the folder for a run, with what an earlier run left there.

        Raises OutputError where the folder holds something else.
        """
        manifest = cls(folder, seed, settings)
        path = folder / MANIFEST
        if path.is_file():
            manifest.stages = _read(path)["stages"]
        elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise OutputError(
                f"{folder}: holds something that factchain did not write: "
                "choose a new or empty folder with --out"
            )
        else:
            manifest.write()
        return manifest

    def run(self, stages: Sequence[Stage], tell: Callable[[str, bool], None]) -> None:
        """Run the stages in order, less those that are done.

        `tell(name, done)` is called before each, with whether it is done already.
        """
        fingerprint = ""
        for stage in stages:
            checksums = [_describe(path) for path in stage.inputs]
            self.inputs += [entry for entry in checksums if entry not in self.inputs]
            fingerprint = _fingerprint(stage, checksums, fingerprint)
            done = self._is_done(stage, fingerprint)
            tell(stage.name, done)
            if not done:
                self.stages.pop(stage.name, None)
                start = _now()
                report = stage.run()
                self.stages[stage.name] = {
                    "fingerprint": fingerprint,
                    "start": start,
                    "end": _now(),
                    **asdict(report),
                    "outputs": {name: sha256(self.folder / name) for name in stage.outputs},
                }
            self.write()

    def _is_done(self, stage: Stage, fingerprint: str) -> bool:
        entry = self.stages.get(stage.name)
        if entry is None or entry["fingerprint"] != fingerprint:
            return False
        return all((self.folder / name).is_file() for name in stage.stores) and all(
            (self.folder / name).is_file() and sha256(self.folder / name) == checksum
            for name, checksum in entry["outputs"].items()
        )

    def content(self) -> dict[str, Any]:
        """What the file holds."""
        return {
            "factchain": __version__,
            "seed": self.seed,
            "settings": self.settings,
            "inputs": self.inputs,
            "stages": self.stages,
        }

    def write(self) -> None:
        """Renew the file."""
        with write_atomically(self.folder / MANIFEST) as out:
            out.write(orjson.dumps(self.content(), option=orjson.OPT_INDENT_2) + b"\n")


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a workspace. Raises OutputError where the folder is none."""
    path = folder / MANIFEST
    if not path.is_file():
        raise OutputError(
            f"{folder}: is no workspace: it has no {MANIFEST}: name a folder that "
            "`factchain build` or `factchain import` wrote"
        )
    return _read(path)


def _read(path: Path) -> dict[str, Any]:
    try:
        content = orjson.loads(path.read_bytes())
        if isinstance(content, dict) and "factchain" in content and "stages" in content:
            return content
    except orjson.JSONDecodeError:
        pass
    raise OutputError(f"{path}: was not written by factchain: choose another folder with --out")


def _describe(path: Path) -> dict[str, Any]:
    return {"file": path.name, "bytes": path.stat().st_size, "sha256": sha256(path)}


def _fingerprint(stage: Stage, checksums: list[dict[str, Any]], before: str) -> str:
    content = [__version__, stage.name, stage.settings, checksums, before]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
