"""What `factchain kg stats` says to a reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from factchain.cli.tables import table


def stats_text(figures: Mapping[str, Any]) -> str:
    """The figures of `kg.stats`, as tables under headings."""
    coverage = figures["coverage"]
    entities = coverage["entities"]
    parts = {
        "What the store holds": table(("", "number"), list(figures["counts"].items())),
        "Snapshots": table(
            ("name", "date", "facts", "languages", "source"),
            [
                (
                    s["name"],
                    s["date"],
                    figures["facts_by_snapshot"][s["name"]],
                    ", ".join(s["languages"]) or "not known",
                    s["source"],
                )
                for s in figures["snapshots"]
            ],
        ),
        "Facts by recency": _counts(figures["facts_by_recency"]),
        "Stated facts by popularity": _counts(figures["facts_by_popularity"]),
        "Entities that the text mentions": _mentioned(
            figures["popularity_unit"], figures["entity_popularity"]["bins"]
        ),
        "Facts between entities, by entity, newest snapshot": _degrees(figures["degrees"]),
        "Entities by number of such facts": _bins(figures["degrees"]),
        "Coverage": table(
            ("", "number", "% of entities"),
            [
                (what, n, f"{n / entities:.1%}" if entities and what.startswith("with") else "")
                for what, n in coverage.items()
            ],
        ),
        f"Most frequent of {figures['properties_used']:,} properties, newest snapshot": table(
            ("property", "", "facts", "subjects", "with one object"),
            [
                (
                    p["id"],
                    p["label"] or "",
                    p["facts"],
                    p["subjects"],
                    f"{p['single_object_share']:.1%}",
                )
                for p in figures["properties"]
            ],
        ),
        f"Largest of {figures['classes_used']:,} classes": table(
            ("class", "", "entities"),
            [(c["id"], c["label"] or "", c["entities"]) for c in figures["classes"]],
        ),
        "Storage": _storage(figures["storage"]),
    }
    return "\n\n".join(f"{title}\n{text}" for title, text in parts.items() if text)


def _counts(numbers: Mapping[str, int]) -> str:
    return table(("", "facts"), list(numbers.items())) if numbers else ""


def _mentioned(unit: str | None, bins: Sequence[Mapping[str, int]]) -> str:
    if unit is None:
        return ""
    return table((unit, "entities"), [(_range(b), b["entities"]) for b in bins[1:]])


def _range(one: Mapping[str, int]) -> str:
    low, high = one["from"], one["to"]
    return f"{low:,}" if low == high else f"{low:,}-{high:,}"


def _degrees(degrees: Mapping[str, Any]) -> str:
    first = degrees["out"]["quantiles"]
    return table(
        ("as", "mean", *(f"{float(share):.1%}".replace(".0%", "%") for share in first), "most"),
        [
            (name, f"{d['mean']:.2f}", *d["quantiles"].values(), d["max"])
            for name, d in (("subject", degrees["out"]), ("object", degrees["in"]))
        ],
    )


def _bins(degrees: Mapping[str, Any]) -> str:
    out, into = degrees["out"]["bins"], degrees["in"]["bins"]
    rows = []
    for i in range(max(len(out), len(into))):
        rows.append(
            (
                _range(next(bins[i] for bins in (out, into) if i < len(bins))),
                *(bins[i]["entities"] if i < len(bins) else 0 for bins in (out, into)),
            )
        )
    return table(("facts", "as subject", "as object"), rows)


def _storage(storage: Mapping[str, Any]) -> str:
    rows = [("file", storage["file"]), ("memory of DuckDB", storage["memory"])]
    rows += [(f"table {name}", size) for name, size in storage["tables"].items() if size]
    return table(("", "MB"), [(name, f"{size / 1e6:,.1f}") for name, size in rows])
