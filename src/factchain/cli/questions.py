"""`factchain questions`: fact chains in words."""

from __future__ import annotations

import click

from factchain.cli.questions_filter import filter_command, polish_command
from factchain.cli.questions_generate import generate, verify
from factchain.cli.questions_kinds import (
    check_unanswerable_command,
    null_command,
    unanswerable_command,
)
from factchain.cli.questions_options import options_command
from factchain.cli.questions_review import review


@click.group()
def questions() -> None:
    """Questions from fact chains, verified."""


questions.add_command(generate)
questions.add_command(verify)
questions.add_command(options_command)
questions.add_command(filter_command)
questions.add_command(polish_command)
questions.add_command(review)
questions.add_command(unanswerable_command)
questions.add_command(null_command)
questions.add_command(check_unanswerable_command)
