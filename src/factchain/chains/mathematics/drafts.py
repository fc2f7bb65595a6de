"""From the rows of a composition to a draft: facts, reckoning, answers and labels of its hops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from factchain.chains.drafts import Draft, DraftFact, DraftHop
from factchain.chains.graph.graph_index import LABELS
from factchain.chains.mathematics.patterns import Pattern, Step
from factchain.chains.mathematics.tables import Tables
from factchain.chains.operations import dates, operations
from factchain.chains.records import EntityRef, Operand, Operation, Operator, TypedValue
from factchain.chains.sampling.sampler import RARER
from factchain.kg.literals import literal_text
from factchain.kg.records import qid

FACTORS = tuple(range(2, 13))
"""By what a count is multiplied."""
JUBILEES = (10, 20, 25, 50, 60, 75, 100, 150, 200)
"""How many years after a date."""

CHOICES: dict[bool, tuple[Operator, Operator]] = {
    True: ("earliest", "latest"),
    False: ("smallest", "largest"),
}
"""Operators that choose, by whether the values are dates."""
JUDGEMENTS: dict[bool, tuple[Operator, Operator]] = {
    True: ("before", "after"),
    False: ("less", "more"),
}
"""Operators that say yes or no, by whether the values are dates."""

Cells = Mapping[str, Mapping[str, int]]
"""The rows of one composition: relation -> column -> number."""


@dataclass
class Composition:
    """One composition on its way to a draft."""

    tables: Tables
    pattern: Pattern
    cells: Cells
    salt: int
    """Decides what the facts leave open: operators, constants, the order of two equals."""

    def draft(self) -> Draft:
        """The chain. Raises NotComparable where its values do not decide what is asked."""
        steps = list(self.pattern.steps)
        if self.pattern.swap and self.salt & 1:
            steps = _swapped(steps)
        hops: list[DraftHop] = []
        for step in steps:
            hops.append(_HOPS[step.kind](self, step, hops))
        return Draft(self.pattern.topology, tuple(hops))

    def pick(self, options: Sequence[Operator]) -> Operator:
        """One of the options, by the salt."""
        return options[(self.salt >> 8) % len(options)]

    def hop(
        self,
        kind: str,
        step: Step,
        facts: Sequence[DraftFact],
        codes: Sequence[int],
        answer: int | TypedValue,
        topics: tuple[int, ...] = (),
        operation: Operation | None = None,
    ) -> DraftHop:
        """A hop, labelled by the codes of its facts."""
        names = LABELS[self.tables.axis]
        label = None
        if names and codes and min(codes) >= 0:
            rarer = RARER[self.tables.axis]
            label = names[rarer if len(set(codes)) > 1 else codes[0]]
        inputs = tuple(step.inputs)
        return DraftHop(kind, inputs, topics, tuple(facts), answer, label, operation)  # type: ignore[arg-type]


def _swapped(steps: Sequence[Step]) -> list[Step]:
    """The steps with relations `...a` for `...b`, and the other way round."""

    def other(name: str) -> str:
        ends = {"a": "b", "b": "a"}
        return name[:-1] + ends[name[-1]] if name[-1:] in ends else name

    return [step._replace(relation=other(step.relation), other=other(step.other)) for step in steps]


def _topic(step: Step, entity: int) -> tuple[int, ...]:
    return () if step.inputs else (entity,)


def _edge(cells: Mapping[str, int]) -> DraftFact:
    return DraftFact(cells["fact"], cells["s"], cells["p"], cells["o"])


def _lookup(c: Composition, step: Step, _: Sequence[DraftHop]) -> DraftHop:
    own = c.cells[step.relation]
    return c.hop("lookup", step, [_edge(own)], [own["code"]], own["o"], _topic(step, own["s"]))


def _value(c: Composition, step: Step, _: Sequence[DraftHop]) -> DraftHop:
    own = c.cells[step.relation]
    fact = c.tables.literals[own["fact"]]
    assert fact.value is not None
    return c.hop("lookup", step, [fact], [own["code"]], fact.value, _topic(step, own["s"]))


def _count(c: Composition, step: Step, _: Sequence[DraftHop]) -> DraftHop:
    own = c.cells[step.relation]
    facts = c.tables.groups[own["entity"], own["p"], own["form"]]
    operation = operations.count(len(facts))
    return c.hop(
        "count",
        step,
        facts,
        [own["code"]],
        _number(operation),
        _topic(step, own["entity"]),
        operation,
    )


def _reckoned(c: Composition, step: Step, operation: Operation) -> DraftHop:
    return c.hop("arithmetic", step, (), (), _number(operation), (), operation)


def _number(operation: Operation) -> TypedValue:
    assert isinstance(operation.result, TypedValue)
    return operation.result


def _input(step: Step, hops: Sequence[DraftHop], position: int = 0) -> Operand:
    hop = step.inputs[position]
    answer = hops[hop - 1].answer
    assert isinstance(answer, TypedValue)
    return Operand(hop=hop, value=answer)


def _offset(c: Composition, step: Step, hops: Sequence[DraftHop]) -> DraftHop:
    """The date's year is moved to the condition's by the years between them."""
    start = _input(step, hops)
    assert isinstance(start.value, TypedValue)
    value = start.value
    date = dates.parse_date(value.value, value.precision, value.calendar)
    years = c.cells[step.relation]["year"] - date.astronomical
    move = operations.years_after if years > 0 else operations.years_before
    return _reckoned(c, step, move(start, operations.constant(abs(years))))


def _before(c: Composition, step: Step, hops: Sequence[DraftHop]) -> DraftHop:
    """A constant year, as many years after or before the condition's as were counted."""
    count = _input(step, hops)
    assert isinstance(count.value, TypedValue)
    target, years = c.cells[step.relation]["year"], int(count.value.value)
    if c.salt & 2:
        operation = operations.years_before(year_value(target + years), count)
    else:
        operation = operations.years_after(year_value(target - years), count)
    return _reckoned(c, step, operation)


def _shift(c: Composition, step: Step, hops: Sequence[DraftHop]) -> DraftHop:
    operands = [_input(step, hops, 0), _input(step, hops, 1)]
    operands.sort(key=lambda operand: _typed(operand).datatype != "time")
    later = c.cells[step.relation]["sign"] > 0
    move = operations.years_after if later else operations.years_before
    return _reckoned(c, step, move(*operands))


def _typed(operand: Operand) -> TypedValue:
    assert isinstance(operand.value, TypedValue)
    return operand.value


def _jubilee(c: Composition, step: Step, hops: Sequence[DraftHop]) -> DraftHop:
    years = operations.constant(JUBILEES[(c.salt >> 8) % len(JUBILEES)])
    return _reckoned(c, step, operations.years_after(_input(step, hops), years))


def _scale(c: Composition, step: Step, hops: Sequence[DraftHop]) -> DraftHop:
    factor = operations.constant(FACTORS[(c.salt >> 8) % len(FACTORS)])
    return _reckoned(c, step, operations.product([_input(step, hops), factor]))


def _total(c: Composition, step: Step, hops: Sequence[DraftHop]) -> DraftHop:
    """The sum, or the difference where it is more than nothing."""
    a, b = _input(step, hops, 0), _input(step, hops, 1)
    difference = operations.difference(a, b)
    if c.salt & 2 and float(_number(difference).value) > 0:
        return _reckoned(c, step, difference)
    return _reckoned(c, step, operations.total([a, b]))


def _product(c: Composition, step: Step, hops: Sequence[DraftHop]) -> DraftHop:
    return _reckoned(c, step, operations.product([_input(step, hops, 0), _input(step, hops, 1)]))


def _span(c: Composition, step: Step, hops: Sequence[DraftHop]) -> DraftHop:
    a, b = _input(step, hops, 0), _input(step, hops, 1)
    to_the_day = all(
        (_typed(o).precision or 0) >= dates.DAY and not _typed(o).calendar for o in (a, b)
    )
    between = operations.days_between if to_the_day and c.salt & 2 else operations.years_between
    return _reckoned(c, step, between(a, b))


def _meet(c: Composition, step: Step, hops: Sequence[DraftHop]) -> DraftHop:
    own = c.cells[step.relation]
    date = c.tables.literals[own["date_fact"]]
    edge = DraftFact(own["edge_fact"], own["e"], own["q"], own["c"])
    by_value = [isinstance(hops[hop - 1].answer, TypedValue) for hop in step.inputs]
    facts = [date if is_value else edge for is_value in by_value]
    topics: tuple[int, ...] = ()
    if all(by_value):
        facts.append(edge)
        topics = (own["c"],)
    return c.hop("intersect", step, facts, [own["code"]], own["e"], topics)


def _compared(c: Composition, step: Step) -> tuple[list[DraftFact], list[Operand], list[int]]:
    """The two facts, their literals as operands, and their label codes."""
    rows = [c.cells[step.relation], c.cells[step.other]]
    facts = [c.tables.literals[row["fact"]] for row in rows]
    return facts, [_of_entity(fact.s, fact.value) for fact in facts], [row["code"] for row in rows]


def _of_entity(entity: int, value: TypedValue | None) -> Operand:
    assert value is not None
    return Operand(value=value, entity=EntityRef(id=qid(entity), label=qid(entity)))


def _pick(c: Composition, step: Step, hops: Sequence[DraftHop]) -> DraftHop:
    facts, operands, codes = _compared(c, step)
    options = CHOICES[_typed(operands[0]).datatype == "time"]
    operation = operations.choose(c.pick(options), operands)
    later = [s for s in c.pattern.steps if len(hops) + 1 in s.inputs]
    if later:
        # What follows goes on from one of the two: the operator that chooses it.
        wanted = qid(c.cells[later[0].relation]["s"])
        if _chosen(operation) != wanted:
            (other,) = set(options) - {operation.operator}
            operation = operations.choose(other, operands)
    answer = int(_chosen(operation)[1:])
    return c.hop("compare", step, facts, codes, answer, (), operation)


def _chosen(operation: Operation) -> str:
    assert isinstance(operation.result, EntityRef)
    return operation.result.id


def _judge(c: Composition, step: Step, _: Sequence[DraftHop]) -> DraftHop:
    facts, operands, codes = _compared(c, step)
    options = JUDGEMENTS[_typed(operands[0]).datatype == "time"]
    operation = operations.compare(c.pick(options), *operands)
    return c.hop("compare", step, facts, codes, _number(operation), (), operation)


def _alike(c: Composition, step: Step, _: Sequence[DraftHop]) -> DraftHop:
    rows = [c.cells[step.relation], c.cells[step.other]]
    operands = [
        Operand(
            value=EntityRef(id=qid(row["o"]), label=qid(row["o"])),
            entity=EntityRef(id=qid(row["s"]), label=qid(row["s"])),
        )
        for row in rows
    ]
    operation = operations.compare("same", *operands)
    codes = [row["code"] for row in rows]
    return c.hop(
        "compare", step, [_edge(row) for row in rows], codes, _number(operation), (), operation
    )


def _aggregated(c: Composition, step: Step) -> tuple[list[DraftFact], list[Operand]]:
    """The facts of a group, then the literals of its objects; the literals as operands."""
    own = c.cells[step.relation]
    edges = c.tables.groups[own["a"], own["p"], 0]
    values = [c.tables.by_subject[edge.o or 0, own["q"]] for edge in edges]
    return [*edges, *values], [_of_entity(fact.s, fact.value) for fact in values]


def _choose(c: Composition, step: Step, _: Sequence[DraftHop]) -> DraftHop:
    own = c.cells[step.relation]
    facts, operands = _aggregated(c, step)
    operator = CHOICES[bool(own["is_date"])][own["greatest"]]
    operation = operations.choose(operator, operands)
    return c.hop("compare", step, facts, [own["code"]], own["o"], _topic(step, own["a"]), operation)


def _sum(c: Composition, step: Step, _: Sequence[DraftHop]) -> DraftHop:
    own = c.cells[step.relation]
    facts, operands = _aggregated(c, step)
    operation = operations.total(operands)
    topics = _topic(step, own["a"])
    return c.hop("arithmetic", step, facts, [own["code"]], _number(operation), topics, operation)


def year_value(astronomical: int) -> TypedValue:
    """A year as a constant, from a count that has a year 0."""
    text = dates.year_text(astronomical if astronomical > 0 else astronomical - 1)
    label = literal_text(text, "time", None, dates.YEAR)
    return TypedValue(datatype="time", value=text, label=label, precision=dates.YEAR)


_HOPS: dict[str, Callable[[Composition, Step, Sequence[DraftHop]], DraftHop]] = {
    "lookup": _lookup,
    "value": _value,
    "count": _count,
    "offset": _offset,
    "before": _before,
    "shift": _shift,
    "jubilee": _jubilee,
    "scale": _scale,
    "total": _total,
    "product": _product,
    "span": _span,
    "meet": _meet,
    "pick": _pick,
    "judge": _judge,
    "alike": _alike,
    "choose": _choose,
    "sum": _sum,
}
