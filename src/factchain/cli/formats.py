"""`factchain import` and `factchain export`: the formats that people use."""

from __future__ import annotations

from pathlib import Path

import click

from factchain.cli.options import FOLDER, PATH, output_options, print_result, seed_option

_READ = (
    *("2wikimultihopqa", "beir", "flashrag", "hotpotqa", "mintqa"),
    *("multihop-rag", "musique", "omanic", "popqa"),
)
_WRITTEN = tuple(name for name in _READ if name != "popqa")

_split_option = click.option("--split", help="The split: of all questions, or to be exported.")
_limit_option = click.option(
    "--limit", type=click.IntRange(min=1), help="Only so many questions, the first."
)


@click.command("import")
@click.argument("name", metavar="FORMAT", type=click.Choice(_READ))
@click.argument("files", metavar="FILE...", type=PATH, nargs=-1, required=True)
@click.option("--out", type=FOLDER, required=True, help="The folder to write: new or empty.")
@_split_option
@_limit_option
@output_options
def import_command(
    name: str,
    files: tuple[Path, ...],
    out: Path,
    split: str | None,
    limit: int | None,
    as_json: bool,
) -> None:
    """Read a published dataset, so that retrievers and evaluation run on it.

    \b
    FORMAT           FILE...
    2wikimultihopqa  JSON arrays of questions with their paragraphs
    beir             a folder: corpus.jsonl, queries.jsonl, qrels/
    flashrag         JSON Lines of questions, and of the corpus
    hotpotqa         JSON arrays of questions with their paragraphs
    mintqa           JSON Lines of questions
    multihop-rag     MultiHopRAG.json and corpus.json
    musique          JSON Lines of questions with their paragraphs
    omanic           JSON Lines of questions
    popqa            popQA.tsv

    Without --split, a word of each file's name (train, dev, test) names the split. What has no
    place in our records is listed in conversion.json.

    \b
    Example: factchain import musique musique_ans_v1.0_dev.jsonl --out musique
    """
    from factchain.formats.conversion import as_text
    from factchain.formats.importing import import_dataset
    from factchain.formats.registry import FORMATS

    done = import_dataset(FORMATS[name], files, out, split=split, limit=limit)
    print_result(done.model_dump(mode="json"), as_json, lambda: as_text(done, out))


@click.command("export")
@click.argument("name", metavar="FORMAT", type=click.Choice(_WRITTEN))
@click.argument("folder", metavar="DIR", type=FOLDER)
@click.option("--out", type=FOLDER, required=True, help="The folder to write: new or empty.")
@_split_option
@_limit_option
@seed_option
@output_options
def export_command(
    name: str,
    folder: Path,
    out: Path,
    split: str | None,
    limit: int | None,
    seed: int,
    as_json: bool,
) -> None:
    """Write the dataset of DIR, a build's or an imported one, in a published format.

    \b
    FORMAT: 2wikimultihopqa, beir, flashrag, hotpotqa, mintqa, multihop-rag, musique, omanic

    Questions without paragraphs of their own get their gold passages, those that BM25 finds, and
    random ones: 20 for musique, 10 for hotpotqa and 2wikimultihopqa, in an order drawn by --seed.
    What the format cannot hold is listed in conversion.json.

    \b
    Example: factchain export musique factchain-sample --out sample-as-musique
    """
    from factchain.formats.conversion import as_text
    from factchain.formats.exporting import export_dataset
    from factchain.formats.registry import FORMATS

    done = export_dataset(FORMATS[name], folder, out, split=split, limit=limit, seed=seed)
    print_result(done.model_dump(mode="json"), as_json, lambda: as_text(done, out))
