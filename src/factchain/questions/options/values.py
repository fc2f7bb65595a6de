"""Wrong numbers and dates: what a mistake on the way would give.

A result of an operation has those of the operation altered, and of a step skipped; any number or
date has its neighbours. Whether a candidate is wrong indeed is checked where it is chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal

from factchain.chains.operations import operations
from factchain.chains.operations.dates import DAY, MONTH, year_text
from factchain.chains.operations.operations import NotComparable
from factchain.chains.operations.typed_values import number_text, quantity
from factchain.chains.proof.plan import HopPlan
from factchain.chains.records import EntityRef, Operand, Operation, Operator, TypedValue
from factchain.kg.literals import literal_text
from factchain.questions.literal_forms import date_parts
from factchain.questions.options.slots import Candidate
from factchain.questions.records import DistractorWay

ALTERED: dict[Operator, tuple[Operator, ...]] = {
    "sum": ("product", "difference"),
    "difference": ("sum",),
    "product": ("sum", "difference"),
    "years_before": ("years_after",),
    "years_after": ("years_before",),
}
"""What an operation is taken for."""
STEPS = (1, -1, 2, -2, 3, -3)
SMALL = 100
"""Whole numbers below have the next ones as neighbours; larger numbers change a later digit."""


def altered(operation: Operation, gold: TypedValue) -> Iterator[Candidate]:
    """What the operation comes to when another is done, an operand is left out, or none is done."""
    operands = operation.operands
    for operator in ALTERED.get(operation.operator, ()):
        if found := _result(operator, operands):
            yield _candidate(found, gold, f"{operator} instead of {operation.operator}")
    if len(operands) > 2:
        for at, left_out in enumerate(operands):
            if found := _result(operation.operator, [*operands[:at], *operands[at + 1 :]]):
                why = f"{operation.operator} without {left_out.value.label}"
                yield _candidate(found, gold, why)
    if operation.operator != "count":
        for operand in operands:
            if isinstance(operand.value, TypedValue):
                why = f"{operand.value.label} itself, without {operation.operator}"
                yield _candidate(operand.value, gold, why)


def neighbours(gold: TypedValue, plan: HopPlan) -> Iterator[Candidate]:
    """The numbers or dates next to the answer."""
    for step in STEPS:
        # Elapsed years are one fewer than the difference of the years as often as not.
        if plan.operator == "years_between" and step == -1:
            continue
        if (moved := _moved(gold, step)) is not None:
            yield _candidate(moved, gold, f"the answer {_step_name(gold, step)}", "off by one")


def fits(value: TypedValue, gold: TypedValue) -> bool:
    """Whether a literal could stand in the place of another: same unit, precision and sign."""
    if (value.datatype, value.unit, value.precision, value.calendar) != (
        gold.datatype,
        gold.unit,
        gold.precision,
        gold.calendar,
    ):
        return False
    if gold.datatype == "time":
        return True
    try:
        amount, wanted = quantity(_exact(value)).amount, quantity(_exact(gold)).amount
    except NotComparable:
        return False
    whole = wanted == wanted.to_integral_value()
    signs = (amount > 0) if wanted > 0 else (amount < 0) if wanted < 0 else True
    return signs and (not whole or amount == amount.to_integral_value())


def place(value: TypedValue) -> tuple[Decimal, ...]:
    """Where a literal stands among others of its kind."""
    if value.datatype == "time":
        return tuple(Decimal(part) for part in date_parts(value))
    return (quantity(_exact(value)).amount,)


def in_words(value: TypedValue, like: TypedValue) -> TypedValue:
    """The literal, labelled as one of its kind: with the unit of the other, in its number."""
    if value.datatype == "time":
        text = literal_text(value.value, "time", None, value.precision)
        return value.model_copy(update={"label": text})
    if like.unit is None:
        return value.model_copy(update={"label": value.value})
    unit = like.label.removeprefix(like.value).strip() or like.unit_label or ""
    if like.unit in (operations.YEARS.id, operations.DAYS.id):
        one = unit.removesuffix("s")
        unit = one if abs(Decimal(value.value)) == 1 else f"{one}s"
    return value.model_copy(
        update={"label": f"{value.value} {unit}", "unit_label": like.unit_label}
    )


def _candidate(
    value: TypedValue, gold: TypedValue, evidence: str, way: DistractorWay = "operation"
) -> Candidate:
    said = in_words(_bare(value), gold) if value.unit == gold.unit else value
    return Candidate(said, said.label, (said.label,), way, evidence)


def _bare(value: TypedValue) -> TypedValue:
    return value.model_copy(update={"lower": None, "upper": None})


def _exact(value: TypedValue) -> TypedValue:
    return value.model_copy(update={"lower": value.value, "upper": value.value})


def _result(operator: Operator, operands: Sequence[Operand]) -> TypedValue | None:
    try:
        result = operations.build(operator, operands).result
    except (NotComparable, ValueError):
        return None
    return None if isinstance(result, EntityRef) else result


def _moved(gold: TypedValue, step: int) -> TypedValue | None:
    text = _moved_date(gold, step) if gold.datatype == "time" else _moved_number(gold, step)
    return None if text is None else _bare(gold).model_copy(update={"value": text})


def _moved_number(gold: TypedValue, step: int) -> str | None:
    try:
        amount, _ = quantity(_exact(gold))
    except NotComparable:
        return None
    return number_text(amount + step * _unit_of_change(amount))


def _unit_of_change(amount: Decimal) -> Decimal:
    """1 for small whole numbers, else one of the second digit: 1,234,567 -> 100,000."""
    if abs(amount) < SMALL and amount == amount.to_integral_value():
        return Decimal(1)
    return Decimal(1).scaleb(amount.adjusted() - 1)


def _moved_date(gold: TypedValue, step: int) -> str | None:
    parts = date_parts(gold)
    if not parts:
        return None
    # In a count that has a year 0; 1 BC is followed by AD 1.
    year = parts[0] + (1 if parts[0] < 0 else 0)
    if gold.precision == DAY and len(parts) == 3 and year > 0:
        try:
            return (date(*parts) + timedelta(days=step)).isoformat()
        except (ValueError, OverflowError):
            return None
    if gold.precision == MONTH and len(parts) == 2:
        years, month = divmod(parts[1] - 1 + step, 12)
        return f"{_year(year + years)}-{month + 1:02d}"
    return _year(year + step) if len(parts) == 1 else None


def _year(astronomical: int) -> str:
    return year_text(astronomical if astronomical > 0 else astronomical - 1)


def _step_name(gold: TypedValue, step: int) -> str:
    if gold.datatype != "time":
        change = step * _unit_of_change(quantity(_exact(gold)).amount)
        return f"{'+' if change > 0 else '-'} {number_text(abs(change))}"
    unit = {DAY: "day", MONTH: "month"}.get(gold.precision or 0, "year")
    return f"{step:+d} {unit}{'s' if abs(step) > 1 else ''}"
