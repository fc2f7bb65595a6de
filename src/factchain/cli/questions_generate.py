"""`factchain questions generate` and `verify`: chains into words, and every check of questions."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from factchain.cli.model_options import ModelOptions, model_options, print_estimates
from factchain.cli.options import FILE, PATH, kg_option, output_options, print_result
from factchain.cli.tables import plain, table

if TYPE_CHECKING:
    from factchain.questions.build import QuestionSummary
    from factchain.questions.verify_file import FileVerdicts

MOST_FAILURES = 3
"""Failures that are shown for each check."""


def verification_options(command: Any) -> Any:
    """The options of both commands: which checks, by which models, in which language."""
    for option in reversed(
        (
            click.option(
                "--checks",
                metavar="NAMES",
                help="symbolic,distinguishable,leak,coverage,reading,necessity or some of them; "
                "without it all that can be made with the models that are named.",
            ),
            click.option(
                "--lang",
                "language",
                default="en",
                show_default=True,
                metavar="CODE",
                help="The language of the store's labels, and of the questions.",
            ),
            click.option(
                "--verifier-model",
                metavar="NAME",
                help="The model that reads and answers; without it --model.",
            ),
            click.option("--verifier-base-url", metavar="URL", help="Its server, if another."),
            click.option(
                "--closed-book",
                type=click.IntRange(min=1),
                metavar="K",
                help="Ask each question K times without context, and keep how often the answer "
                "is right.",
            ),
            click.option(
                "--closed-book-model",
                "closed_book_models",
                multiple=True,
                metavar="NAME",
                help="Whom to ask without context; repeatable; without it the verifier.",
            ),
        )
    ):
        command = option(command)
    return command


@click.command()
@click.argument("chains", type=FILE)
@kg_option
@click.option(
    "--verbalizer",
    type=click.Choice(["template", "llm"]),
    default="template",
    show_default=True,
    help="Who writes: the built-in templates, or the language model of --model.",
)
@click.option(
    "--phrases",
    type=PATH,
    help="A table of phrases, or a folder of tables, laid over the templates'.",
)
@click.option(
    "--regenerations",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="How often a model is asked again for a wording that a check refused.",
)
@click.option("--limit", type=click.IntRange(min=1), help="Only the first so many chains.")
@click.option("--out", type=FILE, required=True, help="The file to write.")
@verification_options
@model_options
@output_options
def generate(
    chains: Path,
    kg_file: Path,
    verbalizer: str,
    phrases: Path | None,
    regenerations: int,
    limit: int | None,
    out: Path,
    checks: str | None,
    language: str,
    verifier_model: str | None,
    verifier_base_url: str | None,
    closed_book: int | None,
    closed_book_models: tuple[str, ...],
    asking: ModelOptions,
    as_json: bool,
) -> None:
    """Put the chains in CHAINS into words, verify them, and keep the questions that pass.

    The templates need no model. With --verbalizer llm a model writes that is not shown the
    answers, and is told what was wrong where a check refuses its wording; with a model the
    questions are read too: it must answer them from their facts alone, and must fail without
    those of one hop. Replies are kept in a journal: a run that was stopped goes on, and pays
    nothing twice.

    \b
    Example: factchain questions generate factchain-sample/chains.jsonl
        --kg factchain-sample/kg.duckdb --verbalizer llm --model gpt-4o-mini --max-usd 5
        --out questions.jsonl
    """
    from factchain.kg.store import Store
    from factchain.questions.forecast import forecast
    from factchain.questions.generate_file import (
        GenerationSettings,
        VerificationSettings,
        generate_file,
        read_chains_to_word,
    )

    asked = _models(asking, verifier_model, verifier_base_url, closed_book, closed_book_models)
    settings = GenerationSettings(
        verbalizer=verbalizer,  # type: ignore[arg-type]
        phrases=phrases,
        writer=asking.one if asking.settings else None,
        regenerations=regenerations,
        verification=VerificationSettings(language=language, checks=checks, **asked),
    )
    with Store.open(kg_file) as store:
        read = read_chains_to_word(chains, store, limit)
        if asking.dry_run:
            print_estimates(
                list(forecast(store, read, settings).asks.values()), asking, out, as_json
            )
            return
        summary = generate_file(store, read, settings, out, asking.journal_beside(out))
    result = {"chains": len(read), **asdict(summary)}
    print_result(result, as_json, lambda: _generated_as_text(len(read), summary, out))


@click.command()
@click.argument("file", type=FILE)
@kg_option
@click.option("--out", type=FILE, help="Where the questions are written with their verdicts.")
@click.option("--only-passed", is_flag=True, help="Write only those that pass every check.")
@click.option("--limit", type=click.IntRange(min=1), help="Only the first so many questions.")
@verification_options
@model_options
@output_options
def verify(
    file: Path,
    kg_file: Path,
    out: Path | None,
    only_passed: bool,
    limit: int | None,
    checks: str | None,
    language: str,
    verifier_model: str | None,
    verifier_base_url: str | None,
    closed_book: int | None,
    closed_book_models: tuple[str, ...],
    asking: ModelOptions,
    as_json: bool,
) -> None:
    """Verify the questions in FILE, ours or imported; exit status 1 where one fails a check.

    Every chain is executed on the store again. Of imported questions without a chain, the facts
    are looked up by their names; a check that cannot be made is counted apart, not passed.

    \b
    Example: factchain questions verify factchain-sample/questions.jsonl
        --kg factchain-sample/kg.duckdb --checks symbolic,leak --out verified.jsonl
    """
    from factchain.kg.store import Store
    from factchain.questions.forecast import forecast_of_questions
    from factchain.questions.generate_file import VerificationSettings, opened, verification_of
    from factchain.questions.verify_file import read_questions, verify_file

    asked = _models(asking, verifier_model, verifier_base_url, closed_book, closed_book_models)
    settings = VerificationSettings(language=language, checks=checks, **asked)
    questions = read_questions(file)[:limit]
    beside = out or file
    if asking.dry_run:
        found = forecast_of_questions(questions, settings)
        print_estimates(list(found.asks.values()), asking, beside, as_json)
        return
    journal = asking.journal_beside(beside)
    with Store.open(kg_file) as store, opened(settings.models, journal) as models:
        verification = verification_of(settings, models)
        result = verify_file(questions, store, verification, out, only_passed)
    print_result(result.as_dict(), as_json, lambda: _verdicts_as_text(result))
    if result.failed:
        sys.exit(1)


def _models(
    asking: ModelOptions,
    verifier_model: str | None,
    verifier_base_url: str | None,
    closed_book: int | None,
    closed_book_models: tuple[str, ...],
) -> dict[str, Any]:
    """Who verifies, and who is asked without context."""
    from factchain.questions.generate_file import settings_of

    base = asking.one if asking.settings else None
    if closed_book_models and closed_book is None:
        raise click.UsageError("--closed-book-model needs --closed-book K")
    verifier = settings_of(base, verifier_model, verifier_base_url)
    names = closed_book_models or ((None,) if closed_book else ())
    readers = [settings_of(base, name) if name else verifier for name in names]
    if None in readers:
        raise click.UsageError("--closed-book asks a language model: name one with --model")
    return {
        "verifier": verifier,
        "closed_book": closed_book or 0,
        "readers": tuple(readers),
    }


def _generated_as_text(chains: int, summary: QuestionSummary, out: Path) -> str:
    lines = [f"{summary.questions:,} questions of {chains:,} chains in {out}"]
    if summary.attempts:
        counts = ", ".join(f"{n:,} at attempt {k}" for k, n in summary.attempts.items())
        lines.append(f"written: {counts}")
    reasons = dict.fromkeys([*summary.rejected, *summary.refusals])
    rows = [(reason, summary.rejected.get(reason, 0)) for reason in reasons]
    if summary.refusals:
        wordings = [summary.refusals.get(reason, 0) for reason in reasons]
        told = [(*row, count) for row, count in zip(rows, wordings, strict=True)]
        lines += ["", table(("check", "chains left out", "wordings refused"), told)]
    elif rows:
        lines += ["", table(("check", "chains left out"), rows)]
    return "\n".join(lines)


def _verdicts_as_text(result: FileVerdicts) -> str:
    rows = [
        (check, result.passed[check], result.failed[check], result.not_verified[check])
        for check in result.checks
    ]
    lines = [
        f"{result.questions:,} questions, {result.foreign:,} of them without a chain of ours; "
        f"{result.kept:,} pass every check",
        "",
        table(("check", "passed", "failed", "not verified"), rows),
    ]
    if result.correct_closed_book is not None:
        lines += ["", f"right without context: {result.correct_closed_book:.1%} of the replies"]
    for check, found in result.reasons.items():
        lines += ["", f"failed {check}:"]
        lines += [
            f"  {plain(question)}: {plain(evidence)}"
            for question, evidence in found[:MOST_FAILURES]
        ]
        if len(found) > MOST_FAILURES:
            lines.append(f"  and {len(found) - MOST_FAILURES:,} more: --json lists them")
    return "\n".join(lines)
