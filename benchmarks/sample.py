"""Fact chains a second: factchain against a random walk over networkx, and DuckDB, in one run.

Everybody looks for chains of four facts with a wanted label pattern, or with any of the 16: each
fact is the only one of its subject and property, the five entities are distinct, and no fact joins
two that the chain holds apart. Every contestant has a process of its own, gets the same facts as
arrays, and may prepare them as it likes; that time is told apart. Only different, finished chains
are counted; of what each found, 2,000 are checked by a third.

    python benchmarks/sample.py                     the real graph and 10 million edges
    python benchmarks/sample.py --edges 1000000     a smaller power-law graph
    python benchmarks/sample.py --any               any pattern, and other topologies, as well
    python benchmarks/sample.py --growth            from 100 thousand to 100 million edges
"""

from __future__ import annotations

import argparse
import csv
import gc
import gzip
import json
import random
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import numpy as np

REAL = Path(__file__).parents[2] / "shared" / "data" / "wd50k_labelled.tsv.gz"
HOPS = 4
WORK = 30_000_000
"""Edges that a step of a search may look at; of more, a fair share."""
CHECKED = 2000
COLUMNS = ("s", "p", "o", "code")
GROWTH = (10**5, 10**6, 10**7, 10**8)

Graph = dict[str, np.ndarray]
Pattern = tuple[int, ...]
Answers = Literal["single", "all"]
PATTERN: Pattern = (1, 0, 0, 1)
"""The label of each hop that is wanted: new, old, old, new; one of 16 patterns."""


def real_graph(path: Path) -> Graph:
    """The statements of WD50K, labelled at random: two of three are old."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = {
            tuple(int(row[column][1:]) for column in ("s", "p", "o"))
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        }
    s, p, o = (np.array(column, np.int32) for column in zip(*sorted(rows), strict=True))
    return {"s": s, "p": p, "o": o, "code": _codes(len(s))}


def power_law(edges: int) -> Graph:
    """Ten facts an entity; few entities are the subjects, or others the objects, of many."""
    rng = np.random.default_rng(0)
    entities = edges // 10

    def ends(exponent: float) -> np.ndarray:
        return (entities * rng.random(edges) ** exponent).astype(np.int32)

    shuffled = rng.permutation(entities).astype(np.int32)
    s, o = ends(1.5), shuffled[ends(3.0)]
    p = (500 * rng.random(edges) ** 2).astype(np.int32)
    return {"s": s + 1, "p": p + 1, "o": o + 1, "code": _codes(edges)}


def _codes(edges: int) -> np.ndarray:
    return (np.random.default_rng(1).random(edges) < 1 / 3).astype(np.int8)


# The contestants: each prepares, then returns how many chains it accepted and some of them, as
# rows of edge numbers.


def networkx_walk(
    graph: Graph, seconds: float, pattern: Pattern | None, *, by_label: bool
) -> dict[str, Any]:
    """A walk that starts at a fact and goes on along one of the usable facts of where it is; every
    step is tested at once. It knows which facts are usable: those alone of subject and property
    and, where `by_label` is set, those of the label that comes next."""
    import networkx as nx

    start = time.perf_counter()
    gc.disable()  # spares networkx half of its time to build
    subjects, properties, objects, codes = (graph[column].tolist() for column in COLUMNS)
    joined = nx.DiGraph()
    joined.add_edges_from(zip(subjects, objects, strict=True))
    answers = Counter(zip(subjects, properties, strict=True))
    lists = 2 if by_label and pattern else 1
    out: list[dict[int, list[int]]] = [{} for _ in range(lists)]
    for edge, (s, p) in enumerate(zip(subjects, properties, strict=True)):
        if answers[s, p] == 1:
            out[codes[edge] % lists].setdefault(s, []).append(edge)
    wanted = pattern or (None,) * HOPS
    of_hop = [out[(label or 0) % lists] for label in wanted]
    first = [edge for edges in of_hop[0].values() for edge in edges]
    del answers, properties
    gc.freeze()
    gc.enable()
    prepared = time.perf_counter() - start
    rng = random.Random(0)
    found: set[tuple[int, ...]] = set()
    best, pause = (0, 1.0), 1.0
    start = time.perf_counter()
    while (took := time.perf_counter() - start) < seconds:
        if took >= pause:
            best, pause = faster(best, (len(found), took)), 2 * pause
        for _ in range(100):
            edge = first[int(rng.random() * len(first))]
            nodes, edges = [subjects[edge]], []
            while True:
                label, node = wanted[len(edges)], objects[edge]
                if (label is not None and codes[edge] != label) or node in nodes:
                    break
                if any(joined.has_edge(n, node) or joined.has_edge(node, n) for n in nodes[:-1]):
                    break
                nodes.append(node)
                edges.append(edge)
                if len(edges) == HOPS:
                    found.add(tuple(edges))
                    break
                following = of_hop[len(edges)].get(node)
                if not following:
                    break
                edge = following[int(rng.random() * len(following))]
    count, took = faster(best, (len(found), took))
    return _result(prepared, took, count, list(map(list, islice(found, CHECKED))))


def faster(one: tuple[int, float], other: tuple[int, float]) -> tuple[int, float]:
    """Of two counts with their times that of the higher rate: a walk that has found most of what
    there is only repeats itself, so that it is judged by its best moment."""
    return max(one, other, key=lambda entry: entry[0] / entry[1])


def duckdb_walk(graph: Graph, seconds: float, pattern: Pattern | None) -> dict[str, Any]:
    """The same walk in SQL along facts of the label that comes next, two million at a time."""
    connection, prepared = _duckdb(graph, pattern)
    ((first, facts),) = connection.execute(
        "SELECT min(n), count(*) FROM edge WHERE label = ?", [pattern[0] if pattern else 0]
    ).fetchall()
    walkers = min(2_000_000, 20 * facts)
    connection.execute("CREATE TABLE found (e1 INT, e2 INT, e3 INT, e4 INT, pattern TINYINT)")
    best, took, rounds = (0, 1.0), 0.0, 0
    while took < seconds:
        start = time.perf_counter()
        rounds += 1
        connection.execute(
            "CREATE OR REPLACE TEMP TABLE step1 AS SELECT e.n AS e1, e.s AS x0, e.o AS x1, e.code "
            "FROM (SELECT ? + CAST(floor(random() * ?) AS INT) AS n FROM range(?)) w "
            "JOIN edge e ON e.n = w.n WHERE e.s <> e.o",
            [first, facts, walkers],
        )
        for hop in range(2, HOPS + 1):
            connection.execute(_SQL_STEP.format(**_step_sql(hop, pattern)))
        connection.execute(f"INSERT INTO found SELECT e1, e2, e3, e4, code FROM step{HOPS}")
        took += (done := time.perf_counter()) - start
        if rounds.bit_count() == 1 or took >= seconds:
            connection.execute("CREATE OR REPLACE TABLE chains AS SELECT DISTINCT * FROM found")
            count = _count(connection)
            best = faster(best, (count, took + time.perf_counter() - done))
    return _duckdb_result(connection, prepared, *best)


_SQL_STEP = """
CREATE OR REPLACE TEMP TABLE step{hop} AS
SELECT w.* EXCLUDE (code, pick), e.n AS e{hop}, e.o AS x{hop}, w.code * 2 + e.code AS code
FROM (
    SELECT w.*, n.first + CAST(floor(random() * n.degree) AS INT) AS pick
    FROM step{before} w JOIN node n ON n.s = w.x{before} AND n.label = {label}
) w
JOIN edge e ON e.n = w.pick
WHERE {distinct} {apart}
"""


def duckdb_join(graph: Graph, seconds: float, pattern: Pattern | None) -> dict[str, Any]:
    """A four-way join with anti-joins, below first facts drawn at random: ever more of them, until
    that takes a while; the fastest round counts."""
    connection, prepared = _duckdb(graph, pattern)
    facts, spent, best = 1000, 0.0, (0, 1.0)
    while spent < seconds / 2:
        start = time.perf_counter()
        connection.execute(
            "CREATE OR REPLACE TEMP TABLE step1 AS SELECT n AS e1, s AS x0, o AS x1, code "
            "FROM edge WHERE s <> o AND label = ? AND random() < ?",
            [pattern[0] if pattern else 0, facts / len(graph["s"])],
        )
        for hop in range(2, HOPS + 1):
            connection.execute(_SQL_JOIN.format(**_step_sql(hop, pattern)))
        spent += (took := time.perf_counter() - start)
        connection.execute(
            f"CREATE OR REPLACE TABLE chains AS SELECT e1, e2, e3, e4, code FROM step{HOPS}"
        )
        best = faster(best, (_count(connection), took))
        facts = min(3 * facts, len(graph["s"]))
    return _duckdb_result(connection, prepared, *best)


_SQL_JOIN = """
CREATE OR REPLACE TEMP TABLE step{hop} AS
SELECT w.* EXCLUDE (code), e.n AS e{hop}, e.o AS x{hop}, w.code * 2 + e.code AS code
FROM step{before} w JOIN edge e ON e.s = w.x{before} AND e.label = {label}
WHERE {distinct} {apart}
"""


def _step_sql(hop: int, pattern: Pattern | None) -> dict[str, object]:
    earlier = range(hop)
    return {
        "hop": hop,
        "before": hop - 1,
        "label": pattern[hop - 1] if pattern else 0,
        "distinct": " AND ".join(f"e.o <> w.x{i}" for i in earlier),
        "apart": "".join(
            f" AND NOT EXISTS (FROM pair q WHERE q.a = w.x{i} AND q.b = e.o)"
            for i in range(hop - 1)
        ),
    }


def _duckdb(graph: Graph, pattern: Pattern | None) -> tuple[Any, float]:
    """The usable facts sorted by label and subject, where those of each begin, the joined pairs.

    Without a pattern they are not told apart by label: `label` is 0.
    """
    import duckdb
    import pyarrow as pa

    start = time.perf_counter()
    connection = duckdb.connect()
    connection.execute("SET threads = 2")
    connection.execute("SELECT setseed(0.5)").fetchall()
    facts = pa.table(
        {c: graph[c] for c in COLUMNS} | {"edge": np.arange(len(graph["s"]), dtype=np.int32)}
    )
    connection.register("facts", facts)
    connection.execute(
        "CREATE TABLE edge AS "
        "SELECT CAST(row_number() OVER (ORDER BY label, s, p) - 1 AS INT) AS n, * FROM ("
        "SELECT s, p, any_value(o) AS o, any_value(code) AS code, any_value(edge) AS edge, "
        f"{'any_value(code)' if pattern else '0'} AS label "
        "FROM facts GROUP BY s, p HAVING count(*) = 1) ORDER BY label, s, p"
    )
    connection.execute(
        "CREATE TABLE node AS SELECT label, s, min(n) AS first, count(*) AS degree FROM edge "
        "GROUP BY label, s"
    )
    connection.execute(
        "CREATE TABLE pair AS SELECT DISTINCT a, b FROM "
        "(SELECT s AS a, o AS b FROM facts UNION ALL SELECT o, s FROM facts)"
    )
    return connection, time.perf_counter() - start


def _count(connection: Any) -> int:
    ((count,),) = connection.execute("SELECT count(*) FROM chains").fetchall()
    return int(count)


def _duckdb_result(connection: Any, prepared: float, count: int, took: float) -> dict[str, Any]:
    some = connection.execute(
        "SELECT a.edge, b.edge, c.edge, d.edge FROM (FROM chains LIMIT ?) "
        "JOIN edge a ON a.n = e1 JOIN edge b ON b.n = e2 JOIN edge c ON c.n = e3 "
        "JOIN edge d ON d.n = e4",
        [CHECKED],
    ).fetchall()
    return _result(prepared, took, count, [list(row) for row in some])


def factchain(
    graph: Graph,
    seconds: float,
    pattern: Pattern | None,
    *,
    workers: int,
    topology: str = "chain",
    answers: Answers = "single",
) -> dict[str, Any]:
    """factchain's search, planned beforehand, and carried out as often as fills a while, of
    which the fastest counts: each finds every chain once, ranks them, keeps 4,000 a pattern."""
    from factchain.chains.graph.graph_index import GraphIndex
    from factchain.chains.sampling.exploration import explore, plan

    def prepare(graph: Graph, work: int) -> tuple[Any, ...]:
        start = time.perf_counter()
        index = GraphIndex(_index(graph))
        built = time.perf_counter()
        lists, searches = _lists(index, topology, answers, pattern)
        plans = [
            plan(index, lists, one, seed=1, rarer=1, capacity=4000, work=work) for one in searches
        ]
        return index, lists, plans, built - start, time.perf_counter() - built

    few = prepare(_few(graph), 1000)  # compiles
    for one in few[2]:
        explore(few[0], few[1], one, workers=workers)
    index, lists, plans, built, cut = prepare(graph, WORK)
    passes: list[float] = []
    while sum(passes) < seconds / 2:
        start = time.perf_counter()
        parts = [explore(index, lists, one, workers=workers) for one in plans]
        passes.append(time.perf_counter() - start)
    some: list[list[int]] = []
    if topology == "chain" and answers == "single":
        chains = np.concatenate([part.chains(i)[1] for part in parts for i in range(2**HOPS)])
        chosen = np.random.default_rng(2).permutation(len(chains))[:CHECKED]
        some = (index.arrays.facts[chains[chosen]].astype(np.int64) - 1).tolist()
    return _result(
        built + cut,
        min(passes),
        sum(int(part.available.sum()) for part in parts),
        some,
    )


def _lists(
    index: Any, topology: str, answers: Answers, pattern: Pattern | None
) -> tuple[Any, list[Any]]:
    """The lists of edges to search, and the programmes; for a pattern the lists of each label."""
    from factchain.chains.sampling.programme import LOOKUP_OUT, programmes
    from factchain.chains.sampling.search_lists import SearchLists, cut_lists, usable_edges
    from factchain.chains.settings import SampleSettings
    from factchain.chains.topologies import template

    settings = SampleSettings("recency", (HOPS,), 20, 1, answers=answers)
    usable, codes = usable_edges(index, settings, Counter())
    searches = list(programmes(template(topology, HOPS), topology, "recency", []))
    single = answers == "single"
    if pattern is None:
        kinds = sorted({kind for one in searches for kind in one.steps[:, 0].tolist()})
        return cut_lists(index, usable, codes, kinds, single=single), searches
    old, new = (
        cut_lists(index, usable & (codes == label), codes, [LOOKUP_OUT], single=single)
        for label in (0, 1)
    )
    lists = SearchLists(
        kinds=np.arange(2, dtype=np.int32),
        starts=np.concatenate([old.starts, new.starts + np.uint32(len(old.ends))]),
        ends=np.concatenate([old.ends, new.ends]),
        marks=np.concatenate([old.marks, new.marks]),
        edges=np.concatenate([old.edges, new.edges]),
    )
    for one in searches:
        one.steps[:, 0] = pattern
    return lists, searches


def _index(graph: Graph) -> Any:
    from factchain.chains.graph.index_build import CURRENT, Facts, build_arrays

    return build_arrays(
        Facts(
            fact=np.arange(1, len(graph["s"]) + 1, dtype=np.uint32),
            s=graph["s"].copy(),
            p=graph["p"].copy(),
            o=graph["o"].copy(),
            flags=(CURRENT | (graph["code"] + 1) << 2).astype(np.uint8),
            labelled=graph["entities"],
        )
    )


def _few(graph: Graph) -> Graph:
    return graph | {column: graph[column][:1000] for column in COLUMNS}


def index_memory(graph: Graph, seconds: float) -> dict[str, Any]:
    """Bytes an edge that building the index takes at most, its own input included."""
    _index(_few(graph))
    start = time.perf_counter()
    _index(graph)
    took = time.perf_counter() - start
    tracemalloc.start()
    arrays = _index(graph)
    peak = tracemalloc.get_traced_memory()[1]
    return {
        "seconds": took,
        "at_rest": arrays.nbytes / len(arrays.objects),
        "built": peak / len(arrays.objects),
    }


def _result(
    prepared: float, took: float, count: int, some: list[list[int]], **more: Any
) -> dict[str, Any]:
    return {
        "prepared": prepared,
        "took": took,
        "chains": count,
        "peak": _peak(),
        "some": some[:CHECKED],
    } | more


def _peak() -> float:
    """GiB of memory that this process has had at most; `ru_maxrss` would count its parent's."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 2**20


ANY = "any pattern"
CONTESTANTS: dict[str, Callable[[Graph, float], dict[str, Any]]] = {
    "networkx walk": partial(networkx_walk, pattern=PATTERN, by_label=False),
    "networkx walk, along the label": partial(networkx_walk, pattern=PATTERN, by_label=True),
    "DuckDB, SQL walk, 2 threads": partial(duckdb_walk, pattern=PATTERN),
    "DuckDB, join and anti-joins, 2 threads": partial(duckdb_join, pattern=PATTERN),
    "factchain, 1 worker": partial(factchain, pattern=PATTERN, workers=1),
    "factchain, 2 workers": partial(factchain, pattern=PATTERN, workers=2),
    "any pattern: networkx walk": partial(networkx_walk, pattern=None, by_label=False),
    "any pattern: DuckDB, SQL walk, 2 threads": partial(duckdb_walk, pattern=None),
    "any pattern: DuckDB, join and anti-joins, 2 threads": partial(duckdb_join, pattern=None),
    "any pattern: factchain, 1 worker": partial(factchain, pattern=None, workers=1),
    "any pattern: factchain, 2 workers": partial(factchain, pattern=None, workers=2),
    "any pattern: factchain, bridge, 2 workers": partial(
        factchain, pattern=None, workers=2, topology="bridge"
    ),
    "any pattern: factchain, converging, 2 workers": partial(
        factchain, pattern=None, workers=2, topology="converging"
    ),
    "any pattern, all answers: factchain, 1 worker": partial(
        factchain, pattern=None, workers=1, answers="all"
    ),
    "any pattern, all answers: factchain, 2 workers": partial(
        factchain, pattern=None, workers=2, answers="all"
    ),
    "index": index_memory,
}


def run_apart(name: str, folder: Path, seconds: float) -> dict[str, Any]:
    """A contestant in a process of its own, over the columns in a folder."""
    command = [sys.executable, __file__, "--contestant", name, "--folder", str(folder)]
    done = subprocess.run(
        [*command, "--seconds", str(seconds)], check=True, stdout=subprocess.PIPE, text=True
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def valid(graph: Graph, chains: list[list[int]], pattern: Pattern | None) -> int:
    """How many different ones of the chains, as edge numbers, hold to the rules."""
    low, high = np.minimum(graph["s"], graph["o"]), np.maximum(graph["s"], graph["o"])
    pairs = np.sort(low.astype(np.int64) << 32 | high)
    edges = np.unique(chains, axis=0)
    s, o = graph["s"][edges], graph["o"][edges]
    good = (s[:, 1:] == o[:, :-1]).all(axis=1)
    key = graph["s"].astype(np.int64) << 32 | graph["p"]
    subjects = np.sort(key)
    asked = key[edges]
    good &= (subjects.searchsorted(asked, "right") - subjects.searchsorted(asked) == 1).all(axis=1)
    if pattern:
        good &= (graph["code"][edges] == pattern).all(axis=1)
    nodes = np.concatenate([s[:, :1], o], axis=1).astype(np.int64)
    for a in range(HOPS + 1):
        for b in range(a + 1, HOPS + 1):
            x, y = nodes[:, a], nodes[:, b]
            good &= x != y
            if b > a + 1:
                key = np.minimum(x, y) << 32 | np.maximum(x, y)
                place = np.minimum(np.searchsorted(pairs, key), len(pairs) - 1)
                good &= pairs[place] != key
    return int(good.sum())


def _save(graph: Graph, folder: Path) -> None:
    """Write the columns, and which numbers are an entity's, for the contestants."""
    seen = np.zeros(int(max(graph["s"].max(), graph["o"].max())) + 1, np.bool_)
    seen[graph["s"]] = seen[graph["o"]] = True
    np.save(folder / "entities.npy", np.flatnonzero(seen).astype(np.int32))
    for column in COLUMNS:
        np.save(folder / f"{column}.npy", graph[column])


def compare(title: str, graph: Graph, seconds: float, names: list[str]) -> None:
    """Print the table of one graph; ratios are to the first of the same task, the plain walk."""
    print(f"\n### {title}: {len(graph['s']):,} edges\n")
    print("| accepted a second | | ratio | chains | s to prepare | s | peak GiB | valid |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        _save(graph, Path(folder))
        base: dict[bool, float] = {}
        for name in names:
            result = run_apart(name, Path(folder), seconds)
            rate, wanted = result["chains"] / result["took"], not name.startswith(ANY)
            base.setdefault(wanted, rate)
            some = result["some"]
            checked = valid(graph, some, PATTERN if wanted else None) if some else 0
            print(
                f"| {name} | {rate:,.0f} | {rate / base[wanted]:,.1f} | {result['chains']:,} "
                f"| {result['prepared']:.1f} | {result['took']:.3f} | {result['peak']:.2f} "
                f"| {checked:,} of {len(some):,} |",
                flush=True,
            )
        memory = run_apart("index", Path(folder), seconds)
    print(
        f"\nThe index: {memory['at_rest']:.1f} bytes an edge at rest, {memory['built']:.1f} while "
        f"it is built, in {memory['seconds']:.1f} s."
    )


def growth(sizes: list[int], seconds: float) -> None:
    """Print a table of power-law graphs of growing size."""
    print(
        "\n| edges | s to build | bytes an edge at rest | while built | chains a second, 2 workers "
        "| peak GiB |"
    )
    print("| --- | --- | --- | --- | --- | --- |")
    for edges in sizes:
        graph = power_law(edges)
        with tempfile.TemporaryDirectory() as folder:
            _save(graph, Path(folder))
            del graph
            memory = run_apart("index", Path(folder), seconds)
            result = run_apart(f"{ANY}: factchain, 2 workers", Path(folder), seconds)
        print(
            f"| {edges:,} | {memory['seconds']:.2f} | {memory['at_rest']:.1f} "
            f"| {memory['built']:.1f} | {result['chains'] / result['took']:,.0f} "
            f"| {result['peak']:.2f} |",
            flush=True,
        )


def main() -> None:
    """Read the arguments; compare, or measure growth, or be a contestant."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edges", type=int, default=10**7, help="of the power-law graph")
    parser.add_argument("--seconds", type=float, default=10, help="for each contestant, about")
    parser.add_argument("--only", default="", help="contestants whose name has this in it")
    parser.add_argument("--any", action="store_true", help="any pattern, other topologies")
    parser.add_argument("--growth", action="store_true", help="a table of growth instead")
    parser.add_argument("--most", type=int, default=GROWTH[-1], help="edges of the largest graph")
    parser.add_argument("--contestant", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.contestant:
        columns = (*COLUMNS, "entities")
        graph = {column: np.load(given.folder / f"{column}.npy") for column in columns}
        print(json.dumps(CONTESTANTS[given.contestant](graph, given.seconds)))
    elif given.growth:
        growth([edges for edges in GROWTH if edges <= given.most], given.seconds)
    else:
        names = [n for n in CONTESTANTS if given.only in n and n != "index"]
        names = [n for n in names if given.any or not n.startswith(ANY)]
        if REAL.exists():
            compare("Real statements (WD50K)", real_graph(REAL), given.seconds, names)
        else:
            print(f"no real graph: {REAL} is absent")
        compare("A power-law graph", power_law(given.edges), given.seconds, names)


if __name__ == "__main__":
    main()
