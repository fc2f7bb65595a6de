"""`factchain questions`: fact chains in words."""

from __future__ import annotations

import click


@click.group()
def questions() -> None:
    """Questions from fact chains, verified."""
