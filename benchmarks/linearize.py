"""Linearize a store into a corpus: passages a second, and the memory that it takes, by size.

The store is made on the spot: labels of two or three of 32,768 made-up words, five facts an entity
(objects skewed, dates and quantities among them), a second snapshot in which one fact in thirty
changed. Every size and style runs in a process of its own, whose peak of resident memory is told.
Run: python benchmarks/linearize.py --entities 100000,1000000
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from factchain.kg.store import Store
from factchain.retrieval_corpus.build import build_corpus
from factchain.retrieval_corpus.settings import CorpusSettings

FACTS = 5
PROPERTIES = 300
CHANGED = 30
MEMORY = 512 << 20
# Random, yet the same every time; `part` tells independent draws for one row apart.
MACROS = """
CREATE TEMP MACRO draw(i, part) AS hash(i * 64 + part) / 18446744073709551616.0;
CREATE TEMP MACRO word(i) AS
    ['ka','lo','mi','ren','tas','vor','el','ban','dur','is','ona','pel','gra','stu','wen','yar']
        [1 + (i % 16)::INT]
    || ['n','ra','vel','to','s','ric','mund','ta','len','ga','bury','ford','ski','o','ham','ia']
        [1 + ((i // 16) % 16)::INT]
    || ['','na','er','ith','us','ow','al','is'][1 + ((i // 256) % 8)::INT]
    || ['','do','ki','lan','me','nor','os','pa','qui','ris','sen','tu','um','vi','wa','zel']
        [1 + ((i // 2048) % 16)::INT];
CREATE TEMP MACRO some_word(i, n) AS word(32767 - (sqrt(draw(i, n)) * 32767)::BIGINT);
CREATE TEMP MACRO name(i, words) AS array_to_string(list_transform(
    range(words), lambda n: upper(some_word(i, n)[1]) || some_word(i, n)[2:]), ' ');
"""
FILL = """
INSERT INTO snapshot VALUES
    (1, '2021', '2021-06-21', 'made', '', []), (2, '2024', '2024-06-05', 'made', '', []);
INSERT INTO property
SELECT i, lower(name(i + 7, 2)), NULL, [], 'wikibase-item', 2 FROM range(1, $properties + 1) t(i);
INSERT INTO entity
SELECT i, name(i, 2 + i % 2), NULL, [], [1 + i % 50], NULL, 2 FROM range(1, $entities + 1) t(i);
INSERT INTO fact
SELECT
    i,
    1 + i // $facts,
    1 + (draw(i, 1) ** 2 * $properties)::INT % $properties,
    CASE WHEN draw(i, 2) < 0.8 THEN 1 + (draw(i, 3) ** 3 * $entities)::BIGINT % $entities END,
    CASE
        WHEN draw(i, 2) >= 0.9 THEN (draw(i, 4) * 100000)::INT::TEXT
        WHEN draw(i, 2) >= 0.8 THEN (DATE '1800-01-01' + (draw(i, 4) * 80000)::INT)::TEXT
    END,
    CASE
        WHEN draw(i, 2) >= 0.9 THEN 'quantity'
        WHEN draw(i, 2) >= 0.8 THEN 'time'
        ELSE 'wikibase-item'
    END,
    CASE WHEN draw(i, 2) >= 0.9 THEN 1 + i % 20 END,
    CASE WHEN draw(i, 2) BETWEEN 0.8 AND 0.9 THEN 11 END,
    NULL, NULL, NULL
FROM range($facts * $entities) t(i);
INSERT INTO fact_snapshot
SELECT id, 1, 'normal', NULL, NULL FROM fact WHERE hash(id) % $changed <> 0;
INSERT INTO fact_snapshot
SELECT id, 2, 'normal', NULL, NULL FROM fact WHERE hash(id + 1) % $changed <> 0;
"""


def make_store(path: Path, entities: int) -> None:
    """A store of so many entities, filled by SQL."""
    connection = duckdb.connect(str(path))
    connection.execute("SET threads = 2")
    connection.execute((files("factchain.kg") / "schema.sql").read_text(encoding="utf-8"))
    connection.execute(MACROS)
    values = {"properties": PROPERTIES, "entities": entities, "facts": FACTS, "changed": CHANGED}
    for statement in FILL.split(";\n"):
        if statement.strip():
            bound = {name: value for name, value in values.items() if f"${name}" in statement}
            connection.execute(statement, bound or None)
    connection.close()


def measure(path: Path, folder: Path, style: str, threads: int) -> None:
    """Linearize, in a process of its own; print what it took as JSON."""
    before = time.perf_counter(), time.process_time()
    with Store.open(path) as store:
        store.limit(MEMORY, threads)
        settings = CorpusSettings(style="sentences" if style == "sentences" else "triples")
        summary = build_corpus(store.connection, [], folder, settings).summary
    seconds, cores = time.perf_counter() - before[0], time.process_time() - before[1]
    figures = {
        "passages": summary.passages,
        "facts": summary.facts,
        "seconds": seconds,
        "core seconds": cores,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "megabytes": (folder / "corpus.jsonl").stat().st_size / 1e6,
    }
    print(json.dumps(figures))


def main() -> None:
    """Print a table by style and size."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--entities", default="100000,1000000")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--measure", nargs=3, metavar=("STORE", "FOLDER", "STYLE"))
    options = parser.parse_args()
    if options.measure:
        store, folder, style = options.measure
        measure(Path(store), Path(folder), style, options.threads)
        return
    print(
        "| style | entities | passages | facts | s | passages/s | passages/s and core | peak MiB |"
        "\n| --- | --- | --- | --- | --- | --- | --- | --- |"
    )
    with TemporaryDirectory() as name:
        for entities in map(int, options.entities.split(",")):
            path = Path(name) / f"{entities}.duckdb"
            make_store(path, entities)
            for style in ("triples", "sentences"):
                more = ["--measure", str(path), str(Path(name) / "corpus"), style]
                more += ["--threads", str(options.threads)]
                done = subprocess.run(
                    [sys.executable, __file__, *more], check=True, capture_output=True
                )
                n = json.loads(done.stdout)
                print(
                    f"| {style} | {entities:,} | {n['passages']:,} | {n['facts']:,} | "
                    f"{n['seconds']:.1f} | {n['passages'] / n['seconds']:,.0f} | "
                    f"{n['passages'] / n['core seconds']:,.0f} | {n['peak']:,.0f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
