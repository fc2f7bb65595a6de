"""What is asked of many compositions at once: their columns, needs, nodes and distances."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from factchain.chains.mathematics.joins import Ints, Table
from factchain.chains.mathematics.patterns import Pattern
from factchain.chains.mathematics.tables import Group, Tables

FARTHEST = 100
"""Most years by which a date is moved to meet a condition."""


def cells_of(tables: Mapping[str, Table], rows: Mapping[str, Ints]) -> dict[str, dict[str, Ints]]:
    """The columns of the rows of each relation."""
    return {
        name: {column: tables[name][column][at] for column in tables[name].columns}
        for name, at in rows.items()
    }


def fetch(tables: Tables, pattern: Pattern, cells: Mapping[str, Mapping[str, Ints]]) -> None:
    """Make ready what the drafts of these compositions need from the store."""
    facts: list[int] = []
    groups: list[Group] = []
    aggregated: list[Ints] = []
    for step in pattern.steps:
        for own in (cells[name] for name in (step.relation, step.other) if name):
            if step.kind == "meet":
                facts += own["date_fact"].tolist()
            elif step.kind in ("value", "pick", "judge"):
                facts += own["fact"].tolist()
            elif step.kind == "count":
                groups += zip(*(own[c].tolist() for c in ("entity", "p", "form")), strict=True)
            elif step.kind in ("choose", "sum"):
                of_step = [(a, p, 0) for a, p in zip(*(own[c].tolist() for c in "ap"), strict=True)]
                tables.fetch_groups(of_step)
                pairs = [
                    (fact.o, q)
                    for group, q in zip(of_step, own["q"].tolist(), strict=True)
                    for fact in tables.groups[group]
                ]
                aggregated.append(np.array(pairs, np.int64).reshape(-1, 2))
    for pairs_ in aggregated:
        facts += tables.literal_ids(pairs_[:, 0], pairs_[:, 1]).tolist()
    tables.fetch_literals(facts)
    tables.fetch_groups(groups)


def nodes_of(pattern: Pattern) -> tuple[list[tuple[str, str]], set[tuple[int, int]]]:
    """Topics and entity answers as (relation, column), and which of them a hop links."""
    nodes: list[tuple[str, str]] = []
    links: set[tuple[int, int]] = set()
    answers: dict[int, int] = {}
    starts = {"lookup": "s", "value": "s", "count": "entity", "choose": "a", "sum": "a"}
    ends = {"lookup": "o", "choose": "o", "meet": "e"}

    def node(relation: str, column: str) -> int:
        nodes.append((relation, column))
        return len(nodes) - 1

    for hop, step in enumerate(pattern.steps, start=1):
        begins = [answers[source] for source in step.inputs if source in answers]
        if not step.inputs and step.kind in starts:
            begins.append(node(step.relation, starts[step.kind]))
        if step.kind == "meet" and not begins:
            begins.append(node(step.relation, "c"))
        if step.kind in ends:
            answers[hop] = node(step.relation, ends[step.kind])
            links |= {(begin, answers[hop]) for begin in begins}
        elif step.kind == "pick":
            # The picked entity is one of the inputs' answers: that of the first relation.
            answers[hop] = begins[0]
    return nodes, links


def in_reach(cells: Mapping[str, Mapping[str, Ints]], pattern: Pattern) -> npt.NDArray[np.bool_]:
    """Which compositions move a date by at least one year and at most FARTHEST years."""
    fits = np.ones(len(next(iter(cells[pattern.join.name].values()))), np.bool_)
    for step in pattern.steps:
        if step.kind == "offset":
            years = np.abs(cells[step.relation]["year"] - cells["v"]["year"])
            fits &= (years >= 1) & (years <= FARTHEST)
    return fits
