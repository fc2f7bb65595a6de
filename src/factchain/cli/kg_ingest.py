"""`factchain kg ingest`: a Wikidata dump into the store."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from factchain.cli.options import (
    FILE,
    engine_option,
    kg_option,
    memory_option,
    output_options,
    print_result,
    rejects_options,
    snapshot_options,
    work_option,
    workers_option,
)

SOURCE = click.Path(path_type=Path, allow_dash=True)


def _words(_context: click.Context, parameter: click.Parameter, value: str) -> tuple[str, ...]:
    """Words apart by commas, checked as the setting of that name in the config's section `kg`."""
    from pydantic import ValidationError

    from factchain.config import problem_in_words
    from factchain.config_kg import KgConfig
    from factchain.errors import ConfigError
    from factchain.kg.dumps.from_config import dump_settings

    words = tuple(word.strip() for word in value.split(",") if word.strip())
    try:
        dump_settings(KgConfig.model_validate({parameter.name: words}))
    except ValidationError as error:
        raise click.BadParameter(problem_in_words(error.errors()[0])) from error
    except ConfigError as error:
        raise click.BadParameter(str(error)) from error
    return words


@click.command()
@click.argument("dumps", type=SOURCE, nargs=-1, required=True, metavar="DUMP...")
@kg_option
@snapshot_options
@click.option(
    "--languages",
    callback=_words,
    default="en",
    show_default=True,
    help="Of names, the preferred one first, apart by commas; `mul` is always the last.",
)
@click.option("--properties", callback=_words, default="", help="Keep facts of these only.")
@click.option("--drop-properties", callback=_words, default="", help="Leave facts of these out.")
@click.option("--datatypes", callback=_words, default="", help="Keep facts of these only.")
@click.option("--external-ids", is_flag=True, help="Keep external identifiers too.")
@click.option("--classes", callback=_words, default="", help="Keep instances (P31) of these only.")
@click.option(
    "--sitelinks",
    callback=_words,
    default="",
    help="Keep items with a page in one of these (enwiki).",
)
@click.option("--entities", type=FILE, help="A file of Q-ids, one a line: keep these items only.")
@click.option("--keep-ended", is_flag=True, help="Keep statements that had ended by the date.")
@rejects_options
@click.option(
    "--checksum",
    "checksums",
    multiple=True,
    help="MD5, SHA-1 or SHA-256 that the dump must have; once for each file.",
)
@memory_option
@work_option
@workers_option
@engine_option
@output_options
def ingest(
    dumps: tuple[Path, ...],
    kg_file: Path,
    snapshot: str,
    date: datetime,
    languages: tuple[str, ...],
    properties: tuple[str, ...],
    drop_properties: tuple[str, ...],
    datatypes: tuple[str, ...],
    external_ids: bool,
    classes: tuple[str, ...],
    sitelinks: tuple[str, ...],
    entities: Path | None,
    keep_ended: bool,
    max_rejects: float,
    rejects: Path | None,
    checksums: tuple[str, ...],
    memory: int,
    work: str | None,
    workers: int,
    engine: Any,
    as_json: bool,
) -> None:
    """Add a Wikidata JSON dump as a snapshot: files, folders of files, or `-`.

    .json, .json.gz, .json.bz2 and .json.zst are read. The store is made where there is none. A
    run that was stopped continues when it is started again.

    \b
    Example: factchain kg ingest latest-all.json.gz --kg kg.duckdb --snapshot 2024
        --date 2024-06-05
    """
    from factchain.config_kg import KgConfig
    from factchain.kg.dumps.from_config import dump_settings
    from factchain.kg.dumps.ingest import beside
    from factchain.kg.dumps.ingest import ingest as run
    from factchain.kg.extend import extended

    day = date.date().isoformat()
    kept = KgConfig(
        languages=languages,
        properties=properties,
        drop_properties=drop_properties,
        datatypes=datatypes,
        external_ids=external_ids,
        classes=classes,
        sitelinks=sitelinks,
        keep_ended=keep_ended,
    )
    with extended(kg_file) as store:
        summary = run(
            store,
            dumps,
            snapshot,
            day,
            settings=dump_settings(kept),
            listed=entities,
            checksums=checksums,
            max_rejects=max_rejects,
            rejects_file=rejects,
            memory=memory,
            workers=workers,
            engine=engine,
            work=work or beside(kg_file, day),
        )
    figures = asdict(summary)
    print_result(figures, as_json, lambda: _as_text(figures))


def _as_text(figures: dict[str, Any]) -> str:
    lines = [f"{figures[what]:>15,} {what}" for what in ("entities", "properties", "facts")]
    left_out = figures["skipped"] | (
        {"malformed line": figures["rejects"]} if figures["rejects"] else {}
    )
    lines += ["Left out:"] * bool(left_out)
    lines += [f"{count:>15,} {why}" for why, count in left_out.items()]
    return "\n".join(lines)
