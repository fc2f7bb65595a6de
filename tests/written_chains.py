"""A valid chain of every kind of mathematics hop, written down hop by hop."""

from __future__ import annotations

from factchain.chains.operations import operations
from factchain.chains.operations.operations import Value
from factchain.chains.records import EntityRef, FactChain, Hop, Operand, Operation
from random_chains import chain_of
from typed_worlds import DAY, LENGTH, NUMBER, YEAR, Fact, label


def facts_of(text: str) -> tuple[Fact, ...]:
    """Facts from "Q1 P1 Q2, Q2 P2 Q3"; a `*` before one keeps it out of the chain."""
    return tuple(Fact(*triple.replace("*", "").split()) for triple in text.split(","))


class Written:
    """A chain that is written down hop by hop; starts are hop numbers or Q-ids."""

    def __init__(self) -> None:
        self.hops: list[Hop] = []
        self.facts: list[Fact] = []

    def add(
        self,
        kind: str,
        starts: list[int | str],
        facts: str,
        answer: str | None = None,
        operation: Operation | None = None,
    ) -> Written:
        """Add a hop; the answer is the operation's where there is one."""
        own = facts_of(facts) if facts else ()
        self.facts += own
        end: object = operation.result if operation else None
        if answer:
            named = answer.startswith("Q")
            end = EntityRef(id=answer, label=label(answer)) if named else own[0].value
        self.hops.append(
            Hop.model_validate(
                {
                    "index": len(self.hops) + 1,
                    "kind": kind,
                    "inputs": [start for start in starts if isinstance(start, int)],
                    "topics": [start for start in starts if isinstance(start, str)],
                    "answer": end,
                    "facts": [fact.record() for fact in own],
                    "operation": operation,
                }
            )
        )
        return self

    def operands(self, *values: int | Value) -> list[Value]:
        """Answers of earlier hops by their number, and values as they are."""
        return [
            Operand(hop=v, value=self.hops[v - 1].answer) if isinstance(v, int) else v
            for v in values
        ]


def values(facts: str) -> list[Operand]:
    """The operands that facts with values are."""
    return [
        Operand(
            value=f.value or EntityRef(id=f.o, label=label(f.o)),
            entity=EntityRef(id=f.s, label=label(f.s)),
        )
        for f in facts_of(facts)
    ]


def written() -> dict[str, tuple[FactChain, tuple[Fact, ...]]]:
    """A valid chain of every kind of mathematics hop, with the facts that hold around it."""
    found = {}

    def keep(name: str, chain: Written, topology: str, around: str) -> None:
        hold = (*chain.facts, *(facts_of(around) if around else ()))
        found[name] = chain_of(chain.hops, topology), tuple(dict.fromkeys(hold))

    for name, p, a, b, operator in (
        ("choice of a date", DAY, "1990-01-02", "1991-01-02", "earliest"),
        ("choice of a number", LENGTH, "3", "5", "largest"),
        ("verdict", YEAR, "1990", "1991", "before"),
        ("same entity", "P4", "Q9", "Q9", "same"),
    ):
        chain = Written().add("lookup", ["Q1"], "Q1 P1 Q2", "Q2")
        chain.add("lookup", ["Q3"], "Q3 P2 Q4", "Q4")
        read = f"Q2 {p} {a}, Q4 {p} {b}"
        chain.add("compare", [1, 2], read, None, operations.build(operator, values(read)))
        keep(name, chain, "converging", "")
    chain = Written().add("lookup", ["Q1"], "Q1 P1 Q2", "Q2")
    chain.add("count", [1], "Q2 P2 Q5, Q2 P2 Q6", None, operations.count(2))
    keep("count of objects", chain, "chain", "")
    chain = Written().add("lookup", ["Q1"], "Q1 P1 Q2", "Q2")
    chain.add("count", [1], "Q5 P2 Q2, Q6 P2 Q2, Q7 P2 Q2", None, operations.count(3))
    keep("count of subjects", chain, "chain", "Q5 P2 Q1")
    for name, p, a, b, operator, kind in (
        ("latest member", YEAR, "1990", "1991", "latest", "compare"),
        ("sum of members", LENGTH, "3", "5", "sum", "arithmetic"),
    ):
        chain = Written().add("lookup", ["Q1"], "Q1 P1 Q2", "Q2")
        read = f"Q5 {p} {a}, Q6 {p} {b}"
        done = operations.build(operator, values(read))
        chain.add(kind, [1], f"Q2 P2 Q5, Q2 P2 Q6, {read}", None, done)
        keep(name, chain, "chain", "")
    chain = Written().add("lookup", ["Q1"], f"Q1 {YEAR} 1990", "1990")
    chain.add("lookup", ["Q2"], f"Q2 {NUMBER} 3", "3")
    moved = operations.build("years_after", chain.operands(1, 2))
    chain.add("arithmetic", [1, 2], "", None, moved)
    chain.add("intersect", [3, "Q9"], f"Q4 {DAY} 1993-02-01, Q4 P1 Q9", "Q4")
    keep("year as a condition", chain, "converging", f"Q5 {DAY} 1993-01-01, Q6 P1 Q9")
    chain = Written().add("lookup", ["Q1"], f"Q1 {DAY} 1990-01-02", "1990-01-02")
    chain.add("lookup", ["Q2"], f"Q2 {DAY} 1991-02-01", "1991-02-01")
    chain.add(
        "arithmetic", [1, 2], "", None, operations.build("days_between", chain.operands(1, 2))
    )
    twice = operations.build("product", [*chain.operands(3), operations.constant(2)])
    chain.add("arithmetic", [3], "", None, twice)
    keep("days, doubled", chain, "converging", "")
    return found
