"""Reading a dump into the store, against its peers, on the same file in one run.

The dump is the real entities of ../shared/data/wikidata_real_sample.json.gz, varied (ids, labels,
targets of statements) until it is large enough, so that entities have Wikidata's size. Each reader
runs in a process of its own; memory is the peak of that process and its children together.
Run: python benchmarks/ingest.py [--megabytes 300] [--bz2-megabytes 100] [--rounds 3] [--ten-times]
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import importlib.util
import multiprocessing
import re
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median

import orjson
import psutil
import rapidgzip
from isal import igzip

from factchain import progress
from factchain.arrow import keep_pandas_out
from factchain.kg.dumps.ingest import ingest
from factchain.kg.store import Store

SAMPLE = Path(__file__).parents[2] / "shared" / "data" / "wikidata_real_sample.json.gz"
DATE = "2024-06-05"
STEP = 3_000_000
"""Between the ids of two variants of an entity; 600 of them, 10 GB, stay below 2**31."""
PEER = "simple_wikidata_db"
_ID = re.compile(rb'"numeric-id":(\d+),"id":"Q\1"|"id":"Q(\d+)"')
_LABEL = re.compile(rb'(?<="en":\{"language":"en","value":")')


def variants() -> Iterator[bytes]:
    """Entities without end: the real ones, then the same with other ids and labels."""
    with gzip.open(SAMPLE) as file:
        lines = [orjson.loads(line.rstrip(b",\n")) for line in file if line[:1] == b"{"]
    packed = [(entity["type"], orjson.dumps(entity)) for entity in lines]
    yield from (line for _, line in packed)
    copy = 0
    while True:
        copy += 1
        for kind, line in packed:
            if kind == "item":
                yield _LABEL.sub(b"%d " % copy, _ID.sub(partial(_moved, by=copy * STEP), line))


def _moved(match: re.Match[bytes], by: int) -> bytes:
    """Items whose numbers are small enough move; the others (classes of all copies) stay."""
    old = int(match[1] or match[2])
    new = old + by if old + by < 2**31 else old
    return b'"numeric-id":%d,"id":"Q%d"' % (new, new) if match[1] else b'"id":"Q%d"' % new


def make_dump(path: Path, megabytes: int) -> int:
    """Write the dump; return its uncompressed size in bytes."""
    size = 0
    with gzip.open(path, "wb", 5) if path.suffix == ".gz" else bz2.open(path, "wb") as out:
        out.write(b"[\n")
        for line in variants():
            if size >= megabytes * 1_000_000:
                break
            size += out.write((b",\n" if size else b"") + line)
        out.write(b"\n]\n")
    return size


def ours(dump: Path, workers: int) -> int:
    """Facts in the store, with labels, aliases and time qualifiers."""
    progress.set_silent(True)
    keep_pandas_out()  # as the command does
    with tempfile.TemporaryDirectory() as folder, Store.create(Path(folder) / "kg") as store:
        facts = ingest(store, dump, "now", DATE, workers=workers).facts
        store.checkpoint()
        return facts


def with_qwikidata(dump: Path) -> int:
    """Truthy claims that qwikidata iterates over, stored nowhere."""
    # Here, since worker processes import this module again.
    from qwikidata.entity import WikidataItem
    from qwikidata.json_dump import WikidataJsonDump

    return sum(
        len(group)
        for entity in WikidataJsonDump(str(dump))
        if entity["type"] == "item"
        for group in WikidataItem(entity).get_truthy_claim_groups().values()
    )


def with_orjson(dump: Path) -> int:
    """Entities that orjson parses, and that are thrown away."""
    with igzip.open(dump, "rb") as file:
        return sum(bool(orjson.loads(line.rstrip(b",\n"))) for line in file if len(line) > 2)


def with_simple_wikidata_db(dump: Path, workers: int) -> int:
    """What its own command writes; lines of its tables."""
    from simple_wikidata_db.preprocess_dump import main as preprocess

    with tempfile.TemporaryDirectory() as folder:
        sys.argv = ["preprocess_dump", "--input_file", str(dump), "--out_dir", folder]
        sys.argv += ["--processes", str(workers)]
        preprocess()
        return sum(1 for path in Path(folder).rglob("*.jsonl") for _ in path.open("rb"))


def decompress(dump: Path, threads: int) -> int:
    """Bytes that the parallel bzip2 decompressor gives."""
    size = 0
    with rapidgzip.IndexedBzip2File(str(dump), parallelization=threads) as file:
        while block := file.read(4 << 20):
            size += len(block)
    return size


def measure(run: Callable[[], int]) -> tuple[float, float, int]:
    """Seconds, peak memory in MiB of the process and its children, and what it returned."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_reply, args=(run, sender))
    process.start()
    peak, ended = 0, threading.Event()

    def watch() -> None:
        nonlocal peak
        while not ended.wait(0.02):
            try:
                root = psutil.Process(process.pid)
                tree = [root, *root.children(recursive=True)]
                peak = max(peak, sum(_own_memory(one) for one in tree))
            except psutil.Error:
                continue

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        seconds, result = receiver.recv()
    finally:
        process.join()
        ended.set()
        watcher.join()
    return seconds, peak / 2**20, result


def _own_memory(process: psutil.Process) -> int:
    return int(process.memory_info().rss)


def _reply(run: Callable[[], int], sender: multiprocessing.connection.Connection) -> None:
    start = time.perf_counter()
    result = run()
    sender.send((time.perf_counter() - start, result))


def compare(
    title: str, size: int, runs: dict[str, Callable[[], int]], counted: str, rounds: int
) -> None:
    """Print a table: medians over rounds, in each of which every reader runs once.

    Speeds are megabytes of JSON a second; ratios are those to the first row in the same round.
    """
    print(f"\n### {title}\n\n| reader | MB/s | ratio | lowest | highest | peak MiB | {counted} |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    taken = [{name: measure(run) for name, run in runs.items()} for _ in range(rounds)]
    for name in runs:
        seconds, peaks, results = zip(*(one[name] for one in taken), strict=True)
        ratios = [next(iter(one.values()))[0] / one[name][0] for one in taken]
        print(
            f"| {name} | {size / 1e6 / median(seconds):.0f} | {median(ratios):.2f} | "
            f"{min(ratios):.2f} | {max(ratios):.2f} | {max(peaks):.0f} | {results[0]:,} |",
            flush=True,
        )


def main() -> None:
    """Print the tables."""
    options = argparse.ArgumentParser()
    options.add_argument("--megabytes", type=int, default=300, help="of JSON, gzip")
    options.add_argument("--bz2-megabytes", type=int, default=100, help="of JSON, bzip2; 0: none")
    options.add_argument("--rounds", type=int, default=3, help="in each, every reader runs once")
    options.add_argument("--ten-times", action="store_true", help="memory on ten times as much")
    chosen = options.parse_args()
    if not SAMPLE.exists():
        sys.exit(f"{SAMPLE} is absent")
    with tempfile.TemporaryDirectory() as folder:
        dump = Path(folder) / "dump.json.gz"
        size = make_dump(dump, chosen.megabytes)
        runs: dict[str, Callable[[], int]] = {
            "qwikidata, truthy claims, stored nowhere": partial(with_qwikidata, dump),
            "orjson.loads alone, igzip": partial(with_orjson, dump),
            "factchain, to the store, 1 worker": partial(ours, dump, 1),
            "factchain, to the store, 2 workers": partial(ours, dump, 2),
        }
        if importlib.util.find_spec(PEER):
            peer = {f"{PEER}, 2 processes": partial(with_simple_wikidata_db, dump, 2)}
            runs = dict([*list(runs.items())[:2], *peer.items(), *list(runs.items())[2:]])
        compare(
            f"gzip, {size / 1e6:,.0f} MB of JSON",
            size,
            runs,
            "claims, entities or facts",
            chosen.rounds,
        )
        if not importlib.util.find_spec(PEER):
            print(f"\n{PEER} is not compared: it is not installed (no package index has it).")
        if chosen.bz2_megabytes:
            packed = Path(folder) / "dump.json.bz2"
            size = make_dump(packed, chosen.bz2_megabytes)
            runs = {
                "rapidgzip alone, 2 threads": partial(decompress, packed, 2),
                "factchain, to the store, 2 workers": partial(ours, packed, 2),
            }
            compare(
                f"bzip2, {size / 1e6:,.0f} MB of JSON", size, runs, "bytes or facts", chosen.rounds
            )
        if chosen.ten_times:
            size = make_dump(dump, 10 * chosen.megabytes)
            runs = {"factchain, to the store, 2 workers": partial(ours, dump, 2)}
            compare(f"gzip, {size / 1e6:,.0f} MB of JSON", size, runs, "facts", 1)


if __name__ == "__main__":
    main()
