"""`factchain questions unanswerable`, `null` and `check-unanswerable`: what no corpus answers."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from factchain.cli.options import (
    FILE,
    FOLDER,
    kg_option,
    output_options,
    print_result,
    retriever_option,
    seed_option,
)

SHARE = click.FloatRange(0, 1)


def _hops(_context: click.Context, _parameter: click.Parameter, text: str) -> tuple[int, int]:
    """`2` or `1-3`: fewest and most."""
    first, dash, last = text.partition("-")
    numbers = (first, last if dash else first)
    if not all(number.isdecimal() for number in numbers):
        raise click.BadParameter(f"{text!r}: a number of hops is needed, such as 2 or 1-3")
    least, most = map(int, numbers)
    if not 1 <= least <= most:
        raise click.BadParameter(f"{text!r}: 1 hop is the least, and the fewest come first")
    return least, most


@click.command("unanswerable")
@click.argument("file", type=FILE)
@kg_option
@click.option(
    "--withhold",
    callback=_hops,
    default="1",
    show_default=True,
    metavar="1-2",
    help="How many hops of a question are withheld, drawn for each: the more, the less is left.",
)
@click.option(
    "--share",
    type=SHARE,
    default=0.1,
    show_default=True,
    help="Of the answerable questions, the share that becomes unanswerable.",
)
@click.option("--out", type=FILE, required=True, help="The file to write.")
@seed_option
@output_options
def unanswerable_command(
    file: Path,
    kg_file: Path,
    withhold: tuple[int, int],
    share: float,
    out: Path,
    seed: int,
    as_json: bool,
) -> None:
    """Make some questions in FILE unanswerable, by withholding the facts of their hops.

    `corpus build` leaves the withheld facts out. No question that stays answerable needs them, and
    the facts that remain give no answer; questions for which that is not so are passed over. Build
    the corpus next, then run `questions check-unanswerable` on it.

    \b
    Example: factchain questions unanswerable factchain-sample/answerable.jsonl
        --kg factchain-sample/kg.duckdb --withhold 1-2 --share 0.1 --out questions.jsonl
    """
    from factchain.kg.store import Store
    from factchain.questions.kinds.unanswerable import WithholdSettings, make_unanswerable
    from factchain.questions.records import Question
    from factchain.records import read_records, write_records

    settings = WithholdSettings(share, *withhold, seed=seed)
    questions = list(read_records(file, Question))
    with Store.open(kg_file) as store:
        made = make_unanswerable(store, questions, settings)
    write_records(out, made.questions)
    print_result(made.as_dict(), as_json, made.as_text)


@click.command("null")
@click.argument("file", type=FILE)
@kg_option
@click.option(
    "--share",
    type=SHARE,
    default=0.1,
    show_default=True,
    help="How many are added, as a share of the answerable questions.",
)
@click.option("--out", type=FILE, required=True, help="The file to write.")
@seed_option
@output_options
def null_command(
    file: Path, kg_file: Path, share: float, out: Path, seed: int, as_json: bool
) -> None:
    """Add questions about entities that the graph does not hold to those in FILE.

    They are asked like questions of FILE, of topic entities whose names are made of parts of real
    ones and are no label and no alias of the store.

    \b
    Example: factchain questions null factchain-sample/questions.jsonl
        --kg factchain-sample/kg.duckdb --share 0.05 --out with-null.jsonl
    """
    from factchain.kg.store import Store
    from factchain.questions.kinds.null_questions import make_null_questions
    from factchain.questions.records import Question
    from factchain.records import read_records, write_records

    questions = list(read_records(file, Question))
    with Store.open(kg_file) as store:
        made = make_null_questions(store, questions, share, seed)
    write_records(out, [*questions, *made.questions])
    print_result(made.as_dict(), as_json, made.as_text)


@click.command("check-unanswerable")
@click.argument("folder", type=FOLDER)
@retriever_option
@click.option(
    "--k",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Passages that are read for a question and for each of its sub-questions.",
)
@click.option("--out", type=FILE, help="Write the questions without those that fail.")
@output_options
def check_unanswerable_command(
    folder: Path, retriever: str, k: int, out: Path | None, as_json: bool
) -> None:
    """Search the corpus of the dataset FOLDER for what its unanswerable questions should lack.

    Exit status 1 where a passage states a withheld fact, or bears the made-up name of a null
    question, unless --out leaves out the questions for which that is so: build the corpus anew of
    those that it writes.

    \b
    Example: factchain questions check-unanswerable factchain-sample --out checked.jsonl
    """
    from factchain.questions.records import Question
    from factchain.records import read_records, write_records
    from factchain.retrieval_corpus.retrievers.by_name import retriever_by_name
    from factchain.retrieval_corpus.unanswerable_check import check_unanswerable

    questions = list(read_records(folder / "questions.jsonl", Question))
    found = check_unanswerable(retriever_by_name(retriever), folder / "corpus", questions, k)
    if out is not None:
        write_records(out, found.questions)
    print_result(found.as_dict(), as_json, found.as_text)
    if found.failed and out is None:
        sys.exit(1)
