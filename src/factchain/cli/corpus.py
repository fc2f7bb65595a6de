"""`factchain corpus`: the retrieval corpus."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from factchain.cli.options import (
    FILE,
    FOLDER,
    kg_option,
    memory_option,
    output_options,
    print_result,
    retriever_option,
    seed_option,
)

if TYPE_CHECKING:
    from factchain.retrieval_corpus.records import CorpusSummary


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
@kg_option
@click.option("--questions", type=FILE, required=True, help="The questions to have gold for.")
@click.option("--out", type=FOLDER, required=True, help="The dataset folder; DIR/corpus is made.")
@click.option(
    "--style",
    type=click.Choice(["triples", "sentences"]),
    default="triples",
    show_default=True,
    help="Lines of subject, property and object, or sentences by property templates.",
)
@click.option("--incoming", is_flag=True, help="State the facts that lead to an entity, too.")
@click.option(
    "--scope",
    type=click.Choice(["questions", "sampled", "all"]),
    default="all",
    show_default=True,
    help="Entities of the questions, of the labelled facts, or of the whole graph.",
)
@click.option(
    "--distractors",
    type=click.FloatRange(min=0),
    default=0.0,
    show_default=True,
    metavar="RATIO",
    help="How many further entities have passages, for each one in a narrower scope.",
)
@click.option(
    "--tokenizer",
    default="words",
    show_default=True,
    help="What chunks are measured in: words, or a Hugging Face tokenizer by name or path.",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(min=16),
    default=512,
    show_default=True,
    help="Most tokens of a passage, its title included.",
)
@click.option("--strict", is_flag=True, help="Leave out the questions that fail the passage audit.")
@seed_option
@memory_option
@output_options
def build(
    kg_file: Path, questions: Path, out: Path, memory: int, as_json: bool, **settings: Any
) -> None:
    """Linearize the store into passages, with the gold passages of every question and hop.

    Writes DIR/corpus in BEIR layout and DIR/questions.jsonl, so that DIR can be evaluated.

    \b
    Example: factchain corpus build --kg demo/kg.duckdb --questions demo/questions.jsonl --out small
    """
    from factchain.errors import ConfigError
    from factchain.kg.store import Store
    from factchain.questions.records import Question
    from factchain.records import read_records, write_records
    from factchain.retrieval_corpus.build import build_corpus
    from factchain.retrieval_corpus.settings import CorpusSettings

    kept = out / "questions.jsonl"
    is_input = kept.exists() and kept.samefile(questions)
    if is_input and settings["strict"]:
        raise ConfigError(f"{questions}: --strict would leave out some of it: name another --out")
    asked = list(read_records(questions, Question))
    with Store.open(kg_file) as store:
        store.limit(memory, os.cpu_count() or 1)
        built = build_corpus(store.connection, asked, out / "corpus", CorpusSettings(**settings))
    if not is_input:
        write_records(kept, built.questions)
    print_result(built.summary.model_dump(), as_json, lambda: _summary(built.summary))


def _summary(summary: CorpusSummary) -> str:
    from factchain.cli.tables import table

    fields = type(summary).model_fields
    return table(
        ("corpus", ""),
        [
            (f"{getattr(summary, name):,}", (field.description or "").rstrip("."))
            for name, field in fields.items()
        ],
    )


@corpus.command()
@click.argument("folder", type=FOLDER)
@retriever_option
@click.option("--reranker", help="A cross-encoder that orders the first 20 anew.")
@click.option("--k", "cutoffs", default="1,5,10,20", show_default=True, callback=_cutoffs)
@click.option("--index", type=FOLDER, help="Where the index is kept: read, or else written.")
@click.option(
    "--compat", is_flag=True, help="Also the scores as MultiHop-RAG and HopWeaver print them."
)
@click.option("--out", type=FILE, help="Write the scores as CSV, too; those by hop beside it.")
@output_options
def evaluate(
    folder: Path,
    retriever: str,
    reranker: str | None,
    cutoffs: list[int],
    index: Path | None,
    compat: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Score a retriever on the questions and the corpus of the dataset FOLDER.

    Recall, complete sets (all gold passages found), hits, MAP, MRR and nDCG, each cut off at k;
    and of every hop the share of its evidence that is found.

    \b
    Example: factchain corpus evaluate factchain-sample --retriever bm25 --k 1,5,10,20
    """
    from factchain.questions.records import Question
    from factchain.records import read_records
    from factchain.retrieval_corpus.evaluate import evaluate_in_full, write_scores
    from factchain.retrieval_corpus.retrievers.by_name import retriever_by_name
    from factchain.retrieval_corpus.score_tables import as_text

    questions = list(read_records(folder / "questions.jsonl", Question))
    found = evaluate_in_full(
        retriever_by_name(retriever, reranker=reranker),
        folder / "corpus",
        questions,
        cutoffs,
        index=index,
        compat=compat,
    )
    if out:
        write_scores(out, found.groups)
        write_scores(out.with_stem(f"{out.stem}-by-hop"), found.hops)
    result = {
        "groups": [score.model_dump() for score in found.groups],
        "hops": [score.model_dump() for score in found.hops],
        "compat": found.compat,
    }
    print_result(result, as_json, lambda: as_text(found))
