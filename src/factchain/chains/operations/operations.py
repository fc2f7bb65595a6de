"""Reckoning with typed values: counts, sums, dates moved by years, comparisons.

Every builder returns the `Operation` with its operands and its result, and refuses what the
values do not decide: units that differ, a date that is too coarse, an approximate quantity, a
tie. `recompute` comes to the result from the operands alone. Numbers are exact decimals.

The results' units: a count is a bare number; a sum or a difference has the unit of its operands;
a product that of the one operand that has a unit; years and days between dates are in years and
days; a date moved by years is a year.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal, DecimalException
from functools import partial, reduce
from typing import TypeAlias

from factchain.chains.operations import dates
from factchain.chains.operations.dates import Date
from factchain.chains.operations.typed_values import DAYS as DAYS
from factchain.chains.operations.typed_values import EXACT, Unit, number_value, quantity, yes_or_no
from factchain.chains.operations.typed_values import YEARS as YEARS
from factchain.chains.operations.typed_values import NotComparable as NotComparable
from factchain.chains.operations.typed_values import typed_value as typed_value
from factchain.chains.records import EntityRef, Operand, Operation, Operator, TypedValue
from factchain.kg.literals import literal_text

Result: TypeAlias = EntityRef | TypedValue
Value: TypeAlias = Operand | EntityRef | TypedValue
"""What a builder takes: a value alone is a constant, or a literal of the own facts."""

CHOICES: frozenset[Operator] = frozenset({"earliest", "latest", "smallest", "largest"})
"""Operators that choose one of the operands' entities."""
JUDGEMENTS: frozenset[Operator] = frozenset({"before", "after", "less", "more", "same"})
"""Operators that say yes or no."""
COMPARISONS = CHOICES | JUDGEMENTS
"""Operators of a compare hop."""
ARITHMETIC: frozenset[Operator] = frozenset(
    {
        *("sum", "difference", "product"),
        *("years_between", "days_between", "years_before", "years_after"),
    }
)
"""Operators of an arithmetic hop."""


def build(operator: Operator, operands: Sequence[Value]) -> Operation:
    """An operation with its result. Raises NotComparable, with the reason, where it has none."""
    taken = tuple(o if isinstance(o, Operand) else Operand(value=o) for o in operands)
    return Operation(operator=operator, operands=taken, result=_RESULTS[operator](taken))


def recompute(operation: Operation) -> Result:
    """The result that the operands give. Raises NotComparable where they give none."""
    return _RESULTS[operation.operator](operation.operands)


def constant(number: int) -> TypedValue:
    """A bare number."""
    return number_value(number)


def count(facts: int) -> Operation:
    """How many facts there are; its one operand is the number that was counted."""
    return build("count", [number_value(facts)])


def total(values: Sequence[Value]) -> Operation:
    """The sum of two or more quantities of one unit, or of bare numbers."""
    return build("sum", values)


def difference(a: Value, b: Value) -> Operation:
    """a - b, of quantities of one unit, or of bare numbers."""
    return build("difference", [a, b])


def product(values: Sequence[Value]) -> Operation:
    """The product of two or more quantities, at most one of which has a unit."""
    return build("product", values)


def years_between(a: Value, b: Value) -> Operation:
    """Whole calendar years between two dates of one calendar: the difference of their years."""
    return build("years_between", [a, b])


def days_between(a: Value, b: Value) -> Operation:
    """Days between two Gregorian dates that are known to the day."""
    return build("days_between", [a, b])


def years_before(date: Value, years: Value) -> Operation:
    """The year that lies so many years (a whole number, 0 or more) before a date."""
    return build("years_before", [date, years])


def years_after(date: Value, years: Value) -> Operation:
    """The year that lies so many years (a whole number, 0 or more) after a date."""
    return build("years_after", [date, years])


def compare(operator: Operator, a: Value, b: Value) -> Operation:
    """Choose the earliest, latest, smallest or largest of two operands with entities, or judge
    whether the first is before, after, less than, more than or the same as the second."""
    return build(operator, [a, b])


def choose(operator: Operator, operands: Sequence[Operand]) -> Operation:
    """The entity of the one operand that is earliest, latest, smallest or largest."""
    return build(operator, operands)


def is_ahead(operator: Operator, a: Operand, b: Operand) -> bool:
    """Whether a choice prefers a to b; not where it is a tie, or dates are too coarse to tell."""
    wanted = -1 if operator in ("earliest", "smallest") else 1
    if operator in ("earliest", "latest"):
        first, second = (_date(value) for value in _literals([a, b]))
        return dates.compare(first, second) == wanted
    return _order_of_quantities([a, b]) == wanted


def matches(own: TypedValue, asked: TypedValue) -> bool:
    """Whether a fact's literal, cut to the precision of the literal asked for, equals it.

    Dates need the same calendar, quantities the same unit; both must be exact.
    """
    try:
        if asked.datatype == "time":
            date, wanted = _date(own), _date(asked)
            return (
                date.calendar == wanted.calendar
                and date.precision >= wanted.precision
                and date.cut(wanted.precision) == wanted.cut(wanted.precision)
            )
        a, b = quantity(own), quantity(asked)
    except NotComparable:
        return False
    return a.amount == b.amount and own.unit == asked.unit


def _count(operands: Sequence[Operand]) -> Result:
    (value,) = _literals(operands, 1)
    amount, unit = quantity(value)
    if unit is not None or amount != amount.to_integral_value() or amount < 0:
        raise NotComparable(f"{value.label} is no count")
    return number_value(amount)


def _sum(operands: Sequence[Operand]) -> Result:
    terms = [quantity(value) for value in _literals(operands)]
    return _exactly(lambda: reduce(EXACT.add, (term.amount for term in terms)), _unit(operands))


def _difference(operands: Sequence[Operand]) -> Result:
    a, b = (quantity(value) for value in _literals(operands, 2))
    return _exactly(lambda: EXACT.subtract(a.amount, b.amount), _unit(operands))


def _product(operands: Sequence[Operand]) -> Result:
    factors = [quantity(value) for value in _literals(operands)]
    units = [factor.unit for factor in factors if factor.unit is not None]
    if len(units) > 1:
        raise NotComparable("a product of two quantities with units has none of their units")
    amounts = [factor.amount for factor in factors]
    return _exactly(lambda: reduce(EXACT.multiply, amounts), units[0] if units else None)


def _years_between(operands: Sequence[Operand]) -> Result:
    a, b = (_date(value) for value in _literals(operands, 2))
    return number_value(dates.years_between(a, b), YEARS)


def _days_between(operands: Sequence[Operand]) -> Result:
    a, b = (_date(value) for value in _literals(operands, 2))
    return number_value(dates.days_between(a, b), DAYS)


def _shift(operands: Sequence[Operand], direction: int) -> Result:
    start, years = _literals(operands, 2)
    amount, unit = quantity(years)
    if unit is not None and unit.id != YEARS.id:
        raise NotComparable(f"{years.label} is no number of years")
    if amount != amount.to_integral_value() or amount < 0:
        raise NotComparable(f"{years.label} is no whole number of years")
    date = _date(start)
    text = dates.year_text(dates.shift_years(date, direction * int(amount)))
    return TypedValue(
        datatype="time",
        value=text,
        label=literal_text(text, "time", None, dates.YEAR),
        precision=dates.YEAR,
        calendar=date.calendar,
    )


def _choice(operands: Sequence[Operand], operator: Operator) -> Result:
    if len(operands) < 2:
        raise NotComparable("there is nothing to choose from")
    entities = [operand.entity for operand in operands if operand.entity is not None]
    if len(entities) < len(operands) or len({e.id for e in entities}) < len(operands):
        raise NotComparable("a choice needs one value each of different entities")
    # The one that is decidedly ahead of all others; losers need not be told apart.
    for entity, operand in zip(entities, operands, strict=True):
        if all(is_ahead(operator, operand, other) for other in operands if other is not operand):
            return entity
    raise NotComparable("it is a tie, or the values are too coarse to tell")


def _judgement(operands: Sequence[Operand], wanted: int, of_dates: bool) -> Result:
    if of_dates:
        a, b = (_date(value) for value in _literals(operands, 2))
        found: int | None = dates.compare(a, b)
    else:
        found = _order_of_quantities(operands)
    if found is None:
        raise NotComparable("one date is part of the other: which is first is not known")
    if found == 0:
        raise NotComparable("it is a tie")
    return yes_or_no(found == wanted)


def _same(operands: Sequence[Operand]) -> Result:
    if len(operands) != 2:
        raise NotComparable(f"two values are asked to be the same, not {len(operands)}")
    a, b = (operand.value for operand in operands)
    if isinstance(a, EntityRef) and isinstance(b, EntityRef):
        return yes_or_no(a.id == b.id)
    first, second = _literals(operands)
    if first.datatype != second.datatype:
        raise NotComparable(f"{first.label} and {second.label} are not of one kind")
    if first.datatype == "time":
        found = dates.compare(_date(first), _date(second))
        if found is None:
            raise NotComparable("one date is part of the other: they may be the same or not")
        return yes_or_no(found == 0)
    return yes_or_no(_order_of_quantities(operands) == 0)


def _order_of_quantities(operands: Sequence[Operand]) -> int:
    a, b = (quantity(value) for value in _literals(operands, 2))
    _unit(operands)
    return (a.amount > b.amount) - (a.amount < b.amount)


def _literals(operands: Sequence[Operand], wanted: int | None = None) -> list[TypedValue]:
    """The operands' values; so many as wanted, else two or more."""
    values = [operand.value for operand in operands if isinstance(operand.value, TypedValue)]
    if len(values) < len(operands):
        raise NotComparable("an entity is no number and no date")
    if len(values) != wanted if wanted is not None else len(values) < 2:
        raise NotComparable(f"{wanted or 'two or more'} values are needed, not {len(values)}")
    return values


def _date(value: TypedValue) -> Date:
    if value.datatype != "time":
        raise NotComparable(f"{value.label} is no date")
    return dates.parse_date(value.value, value.precision, value.calendar)


def _unit(operands: Sequence[Operand]) -> Unit | None:
    """The one unit of all operands."""
    units = [quantity(value).unit for value in _literals(operands)]
    if len({unit.id if unit else None for unit in units}) > 1:
        names = " and ".join(sorted({(u.label or u.id) if u else "no unit" for u in units}))
        raise NotComparable(f"the units differ: {names}")
    return units[0]


def _exactly(reckon: Callable[[], Decimal], unit: Unit | None) -> TypedValue:
    try:
        return number_value(reckon(), unit)
    except DecimalException as error:
        raise NotComparable("the numbers are too long to reckon with exactly") from error


_RESULTS: dict[Operator, Callable[[Sequence[Operand]], Result]] = {
    "count": _count,
    "sum": _sum,
    "difference": _difference,
    "product": _product,
    "years_between": _years_between,
    "days_between": _days_between,
    "years_before": partial(_shift, direction=-1),
    "years_after": partial(_shift, direction=1),
    "earliest": partial(_choice, operator="earliest"),
    "latest": partial(_choice, operator="latest"),
    "smallest": partial(_choice, operator="smallest"),
    "largest": partial(_choice, operator="largest"),
    "before": partial(_judgement, wanted=-1, of_dates=True),
    "after": partial(_judgement, wanted=1, of_dates=True),
    "less": partial(_judgement, wanted=-1, of_dates=False),
    "more": partial(_judgement, wanted=1, of_dates=False),
    "same": _same,
}
