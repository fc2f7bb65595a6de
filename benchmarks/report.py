"""Scores to tables: 100,000 rows of three models in eighteen settings; seconds and peak memory.

The rows are synthetic: questions of 1 to 4 hops on two axes, answers right by a coin whose bias
hangs on hops and model. Written as `scores.parquet`, read back, summarised, compared, and drawn
with the tables of the report; every answer differs, so that published scripts' scores are reckoned
for each. The steps of the questions' pages come from logs and are not in it.
Run: python benchmarks/report.py --rows 100000
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from factchain.questions.records import Question

SEED = 7
MODELS = ("vendor/large", "vendor/small", "factchain/lexical")
SETTINGS = (
    *(("parametric", "open", "none"), ("parametric", "open-think", "none")),
    *(("retrieval", "open", context) for context in ("bm25", "dense:model", "gold")),
    *(("sub_questions", whose, "none") for whose in ("generated", "given")),
    *(("decomposition", whose, "bm25") for whose in ("generated", "given")),
    *(("decomposition", "given", "gold"), ("dynamic_retrieval", "generated", "bm25")),
    *(
        ("stepwise", inputs, context)
        for inputs in ("gold-open", "own-open")
        for context in ("none",)
    ),
    *(("stepwise", inputs, "gold") for inputs in ("gold-open", "own-open")),
    *(("strategy", level, "none") for level in ("question", "sub-question", "synthesis")),
)
LABELS = {"popularity": ("popular", "unpopular"), "recency": ("old", "new")}


def make_scores(rows: int) -> pa.Table:
    """A table with about as many rows, every setting of every model on the same questions."""
    from factchain.eval.scores import SCHEMA
    from factchain.questions.text_scores import SCORES

    rng = np.random.default_rng(SEED)
    by_hop = sum(task in ("stepwise", "strategy") for task, _, _ in SETTINGS)
    per_question = len(MODELS) * (len(SETTINGS) + 1.5 * (by_hop - 1))
    questions = []
    for number in range(round(rows / per_question)):
        axis = ("popularity", "recency")[number % 2]
        hops = 1 + number // 2 % 4
        labels = "-".join(rng.choice(LABELS[axis], hops))
        questions.append((f"q-{number:06}", f"c-{number * 9 // 10:06}", axis, hops, labels))
    made: list[dict[str, Any]] = []
    for m, model in enumerate(MODELS):
        for task, mode, context in SETTINGS:
            for question, chain, axis, hops, labels in questions:
                each = range(1, hops + 1) if task == "stepwise" or mode != "question" else (0,)
                for hop in each if task in ("stepwise", "strategy") else (0,):
                    right = float(rng.random() < 0.9 - 0.15 * hops - 0.1 * m)
                    row: dict[str, Any] = {
                        **{"task": task, "mode": mode, "context": context, "model": model},
                        **{"question": question, "hop": hop, "chain": chain, "axis": axis},
                        **{"topology": "chain", "kinds": "lookup", "hops": hops},
                        **{"labels": labels, "accuracy": right},
                        **{"prediction": f"It is the answer {len(made)} of {question}."},
                    }
                    if task == "strategy":
                        row |= {"gold": "a" if right else "b", "prediction": "a"}
                    else:
                        row |= dict.fromkeys(SCORES, right) | {"gold": "a" if hop else None}
                        row |= {"f1": right or float(rng.integers(0, 12)) / 15}
                    if task in ("sub_questions", "decomposition", "dynamic_retrieval"):
                        steps = int(rng.integers(1, 6))
                        row |= {"sub_questions": steps, "retrievals": steps // 2}
                    made.append(row)
    return pa.Table.from_pylist(made, schema=SCHEMA)


def make_questions(scores: pa.Table) -> list[Question]:
    """The questions of a table, with two names for each answer."""
    from factchain.questions.records import Answer, Provenance, Question

    made = Provenance(verbalizer="template", verifier="none", verdicts=(), snapshot=None, seed=SEED)
    return [
        Question(
            **{"id": name, "axis": "none", "topology": "chain", "hops": 1, "question": name},
            answer=Answer(id="Q1", label=f"answer {name}", aliases=(f"the {name}",)),
            **{"sub_questions": (), "labels": (), "provenance": made},
        )
        for name in sorted(set(scores["question"].to_pylist()))
    ]


def measure(path: Path) -> dict[str, Any]:
    """Seconds of every part, and the peak memory of the process."""
    from factchain.eval.comparison import compare
    from factchain.eval.report.sections import sections
    from factchain.eval.result_tables import results_of
    from factchain.eval.scores import read_scores, summarise

    questions = make_questions(read_scores(path))
    start = time.process_time()
    scores = read_scores(path)
    parts = {}
    for name, work in (
        ("summarise", lambda: summarise(scores)),
        ("compare", lambda: compare(scores)),
        ("all tables", lambda: results_of(scores, questions)),
    ):
        before = time.process_time()
        result = work()
        parts[name] = time.process_time() - before
    before = time.process_time()
    sections(result, {})
    parts["draw"] = time.process_time() - before
    parts["read to drawn"] = (
        time.process_time() - start - parts["summarise"] - parts["compare"]
    )  # both are part of all tables
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"rows": len(scores), "seconds": parts, "peak MiB": peak}


def main() -> None:
    """Measure in a process of its own, so that making the rows does not count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure)))
        return
    from factchain.eval.scores import write_scores

    with TemporaryDirectory() as folder:
        path = Path(folder) / "scores.parquet"
        write_scores(path, make_scores(options.rows))
        run = subprocess.run(
            [sys.executable, __file__, "--measure", str(path)],
            check=True,
            capture_output=True,
            text=True,
        )
    found = json.loads(run.stdout)
    seconds = found["seconds"]
    names = list(seconds)
    print(f"| rows | {' | '.join(f'{name} s' for name in names)} | peak MiB |")
    print("| --- " * (len(names) + 2) + "|")
    cells = " | ".join(f"{seconds[name]:.1f}" for name in names)
    print(f"| {found['rows']:,} | {cells} | {found['peak MiB']:,.0f} |")


if __name__ == "__main__":
    main()
