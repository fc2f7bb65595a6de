"""`factchain publish`: a dataset for the Hugging Face hub."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from factchain.cli.options import DATE, FOLDER, output_options, print_result


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--out", type=FOLDER, required=True, help="The folder to write: new or empty.")
@click.option("--name", help="Name of the dataset; by default that of the --out folder.")
@click.option(
    "--license",
    "licence",
    help="The hub's name of a licence; cc0-1.0, as Wikidata's facts, unless questions were "
    "imported: then it must be named.",
)
@click.option("--version", default="1.0.0", show_default=True, help="Version of the dataset.")
@click.option("--creator", help="Who made it.")
@click.option("--url", help="Where it is found.")
@click.option("--citation", help="How to cite it.")
@click.option("--language", default="en", show_default=True, help="Language of the questions.")
@click.option("--date", "day", type=DATE, help="Day of publication; else the day of the build.")
@click.option("--push", "repository", help="Upload it to OWNER/NAME; the token is HF_TOKEN.")
@click.option("--private", is_flag=True, help="Make the new repository private.")
@click.option("--update", is_flag=True, help="Renew a repository that exists already.")
@output_options
def publish(
    folder: Path,
    out: Path,
    name: str | None,
    licence: str | None,
    version: str,
    creator: str | None,
    url: str | None,
    citation: str | None,
    language: str,
    day: datetime | None,
    repository: str | None,
    private: bool,
    update: bool,
    as_json: bool,
) -> None:
    """Write the dataset of the workspace FOLDER as one that others can load.

    Parquet files by configuration and split, a dataset card, Croissant metadata that mlcroissant
    has validated, tasks for the LM Evaluation Harness and Inspect AI, and checksums.

    \b
    Example: factchain publish factchain-sample --out published --license cc0-1.0
    """
    from factchain.publish.build import publish as run
    from factchain.publish.push import check_push, push
    from factchain.publish.settings import PublishSettings, name_of

    settings = PublishSettings(
        name=name or name_of(out),
        licence=licence,
        version=version,
        creator=creator,
        url=url,
        citation=citation,
        language=language,
        date=day.date() if day else None,
    )
    if repository:
        check_push(repository)
    done = run(folder, out, settings)
    address = push(out, repository, private=private, update=update) if repository else None
    result = {
        "folder": str(out),
        "files": {part.path.as_posix(): part.rows for part in done.parts},
        "tasks": list(done.tasks),
        "address": address,
    }
    lines = [f"{part.path.as_posix():<32} {part.rows:>9,} rows" for part in done.parts]
    told = f"Uploaded to {address}" if address else f"Ready in {out}: read {out / 'README.md'}"
    print_result(result, as_json, lambda: "\n".join([*lines, told]))
