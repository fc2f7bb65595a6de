"""`factchain corpus`: the retrieval corpus."""

from __future__ import annotations

from pathlib import Path

import click

from factchain.cli.options import FILE, FOLDER, output_options, print_result


@click.group()
def corpus() -> None:
    """The retrieval corpus."""


def _cutoffs(_context: click.Context, _parameter: click.Parameter, text: str) -> list[int]:
    try:
        cutoffs = sorted({int(part) for part in text.split(",")})
    except ValueError as error:
        raise click.BadParameter("whole numbers with commas are needed, such as 1,5,10") from error
    if cutoffs[0] < 1:
        raise click.BadParameter("a cutoff is at least 1")
    return cutoffs


@corpus.command()
@click.argument("folder", type=FOLDER)
@click.option(
    "--retriever",
    default="bm25",
    show_default=True,
    help="bm25, rank-bm25, dense:MODEL, dense-approximate:MODEL or hybrid:MODEL.",
)
@click.option("--reranker", help="A cross-encoder that orders the first 20 anew.")
@click.option("--k", "cutoffs", default="1,5,10,20", show_default=True, callback=_cutoffs)
@click.option("--out", type=FILE, help="Write the scores as CSV, too.")
@output_options
def evaluate(
    folder: Path,
    retriever: str,
    reranker: str | None,
    cutoffs: list[int],
    out: Path | None,
    as_json: bool,
) -> None:
    """Score a retriever on the questions and the corpus of the workspace FOLDER.

    Recall, complete sets (all gold passages found), hits, MAP, MRR and nDCG, each cut off at k.

    \b
    Example: factchain corpus evaluate factchain-sample --retriever bm25 --k 1,5,10,20
    """
    from factchain.questions.records import Question
    from factchain.records import read_records
    from factchain.retrieval_corpus.evaluate import as_text, evaluate_retriever, write_scores
    from factchain.retrieval_corpus.retrievers.by_name import retriever_by_name

    questions = list(read_records(folder / "questions.jsonl", Question))
    found = evaluate_retriever(
        retriever_by_name(retriever, reranker=reranker), folder / "corpus", questions, cutoffs
    )
    if out:
        write_scores(out, found)
    print_result([score.model_dump() for score in found], as_json, lambda: as_text(found))
