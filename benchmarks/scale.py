"""What the full Wikidata dump and the full English Wikipedia take, from rates measured here.

The defaults are the rates, sizes and prices of docs/scale.md, which holds what this prints (a test
compares them); a rate of another machine is given as an option.
Run: python benchmarks/scale.py [--cores 64] [--ingest 150] [--rebel 40]
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

RATES = {
    "ingest": (91.0, "MB of JSON a second that one worker parses into shards"),
    "decompress": (725.0, "MB of JSON a second that the dump's decompression alone gives"),
    "build": (500_000.0, "facts a second from shards into the store"),
    "text": (0.5, "MB of wikitext a second and core, from the XML dump to passages"),
    "extract": (8.0, "MB of passages a second and core, co-occurrence, file to store"),
    "rebel": (20.0, "windows of 256 tokens a second and GPU, REBEL: assumed"),
    "diff": (8e6, "facts of both snapshots a second, version diff"),
    "store": (25.0, "bytes of the store a fact"),
    "shards": (10.0, "bytes of Parquet shards a fact"),
}
GIVEN = {
    "json": (1_600_000.0, "MB of the Wikidata dump, uncompressed"),
    "dump": (150_000.0, "MB of the Wikidata dump, as it is downloaded"),
    "facts": (1.5e9, "facts that are kept"),
    "wikitext": (100_000.0, "MB of the Wikipedia dump, uncompressed"),
    "wikipedia": (25_000.0, "MB of the Wikipedia dump, as it is downloaded"),
    "passages": (25_000.0, "MB of passages, plain text"),
    "windows": (27e6, "windows of 256 tokens in the passages"),
    "cores": (16.0, "cores of one machine"),
    "gpus": (8.0, "GPUs of the cluster"),
    "core-hour": (0.05, "price of a core for an hour"),
    "gpu-hour": (2.5, "price of a GPU for an hour"),
    "gb-month": (0.1, "price of a GB of disk for a month"),
}


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the plan."""

    name: str
    seconds: float
    cores: float = 0.0
    gpus: float = 0.0

    @property
    def hours(self) -> float:
        """How long it takes."""
        return self.seconds / 3600


def steps(n: dict[str, float]) -> list[Step]:
    """The formulas of docs/scale.md."""
    parse = min(n["decompress"], n["cores"] * n["ingest"])
    return [
        Step("one snapshot: dump to shards", n["json"] / parse, n["cores"]),
        Step("one snapshot: shards to store", n["facts"] / n["build"], n["cores"]),
        Step("Wikipedia: XML to passages", n["wikitext"] / n["text"] / n["cores"], n["cores"]),
        Step("co-occurrence", n["passages"] / n["extract"] / n["cores"], n["cores"]),
        Step("REBEL", n["windows"] / n["rebel"] / n["gpus"], gpus=n["gpus"]),
        Step("version diff of two snapshots", 2 * n["facts"] / n["diff"], n["cores"]),
    ]


def disk(n: dict[str, float]) -> dict[str, float]:
    """GB of disk, by what lies there."""
    return {
        "Wikidata dump": n["dump"] / 1e3,
        "shards, until the store is made": n["facts"] * n["shards"] / 1e9,
        "store, one snapshot": n["facts"] * n["store"] / 1e9,
        "facts beside the store, as they are matched and sorted": n["facts"]
        * n["shards"]
        * 2
        / 1e9,
        "DuckDB's sort of the facts, while it lasts": n["facts"] * n["store"] / 1e9,
        "Wikipedia dump": n["wikipedia"] / 1e3,
        "passages": n["passages"] / 1e3,
    }


def plan(n: dict[str, float]) -> str:
    """The tables of the plan, in Markdown."""
    lines = ["| step | hours | cores | GPUs | cost |", "| --- | --- | --- | --- | --- |"]
    hours, total = 0.0, 0.0
    for step in steps(n):
        cost = step.hours * (step.cores * n["core-hour"] + step.gpus * n["gpu-hour"])
        hours, total = hours + step.hours, total + cost
        lines.append(
            f"| {step.name} | {step.hours:.1f} | {step.cores:.0f} | {step.gpus:.0f} | {cost:,.0f} |"
        )
    lines.append(f"| all, one after the other | {hours:.1f} | | | {total:,.0f} |")
    sizes = disk(n)
    lines += ["", "| disk | GB |", "| --- | --- |"]
    lines += [f"| {name} | {size:,.0f} |" for name, size in sizes.items()]
    whole = sum(sizes.values())
    lines += [
        f"| all | {whole:,.0f} |",
        "",
        f"That disk costs {whole * n['gb-month']:,.0f} a month. More than "
        f"{n['decompress'] / n['ingest']:.0f} workers do not read this dump any faster.",
    ]
    return "\n".join(lines)


def defaults() -> dict[str, float]:
    """The rates, sizes and prices of docs/scale.md."""
    return {name: value for name, (value, _) in (RATES | GIVEN).items()}


def main() -> None:
    """Print the plan."""
    parser = argparse.ArgumentParser()
    for name, (value, what) in (RATES | GIVEN).items():
        parser.add_argument(f"--{name}", type=float, default=value, help=f"{what} [{value:,}]")
    print(
        plan({name.replace("_", "-"): value for name, value in vars(parser.parse_args()).items()})
    )


if __name__ == "__main__":
    main()
