"""`factchain eval`: the evaluation suite."""

from __future__ import annotations

from pathlib import Path

import click

from factchain.cli.options import FOLDER, output_options, print_result


@click.group("eval")
def evaluation() -> None:
    """The evaluation suite."""


@evaluation.command("run")
@click.argument("folder", type=FOLDER)
@click.option("--model", required=True, help="A model of Inspect AI, such as openai/gpt-4o-mini.")
@click.option("--limit", type=click.IntRange(min=1), help="Ask only so many questions.")
@output_options
def run_evaluation(folder: Path, model: str, limit: int | None, as_json: bool) -> None:
    """Ask a model the questions of the workspace FOLDER, and renew its report.

    Keys are read from the environment (OPENAI_API_KEY and the like). Answers that an earlier run
    got are not asked for again.

    \b
    Example: factchain eval run factchain-sample --model openai/gpt-4o-mini --limit 50
    """
    from factchain.pipeline import evaluate_workspace
    from factchain.summary import scores_as_text

    result = evaluate_workspace(folder, model, limit=limit)
    print_result(result, as_json, lambda: scores_as_text(folder))
