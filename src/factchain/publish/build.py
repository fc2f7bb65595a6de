"""A workspace -> a folder that is ready for the Hugging Face hub."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

import orjson

from factchain.errors import ConfigError, InputError, OutputError
from factchain.files import sha256, write_atomically, write_text
from factchain.publish.card import CARD, card, describe
from factchain.publish.croissant import CROISSANT, check_croissant, croissant
from factchain.publish.made_from import read_making
from factchain.publish.parquet import QUESTIONS, Part, write_tables
from factchain.publish.responsible_ai import statements
from factchain.publish.settings import DEFAULT_LICENCE, PublishSettings
from factchain.publish.statistics import Statistics
from factchain.publish.tasks import write_tasks

SUMS = "SHA256SUMS"


@dataclass(frozen=True)
class Published:
    """What was written."""

    folder: Path
    parts: tuple[Part, ...]
    tasks: tuple[str, ...]
    """Names of the tasks for the LM Evaluation Harness."""


def publish(workspace: Path, out: Path, settings: PublishSettings) -> Published:
    """Write the published form of a workspace into `out`, whole or not at all.

    `out` is new, empty, or as an earlier run left it. The same workspace and settings give the
    same bytes. Raises InputError for a broken workspace, ConfigError where a licence must be
    named, OutputError where `out` holds something else, MissingExtraError without `publish`.
    """
    if not (workspace / QUESTIONS).is_file():
        raise InputError(
            f"{workspace / QUESTIONS}: no such file: name a folder that `factchain build` or "
            "`factchain import` wrote"
        )
    _check_place(workspace, out)
    making = read_making(workspace)
    if settings.date is None and making is not None:
        settings = replace(settings, date=making.ended)
    seen = Statistics()
    with _aside(out) as folder:
        parts = write_tables(workspace, folder, seen.see)
        _check_licence(settings, seen)
        told = statements(seen, making)
        content = croissant(settings, describe(seen, settings), parts, folder, seen, told)
        with write_atomically(folder / CROISSANT) as file:
            file.write(orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n")
        check_croissant(folder / CROISSANT)
        tasks = write_tasks(folder, settings, parts, seen)
        write_text(folder / CARD, card(settings, parts, folder, seen, making, told, tasks))
        write_text(folder / SUMS, _sums(folder))
    return Published(out, tuple(parts), tuple(tasks))


def _check_licence(settings: PublishSettings, seen: Statistics) -> None:
    if settings.licence is None and seen.imported:
        raise ConfigError(
            f"{seen.imported:,} of {seen.questions:,} questions come from another dataset, whose "
            f"licence {DEFAULT_LICENCE} may not be: name it with --license"
        )


def _check_place(workspace: Path, out: Path) -> None:
    """Refuse a folder that holds what an earlier run did not leave there."""
    inner, outer = out.resolve(), workspace.resolve()
    if inner == outer or inner in outer.parents:
        raise OutputError(f"{out}: holds the workspace itself: choose another folder with --out")
    if not out.exists():
        return
    if not out.is_dir():
        raise OutputError(f"{out}: is a file: choose another place with --out")
    found = {p.relative_to(out).as_posix() for p in out.rglob("*") if not p.is_dir()}
    if not found:
        return
    known = _read_sums(out / SUMS)
    changed = [name for name in sorted(found - {SUMS}) if not _as_left(out, name, known)]
    if changed:
        raise OutputError(
            f"{out}: holds {changed[0]}, which no earlier run wrote so: keep it elsewhere, or "
            "choose a new or empty folder with --out"
        )


def _as_left(out: Path, name: str, known: dict[str, str]) -> bool:
    path = out / name
    return name in known and path.is_file() and sha256(path) == known[name]


def _read_sums(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    pairs = (line.partition("  ") for line in lines)
    return {name: digest for digest, _, name in pairs}


def _sums(folder: Path) -> str:
    """Every file with its checksum, as `sha256sum` writes it."""
    names = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    return "".join(f"{sha256(folder / name)}  {name}\n" for name in names)


@contextmanager
def _aside(out: Path) -> Iterator[Path]:
    """A new folder beside `out` that takes its place when the block succeeds."""
    out = out.resolve()
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        for leftover in out.parent.glob(f".{out.name}.*.part"):
            shutil.rmtree(leftover, ignore_errors=True)
        folder = out.with_name(f".{out.name}.{uuid4().hex}.part")
        folder.mkdir()
    except OSError as error:
        raise OutputError(f"{out}: cannot be written: {error.strerror or error}") from error
    try:
        yield folder
        if out.exists():
            shutil.rmtree(out)
        folder.rename(out)
    except OSError as error:
        raise OutputError(f"{out}: cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
