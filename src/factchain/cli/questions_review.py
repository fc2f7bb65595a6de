"""`factchain questions review`: to Label Studio and back."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from factchain.cli.options import FILE, FOLDER, output_options, print_result, seed_option


@click.group()
def review() -> None:
    """Human review of questions in Label Studio."""


@review.command("export")
@click.argument("file", type=FILE)
@click.option("--out", type=FOLDER, required=True, help="The folder of the project's files.")
@click.option("--sample", type=click.IntRange(min=1), help="Review so many, drawn at random.")
@seed_option
@output_options
def export_project(file: Path, out: Path, sample: int | None, seed: int, as_json: bool) -> None:
    """Write a Label Studio project that reviews the questions of FILE.

    Tasks to import, the labelling config, and a guide with the rubric.

    \b
    Example: factchain questions review export factchain-sample/questions.jsonl --out review
    """
    from factchain.questions.records import Question
    from factchain.questions.review.label_studio import write_project
    from factchain.records import read_records

    questions = list(read_records(file, Question))
    tasks = write_project(questions, out, sample=sample, seed=seed)
    print_result(
        {"tasks": tasks, "folder": str(out)},
        as_json,
        lambda: f"{tasks:,} tasks in {out}: {out / 'README.md'} says how to go on",
    )


@review.command("import")
@click.argument("export", type=FILE)
@click.option("--questions", type=FILE, required=True, help="The file that was exported.")
@click.option("--out", type=FILE, required=True, help="The questions that are kept.")
@click.option("--record", type=FILE, help="Who said what; by default review.jsonl beside --out.")
@click.option(
    "--threshold",
    type=click.FloatRange(1, 5),
    default=4.0,
    show_default=True,
    help="The least score of a question that is kept.",
)
@click.option(
    "--rule",
    type=click.Choice(["mean", "each"]),
    default="mean",
    show_default=True,
    help="Whether the mean of all scores must reach it, or the reviewers' mean under each "
    "criterion of each hop.",
)
@click.option("--keep-unreviewed", is_flag=True, help="Keep questions that nobody scored.")
@click.option("--lang", "language", default="en", show_default=True, help="Of the questions.")
@output_options
def import_export(
    export: Path,
    questions: Path,
    out: Path,
    record: Path | None,
    threshold: float,
    rule: Any,
    keep_unreviewed: bool,
    language: str,
    as_json: bool,
) -> None:
    """Read EXPORT, the project's JSON or JSON-MIN, back into the questions.

    Corrected wordings are verified as the first ones were; answers cannot be changed. Agreement of
    the reviewers is printed.

    \b
    Example: factchain questions review import export.json --questions questions.jsonl
        --out reviewed.jsonl
    """
    from factchain.questions.records import Question
    from factchain.questions.review.agreement import agreement
    from factchain.questions.review.decide import Decision, outcomes, review_questions
    from factchain.questions.review.exports import read_export
    from factchain.records import read_records, write_records

    decision = Decision(threshold, rule, keep_unreviewed, language)
    annotations = read_export(export)
    kept, reviews = review_questions(
        list(read_records(questions, Question)), annotations, decision, export
    )
    measured = agreement(annotations)
    write_records(record or out.with_name("review.jsonl"), reviews)
    write_records(out, kept)
    counts = {"written": len(kept), **outcomes(reviews)}
    result = {"questions": counts, "agreement": [asdict(row) for row in measured]}
    print_result(result, as_json, lambda: _as_text(counts, measured))


def _as_text(counts: dict[str, int], measured: list[Any]) -> str:
    lines = [f"{name:<24} {count:>7,}" for name, count in counts.items()]
    heading = f"{'criterion':<16} {'units':>6} {'raw':>7} {'alpha':>7} {'kappa':>7}"
    rows = [
        f"{row.criterion:<16} {row.units:>6,} {_figure(row.raw)} {_figure(row.alpha)} "
        f"{_figure(row.kappa)}"
        for row in measured
    ]
    note = "" if any(row.units for row in measured) else "No unit has two scores: let reviewers "
    told = [note + "overlap to measure agreement."] if note else []
    return "\n".join([*lines, "", heading, *rows, *told])


def _figure(value: float | None) -> str:
    return f"{'-':>7}" if value is None else f"{value:>7.3f}"
