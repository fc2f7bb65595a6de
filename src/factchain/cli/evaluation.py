"""`factchain eval`: the evaluation suite."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from factchain.cli.evaluation_judge import judge_command
from factchain.cli.options import FOLDER, output_options, print_result, workers_option
from factchain.progress import say


@click.group("eval")
def evaluation() -> None:
    """The evaluation suite."""


evaluation.add_command(judge_command)


@evaluation.command("run")
@click.argument("folder", type=FOLDER)
@click.option("--model", required=True, help="A model of Inspect AI, such as openai/gpt-4o-mini.")
@click.option(
    "--tasks",
    help="Names with commas, or patterns such as 'retrieval-*'; all that can be run by default.",
)
@click.option(
    "--retriever",
    "retrievers",
    multiple=True,
    default=("bm25",),
    show_default=True,
    help="Which retrievers the tasks with passages are run with; may stand several times.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    help="Ask only so many questions of each task, of all kinds.",
)
@click.option(
    "--judge", help="A model of Inspect AI that judges refusals, for the tasks unanswerable-judged."
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="Ask nothing; say how many calls, tokens and dollars each task will take.",
)
@click.option(
    "--price",
    metavar="IN,OUT",
    help="For --dry-run: dollars for a million tokens of prompts and of replies of --model, where "
    "it is not on the list, or has another price.",
)
@click.option(
    "--thinking-tokens",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="For --dry-run: more tokens for each reply, for models that think before they answer.",
)
@workers_option
@output_options
def run_evaluation(
    folder: Path,
    model: str,
    tasks: str | None,
    retrievers: tuple[str, ...],
    limit: int | None,
    judge: str | None,
    dry_run: bool,
    price: str | None,
    thinking_tokens: int,
    workers: int,
    as_json: bool,
) -> None:
    """Ask a model the questions of the workspace FOLDER, and renew its report.

    Keys are read from the environment (OPENAI_API_KEY and the like). Answers that an earlier run
    got are not asked for again, and a run that was stopped goes on. With --dry-run nothing is asked
    and no key is needed. What the tasks measure is told in docs/evaluate.md and docs/tasks.

    \b
    Example: factchain eval run factchain-sample --model openai/gpt-4o-mini
        --tasks 'parametric,retrieval-*' --limit 50
    """
    from factchain.pipeline import evaluate_workspace
    from factchain.summary import scores_as_text

    patterns = [name.strip() for name in tasks.split(",") if name.strip()] if tasks else None
    if dry_run:
        _need_extra("the evaluation")
        from factchain.cli.evaluation_forecast import forecast_text
        from factchain.eval.forecast import forecast
        from factchain.questions.llm.prices import read_price

        expected = forecast(
            folder,
            model,
            patterns,
            retrievers=retrievers,
            limit=limit,
            judge=judge,
            price=read_price(price) if price else None,
            thinking_tokens=thinking_tokens,
        )
        print_result(asdict(expected), as_json, lambda: forecast_text(expected))
        return
    try:
        result = evaluate_workspace(
            folder,
            model,
            patterns,
            retrievers=retrievers,
            limit=limit,
            workers=workers,
            judge=judge,
        )
    except KeyboardInterrupt:
        say(f"stopped: answers are kept in {folder / 'eval' / 'logs'}: run this again to go on")
        raise
    print_result(result, as_json, lambda: scores_as_text(folder))


@evaluation.command("report")
@click.argument("folders", nargs=-1, required=True, type=FOLDER, metavar="DIR...")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="The HTML file to write.",
)
@click.option(
    "--csv",
    type=click.Path(file_okay=False, path_type=Path),
    help="A folder to write every table to as CSV.",
)
@click.option(
    "--pages",
    type=click.IntRange(min=0),
    default=1500,
    show_default=True,
    help="How many questions have a page with their steps and passages.",
)
@output_options
def report_on_evaluations(
    folders: tuple[Path, ...], out: Path, csv: Path | None, pages: int, as_json: bool
) -> None:
    """Report on one or more evaluated workspaces DIR of the same dataset, in one file.

    Models and settings stand side by side, with intervals and paired tests. Where two folders have
    the same setting of the same model, the first one counts. What the parts show is told in
    docs/report.md.

    \b
    Example: factchain eval report factchain-sample --out report.html --csv tables
    """
    _need_extra("the report on an evaluation")
    from factchain.eval.report.evaluation import report_evaluation

    result = report_evaluation(folders, out, csv=csv, most_pages=pages)
    print_result(
        result,
        as_json,
        lambda: (
            f"{result['report']}: {result['settings']} settings of {', '.join(result['models'])} "
            f"on {result['questions']:,} questions"
        ),
    )


def _need_extra(what: str) -> None:
    """Raises MissingExtraError where the extra `eval` is not installed."""
    from factchain.errors import MissingExtraError
    from factchain.eval.suite import is_installed

    if not is_installed():
        raise MissingExtraError(what, "eval")
