"""`factchain kg add-triples`, `fetch` and `text`: ways into the store beside dumps."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from factchain.cli.options import (
    DATE,
    FILE,
    PATH,
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


@click.command("add-triples")
@click.argument("files", type=FILE, nargs=-1, required=True)
@kg_option
@snapshot_options
@click.option(
    "--languages",
    default="en",
    show_default=True,
    help="Of names in N-Triples, the preferred one first, apart by commas; `mul` is the last.",
)
@rejects_options
@memory_option
@work_option
@workers_option
@engine_option
@output_options
def add_triples(
    files: tuple[Path, ...],
    kg_file: Path,
    snapshot: str,
    date: datetime,
    languages: str,
    max_rejects: float,
    rejects: Path | None,
    memory: int,
    work: str | None,
    workers: int,
    engine: Any,
    as_json: bool,
) -> None:
    """Add a graph from FILES of triples as a snapshot: Wikidata's or any other.

    \b
    .nt                N-Triples of a Wikidata truthy dump
    .tsv               columns s, s_label, p, p_label, o, o_label, named in the first line
    .parquet           the same columns
    .nt and .tsv may be compressed: .gz, .bz2, .zst
    A run that was stopped continues when it is started again.

    \b
    Example: factchain kg add-triples graph.tsv.gz --kg kg.duckdb --snapshot 2024
        --date 2024-06-05
    """
    from factchain.kg.extend import extended
    from factchain.kg.triples.add import add_triples as run
    from factchain.kg.triples.staged_folder import beside

    day = date.date().isoformat()
    with extended(kg_file) as store:
        summary = run(
            store,
            files,
            snapshot,
            day,
            languages=tuple(dict.fromkeys([*_words(languages), "mul"])),
            max_rejects=max_rejects,
            rejects_file=rejects,
            memory=memory,
            workers=workers,
            engine=engine,
            work=work or beside(kg_file, day),
        )
    _print(asdict(summary), as_json)


@click.command("fetch")
@kg_option
@click.option("--entities", help="Q-ids apart by commas, or a file that holds some.")
@click.option("--classes", help="Q-ids of classes whose instances are wanted.")
@click.option("--sparql", type=FILE, help="A query whose first variable gives items.")
@click.option(
    "--hops",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="How often the items that statements lead to are fetched too.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=1_000,
    show_default=True,
    help="Items that are fetched with their statements.",
)
@click.option("--snapshot", help="A name for this state of the graph; the date if not given.")
@click.option("--date", type=DATE, help="The day as of which the facts hold; today if not given.")
@click.option(
    "--contact",
    envvar="FACTCHAIN_CONTACT",
    help="Your e-mail or web address, told to the service, as its policy wants. "
    "[env: FACTCHAIN_CONTACT]",
)
@click.option(
    "--api-url",
    envvar="FACTCHAIN_API_URL",
    help="The API of another Wikibase. [env: FACTCHAIN_API_URL]",
)
@click.option(
    "--sparql-url",
    envvar="FACTCHAIN_SPARQL_URL",
    help="Its query service. [env: FACTCHAIN_SPARQL_URL]",
)
@click.option(
    "--in-flight",
    type=click.IntRange(1, 8),
    default=2,
    show_default=True,
    help="Requests at a time.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    help="Seconds that a request may be silent.",
)
@click.option("--attempts", type=click.IntRange(1, 20), default=6, show_default=True)
@click.option("--cache", type=FILE, help="Where answers are kept; beside the store, if not given.")
@click.option(
    "--cache-days",
    type=click.FloatRange(min=0),
    default=7.0,
    show_default=True,
    help="Days after which a kept answer is asked for again.",
)
@click.option("--dump", type=FILE, help="Where to keep the slice as a dump too.")
@output_options
def fetch(
    kg_file: Path,
    entities: str | None,
    classes: str | None,
    sparql: Path | None,
    hops: int,
    limit: int,
    snapshot: str | None,
    date: datetime | None,
    contact: str | None,
    api_url: str | None,
    sparql_url: str | None,
    in_flight: int,
    timeout: float,
    attempts: int,
    cache: Path | None,
    cache_days: float,
    dump: Path | None,
    as_json: bool,
) -> None:
    """Add a slice of Wikidata, around items, classes or the results of a query, as a snapshot.

    What the items lead to is fetched with its names. A fetch that was stopped goes on.

    \b
    Example: factchain kg fetch --entities Q42,Q64 --hops 1 --kg kg.duckdb
        --contact me@example.org
    """
    from factchain.kg.extend import extended
    from factchain.kg.wikidata.fetch import Wanted, parse_ids, read_ids, read_query
    from factchain.kg.wikidata.fetch import fetch as run
    from factchain.kg.wikidata.response_cache import ResponseCache
    from factchain.kg.wikidata.wikidata_api import ApiSettings, WikidataApi

    if entities is None and classes is None and sparql is None:
        raise click.UsageError("Give --entities, --classes or --sparql.")
    wanted = Wanted(
        entities=read_ids(entities) if entities is not None else (),
        classes=parse_ids(classes) if classes is not None else (),
        sparql=read_query(sparql) if sparql is not None else None,
        hops=hops,
        limit=limit,
    )
    settings = ApiSettings(
        contact=contact or "",
        api_url=api_url or ApiSettings.api_url,
        sparql_url=sparql_url or ApiSettings.sparql_url,
        in_flight=in_flight,
        timeout=timeout,
        attempts=attempts,
    )
    day = (date or datetime.now(UTC)).date().isoformat()
    cache = cache or kg_file.with_name(f"{kg_file.name}.fetched.sqlite")
    with ResponseCache(cache, cache_days * 86_400) as kept, extended(kg_file) as store:
        api = WikidataApi(settings, kept)
        summary = run(store, api, wanted, snapshot or day, day, keep_dump=dump)
    _print(asdict(summary), as_json)


@click.command("text")
@click.argument("sources", type=PATH, nargs=-1, required=True)
@click.option("--out", type=FILE, required=True, help="The file of passages to write.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", "wikiextractor", "mediawiki"]),
    help="What the sources are; told by their content, if not given.",
)
@click.option(
    "--min-words",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="Shorter paragraphs are left out.",
)
@click.option("--kg", "kg_file", type=FILE, help="The store that knows the pages' entities.")
@click.option("--redirects", type=FILE, help="Where to write the redirects of a MediaWiki dump.")
@workers_option
@engine_option
@output_options
def text(
    sources: tuple[Path, ...],
    out: Path,
    form: Any,
    min_words: int,
    kg_file: Path | None,
    redirects: Path | None,
    workers: int,
    engine: Any,
    as_json: bool,
) -> None:
    """Cut SOURCES, files or folders, into passages: a line of JSON each.

    \b
    jsonl              passages already
    wikiextractor      its output, with --json or without
    mediawiki          an XML dump; links to articles are kept
    All may be compressed: .gz, .bz2, .zst

    \b
    Example: factchain kg text enwiki-latest-pages-articles.xml.bz2 --out passages.jsonl
        --kg kg.duckdb --workers 2
    """
    from contextlib import ExitStack

    from factchain.kg.store import Store
    from factchain.kg.text.conversion import write_passages

    with ExitStack() as stack:
        store = stack.enter_context(Store.open(kg_file)) if kg_file is not None else None
        summary = write_passages(
            sources,
            out,
            form=form,
            min_words=min_words,
            store=store,
            redirects=redirects,
            workers=workers,
            engine=engine,
        )
    _print(asdict(summary), as_json)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _print(summary: dict[str, Any], as_json: bool) -> None:
    """The counts of a summary, and what was left out, by reason."""

    def as_text() -> str:
        skipped = summary.get("skipped", {})
        counts = {name: n for name, n in summary.items() if name != "skipped"}
        lines = [f"{name.replace('_', ' '):<24}{n:>14,}" for name, n in counts.items()]
        if skipped:
            lines += ["", "left out", *(f"  {name:<22}{n:>14,}" for name, n in skipped.items())]
        return "\n".join(lines)

    print_result(summary, as_json, as_text)
