"""What changed between two snapshots, by property: against pandas and against SQL's EXCEPT.

Every contestant makes the same table (old facts, new ones by which part is new, gone ones,
conflicts; the tables are compared) in a process of its own, from the same two snapshots: 8 % of
the older one's facts are gone, 8 % of the newer one's are new. factchain reads its store and
EXCEPT a DuckDB file, from disk; pandas starts with its frames in memory, and their reading is not
counted. Run: python benchmarks/diff.py [--facts 10000000]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from factchain.kg.diff import queries as diff_queries
from factchain.kg.diff.diff import COUNTS, compare
from factchain.kg.store import Store

Table = list[tuple[int, ...]]
"""Property, old, new subject, new property, new object, gone, conflicts."""

LARGEST_ID = 120_000_000
PROPERTIES = 12_000
PROPERTY_BITS = 14


def make_snapshots(folder: Path, facts: int) -> None:
    """Write both snapshots as Parquet (s, p, o), as tables of a DuckDB file, and as a store."""
    rng = np.random.default_rng(1)
    subjects = rng.choice(LARGEST_ID, facts // 5, replace=False) + 1
    others = LARGEST_ID + 1 + rng.choice(LARGEST_ID, facts // 100, replace=False)

    def draw(count: int, among: np.ndarray) -> pa.Table:
        return pa.table(
            {
                "s": among[rng.integers(0, len(among), count)].astype(np.int64),
                "p": np.minimum(rng.zipf(1.3, count), PROPERTIES).astype(np.int32),
                "o": rng.integers(1, LARGEST_ID, count),
            }
        )

    older = draw(facts, subjects)
    kept = older.filter(pa.array(rng.random(facts) > 0.08))
    newer = pa.concat_tables([kept, draw(facts * 6 // 100, subjects), draw(facts // 50, others)])
    with duckdb.connect(str(folder / "tables.duckdb")) as connection:
        for name, table in (("older", older), ("newer", newer)):
            connection.register("incoming", table)
            connection.execute(
                f"CREATE TABLE {name} AS SELECT DISTINCT * FROM incoming ORDER BY ALL"
            )
            pq.write_table(connection.table(name).to_arrow_table(), folder / f"{name}.parquet")
    make_store(folder)


def make_store(folder: Path) -> None:
    """The store that ingesting both would make."""
    with Store.create(folder / "kg.duckdb") as store:
        run = store.connection.execute
        run(f"ATTACH '{folder}/tables.duckdb' AS tables (READ_ONLY)")
        run(
            "CREATE TEMP TABLE numbered AS SELECT *, row_number() OVER () AS id FROM ("
            "SELECT * FROM tables.older UNION ALL (FROM tables.newer EXCEPT FROM tables.older))"
        )
        run(
            "INSERT INTO fact BY NAME "
            "SELECT id, s, p, o, 'wikibase-item' AS datatype FROM numbered ORDER BY id"
        )
        for number, name in enumerate(("older", "newer"), start=1):
            run(
                "INSERT INTO snapshot (id, name, date, source, checksum, languages) "
                "VALUES (?, ?, DATE '2020-01-01' + ?::INTEGER, 'made', '0', [])",
                (number, name, number),
            )
            run(
                "INSERT INTO fact_snapshot BY NAME "
                f"SELECT n.id AS fact, {number} AS snapshot, 'normal' AS rank "
                f"FROM numbered n SEMI JOIN tables.{name} USING (s, p, o) ORDER BY n.id"
            )
        run("DROP TABLE numbered")
        store.checkpoint()


def ours(folder: Path) -> tuple[float, Table]:
    """The store, with bitmaps over its fact ids."""
    start = time.perf_counter()
    with Store.open(folder / "kg.duckdb") as store, compare(store, "older", "newer") as difference:
        rows = [
            (int(p.id[1:]), *(getattr(p, name) for name in COUNTS)) for p in difference.properties
        ]
    return time.perf_counter() - start, rows


JOINED = """
CREATE TEMP TABLE diff_state AS
SELECT f.s << 31 | f.p AS pair, held
FROM (
    SELECT
        coalesce(a.fact, b.fact) AS fact,
        (a.fact IS NOT NULL)::UTINYINT + 2 * (b.fact IS NOT NULL)::UTINYINT AS held
    FROM (SELECT fact FROM fact_snapshot WHERE snapshot = 1) a
    FULL JOIN (SELECT fact FROM fact_snapshot WHERE snapshot = 2) b ON b.fact = a.fact
) h
JOIN fact f ON f.id = h.fact
"""


def with_join(folder: Path) -> tuple[float, Table]:
    """The store, with a full outer join of fact ids in place of bitmaps."""
    start = time.perf_counter()
    with Store.open(folder / "kg.duckdb") as store:
        for query in (JOINED, diff_queries.CHANGED, diff_queries.PAIR):
            store.connection.execute(query)
        rows = store.rows(diff_queries.BY_PROPERTY)
    return time.perf_counter() - start, [(int(p[1:]), *counts) for p, _, *counts in rows]


EXCEPT = """
WITH new AS MATERIALIZED (FROM newer EXCEPT FROM older),
gone AS MATERIALIZED (FROM older EXCEPT FROM newer),
kinds AS (
    SELECT p, s, CASE
        WHEN (s, p) IN (SELECT (s, p) FROM older) THEN 'object'
        WHEN s IN (SELECT s FROM older) THEN 'property'
        ELSE 'subject'
    END AS kind
    FROM new
),
changed AS (SELECT DISTINCT s, p FROM (SELECT s, p FROM new UNION ALL SELECT s, p FROM gone)),
conflicts AS (
    SELECT p, count(*) AS n FROM changed
    SEMI JOIN older USING (s, p) SEMI JOIN newer USING (s, p) GROUP BY p
),
sums AS (
    SELECT p, sum(was)::BIGINT AS was, sum(now)::BIGINT AS now FROM (
        SELECT p, count(*) AS was, 0 AS now FROM older GROUP BY p
        UNION ALL SELECT p, 0, count(*) FROM newer GROUP BY p
    ) GROUP BY p
),
news AS (
    SELECT p, count(*) AS n, count(*) FILTER (kind = 'subject') AS s,
        count(*) FILTER (kind = 'property') AS p2, count(*) FILTER (kind = 'object') AS o
    FROM kinds GROUP BY p
),
gones AS (SELECT p, count(*) AS n FROM gone GROUP BY p)
SELECT sums.p, now - coalesce(news.n, 0), coalesce(news.s, 0), coalesce(p2, 0), coalesce(o, 0),
    coalesce(gones.n, 0), coalesce(conflicts.n, 0)
FROM sums LEFT JOIN news USING (p) LEFT JOIN gones USING (p) LEFT JOIN conflicts USING (p)
"""


def with_except(folder: Path) -> tuple[float, Table]:
    """Tables of (s, p, o) in DuckDB, and SQL's set operations."""
    start = time.perf_counter()
    with duckdb.connect(str(folder / "tables.duckdb"), read_only=True) as connection:
        rows = connection.execute(EXCEPT).fetchall()
    return time.perf_counter() - start, rows


def with_pandas(folder: Path) -> tuple[float, Table]:
    """Frames of (s, p, o): an outer merge, and membership of packed keys."""
    older, newer = (pd.read_parquet(folder / f"{name}.parquet") for name in ("older", "newer"))
    start = time.perf_counter()
    both = older.merge(newer, how="outer", on=["s", "p", "o"], indicator=True, sort=False)
    pair = both["s"] * (1 << PROPERTY_BITS) + both["p"]
    is_old, is_new = both["_merge"] == "both", both["_merge"] == "right_only"
    in_older, in_newer = ~is_new, both["_merge"] != "left_only"
    known_pair = pair.isin(pair[in_older].unique())
    known_subject = both["s"].isin(both["s"][in_older].unique())
    table = pd.DataFrame(
        {
            "p": both["p"],
            "old": is_old,
            "new_subject": is_new & ~known_subject,
            "new_property": is_new & known_subject & ~known_pair,
            "new_object": is_new & known_pair,
            "gone": both["_merge"] == "left_only",
        }
    )
    sums = table.groupby("p").sum()
    changed = pd.Series(pair[~is_old].unique())
    held = changed.isin(pair[in_older].unique()) & changed.isin(pair[in_newer].unique())
    conflicts = (changed[held] % (1 << PROPERTY_BITS)).value_counts()
    sums["conflicts"] = conflicts.reindex(sums.index, fill_value=0)
    seconds = time.perf_counter() - start
    return seconds, [tuple(map(int, row)) for row in sums.reset_index().to_numpy()]


CONTESTANTS: dict[str, Callable[[Path], tuple[float, Table]]] = {
    "pandas, merge": with_pandas,
    "DuckDB, EXCEPT": with_except,
    "DuckDB, join of fact ids": with_join,
    "factchain kg diff": ours,
}


def measure(name: str, folder: Path) -> None:
    """Print seconds, peak memory in GiB and the table, as JSON."""
    seconds, rows = CONTESTANTS[name](folder)
    # Not `ru_maxrss`, which a child inherits from the process that started it.
    status = Path("/proc/self/status").read_text()
    peak = next(int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line) / 2**20
    print(json.dumps([seconds, peak, sorted(map(list, rows))]))


def main() -> None:
    """Print a table of seconds, memory and the ratio to pandas; the best of three runs each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--facts", type=int, default=10_000_000)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        measure(arguments.one[0], Path(arguments.one[1]))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_snapshots(folder, arguments.facts)
        base, expected = 0.0, None
        print("| contestant | seconds | ratio | peak GiB |\n| --- | --- | --- | --- |")
        for contestant in CONTESTANTS:
            command = [sys.executable, __file__, "--one", contestant, str(folder)]
            runs = [
                json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
                for _ in range(3)
            ]
            seconds, peak = min(run[0] for run in runs), max(run[1] for run in runs)
            expected = expected or runs[0][2]
            if any(run[2] != expected for run in runs):
                raise SystemExit(f"{contestant} makes another table than pandas")
            base = base or seconds
            print(f"| {contestant} | {seconds:.2f} | {base / seconds:.1f} | {peak:.2f} |")


if __name__ == "__main__":
    main()
