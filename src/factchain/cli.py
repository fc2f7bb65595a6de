"""The command line: parse, call, print."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import duckdb

from factchain import __version__, progress
from factchain.errors import FactchainError

F = TypeVar("F", bound=Callable[..., Any])

FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)


class Commands(click.Group):
    """A group that reports a user's mistakes as one message, with exit status 1."""

    def invoke(self, context: click.Context) -> Any:
        """Run a command; turn our errors, and those of a full disk, into messages."""
        try:
            return super().invoke(context)
        except FactchainError as error:
            raise click.ClickException(str(error)) from error
        except (
            OSError,
            duckdb.IOException,
            duckdb.FatalException,
            duckdb.OutOfMemoryException,
        ) as error:
            first = str(error).splitlines()[0]
            raise click.ClickException(
                f"{first}: is the disk full, or a folder read-only? What was finished is kept; "
                "run the same command again to go on"
            ) from error


def _common(command: F) -> F:
    """The options that mean the same everywhere."""
    quiet = click.option("--quiet", is_flag=True, help="No messages and no progress.")
    as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
    return quiet(as_json(command))


def _print(result: Any, as_json: bool, text: Callable[[], str]) -> None:
    click.echo(json.dumps(result, indent=2, ensure_ascii=False) if as_json else text())


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="factchain")
def main() -> None:
    """Build multi-hop question answering benchmarks from a knowledge graph.

    \b
    factchain build                      the bundled sample, into ./factchain-sample
    factchain init my-data               a commented config for your own data
    factchain build my-data/factchain.yaml --out my-benchmark
    """


@main.command()
@click.argument("folder", type=FOLDER, default=Path("."))
@_common
def init(folder: Path, quiet: bool, as_json: bool) -> None:
    """Write a commented config for your own data into FOLDER.

    \b
    Example: factchain init my-data
    """
    from factchain.config import write_example

    progress.set_silent(quiet)
    path = write_example(folder)
    _print(
        {"config": str(path)},
        as_json,
        lambda: f"{path}: name your dumps and passages in it, then: factchain build {path}",
    )


@main.command()
@click.argument("config", type=FILE, required=False)
@click.option(
    "--out",
    type=FOLDER,
    default=Path("factchain-sample"),
    show_default=True,
    help="The folder to write: new, empty, or of an earlier build.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="Another seed draws other chains.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Processes that read the dumps; the result is the same.",
)
@_common
def build(
    config: Path | None, out: Path, seed: int, workers: int, quiet: bool, as_json: bool
) -> None:
    """Run every stage; without CONFIG on the bundled sample.

    Stages that are done already are not run again, and a run that was stopped goes on.

    \b
    Example: factchain build --out my-sample --seed 7 --workers 2
    """
    from factchain.pipeline import build as run
    from factchain.summary import summarise

    progress.set_silent(quiet)
    manifest = run(config, out, seed=seed, workers=workers)
    _print(manifest.content(), as_json, lambda: summarise(out))


@main.group()
def kg() -> None:
    """The triple store."""


@kg.command()
@click.option("--kg", "kg_file", type=FILE, required=True, help="The store.")
@_common
def stats(kg_file: Path, quiet: bool, as_json: bool) -> None:
    """Count what a store holds.

    \b
    Example: factchain kg stats --kg factchain-sample/kg.duckdb
    """
    from factchain.kg.stats import as_text, statistics
    from factchain.kg.store import Store

    progress.set_silent(quiet)
    with Store.open(kg_file) as store:
        figures = statistics(store)
    _print(figures, as_json, lambda: as_text(figures))


@main.group()
def chains() -> None:
    """Fact chains."""


@chains.command()
@click.argument("file", type=FILE)
@click.option("--kg", "kg_file", type=FILE, required=True, help="The store.")
@_common
def check(file: Path, kg_file: Path, quiet: bool, as_json: bool) -> None:
    """Check the chains in FILE against every constraint; exit status 1 where one is violated.

    \b
    Example: factchain chains check factchain-sample/chains.jsonl --kg factchain-sample/kg.duckdb
    """
    from factchain.chains.check import check_file

    progress.set_silent(quiet)
    result = check_file(file, kg_file)
    _print(result.as_dict(), as_json, result.as_text)
    if result.violations:
        sys.exit(1)


@main.group("eval")
def evaluation() -> None:
    """The evaluation suite."""


@evaluation.command("run")
@click.argument("folder", type=FOLDER)
@click.option("--model", required=True, help="A model of Inspect AI, such as openai/gpt-4o-mini.")
@click.option("--limit", type=click.IntRange(min=1), help="Ask only so many questions.")
@_common
def run_evaluation(folder: Path, model: str, limit: int | None, quiet: bool, as_json: bool) -> None:
    """Ask a model the questions of the workspace FOLDER, and renew its report.

    Keys are read from the environment (OPENAI_API_KEY and the like). Answers that an earlier run
    got are not asked for again.

    \b
    Example: factchain eval run factchain-sample --model openai/gpt-4o-mini --limit 50
    """
    from factchain.pipeline import evaluate_workspace
    from factchain.summary import scores_as_text

    progress.set_silent(quiet)
    result = evaluate_workspace(folder, model, limit=limit)
    _print(result, as_json, lambda: scores_as_text(folder))
