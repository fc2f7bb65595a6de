"""`factchain kg ingest`: a Wikidata dump into the store."""

from __future__ import annotations

from collections.abc import Callable
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
    workers_option,
)

SOURCE = click.Path(path_type=Path, allow_dash=True)


def _ids(letter: str) -> Callable[[click.Context, click.Parameter, str | None], Any]:
    """What reads Q- or P-ids apart by commas as a set of numbers."""

    def read(
        _context: click.Context, _parameter: click.Parameter, value: str | None
    ) -> frozenset[int] | None:
        from factchain.kg.dumps.values import entity_number

        try:
            words = _words(value or "")
            if wrong := [word for word in words if word[0] != letter]:
                raise ValueError(f"{wrong[0]!r} is no {letter}-id")
            return None if value is None else frozenset(map(entity_number, words))
        except ValueError as error:
            raise click.BadParameter(str(error)) from error

    return read


def _datatypes(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> frozenset[str] | None:
    """Wikidata's names of datatypes, apart by commas."""
    from factchain.kg.dumps.values import DATATYPES

    if value is None:
        return None
    names = frozenset(_words(value))
    if unknown := sorted(names - DATATYPES):
        known = ", ".join(sorted(DATATYPES))
        raise click.BadParameter(f"{', '.join(unknown)}: not among {known}")
    return names


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


@click.command()
@click.argument("dumps", type=SOURCE, nargs=-1, required=True, metavar="DUMP...")
@kg_option
@snapshot_options
@click.option(
    "--languages",
    default="en",
    show_default=True,
    help="Of names, the preferred one first, apart by commas; `mul` is always the last.",
)
@click.option("--properties", callback=_ids("P"), help="Keep facts of these only.")
@click.option("--drop-properties", callback=_ids("P"), help="Leave facts of these out.")
@click.option("--datatypes", callback=_datatypes, help="Keep facts of these only.")
@click.option("--external-ids", is_flag=True, help="Keep external identifiers too.")
@click.option("--classes", callback=_ids("Q"), help="Keep instances (P31) of these only.")
@click.option("--sitelinks", default="", help="Keep items with a page in one of these (enwiki).")
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
@click.option(
    "--work",
    help="Folder for the shards, seen by all machines of a cluster: a path or an address as "
    "s3://bucket/folder. Beside the store, if not given.",
)
@workers_option
@engine_option
@output_options
def ingest(
    dumps: tuple[Path, ...],
    kg_file: Path,
    snapshot: str,
    date: datetime,
    languages: str,
    properties: frozenset[int] | None,
    drop_properties: frozenset[int] | None,
    datatypes: frozenset[str] | None,
    external_ids: bool,
    classes: frozenset[int] | None,
    sitelinks: str,
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
    from factchain.kg.dumps.dump import DumpSettings
    from factchain.kg.dumps.entity_filter import EntityFilter
    from factchain.kg.dumps.ingest import beside
    from factchain.kg.dumps.ingest import ingest as run
    from factchain.kg.dumps.statements import FactFilter
    from factchain.kg.dumps.values import KEPT_TYPES
    from factchain.kg.extend import extended

    day = date.date().isoformat()
    kept = KEPT_TYPES if datatypes is None else datatypes
    settings = DumpSettings(
        facts=FactFilter(
            keep_ended=keep_ended,
            datatypes=kept | {"external-id"} if external_ids else kept,
            properties=properties,
            dropped=drop_properties or frozenset(),
        ),
        entities=EntityFilter(classes=classes or frozenset(), wikis=tuple(_words(sitelinks))),
        languages=tuple(_words(languages)),
    )
    with extended(kg_file) as store:
        summary = run(
            store,
            dumps,
            snapshot,
            day,
            settings=settings,
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
