"""What all commands share: types of arguments, options that mean the same everywhere, printing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from factchain import progress
from factchain.kg.store import MEMORY, MEMORY_OF_THREAD

F = TypeVar("F", bound=Callable[..., Any])

FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)
PATH = click.Path(path_type=Path)
"""A file, a folder, or `-` for standard input."""
DATE = click.DateTime(["%Y-%m-%d"])
LEAST_MEMORY = 128 << 20
UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}


def output_options(command: F) -> F:
    """`--quiet`, which silences progress and messages, and `--json`."""

    def silence(_context: click.Context, _parameter: click.Parameter, quiet: bool) -> None:
        progress.set_silent(quiet)

    quiet = click.option(
        "--quiet",
        is_flag=True,
        expose_value=False,
        callback=silence,
        help="No messages and no progress.",
    )
    as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
    return quiet(as_json(command))


def kg_option(command: F) -> F:
    """`--kg`: the triple store."""
    return click.option("--kg", "kg_file", type=FILE, required=True, help="The store.")(command)


def snapshot_options(command: F) -> F:
    """`--snapshot` and `--date`: which state of the graph is added."""
    name = click.option("--snapshot", required=True, help="A name for this state of the graph.")
    date = click.option(
        "--date", type=DATE, required=True, help="The day as of which the facts hold."
    )
    return name(date(command))


def rejects_options(command: F) -> F:
    """`--max-rejects` and `--rejects`: what becomes of malformed lines."""
    share = click.option(
        "--max-rejects",
        type=click.FloatRange(0, 1),
        default=0.001,
        show_default=True,
        help="The share of malformed lines that is borne.",
    )
    file = click.option(
        "--rejects", type=FILE, help="Where malformed lines are kept, with their reasons."
    )
    return share(file(command))


def seed_option(command: F) -> F:
    """`--seed`: of everything that is drawn."""
    return click.option(
        "--seed",
        type=click.IntRange(min=0),
        default=1,
        show_default=True,
        help="Another seed draws others.",
    )(command)


def workers_option(command: F) -> F:
    """`--workers`: processes; the result does not depend on them."""
    return click.option(
        "--workers",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        help="Processes that share the work; the result is the same.",
    )(command)


def engine_option(command: F) -> F:
    """`--engine`: where the shards are worked on; the result does not depend on it."""
    return click.option(
        "--engine",
        type=click.Choice(["local", "ray"]),
        default="local",
        show_default=True,
        help="Processes of this machine, or the Ray cluster at RAY_ADDRESS.",
    )(command)


def _memory(_context: click.Context, _parameter: click.Parameter, value: str) -> int:
    """The bytes of `800MB` or `2GiB`, in units of 1024."""
    match = re.fullmatch(r"(\d{1,6})\s*([KMGT]?)(?:i?B)?", value, re.IGNORECASE)
    if match is None:
        raise click.BadParameter(f"{value!r} is no size such as 800MB or 2GiB")
    size = int(match[1]) << UNITS[match[2].upper()]
    if size < LEAST_MEMORY:
        raise click.BadParameter(f"DuckDB needs {LEAST_MEMORY >> 20}MiB at least")
    return size


def memory_option(command: F) -> F:
    """`--memory`: what DuckDB takes, in bytes."""
    return click.option(
        "--memory",
        callback=_memory,
        default=f"{MEMORY >> 20}MiB",
        show_default=True,
        help="What DuckDB takes at most; beyond that it uses the disk beside the store. "
        f"It has a thread for each {MEMORY_OF_THREAD >> 20}MiB of it.",
    )(command)


def work_option(command: F) -> F:
    """`--work`: where the shards lie until the store is made of them."""
    return click.option(
        "--work",
        help="Folder for the shards, seen by all machines of a cluster: a path or an address as "
        "s3://bucket/folder. Beside the store, if not given.",
    )(command)


def retriever_option(command: F) -> F:
    """`--retriever`: who searches the corpus."""
    return click.option(
        "--retriever",
        default="bm25",
        show_default=True,
        help="bm25, rank-bm25, dense:MODEL, dense-approximate:MODEL or hybrid:MODEL.",
    )(command)


def print_result(result: Any, as_json: bool, text: Callable[[], str]) -> None:
    """Print JSON values or, for a reader, the text."""
    click.echo(json.dumps(result, indent=2, ensure_ascii=False) if as_json else text())
