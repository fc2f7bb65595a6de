"""`factchain eval judge`: language models judge the questions of a dataset."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from factchain.cli.model_options import ModelOptions, model_clients, model_options, print_estimate
from factchain.cli.options import FOLDER, output_options, print_result, seed_option
from factchain.cli.tables import table

if TYPE_CHECKING:
    from factchain.eval.dataset_results import JudgeReliability, JudgeScore


@click.command("judge")
@click.argument("folder", type=FOLDER)
@click.option(
    "--repeats",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="How many times each judge is asked about a question; two show how sure it is.",
)
@click.option(
    "--questions",
    "number",
    type=click.IntRange(min=1),
    help="Judge only so many questions, drawn at random with --seed.",
)
@click.option(
    "--temperature",
    type=click.FloatRange(0, 2),
    default=0.7,
    show_default=True,
    help="Of the judges; at 0 the repeats are nearly the same.",
)
@seed_option
@model_options
@output_options
def judge_command(
    folder: Path,
    repeats: int,
    number: int | None,
    temperature: float,
    seed: int,
    asking: ModelOptions,
    as_json: bool,
) -> None:
    """Let every --model judge the questions of the workspace FOLDER on eleven dimensions.

    Judgements are kept in FOLDER/eval/judgements, a file a judge, and the scores and the
    reliability of all judges there are printed; without --model nothing is asked. A model that
    wrote the questions is refused. What was judged once is read from the journal.

    \b
    Example: factchain eval judge factchain-sample --model gpt-4o-mini --questions 50 --dry-run
    """
    from factchain.errors import MissingExtraError
    from factchain.eval.suite import is_installed

    if not is_installed():
        raise MissingExtraError("the judge of questions", "eval")
    from factchain.eval import judge
    from factchain.eval.judge_summaries import judge_reliability, judge_scores
    from factchain.records import write_records

    if asking.settings:
        questions = judge.draw_questions(folder, number, seed)
        documents = judge.gold_documents(folder, questions)
        for one in asking.settings:
            judge.refuse_own(questions, one.model)
        out = judge.judgements_file(folder, asking.settings[0].model)
        if asking.dry_run:
            asks = judge.first_round(questions, documents, repeats, temperature)
            print_estimate(asks, asking, out, as_json)
            return
        out.parent.mkdir(parents=True, exist_ok=True)
        with model_clients(asking, out) as models:
            for model in models:
                judged = judge.judge_questions(questions, documents, model, repeats, temperature)
                write_records(judge.judgements_file(folder, model.name), judged)
    judgements = judge.read_judgements(folder)
    scores, reliability = judge_scores(judgements), judge_reliability(judgements)
    result = {
        "scores": [one.model_dump() for one in scores],
        "reliability": [one.model_dump() for one in reliability],
    }
    print_result(result, as_json, lambda: _text(scores, reliability))


def _text(scores: Sequence[JudgeScore], reliability: Sequence[JudgeReliability]) -> str:
    """Both tables for a reader."""
    head = ("judge", "dimension", "questions", "mean", "95 % interval")
    rows = [
        (one.judge, one.dimension, one.n, f"{one.mean:.2f}", f"{one.low:.2f} to {one.high:.2f}")
        for one in scores
    ]
    text = table(head, rows)
    if not reliability:
        return f"{text}\n\nReliability needs two repeats of a question at least."
    heads = ("judge", "dimension", "questions", "average SD", "alpha", "kappa")
    told = [
        (
            *(one.judge, one.dimension, one.n, f"{one.average_sd:.3f}"),
            *(_figure(one.alpha), _figure(one.kappa)),
        )
        for one in reliability
    ]
    return f"{text}\n\nHow far the repeats agree\n{table(heads, told)}"


def _figure(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
