"""Reading a dump into the store, against qwikidata's truthy claims, on the same file in one run.

The dump is the bundled sample's newer snapshot, repeated under new ids until it is large enough.
Run: python benchmarks/ingest.py [MB]
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import orjson
from qwikidata.entity import WikidataItem
from qwikidata.json_dump import WikidataJsonDump

from factchain import progress
from factchain.data.render import dump_lines, sample_folder
from factchain.data.tables import read_tables
from factchain.kg.ingest import ingest
from factchain.kg.store import Store

DATE = "2024-06-05"
FIRST_ID = 1_000_000_000


def make_dump(path: Path, megabytes: int) -> int:
    """Write the dump; return its uncompressed size in bytes."""
    entities = list(dump_lines(read_tables(sample_folder() / "tables"), "2024"))
    size, copy = 0, 0
    with gzip.open(path, "wb", compresslevel=1) as out:
        out.write(b"[\n")
        while size < megabytes * 1_000_000:
            for position, entity in enumerate(entities, start=copy * len(entities)):
                if entity["type"] == "item":
                    line = orjson.dumps(entity | {"id": f"Q{FIRST_ID + position}"}) + b",\n"
                    size += out.write(line)
            copy += 1
        out.write(json.dumps(entities[-1] | {"id": "Q1"}).encode() + b"\n]\n")
    return size


def ours(dump: Path, workers: int) -> int:
    """Facts in the store."""
    with tempfile.TemporaryDirectory() as folder, Store.create(Path(folder) / "kg") as store:
        return ingest(store, dump, "now", DATE, workers=workers).facts


def theirs(dump: Path) -> int:
    """Truthy claims that qwikidata iterates over, stored nowhere."""
    return sum(
        len(group)
        for entity in WikidataJsonDump(str(dump))
        if entity["type"] == "item"
        for group in WikidataItem(entity).get_truthy_claim_groups().values()
    )


def main() -> None:
    """Print a table of megabytes a second and the ratio to qwikidata."""
    progress.set_silent(True)
    with tempfile.TemporaryDirectory() as folder:
        dump = Path(folder) / "dump.json.gz"
        size = make_dump(dump, int(sys.argv[1]) if len(sys.argv) > 1 else 100)
        runs: dict[str, Callable[[], int]] = {
            "qwikidata, truthy claims": lambda: theirs(dump),
            "factchain, to the store, 1 worker": lambda: ours(dump, 1),
            "factchain, to the store, 2 workers": lambda: ours(dump, 2),
        }
        base = 0.0
        print("| reader | MB/s | ratio | facts |\n| --- | --- | --- | --- |")
        for name, run in runs.items():
            start = time.perf_counter()
            facts = run()
            speed = size / 1e6 / (time.perf_counter() - start)
            base = base or speed
            print(f"| {name} | {speed:.1f} | {speed / base:.1f} | {facts:,} |")


if __name__ == "__main__":
    main()
