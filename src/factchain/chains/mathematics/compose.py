"""Draw chains with hops that count, reckon and compare.

For every pattern of a topology (`mathematics_patterns`), and every combination of its relations'
label codes, compositions are numbered (`mathematics_joins`), drawn without repetition in an order
that the seed decides, and kept where the constraints hold and the values decide what is asked.
What is uniform: within one pattern and one combination of labels every valid composition is
equally likely to be kept, and to come first. Patterns and combinations have equal shares of what
is kept, whatever their numbers, so that a pattern with a million pairs of cities does not drown
one with ten parties. What the facts leave open (operators, constants, the order of two equals)
is decided by a hash of the facts and the seed.
"""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from factchain.chains.drafts import Draft
from factchain.chains.graph.graph_index import GraphIndex
from factchain.chains.mathematics.cells import cells_of, fetch, in_reach, nodes_of
from factchain.chains.mathematics.drafts import Composition
from factchain.chains.mathematics.joins import EXACT, Ints, Join, Table
from factchain.chains.mathematics.patterns import Pattern, patterns
from factchain.chains.mathematics.tables import Tables, read_tables
from factchain.chains.operations.typed_values import NotComparable
from factchain.chains.records import TypedValue
from factchain.chains.sampling.pools import Pools, stratum_of
from factchain.chains.settings import LEAST_MATHEMATICS_HOPS, SampleSettings
from factchain.errors import StoreError

NUMBERED = 200_000
"""Most compositions of one pattern and combination that are put into an order as a whole."""
BATCH = 512
"""Compositions that are tested at a time."""
MOST_BATCHES = 32
"""After so many batches a rare kind of chain is given up."""


@dataclass(frozen=True)
class Kept:
    """What one pattern with one combination of label codes gave."""

    drafts: list[Draft]
    """Valid chains, in the order in which they were drawn."""
    available: int
    """How many valid chains there are."""
    exact: bool
    """Whether that was counted, and not estimated from what was drawn."""


def enumerate_mathematics(
    graph: GraphIndex, settings: SampleSettings, lookup: Table, each: int, rejected: Counter[str]
) -> Pools:
    """Candidates with mathematics or comparison, `each` of every pattern and combination.

    `lookup` are the facts that entity hops may use: columns fact, s, p, o and code. Adds to
    `rejected` why compositions were left out. Raises StoreError where the store has nothing to
    reckon with.
    """
    pools = Pools(limit=2**62)
    excluded = settings.exclude_properties
    tables = read_tables(graph.store, settings.axis, excluded, settings.count_subjects, lookup)
    if not len(tables.tables["literal"]) and not len(tables.tables["count"]):
        raise StoreError(
            f"{graph.store.path}: has nothing to reckon with or to compare: no date, no quantity, "
            "no two facts of one property; ask for no mathematics and no comparison"
        )
    lengths = [hops for hops in settings.hops if hops >= LEAST_MATHEMATICS_HOPS]
    for topology, hops in itertools.product(settings.topologies, lengths):
        for pattern in patterns(topology, hops):
            for codes in combinations_of(pattern, tables):
                kept = draw(graph, tables, pattern, codes, settings.seed, each, rejected)
                _offer(pools, kept, settings.seed)
    return pools


def _offer(pools: Pools, kept: Kept, seed: int) -> None:
    """Candidates come by their place in their own kind first, so that kinds take turns."""
    strata = [stratum_of(draft) for draft in kept.drafts]
    for place, (draft, stratum) in enumerate(zip(kept.drafts, strata, strict=True)):
        pools.offer((place << 64) | salt_of(_content(draft), seed), draft, stratum)
    shares = Counter(strata)
    for stratum, count in shares.items():
        pools.available[stratum] += round(kept.available * count / len(strata))
        if not kept.exact:
            pools.estimated.add(stratum)


def combinations_of(pattern: Pattern, tables: Tables) -> Iterator[dict[str, int]]:
    """Every combination of label codes of the relations; a lookup without label is none."""
    options = {}
    for branch in pattern.join.walk():
        codes = tables.tables[branch.table].codes()
        # Lookups of entities need a label on the axis; literals and groups may lack one.
        options[branch.name] = [c for c in codes if c >= 0 or branch.table != "lookup"]
    for combination in itertools.product(*options.values()):
        yield dict(zip(options, combination, strict=True))


def draw(
    graph: GraphIndex,
    tables: Tables,
    pattern: Pattern,
    codes: dict[str, int],
    seed: int,
    each: int,
    rejected: Counter[str],
) -> Kept:
    """Valid chains of one pattern and combination, at most `each`, in a random order."""
    bound = {b.name: tables.tables[b.table].of_code(codes[b.name]) for b in pattern.join.walk()}
    if not all(len(table) for table in bound.values()):
        return Kept([], 0, True)
    join = Join(pattern.join.bind(bound))
    name = f"{seed} {pattern.topology} {len(pattern.steps)} {pattern.name} {sorted(codes.items())}"
    rng = np.random.default_rng(list(hashlib.sha256(name.encode()).digest()))
    drafts: list[Draft] = []
    proposed = 0
    for rows in batches(join, rng):
        cells = cells_of(bound, rows)
        fine = np.flatnonzero(_is_valid(graph, pattern, cells, rejected))
        kept = {r: {c: v[fine] for c, v in columns.items()} for r, columns in cells.items()}
        fetch(tables, pattern, kept)
        plain = {r: {c: v.tolist() for c, v in columns.items()} for r, columns in kept.items()}
        for position, at in enumerate(fine.tolist()):
            if len(drafts) == each:
                return _kept(drafts, join, proposed + at)
            one = {r: {c: v[position] for c, v in own.items()} for r, own in plain.items()}
            try:
                draft = _draft(tables, pattern, one, seed)
            except NotComparable as reason:
                rejected[f"not comparable: {reason}"] += 1
                continue
            if _repeats_a_value(draft):
                rejected["acyclicity"] += 1
            else:
                drafts.append(draft)
        proposed += len(next(iter(rows.values())))
    return _kept(drafts, join, proposed)


def _kept(drafts: list[Draft], join: Join, proposed: int) -> Kept:
    exact = proposed >= join.total
    share = len(drafts) / proposed if proposed else 0.0
    return Kept(drafts, len(drafts) if exact else round(join.total * share), exact)


def batches(join: Join, rng: np.random.Generator) -> Iterator[dict[str, Ints]]:
    """Rows of distinct compositions, in a random order."""
    if join.total <= NUMBERED:
        numbers = rng.permutation(int(join.total))
        for begin in range(0, min(len(numbers), MOST_BATCHES * BATCH), BATCH):
            yield join.unrank(numbers[begin : begin + BATCH])
        return
    seen: set[tuple[int, ...]] = set()
    for _ in range(MOST_BATCHES):
        drawn = (
            join.unrank(rng.integers(0, int(join.total), BATCH))
            if join.total < EXACT
            else join.draw(BATCH, rng)
        )
        fresh = []
        for position, rows in enumerate(zip(*(v.tolist() for v in drawn.values()), strict=True)):
            if rows not in seen:
                seen.add(rows)
                fresh.append(position)
        yield {name: rows[fresh] for name, rows in drawn.items()}


def _draft(tables: Tables, pattern: Pattern, cells: dict[str, dict[str, int]], seed: int) -> Draft:
    facts = tuple(
        cells[name].get("fact", cells[name].get("edge_fact", 0)) for name in sorted(cells)
    )
    return Composition(tables, pattern, cells, salt_of((pattern.name, facts), seed)).draft()


def _repeats_a_value(draft: Draft) -> bool:
    """Whether two hops have the same literal for an answer, or the same fact."""
    values = [hop.answer.key for hop in draft.hops if isinstance(hop.answer, TypedValue)]
    facts = [fact.fact for fact in draft.facts]
    return len(set(values)) < len(values) or len(set(facts)) < len(facts)


def _content(draft: Draft) -> list[object]:
    """The facts of a chain's hops, and what is done with them."""
    return [
        (hop.kind, [fact.fact for fact in hop.facts], hop.operation and hop.operation.operator)
        for hop in draft.hops
    ]


def salt_of(content: object, seed: int) -> int:
    """A 64-bit hash of something printable, keyed by the seed."""
    digest = hashlib.blake2b(repr(content).encode(), digest_size=8, key=str(seed).encode())
    return int.from_bytes(digest.digest())


def _is_valid(
    graph: GraphIndex, pattern: Pattern, cells: dict[str, dict[str, Ints]], rejected: Counter[str]
) -> npt.NDArray[np.bool_]:
    """Which compositions have distinct entities, no shortcut between them, and fit together."""
    nodes, links = nodes_of(pattern)
    columns = [cells[relation][column] for relation, column in nodes]
    valid = in_reach(cells, pattern)
    rejected["years too far apart"] += int((~valid).sum())
    if pattern.symmetric:
        first, second = (_order(cells[name]) for name in pattern.symmetric)
        valid &= first < second
    for i, j in itertools.combinations(range(len(nodes)), 2):
        distinct = columns[i] != columns[j]
        rejected["acyclicity"] += int((valid & ~distinct).sum())
        valid &= distinct
        if (i, j) not in links and (j, i) not in links:
            apart = ~are_joined(graph, columns[i], columns[j])
            rejected["no shortcut"] += int((valid & ~apart).sum())
            valid &= apart
    return valid


def _order(cells: dict[str, Ints]) -> Ints:
    """A number of each row by which two rows of one table can be put into an order."""
    if "fact" in cells:
        return cells["fact"]
    return (cells["entity"] << 31) | (cells["p"] << 1) | cells["form"]


def are_joined(graph: GraphIndex, a: Ints, b: Ints) -> npt.NDArray[np.bool_]:
    """Whether a fact of any property, direction and snapshot joins each a and b (Q-numbers).

    One bisection in all lists of neighbours at a time.
    """
    arrays = graph.arrays
    dense = []
    known = np.ones(len(a), np.bool_)
    for entities in (a, b):
        at = np.searchsorted(arrays.ids, entities, sorter=arrays.by_id)
        found = arrays.by_id[np.minimum(at, len(arrays.by_id) - 1)]
        # An entity of literal facts alone is not in the index, and joined to none.
        known &= arrays.ids[found] == entities
        dense.append(found.astype(np.int64))
    low, high = np.minimum(*dense), np.maximum(*dense)
    begin, stop = (arrays.joined_start[low + n].astype(np.int64) for n in (0, 1))
    end = stop.copy()
    while (open_ := begin < end).any():
        middle = (begin + end) // 2
        neighbours = arrays.joined[np.minimum(middle, len(arrays.joined) - 1)].astype(np.int64) >> 2
        below = open_ & (neighbours < high)
        begin = np.where(below, middle + 1, begin)
        end = np.where(open_ & ~below, middle, end)
    at = np.minimum(begin, len(arrays.joined) - 1)
    there = arrays.joined[at].astype(np.int64) >> 2
    joined: npt.NDArray[np.bool_] = known & (begin < stop) & (there == high)
    return joined
