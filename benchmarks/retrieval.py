"""BM25 on linearized passages: index time, queries a second, memory; against its peers.

The corpus is made by `factchain corpus build` from the store of `linearize.py`; the questions ask
for properties of its entities, in two steps. Every retriever runs in a process of its own, on one
thread: rank-bm25 (the reference, on few queries), bm25s alone with its numba backend, tantivy, and
factchain's `bm25`. The first ten are compared with rank-bm25's, ties broken by passage id.
Run: python benchmarks/retrieval.py --passages 100000,1000000
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import orjson
from linearize import MEMORY, make_store

K = 10
SEED = 7
QUERIES = 2000
FEW = 20
"""Queries of rank-bm25, which takes seconds for one."""
LARGEST_REFERENCE = 200_000

Ranking = list[str]
Search = Callable[[Sequence[str]], list[Ranking]]


def read_passages(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of `corpus.jsonl`."""
    with path.open("rb") as lines:
        for line in lines:
            yield orjson.loads(line)


def make_queries(corpus: Path, count: int) -> list[str]:
    """Questions about two facts of one passage, each with its subject's name."""
    rng = np.random.default_rng(SEED)
    texts = [p["text"].split("\n") for p in read_passages(corpus)]
    queries = []
    for number in rng.integers(0, len(texts), count):
        lines = texts[number]
        a, b = (lines[i].rstrip(".").split(" ") for i in rng.integers(0, len(lines), 2))
        queries.append(f"What is the {' '.join(a[2:5])} of the {' '.join(b[:5])}?")
    return queries


def tokens(texts: Iterable[str]) -> list[list[str]]:
    """The words that every retriever indexes: bm25s's, without its English stop words."""
    from factchain.retrieval_corpus.retrievers.bm25 import tokenize

    return tokenize(texts)


def content(passage: dict[str, Any]) -> str:
    """What is indexed."""
    return f"{passage['title']}\n{passage['text']}"


def rank_bm25(corpus: Path) -> Search:
    """The reference."""
    from rank_bm25 import BM25Okapi

    ids, texts = [], []
    for passage in read_passages(corpus):
        ids.append(passage["_id"])
        texts.append(content(passage))
    index = BM25Okapi(tokens(texts))
    names = np.array(ids)

    def search(queries: Sequence[str]) -> list[Ranking]:
        found = []
        for words in tokens(queries):
            scores = index.get_scores(words)
            order = np.lexsort((names, -scores))[:K]
            found.append([ids[i] for i in order if scores[i] > 0])
        return found

    return search


def bm25s_alone(corpus: Path) -> Search:
    """bm25s as its documentation shows it, with numba."""
    import bm25s

    ids, texts = [], []
    for passage in read_passages(corpus):
        ids.append(passage["_id"])
        texts.append(content(passage))
    index = bm25s.BM25(method="robertson", backend="numba")
    index.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)

    def search(queries: Sequence[str]) -> list[Ranking]:
        asked = bm25s.tokenize(list(queries), stopwords="en", show_progress=False)
        found, _ = index.retrieve(asked, k=K, show_progress=False, n_threads=1)
        return [[ids[i] for i in row] for row in found]

    return search


def tantivy_(corpus: Path) -> Search:
    """tantivy: one thread, one segment."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw")
    builder.add_text_field("text")
    index = tantivy.Index(builder.build())
    writer = index.writer(heap_size=512 << 20, num_threads=1)
    for passage in read_passages(corpus):
        writer.add_document(tantivy.Document(id=passage["_id"], text=content(passage)))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def search(queries: Sequence[str]) -> list[Ranking]:
        found = []
        for words in tokens(queries):
            parsed = index.parse_query(" ".join(words), ["text"])
            hits = searcher.search(parsed, K).hits
            found.append([searcher.doc(address)["id"][0] for _, address in hits])
        return found

    return search


def factchain_(corpus: Path) -> Search:
    """The retriever of this package."""
    from factchain.retrieval_corpus.records import Passage
    from factchain.retrieval_corpus.retrievers.bm25 import BM25Retriever

    retriever = BM25Retriever()
    retriever.index(
        [
            Passage(id=passage["_id"], title=passage["title"], text=passage["text"])
            for passage in read_passages(corpus)
        ]
    )

    def search(queries: Sequence[str]) -> list[Ranking]:
        return [[hit.passage_id for hit in row] for row in retriever.search(queries, K)]

    return search


SYSTEMS: dict[str, Callable[[Path], Search]] = {
    "rank-bm25": rank_bm25,
    "bm25s alone, numba": bm25s_alone,
    "tantivy": tantivy_,
    "factchain bm25": factchain_,
}


def measure(system: str, corpus: Path, queries: Sequence[str]) -> dict[str, Any]:
    """Index and search once, in this process."""
    start = time.perf_counter()
    search = SYSTEMS[system](corpus)
    indexed = time.perf_counter()
    search(queries[:2])  # compiles what is compiled at the first call
    rates = []
    for _ in range(1 if system == "rank-bm25" else 3):
        begin = time.perf_counter()
        found = search(queries)
        rates.append(len(queries) / (time.perf_counter() - begin))
    return {
        "index": indexed - start,
        "rate": max(rates),
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
        "found": found[:FEW],
    }


def in_process(system: str, corpus: Path, queries: Path) -> dict[str, Any]:
    """The same, in a process of its own on one thread."""
    one = dict.fromkeys(("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    command = [sys.executable, __file__, "--measure", system, str(corpus), str(queries)]
    done = subprocess.run(command, check=True, capture_output=True, env=os.environ | one)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def make_corpus(folder: Path, passages: int) -> Path:
    """About so many passages, of a store with a few entities fewer."""
    from factchain.kg.store import Store
    from factchain.retrieval_corpus.build import build_corpus

    make_store(folder / "kg.duckdb", int(passages / 1.163))
    with Store.open(folder / "kg.duckdb") as store:
        store.limit(MEMORY, 2)
        build_corpus(store.connection, [], folder)
    return folder / "corpus.jsonl"


def compare(passages: int, names: Sequence[str]) -> None:
    """One table."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        corpus = make_corpus(folder, passages)
        queries = make_queries(corpus, QUERIES)
        (folder / "queries.json").write_text(json.dumps(queries))
        (folder / "few.json").write_text(json.dumps(queries[:FEW]))
        print(f"\n{passages:,} passages, {len(queries):,} queries, k = {K}\n")
        print("| retriever | index s | queries/s | ratio | GiB | top 10 of rank-bm25 |")
        print("| --- | --- | --- | --- | --- | --- |", flush=True)
        reference: list[Ranking] | None = None
        slowest = 0.0
        for system in names:
            if system == "rank-bm25" and passages > LARGEST_REFERENCE:
                continue
            few = folder / ("few.json" if system == "rank-bm25" else "queries.json")
            result = in_process(system, corpus, few)
            found = result["found"]
            if system == "rank-bm25":
                reference, slowest = found, result["rate"]
            agreed = ""
            if reference is not None:
                same = sum(a == b for a, b in zip(reference, found, strict=True))
                agreed = f"{same} of {len(found)}"
            ratio = f"{result['rate'] / slowest:,.0f}" if slowest else ""
            print(
                f"| {system} | {result['index']:.1f} | {result['rate']:,.1f} | {ratio} | "
                f"{result['peak']:.1f} | {agreed} |",
                flush=True,
            )


def main() -> None:
    """Print a table by size."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--passages", default="100000,1000000")
    parser.add_argument("--systems", default=",".join(SYSTEMS).replace("alone, ", "alone; "))
    parser.add_argument("--measure", nargs=3, metavar=("SYSTEM", "CORPUS", "QUERIES"))
    options = parser.parse_args()
    if options.measure:
        system, corpus, queries = options.measure
        result = measure(system, Path(corpus), json.loads(Path(queries).read_text()))
        print(json.dumps(result))
        return
    names = [name.replace("alone; ", "alone, ") for name in options.systems.split(",")]
    for passages in map(int, options.passages.split(",")):
        compare(passages, names)


if __name__ == "__main__":
    main()
