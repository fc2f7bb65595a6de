"""`factchain questions options`: multiple choice from the graph."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from factchain.cli.model_options import ModelOptions, model_client, model_options, print_estimate
from factchain.cli.options import FILE, kg_option, output_options, print_result, seed_option
from factchain.cli.tables import table

if TYPE_CHECKING:
    from factchain.questions.options.build import OptionsSummary, Required
    from factchain.questions.options.letters import LetterBalance


@click.command("options")
@click.argument("file", type=FILE)
@kg_option
@click.option(
    "--options",
    "chooser",
    type=click.Choice(["graph", "llm"]),
    default="graph",
    show_default=True,
    help="Who chooses among the candidates of the graph; a model cannot add any.",
)
@click.option(
    "--require",
    "required",
    type=click.Choice(["none", "question", "all"]),
    default="none",
    show_default=True,
    help="Leave out questions without options of their own, or those of which any hop has none "
    "(but for yes or no).",
)
@click.option("--out", type=FILE, required=True, help="The file to write.")
@seed_option
@model_options
@output_options
def options_command(
    file: Path,
    kg_file: Path,
    chooser: str,
    required: Required,
    out: Path,
    seed: int,
    asking: ModelOptions,
    as_json: bool,
) -> None:
    """Give every hop and every question in FILE three wrong options, proved wrong by the graph.

    They are siblings of the answer under the same property, answers of other hops, results of
    altered operations, and near values; each says where it comes from. The letters of the right
    answers are balanced.

    \b
    Example: factchain questions options factchain-sample/questions.jsonl
        --kg factchain-sample/kg.duckdb --out with-options.jsonl
    """
    from factchain.kg.store import Store
    from factchain.questions.options.build import add_options, plan_options
    from factchain.questions.verify_file import read_questions
    from factchain.records import write_records

    if chooser == "graph" and (asking.settings or asking.dry_run):
        raise click.UsageError("a model is only asked with --options llm")
    questions = read_questions(file)
    with Store.open(kg_file) as store:
        plan = plan_options(store, questions)
    if asking.dry_run:
        print_estimate(list(plan.asks().values()), asking, out, as_json)
        return
    if chooser == "graph":
        written, summary = add_options(plan, seed, required)
    else:
        with model_client(asking, out) as model:
            written, summary = add_options(plan, seed, required, model)
    write_records(out, written)
    print_result(asdict(summary), as_json, lambda: _as_text(summary, out))


def _as_text(summary: OptionsSummary, out: Path) -> str:
    rows: list[tuple[str | int, ...]] = [
        ("with options", summary.question_options, summary.hop_options)
    ]
    reasons = dict.fromkeys([*summary.question_reasons, *summary.hop_reasons])
    rows += [
        (reason, summary.question_reasons.get(reason, 0), summary.hop_reasons.get(reason, 0))
        for reason in sorted(reasons)
    ]
    parts = [table(("", "questions", "hops"), rows)]
    if summary.ways:
        parts.append(table(("distractors", "found"), list(summary.ways.items())))
    letters = [
        ("questions", *_letters(summary.question_letters)),
        ("hops", *_letters(summary.hop_letters)),
    ]
    parts.append(table(("right letters", *"ABCD", "chi-squared"), letters))
    if summary.chosen_by_model or summary.refused:
        parts.append(
            f"A model chose {summary.chosen_by_model:,} sets; {summary.refused:,} of its replies "
            "named no three candidates, and the graph's order was used."
        )
    if summary.dropped:
        parts.append(f"{summary.dropped:,} questions without options were left out.")
    parts.append(f"{out}: {summary.questions:,} questions")
    return "\n\n".join(parts)


def _letters(balance: LetterBalance) -> tuple[str | int, ...]:
    return (*balance.counts.values(), f"{balance.chi_squared:.3f}")
