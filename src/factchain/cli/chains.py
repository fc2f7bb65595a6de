"""`factchain chains`: fact chains."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Literal

import click

from factchain.cli.options import (
    FILE,
    FOLDER,
    engine_option,
    kg_option,
    output_options,
    print_result,
    seed_option,
    workers_option,
)


@click.group()
def chains() -> None:
    """Fact chains."""


@chains.command()
@kg_option
@click.option(
    "--axis",
    type=click.Choice(["popularity", "recency", "none"]),
    required=True,
    help="What hops are labelled by; none asks for no labels.",
)
@click.option(
    "--topology",
    "topologies",
    multiple=True,
    metavar="NAME",
    help="chain, bridge, converging or a name of the config's user_topologies; repeatable.",
)
@click.option("--hops", metavar="1-4", help="Numbers of hops, such as 1-4 or 2,4.")
@click.option("--per-stratum", type=int, help="Chains of each topology, length and label pattern.")
@click.option(
    "--answers",
    type=click.Choice(["single", "all"]),
    help="Only hops with one answer, or record all of their answers.",
)
@click.option(
    "--no-shortcut",
    type=click.Choice(["strict", "paper"]),
    help="Which facts may not join two entities of a chain; paper is MINTQA's printed rule.",
)
@click.option(
    "--type",
    "types",
    multiple=True,
    type=click.Choice(["chain", "comparison", "temporal", "inference"]),
    help="chain, as the other options say, or questions between topic entities: a comparison or "
    "an order in time of two, an inference from two to four facts; repeatable.",
)
@click.option("--mathematics", type=float, help="Share of the longer chains that reckons.")
@click.option(
    "--count-subjects",
    is_flag=True,
    default=None,
    help="Count subjects too: true only where the graph lists all of them.",
)
@click.option("--comparison", type=float, help="Share of the longer chains that compares.")
@click.option("--cross-domain", type=float, help="Least share of chains that span domains.")
@click.option("--domains-crossed", type=int, help="How many domains those span.")
@click.option("--even-properties", type=float, help="0: all chains equally likely, to 1.")
@click.option("--property-share", type=float, help="Of a stratum's hops, most of one property.")
@click.option("--per-answer", type=int, help="Most chains with the same answer.")
@click.option("--per-topic", type=int, help="Most chains from the same topic entity.")
@click.option("--per-bridge-entity", type=int, help="Most chains through the same entity.")
@click.option("--per-property-sequence", type=int, help="Most chains of the same properties.")
@click.option("--config", type=FILE, help="A config: its section `chains`.")
@click.option("--strict", is_flag=True, help="Fail, and write nothing, where a stratum is short.")
@click.option(
    "--explain",
    metavar="ID",
    help="Print why a drawn chain was accepted, or why facts (Q1 P2 Q3, Q3 P4 Q5) are not.",
)
@click.option("--out", type=FILE, required=True, help="The file to write.")
@seed_option
@workers_option
@engine_option
@output_options
def sample(
    kg_file: Path,
    axis: str,
    topologies: tuple[str, ...],
    types: tuple[str, ...],
    hops: str | None,
    config: Path | None,
    strict: bool,
    explain: str | None,
    out: Path,
    seed: int,
    workers: int,
    engine: str,
    as_json: bool,
    **given: Any,
) -> None:
    """Draw fact chains from a store, evenly over topologies, hops and label patterns.

    What no option says is as in the section `chains` of a config: that of --config, or the
    defaults that `factchain init` writes.

    \b
    Example: factchain chains sample --kg factchain-sample/kg.duckdb --axis recency --topology chain
        --topology bridge --hops 2-4 --per-stratum 10 --mathematics 0.2 --out chains.jsonl
    """
    from factchain.chains.build import explain_drawn, sample_file
    from factchain.chains.sampling.strata_table import drawn_as_text
    from factchain.chains.settings import chains_config

    settings = {name: value for name, value in given.items() if value is not None}
    if topologies:
        settings["topologies"] = topologies
    if types:
        settings["types"] = types
    if hops:
        settings["hops"] = _numbers(hops)
    asked = chains_config(config, settings)
    summary = sample_file(
        kg_file,
        asked,
        axis,  # type: ignore[arg-type]
        out,
        seed=seed,
        strict=strict,
        workers=workers,
        engine=engine,  # type: ignore[arg-type]
    )
    if explain is None:
        print_result(summary.as_dict(), as_json, lambda: drawn_as_text(summary))
    else:
        found = explain_drawn(kg_file, asked, out, explain)
        print_result(found.as_dict(), as_json, found.as_text)


def _numbers(text: str) -> tuple[int, ...]:
    """`1-4` or `2,4` as numbers."""
    numbers: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdigit() or (dash and not last.isdigit()):
            raise click.BadParameter(f"{text!r}: such as 1-4 or 2,4", param_hint="--hops")
        numbers += range(int(first), int(last if dash else first) + 1)
    return tuple(numbers)


@chains.command()
@click.argument("file", type=FILE)
@click.option(
    "--disjoint",
    type=click.Choice(["facts", "answers", "topics"]),
    required=True,
    help="What no two splits may share.",
)
@click.option(
    "--ratios",
    default="0.8,0.1,0.1",
    show_default=True,
    help="Shares of train, dev and test.",
)
@click.option("--out", type=FOLDER, required=True, help="The folder to write.")
@seed_option
@output_options
def split(file: Path, disjoint: str, ratios: str, out: Path, seed: int, as_json: bool) -> None:
    """Split the chains in FILE into train, dev and test that share no fact, answer or topic.

    Chains that share something go into one split together. Writes train.jsonl, dev.jsonl,
    test.jsonl, and leakage.json, which counts what the splits still share of other kinds.

    \b
    Example: factchain chains split chains.jsonl --disjoint topics --ratios 0.8,0.1,0.1 --out splits
    """
    from factchain.chains.sampling.strata_table import split_as_text
    from factchain.chains.splits import split_file

    try:
        shares = [float(ratio) for ratio in ratios.split(",")]
    except ValueError as error:
        raise click.BadParameter(
            f"{ratios!r}: such as 0.8,0.1,0.1", param_hint="--ratios"
        ) from error
    splitting = split_file(file, disjoint, shares, seed, out)  # type: ignore[arg-type]
    print_result(splitting.as_dict(), as_json, lambda: split_as_text(splitting))


@chains.command()
@click.argument("file", type=FILE)
@kg_option
@click.option("--chain", metavar="ID", help="Only this chain.")
@click.option("--verbose", is_flag=True, help="Every violation, chain by chain.")
@click.option(
    "--no-shortcut",
    type=click.Choice(["strict", "paper"]),
    help="Which facts may not join two entities of a chain: any that no hop uses, or those of "
    "MINTQA's printed rule.",
)
@click.option(
    "--answers",
    type=click.Choice(["single", "all"]),
    help="Whether every hop has a single answer, or all of its answers are recorded.",
)
@click.option("--config", type=FILE, help="The config of the build: its rules and topologies.")
@output_options
def check(
    file: Path,
    kg_file: Path,
    chain: str | None,
    verbose: bool,
    no_shortcut: Literal["strict", "paper"] | None,
    answers: Literal["single", "all"] | None,
    config: Path | None,
    as_json: bool,
) -> None:
    """Check the chains in FILE against every constraint; exit status 1 where one is violated.

    FILE holds chains of factchain, or lines of MINTQA with their `triple` of labels.

    \b
    Example: factchain chains check factchain-sample/chains.jsonl --kg factchain-sample/kg.duckdb
    """
    from factchain.chains.proof.check import check_file
    from factchain.chains.proof.rules import rules_of
    from factchain.config import ChainsConfig, read_config

    settings = read_config(config).chains if config else ChainsConfig(exclude_properties=())
    rules = rules_of(settings, no_shortcut, answers)
    result = check_file(file, kg_file, rules, chain)
    print_result(result.as_dict(), as_json, lambda: result.as_text(verbose or chain is not None))
    if result.violations:
        sys.exit(1)
