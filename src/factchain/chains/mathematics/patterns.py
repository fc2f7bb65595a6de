"""The patterns of mathematics and comparison: what hops do, and how their facts are joined.

A pattern is a topology with a step for each hop, and a tree of relations whose results are its
compositions (`mathematics_joins`). SPEC.md 5.3 names the kinds: comparison, aggregation,
counting, arithmetic composition, temporal calculation; each occurs as a chain's last hop and
inside it, so that a later hop needs its result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from factchain.chains.mathematics.joins import Relation, Table

StepKind = Literal[
    "lookup",  # the object of a fact
    "value",  # the literal of a fact
    "count",  # how many facts a group has
    "offset",  # a date, moved by a constant number of years to the year of a condition
    "before",  # a constant year, moved by a count to the year of a condition
    "shift",  # a date, moved by a count to the year of a condition
    "jubilee",  # a date, moved by a round number of years
    "scale",  # a count, times a constant
    "total",  # the sum or the difference of two numbers
    "product",  # the product of two counts
    "span",  # the years or days between two dates
    "meet",  # the one entity with a date in a year and an object
    "pick",  # which of two entities is earliest, latest, smallest, largest
    "judge",  # whether the first of two is before, after, less than, more than the second
    "alike",  # whether two entities have the same object
    "choose",  # which of several objects is earliest, latest, smallest, largest
    "sum",  # the sum over several objects
]


class Step(NamedTuple):
    """What one hop does."""

    kind: StepKind
    inputs: tuple[int, ...] = ()
    relation: str = ""
    """Whose row it reads; of reckoning, the condition whose year it must come to."""
    other: str = ""
    """Second relation, of a comparison of two."""


@dataclass(frozen=True)
class Branch:
    """A relation of a join, by the name of its table."""

    name: str
    table: str
    key: str = ""
    on: str = ""
    children: tuple[Branch, ...] = ()

    def walk(self) -> Iterator[Branch]:
        """This branch and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()

    def bind(self, tables: Mapping[str, Table]) -> Relation:
        """The join over these tables, by name of the branch."""
        children = tuple(child.bind(tables) for child in self.children)
        return Relation(self.name, tables[self.name], self.key, self.on, children)


@dataclass(frozen=True)
class Pattern:
    """Compositions of one kind."""

    name: str
    topology: str
    steps: tuple[Step, ...]
    join: Branch
    symmetric: tuple[str, str] | None = None
    """Two relations that can change places: only one of both orders is a composition."""
    swap: bool = False
    """Whether hops 1 and 2, with all relations named `...a` and `...b`, may change places."""


def patterns(topology: str, hops: int) -> list[Pattern]:
    """The patterns of a built-in topology with so many hops; none below three."""
    if topology == "chain" and hops >= 3:
        return list(_chains(hops))
    if topology == "bridge" and hops == 4:
        return list(_bridges())
    if topology == "converging" and hops in (3, 4):
        return list(_converging() if hops == 3 else _converging_on())
    return []


def _before(hops: int, on: str) -> tuple[tuple[Branch, ...], list[Step]]:
    """So many lookups that end at the parent's column."""
    branches: tuple[Branch, ...] = ()
    for hop in range(1, hops + 1):
        branches = (Branch(f"l{hop}", "lookup", "o", on if hop == hops else "s", branches),)
    return branches, [
        Step("lookup", (h - 1,) if h > 1 else (), f"l{h}") for h in range(1, hops + 1)
    ]


def _after(hops: int, start: int, on: str) -> tuple[tuple[Branch, ...], list[Step]]:
    """So many lookups from the parent's column, which is the answer of hop `start`."""
    branches: tuple[Branch, ...] = ()
    for hop in range(start + hops, start, -1):
        column = on if hop == start + 1 else "o"
        branches = (Branch(f"l{hop}", "lookup", "s", column, branches),)
    return branches, [Step("lookup", (h - 1,), f"l{h}") for h in range(start + 1, start + hops + 1)]


def _chains(hops: int) -> Iterator[Pattern]:
    """Lookups, a core that reckons, lookups again."""
    for lead in range(hops - 2):
        at = (lead,) if lead else ()
        core = lead + 3
        after, tail = _after(hops - core, core, "e")
        moves: tuple[tuple[str, str, str, StepKind], ...] = (
            ("offset", "year", "s", "offset"),
            ("count-years", "count", "entity", "before"),
        )
        for name, table, column, kind in moves:
            before, head = _before(lead, column)
            first: StepKind = "count" if table == "count" else "value"
            steps = [
                *head,
                Step(first, at, "v"),
                Step(kind, (lead + 1,), "c"),
                Step("meet", (lead + 2,), "c"),
                *tail,
            ]
            join = Branch("c", "condition", children=(*after, Branch("v", table, "", "", before)))
            yield Pattern(f"{name}-{lead}", "chain", tuple(steps), join)
    for lead in range(hops):
        before, head = _before(lead, "a")
        at = (lead,) if lead else ()
        after, tail = _after(hops - lead - 1, lead + 1, "o")
        choose = Step("choose", at, "v")
        join = Branch("v", "choice", children=(*before, *after))
        yield Pattern(f"choose-{lead}", "chain", (*head, choose, *tail), join)
    before, head = _before(hops - 1, "a")
    last = Step("sum", (hops - 1,), "v")
    yield Pattern("sum", "chain", (*head, last), Branch("v", "terms", children=before))
    before, head = _before(hops - 1, "entity")
    last = Step("count", (hops - 1,), "v")
    yield Pattern("count", "chain", (*head, last), Branch("v", "count", children=before))
    for name, table, column in (("scale", "count", "entity"), ("jubilee", "year", "s")):
        before, head = _before(hops - 2, column)
        first = "count" if table == "count" else "value"
        final: StepKind = "scale" if name == "scale" else "jubilee"
        steps = [*head, Step(first, (hops - 2,), "v"), Step(final, (hops - 1,))]
        yield Pattern(name, "chain", tuple(steps), Branch("v", table, children=before))


def _bridges() -> Iterator[Pattern]:
    """1 -> 2 -> 4, 3 -> 4."""
    two = (Branch("l2", "lookup", "o", "c", (Branch("l1", "lookup", "o", "s"),)),)
    yield Pattern(
        "year-meets",
        "bridge",
        (
            Step("lookup", (), "l1"),
            Step("lookup", (1,), "l2"),
            Step("value", (), "v"),
            Step("meet", (2, 3), "c"),
        ),
        Branch("c", "condition", children=(*two, Branch("v", "plain year", "year", "year"))),
    )
    for name, table, kind in (
        ("offset-meets", "year", "offset"),
        ("count-meets", "count", "before"),
    ):
        first: StepKind = "count" if table == "count" else "value"
        move: StepKind = "offset" if kind == "offset" else "before"
        yield Pattern(
            name,
            "bridge",
            (
                Step(first, (), "v"),
                Step(move, (1,), "c"),
                Step("lookup", (), "l3"),
                Step("meet", (2, 3), "c"),
            ),
            Branch(
                "c", "condition", children=(Branch("l3", "lookup", "o", "c"), Branch("v", table))
            ),
        )
    for name, table, column, key, last in _PAIRS:
        first = "count" if table == "count" else "value"
        yield Pattern(
            name,
            "bridge",
            (
                Step("lookup", (), "l1"),
                Step(first, (1,), "va"),
                Step(first, (), "vb"),
                Step(last, (2, 3)),
            ),
            Branch(
                "va",
                table,
                children=(Branch("l1", "lookup", "o", column), Branch("vb", table, key, key)),
            ),
        )
    to_a = (Branch("l2", "lookup", "o", "s", (Branch("l1", "lookup", "o", "s"),)),)
    to_b = (Branch("l3", "lookup", "o", "s"),)
    lookups = (Step("lookup", (), "l1"), Step("lookup", (1,), "l2"), Step("lookup", (), "l3"))
    for kind_, table, key in _COMPARISONS:
        yield Pattern(
            kind_,
            "bridge",
            (*lookups, Step(kind_, (2, 3), "va", "vb")),
            Branch("va", table, children=(*to_a, Branch("vb", table, key, key, to_b))),
        )


_PAIRS: tuple[tuple[str, str, str, str, StepKind], ...] = (
    ("counts", "count", "entity", "kind", "total"),
    ("product", "count", "entity", "", "product"),
    ("quantities", "quantity", "s", "kind", "total"),
    ("span", "date", "s", "kind", "span"),
)
"""Name, table, the entity's column, what both share, what is done with two values."""

_COMPARISONS: tuple[tuple[StepKind, str, str], ...] = (
    ("pick", "literal", "kind"),
    ("judge", "literal", "kind"),
    ("alike", "lookup", "p"),
)
"""What is done with two entities, table, what both share."""


def _converging() -> Iterator[Pattern]:
    """1 -> 3, 2 -> 3."""
    for name, table, _, key, last in _PAIRS:
        first: StepKind = "count" if table == "count" else "value"
        yield Pattern(
            name,
            "converging",
            (Step(first, (), "va"), Step(first, (), "vb"), Step(last, (1, 2))),
            Branch("va", table, children=(Branch("vb", table, key, key),)),
            symmetric=("va", "vb"),
            swap=True,
        )
    for kind, table, key in _COMPARISONS:
        yield Pattern(
            kind,
            "converging",
            (*_TWO_LOOKUPS, Step(kind, (1, 2), "va", "vb")),
            _compared(table, key, ()),
            symmetric=("va", "vb"),
            swap=True,
        )


_TWO_LOOKUPS = (Step("lookup", (), "la"), Step("lookup", (), "lb"))


def _compared(table: str, key: str, after: tuple[Branch, ...]) -> Branch:
    """Two facts of a kind, each of an entity that a lookup leads to."""
    second = Branch("vb", table, key, key, (Branch("lb", "lookup", "o", "s"),))
    return Branch("va", table, children=(Branch("la", "lookup", "o", "s"), second, *after))


def _converging_on() -> Iterator[Pattern]:
    """1 -> 3, 2 -> 3, 3 -> 4."""
    yield Pattern(
        "pick-on",
        "converging",
        (*_TWO_LOOKUPS, Step("pick", (1, 2), "va", "vb"), Step("lookup", (3,), "l4")),
        # The entity of `va`, from which hop 4 goes on, is the one to be picked.
        _compared("literal", "kind", (Branch("l4", "lookup", "s", "s"),)),
        swap=True,
    )
    yield Pattern(
        "shift-meets",
        "converging",
        (
            Step("value", (), "m"),
            Step("count", (), "v"),
            Step("shift", (1, 2), "m"),
            Step("meet", (3,), "c"),
        ),
        Branch(
            "c",
            "condition",
            children=(Branch("m", "moved", "target", "year", (Branch("v", "count", "n", "n"),)),),
        ),
    )
