"""How the strata were filled, and how chains were split, as tables for a terminal."""

from __future__ import annotations

import io

from rich.console import Console
from rich.table import Table

from factchain.chains.build import ChainSummary, reasons
from factchain.chains.splits import SPLITS, Splitting

WIDTH = 120


def drawn_as_text(summary: ChainSummary) -> str:
    """Every stratum with what was available, wanted and taken, and what keeps it short."""
    table = Table(title=f"{summary.chains} chains, axis {summary.axis}", title_justify="left")
    for name in ("topology", "hops", "content", "labels"):
        table.add_column(name, justify="right" if name == "hops" else "left")
    for name in ("available", "wanted", "taken"):
        table.add_column(name, justify="right")
    table.add_column("short because of")
    for row in summary.strata:
        available = f"{'about ' if row['estimated'] else ''}{row['available']:,}"
        table.add_row(
            row["topology"],
            str(row["hops"]),
            row["content"],
            " ".join(row["pattern"]) or "no label",
            available,
            str(row["wanted"]),
            str(row["taken"]),
            reasons(row) if row["taken"] < row["wanted"] else "",
        )
    lines = [_text(table)]
    for name, share in summary.shares.items():
        if share:
            lines.append(f"{name}: {share:.1%} of the chains that can have it")
    if short := len(summary.short):
        lines.append(f"{short} of {len(summary.strata)} strata have fewer chains than wanted")
    return "\n".join(lines)


def split_as_text(splitting: Splitting) -> str:
    """Chains by stratum and split, and what the splits still share."""
    parts = Table(title=f"No shared {splitting.disjoint}", title_justify="left")
    for name in ("axis", "topology", "hops", "labels", *SPLITS):
        parts.add_column(name, justify="right" if name in ("hops", *SPLITS) else "left")
    for row in splitting.strata():
        parts.add_row(
            row["axis"],
            row["topology"],
            str(row["hops"]),
            " ".join(row["pattern"]) or "no label",
            *(f"{row[split]:,}" for split in SPLITS),
        )
    parts.add_section()
    parts.add_row("all", "", "", "", *(f"{len(splitting.chains[split]):,}" for split in SPLITS))
    shared = Table(title="What the splits still share", title_justify="left")
    for name in ("of", "in", "kind", "shared", "chains"):
        shared.add_column(name, justify="right" if name in ("shared", "chains") else "left")
    for row in splitting.leakage():
        shared.add_row(
            row["first"], row["second"], row["kind"], f"{row['shared']:,}", f"{row['chains']:,}"
        )
    told = f"{splitting.components} components, the largest of {splitting.largest} chains"
    return "\n".join([_text(parts), told, _text(shared)])


def _text(table: Table) -> str:
    console = Console(file=io.StringIO(), width=WIDTH)
    console.print(table)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().rstrip("\n")
