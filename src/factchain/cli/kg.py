"""`factchain kg`: the triple store."""

from __future__ import annotations

from pathlib import Path

import click

from factchain.cli.options import kg_option, output_options, print_result


@click.group()
def kg() -> None:
    """The triple store."""


@kg.command()
@kg_option
@output_options
def stats(kg_file: Path, as_json: bool) -> None:
    """Count what a store holds.

    \b
    Example: factchain kg stats --kg factchain-sample/kg.duckdb
    """
    from factchain.kg.stats import as_text, statistics
    from factchain.kg.store import Store

    with Store.open(kg_file) as store:
        figures = statistics(store)
    print_result(figures, as_json, lambda: as_text(figures))
