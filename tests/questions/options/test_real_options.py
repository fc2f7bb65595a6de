"""Options on a real graph, WD50K: wrong by its raw lines, which factchain did not read."""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from factchain.kg.store import Store
from factchain.kg.triples.add import add_triples
from factchain.questions.options.build import add_options, plan_options
from made_questions import as_questions
from random_chains import chain_of as chain_from
from written_chains import Written

QUESTIONS = 300


def test_options_from_wd50k(reference: Callable[[str], Path], tmp_path: Path) -> None:
    source = reference("wd50k_labelled.tsv.gz")
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    objects, classes = defaultdict(set), defaultdict(set)
    for row in rows:
        objects[row["s"], row["p"]].add(row["o"])
        if row["p"] == "P31":
            classes[row["s"]].add(row["o"])
    single = sorted(
        (s, p, *found) for (s, p), found in objects.items() if len(found) == 1 and p != "P31"
    )
    chosen = single[:: len(single) // QUESTIONS]
    chains = [
        chain_from(Written().add("lookup", [s], f"{s} {p} {o}", o).hops) for s, p, o in chosen
    ]
    with Store.create(tmp_path / "kg.duckdb") as store:
        add_triples(store, [source], "2019", "2019-08-01")
        questions, summary = add_options(plan_options(store, as_questions(store, chains)), 1)
    # The rest is mostly about things of which the graph has no class, or no others.
    assert summary.question_options > 0.8 * len(chosen)
    assert summary.ways["sibling"] > 0.8 * sum(summary.ways.values())
    assert summary.question_letters.chi_squared < 0.02
    for question, (s, p, o) in zip(questions, chosen, strict=True):
        for one in question.distractors:
            assert one.id is not None
            assert one.id not in objects[s, p] | {s, o}
            assert s not in objects[one.id, p]
            assert classes[one.id] & classes[o] or not classes[o] | classes[one.id]
            if one.way == "sibling":
                subject, prop, other = one.evidence.split()
                assert other in objects[subject, prop]
                assert (prop, other) == (p, one.id)
