"""`factchain questions filter` and `polish`: which questions stay, and in which words."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from factchain.cli.model_options import (
    ModelOptions,
    model_client,
    model_clients,
    model_options,
    print_estimate,
)
from factchain.cli.options import FILE, kg_option, output_options, print_result
from factchain.cli.tables import table

if TYPE_CHECKING:
    from factchain.questions.filtering.build import FilterSettings, FilterSummary
    from factchain.questions.filtering.duplicates import Rule
    from factchain.questions.filtering.ensemble import Mode


@click.command("filter")
@click.argument("file", type=FILE)
@click.option(
    "--duplicates",
    "rules",
    multiple=True,
    type=click.Choice(
        ["same text", "near text", "same facts", "part of another", "all facts but one", "none"]
    ),
    default=("same text", "near text", "same facts", "part of another"),
    show_default=True,
    help="What makes two questions duplicates, of which the earlier stays; repeatable.",
)
@click.option(
    "--near",
    type=click.FloatRange(0, 100),
    default=90.0,
    show_default=True,
    help="How alike near texts are, of 100; they name the same topics and have one answer.",
)
@click.option(
    "--ask",
    "mode",
    type=click.Choice(["open", "options"]),
    default="open",
    show_default=True,
    help="How the models of --model are asked: openly, or with options in two orders.",
)
@click.option(
    "--discard-at",
    type=click.IntRange(min=1),
    default=2,
    show_default=True,
    help="Drop what so many of the models know without context.",
)
@click.option("--out", type=FILE, required=True, help="The file to write.")
@click.option("--dropped", type=FILE, help="Write the dropped questions, too.")
@model_options
@output_options
def filter_command(
    file: Path,
    rules: tuple[str, ...],
    near: float,
    mode: Mode,
    discard_at: int,
    out: Path,
    dropped: Path | None,
    asking: ModelOptions,
    as_json: bool,
) -> None:
    """Drop duplicates from FILE and, with several --model, what these know by heart.

    A question is dropped where --discard-at of the models answer it without any context. How
    often open answers were right is kept with each question, as its difficulty.

    \b
    Example: factchain questions filter factchain-sample/questions.jsonl
        --duplicates "same text" --duplicates "near text" --near 92 --out filtered.jsonl
    """
    from factchain.questions.filtering.build import FilterSettings, first_round, run_filter
    from factchain.questions.verify_file import read_questions

    settings = FilterSettings(_rules(rules), near, mode, discard_at)
    names = [one.model for one in asking.settings]
    if len(set(names)) < len(names):
        raise click.UsageError("each --model has to be another one")
    if names and discard_at > len(names):
        raise click.UsageError(f"--discard-at {discard_at} of {len(names)} models drops nothing")
    questions = read_questions(file)
    if asking.dry_run:
        print_estimate(first_round(questions, settings), asking, out, as_json)
    elif names:
        with model_clients(asking, out) as models:
            summary = run_filter(questions, settings, out, dropped, models)
        print_result(asdict(summary), as_json, lambda: _filter_text(summary, settings, out))
    else:
        summary = run_filter(questions, settings, out, dropped)
        print_result(asdict(summary), as_json, lambda: _filter_text(summary, settings, out))


@click.command("polish")
@click.argument("file", type=FILE)
@kg_option
@click.option("--lang", default="en", show_default=True, help="Language of the questions.")
@click.option("--out", type=FILE, required=True, help="The polished questions.")
@click.option(
    "--raw",
    type=FILE,
    help="All questions with the polisher's verdict; without it beside --out, as NAME.raw.jsonl.",
)
@model_options
@output_options
def polish_command(
    file: Path,
    kg_file: Path,
    lang: str,
    out: Path,
    raw: Path | None,
    asking: ModelOptions,
    as_json: bool,
) -> None:
    """Let a model pass, adjust, rework or reject every question in FILE.

    What it writes is verified again: an adjusted question that fails keeps its old words, and a
    reworked one that fails is rejected. Facts and answers stay as they are.

    \b
    Example: factchain questions polish factchain-sample/questions.jsonl
        --kg factchain-sample/kg.duckdb --model gpt-4o-mini --dry-run --out polished.jsonl
    """
    from factchain.kg.store import Store
    from factchain.questions.filtering.polish import polish, polish_ask
    from factchain.questions.verify_file import read_questions
    from factchain.records import write_records

    questions = read_questions(file)
    if asking.dry_run:
        print_estimate([polish_ask(question, lang) for question in questions], asking, out, as_json)
        return
    with Store.open(kg_file) as store, model_client(asking, out) as model:
        done = polish(questions, store, model, lang)
    whole = raw or out.with_name(f"{out.stem}.raw.jsonl")
    write_records(whole, done.raw)
    write_records(out, done.kept)
    result = {"questions": len(done.kept), "outcomes": done.outcomes, "raw": str(whole)}

    def text() -> str:
        rows = list(done.outcomes.items())
        return f"{table(('outcome', 'questions'), rows)}\n\n{out}: {len(done.kept):,} questions"

    print_result(result, as_json, text)


def _rules(names: tuple[str, ...]) -> tuple[Rule, ...]:
    if "none" in names and len(set(names)) > 1:
        raise click.UsageError("--duplicates none goes with no other")
    return tuple(name for name in names if name != "none")  # type: ignore[misc]


def _filter_text(summary: FilterSummary, settings: FilterSettings, out: Path) -> str:
    rows: list[tuple[str | int, ...]] = [("read", summary.read)]
    rows += [(f"duplicates: {rule}", n) for rule, n in summary.duplicates.dropped.items()]
    known = summary.ensemble
    if known is not None:
        rows.append((f"known to {known.discard_at} models or more", known.dropped))
    rows.append(("kept", summary.kept))
    parts = [table(("", "questions"), rows)]
    if summary.duplicates.other_answers:
        parts.append(
            f"{summary.duplicates.other_answers:,} duplicates have the text of an earlier question "
            "and another answer: one of the two is wrong."
        )
    if known is not None:
        parts += _ensemble_text(asdict(known))
    parts.append(f"{out}: {summary.kept:,} questions")
    return "\n\n".join(parts)


def _ensemble_text(known: dict[str, Any]) -> list[str]:
    models = table(("model", "right"), list(known["by_model"].items()))
    right = table(("models that are right", "questions"), list(known["correct"].items()))
    notes = [models, right]
    if known["mode"] == "options":
        notes.append(
            f"Models that only guess would drop {known['chance']:.1%} of the questions with four "
            f"options in two orders ({known['chance_in_one_order']:.1%} in one order)."
        )
    else:
        notes.append(
            "Answers were open: guessing drops nothing (of four options, it would drop "
            f"{known['chance_in_one_order']:.1%})."
        )
    for count, what in (
        (known["without_options"], "questions without options were asked openly"),
        (known["not_asked"], "unanswerable questions were not asked"),
        (known["unread"], "replies could not be read, and count as wrong"),
    ):
        if count:
            notes.append(f"{count:,} {what}.")
    return notes
