"""What the full Wikidata dump and the full English Wikipedia take, from rates measured here.

The rates are those that the other benchmarks print (docs/scale.md says which); sizes and prices
are given, too, where they differ from what docs/scale.md states. The plan is printed as a table.
Run: python benchmarks/scale.py --ingest 50 --decompress 400 --build 1000000 --text 10 --extract 20
     --rebel 40 --diff 6000000 --store 100 --shards 20
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

RATES = {
    "ingest": "MB of JSON a second that one worker parses into shards",
    "decompress": "MB of JSON a second that the dump's decompression alone gives",
    "build": "facts a second from shards into the store",
    "text": "MB of wikitext a second and core, from the XML dump to passages",
    "extract": "MB of passages a second and core, co-occurrence",
    "rebel": "windows of 256 tokens a second and GPU, REBEL",
    "diff": "facts of both snapshots a second, version diff",
    "store": "bytes of the store a fact",
    "shards": "bytes of Parquet shards a fact",
}
GIVEN = {
    "json": (1_600_000.0, "MB of the Wikidata dump, uncompressed"),
    "dump": (150_000.0, "MB of the Wikidata dump, as it is downloaded"),
    "facts": (1.5e9, "facts that are kept"),
    "wikitext": (100_000.0, "MB of the Wikipedia dump, uncompressed"),
    "passages": (25_000.0, "MB of passages, plain text"),
    "windows": (27e6, "windows of 256 tokens in the passages"),
    "cores": (16.0, "cores of one machine"),
    "gpus": (8.0, "GPUs of the cluster"),
    "core-hour": (0.05, "price of a core for an hour"),
    "gpu-hour": (2.5, "price of a GPU for an hour"),
}


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the plan."""

    name: str
    seconds: float
    cores: float = 0.0
    gpus: float = 0.0


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


def main() -> None:
    """Print the plan."""
    parser = argparse.ArgumentParser()
    for name, what in RATES.items():
        parser.add_argument(f"--{name}", type=float, required=True, help=what)
    for name, (value, what) in GIVEN.items():
        parser.add_argument(f"--{name}", type=float, default=value, help=f"{what} [{value:,}]")
    n = {name.replace("_", "-"): value for name, value in vars(parser.parse_args()).items()}
    print("| step | hours | cores | GPUs | cost |\n| --- | --- | --- | --- | --- |")
    for step in steps(n):
        hours = step.seconds / 3600
        cost = hours * (step.cores * n["core-hour"] + step.gpus * n["gpu-hour"])
        print(f"| {step.name} | {hours:.1f} | {step.cores:.0f} | {step.gpus:.0f} | {cost:,.0f} |")
    gigabytes = {
        "dump": n["dump"] / 1e3,
        "shards, until the store is made": n["facts"] * n["shards"] / 1e9,
        "store, one snapshot": n["facts"] * n["store"] / 1e9,
        "passages": n["passages"] / 1e3,
    }
    print("\n| disk | GB |\n| --- | --- |")
    for name, size in gigabytes.items():
        print(f"| {name} | {size:,.0f} |")
    useful = n["decompress"] / n["ingest"]
    print(f"\nMore than {useful:.0f} workers do not read this dump any faster.")


if __name__ == "__main__":
    main()
