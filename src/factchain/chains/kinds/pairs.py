"""Draw comparisons of two topic entities: one hop that reads one fact of each.

The two are comparable: of one class, by one property, unit and calendar; their dates lie at most
`FAR_YEARS` apart and their quantities within a factor of `FAR_FACTOR`, so that guessing does not
suffice. No fact joins them. Questions that yes or no answers are drawn for both answers apart.
"""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from factchain.chains.drafts import Draft, DraftFact, DraftHop
from factchain.chains.graph.graph_index import LABELS, GraphIndex
from factchain.chains.kinds import queries
from factchain.chains.kinds.types import DirectType
from factchain.chains.mathematics.compose import Kept, are_joined, batches, salt_of
from factchain.chains.mathematics.drafts import CHOICES, JUDGEMENTS
from factchain.chains.mathematics.joins import Ints, Join, Relation, Table
from factchain.chains.mathematics.queries import MAKE_CURRENT_FACTS
from factchain.chains.mathematics.tables import YEAR, Tables, columns_of
from factchain.chains.operations import operations
from factchain.chains.operations.typed_values import NotComparable
from factchain.chains.records import EntityRef, Operand, Operator
from factchain.chains.sampling.sampler import RARER
from factchain.chains.settings import SampleSettings
from factchain.kg.records import qid

FAR_YEARS = 100
"""Most years between two dates of which one is asked to be the first."""
NEAR_YEARS = 20
"""Most years between two dates that are asked to be of one year, and are not."""
FAR_FACTOR = 10.0
"""How many times a quantity can be as much as the other."""

_YEARS = 2**21
"""More than all years that a date can have, those before our era counted from there."""

Columns = dict[str, Ints]


@dataclass(frozen=True)
class PairPattern:
    """One way to compare two entities."""

    name: str
    type: DirectType
    table: str
    key: str
    """The column that both rows share."""
    operators: tuple[Operator, ...]
    differ: str = ""
    """A column in which they must differ."""


PATTERNS = (
    PairPattern("first or last", "temporal", "date", "key", CHOICES[True]),
    PairPattern("before or after", "temporal", "date", "key", JUDGEMENTS[True]),
    PairPattern("least or most", "comparison", "quantity", "key", CHOICES[False]),
    PairPattern("less or more", "comparison", "quantity", "key", JUDGEMENTS[False]),
    PairPattern("one year", "comparison", "year", "same_key", ("same",)),
    PairPattern("two years", "comparison", "year", "key", ("same",), differ="year"),
    PairPattern("one object", "comparison", "object", "same_key", ("same",)),
    PairPattern("two objects", "comparison", "object", "key", ("same",), differ="o"),
)


class Pairs:
    """The tables of what can be compared, on one axis."""

    def __init__(self, graph: GraphIndex, settings: SampleSettings) -> None:
        self._graph = graph
        self._settings = settings
        store = graph.store
        excluded = sorted(settings.exclude_properties)
        store.connection.execute(MAKE_CURRENT_FACTS, {"axis": settings.axis, "excluded": excluded})
        store.connection.execute(queries.MAKE_MAIN_CLASSES)
        literal = Table(columns_of(store, queries.COMPARABLE_LITERALS))
        objects = Table(columns_of(store, queries.COMPARABLE_OBJECTS))
        is_date = literal["is_date"] == 1
        year = literal.where(is_date & (literal["precision"] == YEAR))
        year.columns["same_key"] = year["key"] * _YEARS + year["year"] + _YEARS // 2
        self._tables = {
            "date": literal.where(is_date),
            "year": year,
            "quantity": literal.where(~is_date),
            # As for any hop of entities: with a label on the axis.
            "object": objects.where(objects["code"] >= 0),
        }
        self._literals = Tables(store, settings.axis, {"literal": literal})

    def draw(
        self, types: Sequence[DirectType], each: int, rejected: Counter[str]
    ) -> Iterator[tuple[DirectType, Kept]]:
        """At most `each` comparisons of each pattern and combination of label codes."""
        for pattern in PATTERNS:
            if pattern.type in types:
                codes = self._tables[pattern.table].codes()
                for pair in itertools.combinations_with_replacement(codes, 2):
                    yield pattern.type, self._draw(pattern, pair, each, rejected)

    def _draw(
        self, pattern: PairPattern, codes: tuple[int, int], each: int, rejected: Counter[str]
    ) -> Kept:
        a, b = (self._tables[pattern.table].of_code(code) for code in codes)
        join = Join(Relation("a", a, children=(Relation("b", b, pattern.key, pattern.key),)))
        name = f"{self._settings.seed} {pattern.name} {codes}"
        rng = np.random.default_rng(list(hashlib.sha256(name.encode()).digest()))
        drafts: list[Draft] = []
        proposed = 0
        for rows in batches(join, rng):
            first, second = (
                {name: table[name][rows[side]] for name in table.columns}
                for side, table in (("a", a), ("b", b))
            )
            fine = np.flatnonzero(self._is_valid(pattern, codes, first, second, rejected))
            if pattern.table != "object":
                wanted = np.concatenate([first["fact"][fine], second["fact"][fine]])
                self._literals.fetch_literals(wanted.tolist())
            for at in fine.tolist():
                if len(drafts) == each:
                    share = each / (proposed + at)
                    return Kept(drafts, round(join.total * share), False)
                try:
                    drafts.append(self._draft(pattern, codes, [first, second], at))
                except NotComparable as reason:
                    rejected[f"not comparable: {reason}"] += 1
            proposed += len(rows["a"])
        exact = proposed >= join.total
        share = len(drafts) / proposed if proposed else 0.0
        return Kept(drafts, len(drafts) if exact else round(join.total * share), exact)

    def _is_valid(
        self,
        pattern: PairPattern,
        codes: tuple[int, int],
        a: Columns,
        b: Columns,
        rejected: Counter[str],
    ) -> npt.NDArray[np.bool_]:
        """Which pairs are of two entities that no fact joins, and neither alike nor far apart."""
        valid: npt.NDArray[np.bool_] = a["s"] != b["s"]
        if codes[0] == codes[1]:
            # Of both orders of a pair only one.
            valid &= a["fact"] < b["fact"]
        if pattern.differ:
            valid &= a[pattern.differ] != b[pattern.differ]
        near = _are_near(pattern, a, b)
        rejected["too far apart to compare"] += int((valid & ~near).sum())
        valid &= near
        apart = ~are_joined(self._graph, a["s"], b["s"])
        rejected["no shortcut"] += int((valid & ~apart).sum())
        return valid & apart

    def _draft(
        self, pattern: PairPattern, codes: tuple[int, int], sides: list[Columns], at: int
    ) -> Draft:
        """The chain. Raises NotComparable where the values do not decide what is asked."""
        content = (pattern.name, [int(side["fact"][at]) for side in sides])
        salt = salt_of(content, self._settings.seed)
        facts = [self._fact(side, at) for side in (sides[::-1] if salt & 1 else sides)]
        operator = pattern.operators[(salt >> 8) % len(pattern.operators)]
        operation = operations.build(operator, [_operand(fact) for fact in facts])
        result = operation.result
        names = LABELS[self._settings.axis]
        label = None
        if names and min(codes) >= 0:
            label = names[codes[0] if codes[0] == codes[1] else RARER[self._settings.axis]]
        return Draft(
            "chain",
            (
                DraftHop(
                    kind="compare",
                    inputs=(),
                    topics=(facts[0].s, facts[1].s),
                    facts=tuple(facts),
                    answer=int(result.id[1:]) if isinstance(result, EntityRef) else result,
                    label=label,
                    operation=operation,
                ),
            ),
        )

    def _fact(self, side: Columns, at: int) -> DraftFact:
        fact = int(side["fact"][at])
        if "o" in side:
            s, p, o = (int(side[name][at]) for name in "spo")
            return DraftFact(fact, s, p, o)
        return self._literals.literals[fact]


def _are_near(pattern: PairPattern, a: Columns, b: Columns) -> npt.NDArray[np.bool_]:
    if pattern.table == "object":
        return np.ones(len(a["s"]), np.bool_)
    if pattern.table == "quantity":
        low, high = np.minimum(a["size"], b["size"]), np.maximum(a["size"], b["size"])
        near: npt.NDArray[np.bool_] = (low > 0) & (high <= FAR_FACTOR * low)
        return near
    most = NEAR_YEARS if pattern.table == "year" else FAR_YEARS
    close: npt.NDArray[np.bool_] = np.abs(a["year"] - b["year"]) <= most
    return close


def _operand(fact: DraftFact) -> Operand:
    """What a fact says, and of whom; labels are added with the chain's record."""
    value = fact.value or EntityRef(id=qid(fact.o or 0), label="")
    return Operand(value=value, entity=EntityRef(id=qid(fact.s), label=""))
