"""`factchain chains`: fact chains."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from factchain.cli.options import FILE, kg_option, output_options, print_result


@click.group()
def chains() -> None:
    """Fact chains."""


@chains.command()
@click.argument("file", type=FILE)
@kg_option
@output_options
def check(file: Path, kg_file: Path, as_json: bool) -> None:
    """Check the chains in FILE against every constraint; exit status 1 where one is violated.

    \b
    Example: factchain chains check factchain-sample/chains.jsonl --kg factchain-sample/kg.duckdb
    """
    from factchain.chains.check import check_file

    result = check_file(file, kg_file)
    print_result(result.as_dict(), as_json, result.as_text)
    if result.violations:
        sys.exit(1)
