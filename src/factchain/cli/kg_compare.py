"""`factchain kg diff` and `factchain kg stats`: what a store holds, and what changed in it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from factchain.cli.options import kg_option, memory_option, output_options, print_result

if TYPE_CHECKING:
    from factchain.kg.diff.diff import Change

CHANGES: tuple[Change, ...] = ("old", "new", "gone")
SHOWN = 20


@click.command()
@click.argument("snapshots", nargs=-1, required=True, metavar="OLD NEW [NEWER...]")
@kg_option
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the facts here, one a row: .tsv or .parquet.",
)
@click.option(
    "--change",
    "changes",
    type=click.Choice(CHANGES),
    multiple=True,
    help="Write only these facts; may be given again.  [default: all]",
)
@click.option("--conflicts", is_flag=True, help="Write only facts that the snapshots differ about.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    help=f"Properties to show.  [default: {SHOWN}, as JSON all]",
)
@memory_option
@output_options
def diff(
    snapshots: tuple[str, ...],
    kg_file: Path,
    out: Path | None,
    changes: tuple[Change, ...],
    conflicts: bool,
    limit: int | None,
    memory: int,
    as_json: bool,
) -> None:
    """Compare two snapshots of a store, by their names: old, new and gone facts.

    Of a new fact the subject is new, or the property of that subject, or the object alone. More
    than two snapshots, oldest first, are followed as a series: when each fact was first and last
    seen.

    \b
    Example: factchain kg diff 2021-06-21 2024-06-05 --kg factchain-sample/kg.duckdb --out diff.tsv
    """
    from factchain.cli.tables import diff_table, series_table
    from factchain.kg.diff.diff import compare
    from factchain.kg.diff.series import history
    from factchain.kg.store import Store

    if len(snapshots) < 2:
        raise click.UsageError("name two snapshots, the older one first")
    if len(snapshots) > 2 and (changes or conflicts or limit):
        raise click.UsageError("--change, --conflicts and --limit go with two snapshots")
    with Store.open(kg_file) as store:
        store.limit(memory, os.cpu_count() or 1)
        if len(snapshots) > 2:
            with history(store, snapshots) as series:
                if out is not None:
                    series.write(out)
                print_result(series.as_dict(), as_json, lambda: series_table(series))
            return
        with compare(store, *snapshots) as difference:
            if out is not None:
                difference.write(out, changes or CHANGES, only_conflicts=conflicts)
            print_result(
                difference.as_dict(limit),
                as_json,
                lambda: diff_table(difference, limit or SHOWN),
            )


@click.command()
@kg_option
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=SHOWN,
    show_default=True,
    help="Properties and classes to list.",
)
@output_options
def stats(kg_file: Path, limit: int, as_json: bool) -> None:
    """Count what a store holds.

    \b
    Example: factchain kg stats --kg factchain-sample/kg.duckdb
    """
    from factchain.cli.stats_text import stats_text
    from factchain.kg.stats import statistics, storage
    from factchain.kg.store import Store

    with Store.open(kg_file) as store:
        figures = statistics(store, limit)
        figures["storage"] = storage(store)
    print_result(figures, as_json, lambda: stats_text(figures))
