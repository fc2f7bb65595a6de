"""`factchain training`: training data from a dataset."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from factchain.cli.options import FILE, FOLDER, output_options, print_result

F = TypeVar("F", bound=Callable[..., Any])


@click.group()
def training() -> None:
    """Training data from the questions of one split."""


def _options(command: F) -> F:
    """The workspace, the split and the file, which all layouts take."""
    folder = click.argument("folder", type=FOLDER)
    split = click.option(
        "--split", default="train", show_default=True, help="The split that is trained on."
    )
    out = click.option("--out", type=FILE, required=True, help="The file to write.")
    return folder(split(out(output_options(command))))


def _seed_option(command: F) -> F:
    return click.option(
        "--seed", default=42, show_default=True, help="Draws which are multiple choice; Omanic's."
    )(command)


@training.command()
@_options
@_seed_option
def sft(folder: Path, split: str, out: Path, seed: int, as_json: bool) -> None:
    """Write data for supervised fine-tuning in Omanic's layout.

    \b
    Example: factchain training sft factchain-sample --split test --out sft.json
    """
    from factchain.questions.training.choice import training_set, write_json
    from factchain.questions.training.sft import sft_rows

    chosen = training_set(folder / "questions.jsonl", split)
    rows = sft_rows(chosen.questions, seed)
    write_json(out, rows)
    _tell(len(rows), chosen, out, as_json)


@training.command()
@_options
@_seed_option
@click.option(
    "--data-source", default="omanic", show_default=True, help="Names the reward function to verl."
)
def rl(folder: Path, split: str, out: Path, seed: int, data_source: str, as_json: bool) -> None:
    """Write data for reinforcement learning with verl in Omanic's layout.

    \b
    Example: factchain training rl factchain-sample --split test --out rl.json
    """
    from factchain.questions.training.choice import training_set, write_json
    from factchain.questions.training.rl import rl_rows

    chosen = training_set(folder / "questions.jsonl", split)
    rows = rl_rows(chosen.questions, seed, data_source)
    write_json(out, rows)
    _tell(len(rows), chosen, out, as_json)


@training.command()
@_options
@click.option(
    "--queries",
    type=click.Choice(["hops", "questions"]),
    default="hops",
    show_default=True,
    help="Whether sub-questions or whole questions are the queries.",
)
@click.option(
    "--retriever",
    default="bm25",
    show_default=True,
    help="Finds the negatives; named as in `corpus evaluate`.",
)
@click.option(
    "--group-size",
    type=click.IntRange(min=2),
    default=4,
    show_default=True,
    help="One positive and so many negatives less one.",
)
def reranker(
    folder: Path,
    split: str,
    out: Path,
    queries: Any,
    retriever: str,
    group_size: int,
    as_json: bool,
) -> None:
    """Write query, positives and negatives for a reranker in FlagEmbedding's layout.

    Positives are the gold passages, negatives passages that the retriever finds and that state no
    fact of the question.

    \b
    Example: factchain training reranker factchain-sample --split test --out triples.jsonl
    """
    from factchain.questions.training.choice import training_set
    from factchain.retrieval_corpus.retrievers.by_name import retriever_by_name
    from factchain.retrieval_corpus.training import write_reranker_triples

    chosen = training_set(folder / "questions.jsonl", split)
    counts = write_reranker_triples(
        folder / "corpus",
        chosen.questions,
        split,
        retriever_by_name(retriever),
        out,
        queries=queries,
        group_size=group_size,
    )
    more = {
        "hops without a passage": counts.without_passage,
        "left out, no negative": counts.without_negative,
    }
    _tell(counts.rows, chosen, out, as_json, more)


def _tell(
    rows: int, chosen: Any, out: Path, as_json: bool, more: dict[str, int] | None = None
) -> None:
    result = {
        "rows": rows,
        "left out, unanswerable": chosen.unanswerable,
        "left out, also in another split": chosen.repeated,
        "share facts with another split": chosen.sharing,
        **(more or {}),
    }
    lines = [f"{name:<32} {count:>9,}" for name, count in result.items()]
    print_result(result, as_json, lambda: "\n".join([*lines, f"Written to {out}"]))
