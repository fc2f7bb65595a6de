"""Random chains of every topology and hop kind, whose claimed facts and answers are made up.

What is executed, or asked in SPARQL, must follow from topics, properties, directions, operators
and constants alone: the claims here are of entities that no graph has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from factchain.chains.operations.operations import constant, typed_value
from factchain.chains.operations.typed_values import yes_or_no
from factchain.chains.records import (
    EntityRef,
    FactChain,
    Hop,
    Operand,
    Operation,
    Query,
    TypedValue,
)
from factchain.chains.topologies import Topologies
from typed_worlds import DAY, LENGTH, NODES, NUMBER, RELATIONS, YEAR, Fact, literal

TOPOLOGIES = Topologies({"diamond": [[1, 2], [1, 3], [2, 4], [3, 4]]})
SHAPES = [
    *(("chain", hops) for hops in (1, 2, 3, 4)),
    *[("bridge", 4), ("converging", 3), ("converging", 4), ("diamond", 4)],
]

# What an answer is: `year` is a date moved by years, `years` and `days` are spans of time.
ENTITY, OF_DAY, OF_YEAR, MOVED = "entity", "day", "year date", "year"
BARE, METRES, SPAN, DAYS, VERDICT = "number", "metres", "years", "days", "verdict"
OF_PROPERTY = {DAY: OF_DAY, YEAR: OF_YEAR, NUMBER: BARE, LENGTH: METRES}
DATES = (OF_DAY, OF_YEAR, MOVED)
UNITS = {BARE: (None, None), METRES: (11573, "metre"), SPAN: (577, "years"), DAYS: (573, "days")}


class _Drawn:
    """Hops drawn so far, with what their answers are."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.hops: list[Hop] = []
        self.kinds: list[str] = []

    def pick(self, choices: Sequence[Any]) -> Any:
        return self.draw(st.sampled_from(list(choices)))

    def add(
        self,
        kind: str,
        answers: str,
        inputs: Sequence[int],
        topics: Sequence[str] = (),
        facts: Sequence[Fact] = (),
        operator: str | None = None,
        operands: Sequence[Operand] = (),
    ) -> None:
        index = len(self.hops) + 1
        answer = made_up(index, answers)
        operation = operator and Operation.model_validate(
            {"operator": operator, "operands": operands, "result": answer}
        )
        self.kinds.append(answers)
        self.hops.append(
            Hop.model_validate(
                {
                    "index": index,
                    "kind": kind,
                    "inputs": inputs,
                    "topics": topics,
                    "answer": answer,
                    "facts": [fact.record() for fact in facts],
                    "operation": operation or None,
                }
            )
        )

    def next(self, inputs: Sequence[int], last: bool) -> None:
        """Add a hop that takes the inputs."""
        kinds = [self.kinds[i - 1] for i in inputs]
        if len(inputs) <= 1 and kinds in ([], [ENTITY]):
            self._of_one(inputs, last)
        elif len(inputs) == 1:
            self._of_literal(inputs[0], kinds[0])
        elif kinds == [ENTITY, ENTITY]:
            self.pick([self._intersect, self._compare])(inputs, [], last)
        elif ENTITY in kinds and any(kind in (*DATES, BARE) for kind in kinds):
            self._intersect(inputs, [], last)
        elif all(kind in DATES for kind in kinds):
            days = ["days_between"] if kinds == [OF_DAY, OF_DAY] else []
            self._reckon(inputs, self.pick(["years_between", *days]), ())
        elif kinds[0] in DATES and kinds[1] in (BARE, SPAN):
            # A number that was subtracted may be negative, which is no number of years.
            self._reckon(inputs, self.pick(["years_before", "years_after"]), ())
        elif kinds[0] == kinds[1] and kinds[0] in UNITS:
            self._reckon(inputs, self.pick(["sum", "difference"]), ())
        elif BARE in kinds and all(kind in UNITS for kind in kinds):
            self._reckon(inputs, "product", ())
        else:
            raise Unfit

    def _start(self, inputs: Sequence[int]) -> tuple[list[str], str]:
        topics = [] if inputs else [self.pick(NODES)]
        return topics, topics[0] if topics else f"Q{900 + inputs[0]}"

    def _of_one(self, inputs: Sequence[int], last: bool) -> None:
        topics, start = self._start(inputs)
        kind = self.pick(
            ["lookup", "lookup", "literal", "count", "intersect", "compare", "members"]
        )
        index = len(self.hops) + 1
        end = f"Q{900 + index}"
        if kind == "lookup":
            self.add("lookup", ENTITY, inputs, topics, [Fact(start, self.pick(RELATIONS), end)])
        elif kind == "literal":
            p = self.pick(OF_PROPERTY)
            value = made_up(index, OF_PROPERTY[p])
            assert isinstance(value, TypedValue)
            self.add("lookup", OF_PROPERTY[p], inputs, topics, [Fact(start, p, value.value)])
        elif kind == "count":
            p = self.pick(RELATIONS)
            ends = [f"Q{910 + index}", f"Q{920 + index}"]
            pairs = [(start, e) for e in ends] if self.pick([0, 1]) else [(e, start) for e in ends]
            facts = [Fact(s, p, o) for s, o in pairs]
            self.add("count", BARE, inputs, topics, facts, "count", [Operand(value=constant(2))])
        elif kind == "members":
            self._members(inputs, topics, start)
        else:
            other = self.pick([q for q in NODES if q != start])
            {"intersect": self._intersect, "compare": self._compare}[kind](
                inputs, [*topics, other], last
            )

    def _members(self, inputs: Sequence[int], topics: Sequence[str], start: str) -> None:
        index = len(self.hops) + 1
        p, q = self.pick(RELATIONS), self.pick(OF_PROPERTY)
        operators = ["earliest", "latest"] if q in (DAY, YEAR) else ["smallest", "largest", "sum"]
        operator = self.pick(operators)
        ends = [f"Q{900 + index}", f"Q{920 + index}"]
        value = made_up(index, OF_PROPERTY[q])
        assert isinstance(value, TypedValue)
        facts = [Fact(start, p, e) for e in ends] + [Fact(e, q, value.value) for e in ends]
        kind = "arithmetic" if operator == "sum" else "compare"
        answers = OF_PROPERTY[q] if operator == "sum" else ENTITY
        operands = [Operand(value=value, entity=EntityRef(id=e, label="")) for e in ends]
        self.add(kind, answers, inputs, topics, facts, operator, operands)

    def _intersect(self, inputs: Sequence[int], topics: Sequence[str], last: bool) -> None:
        end = f"Q{900 + len(self.hops) + 1}"
        kinds = [self.kinds[i - 1] for i in inputs] + [ENTITY] * len(topics)
        starts = [f"Q{900 + i}" for i in inputs] + list(topics)
        forward = self.pick([True, False]) and all(kind == ENTITY for kind in kinds)
        facts = []
        for kind, start in zip(kinds, starts, strict=True):
            if kind == ENTITY:
                p = self.pick(RELATIONS)
                facts.append(Fact(start, p, end) if forward else Fact(end, p, start))
            elif kind in DATES:
                p = DAY if kind == OF_DAY else self.pick([DAY, YEAR])
                facts.append(Fact(end, p, "1991-01-01" if p == DAY else "1991"))
            elif kind == BARE:
                facts.append(Fact(end, NUMBER, "2"))
            else:
                raise Unfit
        self.add("intersect", ENTITY, inputs, topics, facts)

    def _compare(self, inputs: Sequence[int], topics: Sequence[str], last: bool) -> None:
        starts = [f"Q{900 + i}" for i in inputs] + list(topics)
        p = self.pick([*OF_PROPERTY, "P1"])
        if p == "P1":
            operators = ["same"] if last else []
        else:
            choices = ["earliest", "latest"] if p in (DAY, YEAR) else ["smallest", "largest"]
            verdicts = ["before", "after"] if p in (DAY, YEAR) else ["less", "more"]
            operators = [*choices, *([*verdicts, "same"] if last else [])]
        if not operators:
            raise Unfit
        operator = self.pick(operators)
        value = "Q999" if p == "P1" else made_up(0, OF_PROPERTY[p]).key.split()[0]
        chooses = operator in ("earliest", "latest", "smallest", "largest")
        self.add(
            "compare",
            ENTITY if chooses else VERDICT,
            inputs,
            topics,
            [Fact(start, p, value) for start in starts],
            operator,
            [Operand(value=constant(1))] * 2,
        )

    def _of_literal(self, source: int, kind: str) -> None:
        if kind in DATES:
            choice = self.pick(["years_before", "years_after", "years_between", "meets"])
            if choice == "meets":
                self._intersect([source], [self.pick(NODES)], False)
            elif choice == "years_between":
                self._reckon([source], choice, [literal(YEAR, "1970")])
            else:
                self._reckon([source], choice, [constant(self.pick([1, 2]))])
        elif kind == VERDICT:
            raise Unfit
        elif kind == BARE and self.pick([0, 1]):
            self._reckon([source], self.pick(["sum", "product"]), [constant(3)])
        else:
            self._reckon([source], "product", [constant(2)])

    def _reckon(
        self, inputs: Sequence[int], operator: str, constants: Sequence[TypedValue]
    ) -> None:
        kinds = [self.kinds[i - 1] for i in inputs]
        if operator in ("years_before", "years_after"):
            answers = MOVED
        elif operator == "years_between":
            answers = SPAN
        elif operator == "days_between":
            answers = DAYS
        else:
            units = [kind for kind in kinds if kind != BARE]
            answers = units[0] if units else BARE
        operands = [Operand(hop=i, value=self.hops[i - 1].answer) for i in inputs]
        operands += [Operand(value=value) for value in constants]
        self.add("arithmetic", answers, inputs, (), (), operator, operands)


class Unfit(Exception):  # noqa: N818
    """No hop takes such inputs."""


def made_up(index: int, kind: str) -> EntityRef | TypedValue:
    """An answer that is claimed, and true of no graph."""
    if kind == ENTITY:
        return EntityRef(id=f"Q{900 + index}", label="")
    if kind == VERDICT:
        return yes_or_no(True)
    if kind in DATES:
        return literal(DAY, "1991-01-01") if kind == OF_DAY else literal(YEAR, "1991")
    unit, word = UNITS[kind]
    return typed_value("2", "quantity", unit, word)


def chain_of(hops: Sequence[Hop], topology: str = "chain", **fields: Any) -> FactChain:
    """The chain of some hops."""
    return FactChain(
        id=fields.get("id", "c-1"),
        axis=fields.get("axis", "none"),
        topology=topology,
        topics=tuple(topic for hop in hops for topic in hop.topics),
        answer=hops[-1].answer.key,
        hops=tuple(hops),
        query=Query(sparql=""),
        snapshot="now",
        seed=0,
    )


@st.composite
def random_chains(draw: st.DrawFn) -> tuple[FactChain, list[str]]:
    """A chain of any topology and hop kinds, and what the hops' answers are."""
    topology, hops = draw(st.sampled_from(SHAPES))
    template = TOPOLOGIES.template(topology, hops)
    drawn = _Drawn(draw)
    try:
        for index in range(1, hops + 1):
            drawn.next(sorted(template.predecessors(index)), index == hops)
    except Unfit:
        # What two such inputs have in common cannot be asked: look something up instead.
        drawn = _Drawn(draw)
        drawn.add("lookup", ENTITY, (), [NODES[0]], [Fact(NODES[0], "P1", "Q901")])
        topology = "chain"
    return chain_of(drawn.hops, topology), drawn.kinds
