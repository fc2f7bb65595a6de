"""The command line: parse, call, print; one module for each group of commands."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import click
import duckdb

from factchain import __version__
from factchain.arrow import keep_pandas_out
from factchain.cli.chains import chains
from factchain.cli.corpus import corpus
from factchain.cli.evaluation import evaluation
from factchain.cli.formats import export_command, import_command
from factchain.cli.kg import kg
from factchain.cli.options import (
    FILE,
    FOLDER,
    engine_option,
    output_options,
    print_result,
    seed_option,
    workers_option,
)
from factchain.cli.publish import publish
from factchain.cli.questions import questions
from factchain.cli.training import training
from factchain.errors import FactchainError
from factchain.garbage import OBJECTS_BETWEEN_COLLECTIONS
from factchain.kg.store import what_ran_out


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
                f"{first}: {what_ran_out(error)} What was finished is kept; run the same command "
                "again to go on"
            ) from error


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="factchain")
def main() -> None:
    """Build multi-hop question answering benchmarks from a knowledge graph.

    \b
    factchain build                      the bundled sample, into ./factchain-sample
    factchain init my-data               a commented config for your own data
    factchain build my-data/factchain.yaml --out my-benchmark
    """
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    keep_pandas_out()


@main.command()
@click.argument("folder", type=FOLDER, default=Path("."))
@output_options
def init(folder: Path, as_json: bool) -> None:
    """Write a commented config for your own data into FOLDER.

    \b
    Example: factchain init my-data
    """
    from factchain.config import write_example

    path = write_example(folder)
    print_result(
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
@seed_option
@workers_option
@engine_option
@output_options
def build(
    config: Path | None, out: Path, seed: int, workers: int, engine: Any, as_json: bool
) -> None:
    """Run every stage; without CONFIG on the bundled sample.

    Stages that are done already are not run again, and a run that was stopped goes on.

    \b
    Example: factchain build --out my-sample --seed 7 --workers 2
    """
    from factchain.pipeline import build as run
    from factchain.summary import summarise

    manifest = run(config, out, seed=seed, workers=workers, engine=engine)
    print_result(manifest.content(), as_json, lambda: summarise(out))


main.add_command(kg)
main.add_command(chains)
main.add_command(questions)
main.add_command(corpus)
main.add_command(evaluation)
main.add_command(import_command)
main.add_command(export_command)
main.add_command(publish)
main.add_command(training)
