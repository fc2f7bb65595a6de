"""`factchain kg extract`, `link` and `popularity`: from text to how popular facts are."""

from __future__ import annotations

import shutil
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from factchain.cli.options import (
    FILE,
    FOLDER,
    engine_option,
    kg_option,
    memory_option,
    output_options,
    print_result,
    workers_option,
)

if TYPE_CHECKING:
    from factchain.kg.extraction.protocol import ExtractorSettings
    from factchain.kg.store import Store


def _numbers(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[int, int]:
    """The numbers of a range."""
    low, dash, high = value.partition("-")
    if not (dash and low.isdigit() and high.isdigit()):
        raise click.BadParameter(f"{value!r} is no range such as 1-9")
    return int(low), int(high)


@click.command()
@click.argument("passages", type=FILE)
@kg_option
@click.option(
    "--extractor",
    type=click.Choice(["cooccurrence", "rebel"]),
    default="cooccurrence",
    show_default=True,
    help="Facts whose subject and object are named, or triples in the text's words.",
)
@click.option(
    "--out",
    help="Folder, or address such as s3://..., of what was found; a run that was stopped goes on "
    "there. Without it KG.EXTRACTOR, taken away after cooccurrence.",
)
@click.option(
    "--dominance",
    type=click.FloatRange(min=1, min_open=True),
    default=10.0,
    show_default=True,
    help="cooccurrence: how many times the facts of the next bearer of a name one must have to "
    "be meant by it where nothing else tells.",
)
@click.option(
    "--model",
    default="Babelscape/rebel-large",
    show_default=True,
    help="rebel: a name on the Hugging Face hub, or a folder.",
)
@click.option("--revision", default="main", show_default=True, help="rebel: of a hub's model.")
@click.option(
    "--device",
    type=click.Choice(["auto", "cpu", "cuda"]),
    default="auto",
    show_default=True,
    help="rebel: auto takes a GPU where there is one.",
)
@click.option("--beams", type=click.IntRange(min=1), default=3, show_default=True, help="rebel.")
@click.option(
    "--batch",
    type=click.IntRange(min=1),
    default=32,
    show_default=True,
    help="rebel: windows of text that the model reads at once.",
)
@memory_option
@workers_option
@engine_option
@output_options
def extract(
    passages: Path,
    kg_file: Path,
    extractor: str,
    out: str | None,
    dominance: float,
    model: str,
    revision: str,
    device: str,
    beams: int,
    batch: int,
    memory: int,
    workers: int,
    engine: Any,
    as_json: bool,
) -> None:
    """Find what PASSAGES say of the graph's entities.

    PASSAGES are JSON Lines with id, title and text, as `factchain kg text` writes them; they may be
    compressed: .gz, .bz2, .zst. A run that was stopped continues when it is started again.
    What cooccurrence finds goes into the store; what rebel finds has to be linked.

    \b
    Example: factchain kg extract passages.jsonl --kg factchain-sample/kg.duckdb --workers 2
    """
    from factchain.kg.extraction.mentions import extract_text

    # Workers on other machines see the same place, whatever folder they run in.
    folder = out if out and "://" in out else str(Path(out or f"{kg_file}.{extractor}").absolute())

    def settings(store: Store) -> ExtractorSettings:
        if extractor == "rebel":
            from factchain.kg.extraction.rebel import RebelSettings

            return RebelSettings.of_model(
                model, revision=revision, device=device, beams=beams, batch=batch
            )
        from factchain.kg.extraction.cooccurrence import CooccurrenceSettings

        return CooccurrenceSettings.of_store(store, folder, dominance)

    run = extract_text(
        kg_file, passages, settings, folder, workers=workers, engine=engine, memory=memory
    )
    linked = extractor == "cooccurrence"
    if linked and out is None:
        shutil.rmtree(folder)
    figures = run.model_dump(exclude={"shards", "settings"})
    following = "popularity" if linked else f"link {folder} --index INDEX.db"
    print_result(
        figures if linked and out is None else figures | {"folder": folder},
        as_json,
        lambda: "\n".join(
            [
                _counts({key: figures[key] for key in ("passages", "mentions", "statements")}),
                *_left_out(run.rejected),
                f"Next: factchain kg {following} --kg {kg_file}",
            ]
        ),
    )


@click.command()
@click.argument("triples")
@kg_option
@click.option(
    "--index", type=FILE, required=True, help="The wikimapper index; with --sql-dumps it is made."
)
@click.option(
    "--sql-dumps",
    type=FOLDER,
    help="Folder with a wiki's page, page_props and redirect .sql.gz, to make the index from.",
)
@click.option(
    "--extractor", default="rebel", show_default=True, help="Name of what made the triples."
)
@memory_option
@workers_option
@engine_option
@output_options
def link(
    triples: str,
    kg_file: Path,
    index: Path,
    sql_dumps: Path | None,
    extractor: str,
    memory: int,
    workers: int,
    engine: Any,
    as_json: bool,
) -> None:
    """Link TRIPLES in words to facts of the graph; what the graph does not hold is dropped.

    TRIPLES is the folder that `extract --extractor rebel` wrote, or a JSON Lines file of objects
    with passage (its id), head, relation and tail.

    \b
    Example: factchain kg link factchain-sample/kg.duckdb.rebel --kg factchain-sample/kg.duckdb
        --index index_enwiki.db --sql-dumps dumps
    """
    from factchain.kg.linking.index import build_index
    from factchain.kg.linking.statements import link_statements

    made = build_index(sql_dumps, index) if sql_dumps else None
    summary = link_statements(
        kg_file, triples, index.absolute(), extractor, workers=workers, engine=engine, memory=memory
    )
    figures = asdict(summary) | ({"index": asdict(made)} if made else {})
    lines = [_counts({"statements": summary.statements, "kept": summary.kept})]
    lines += [_counts({"facts": summary.facts}), *_left_out(summary.dropped)]
    if summary.merged:
        lines.append(_counts({"names of items that were merged into others": summary.merged}))
    if made:
        lines.append(f"{index}: {made.pages:,} pages, {made.items:,} of them with an item")
        lines += _left_out(made.left_out)
    lines.append(f"Next: factchain kg popularity --kg {kg_file}")
    print_result(figures, as_json, lambda: "\n".join(lines))


@click.command()
@kg_option
@click.option(
    "--count",
    "unit",
    type=click.Choice(["passages", "mentions", "documents"]),
    default="passages",
    show_default=True,
    help="Distinct passages that state a fact, all times that it is stated, or distinct pages.",
)
@click.option(
    "--unpopular",
    callback=_numbers,
    default="1-9",
    show_default=True,
    help="Counts of the unpopular.",
)
@click.option(
    "--popular",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Least count of the popular.",
)
@click.option("--extractor", help="Count only what this extractor found.")
@output_options
def popularity(
    kg_file: Path,
    unit: Any,
    unpopular: tuple[int, int],
    popular: int,
    extractor: str | None,
    as_json: bool,
) -> None:
    """Count how popular facts and entities are, in the text that was extracted from.

    \b
    Example: factchain kg popularity --kg factchain-sample/kg.duckdb --unpopular 1-9 --popular 50
    """
    from factchain.kg.popularity import PopularityBounds, count_mentions
    from factchain.kg.store import Store

    bounds = PopularityBounds(*unpopular, popular)
    with Store.open(kg_file, read_only=False) as store:
        summary = count_mentions(store, bounds, unit, extractor)
        store.checkpoint()
    print_result(
        asdict(summary),
        as_json,
        lambda: "\n".join(
            [
                _counts({"facts": summary.facts, "entities": summary.entities}),
                *(f"{label}: {size:,} facts" for label, size in summary.labels.items()),
            ]
        ),
    )


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{what}: {count:,}" for what, count in counts.items())


def _left_out(reasons: dict[str, int]) -> list[str]:
    return [f"left out, {reason}: {count:,}" for reason, count in reasons.items()]
