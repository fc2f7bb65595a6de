"""`factchain kg`: the triple store."""

from __future__ import annotations

import click

from factchain.cli.kg_compare import diff, stats
from factchain.cli.kg_doors import add_triples, fetch, text
from factchain.cli.kg_extraction import extract, link, popularity
from factchain.cli.kg_ingest import ingest


@click.group()
def kg() -> None:
    """The triple store."""


kg.add_command(diff)
kg.add_command(stats)
kg.add_command(add_triples)
kg.add_command(fetch)
kg.add_command(text)
kg.add_command(extract)
kg.add_command(link)
kg.add_command(popularity)
kg.add_command(ingest)
