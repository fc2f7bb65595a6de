"""Typed values: literals of the store, and what is reckoned from them."""

from __future__ import annotations

from decimal import Context, Decimal, DecimalException, Inexact, InvalidOperation, Overflow
from typing import NamedTuple

from factchain.chains.records import TypedValue
from factchain.kg.literals import literal_text
from factchain.kg.records import qid

GREGORIAN, JULIAN = "Q1985727", "Q1985786"
"""The calendar models that Wikidata knows."""
LONGEST_NUMBER = 150
"""Most characters of a number (Wikidata: 127)."""

EXACT = Context(prec=10 * LONGEST_NUMBER, traps=[Inexact, InvalidOperation, Overflow])
"""Arithmetic that raises rather than rounds."""


class NotComparable(ValueError):  # noqa: N818
    """The values do not decide what is asked of them; the message says why."""


class Unit(NamedTuple):
    """What a quantity is measured in."""

    id: str
    label: str | None = None


YEARS, DAYS = Unit("Q577", "years"), Unit("Q573", "days")
"""Units of the time between two dates, with the word for more than one."""


class Quantity(NamedTuple):
    """An exact number with its unit."""

    amount: Decimal
    unit: Unit | None


def typed_value(
    value: str,
    datatype: str,
    unit: int | None = None,
    unit_label: str | None = None,
    precision: int | None = None,
    calendar: int | None = None,
    lower: str | None = None,
    upper: str | None = None,
) -> TypedValue:
    """A literal fact's object from the columns of the store's table `fact`.

    `unit_label` is the label of the unit's entity; its id stands in where there is none. Raises
    NotComparable for a literal that is neither a date nor a quantity.
    """
    if datatype == "time":
        model = None if calendar is None or qid(calendar) == GREGORIAN else qid(calendar)
        label = literal_text(value, datatype, None, precision)
        return TypedValue(
            datatype="time", value=value, label=label, precision=precision, calendar=model
        )
    if datatype != "quantity":
        raise NotComparable(f"a value of the datatype {datatype!r} cannot be reckoned with")
    measured_in = (unit_label or qid(unit)) if unit else None
    return TypedValue(
        datatype="quantity",
        value=value,
        label=literal_text(value, datatype, measured_in, None),
        unit=qid(unit) if unit else None,
        unit_label=measured_in,
        lower=lower,
        upper=upper,
    )


def yes_or_no(holds: bool) -> TypedValue:
    """A verdict."""
    word = "yes" if holds else "no"
    return TypedValue(datatype="boolean", value=word, label=word)


def number_value(amount: Decimal | int, unit: Unit | None = None) -> TypedValue:
    """An exact quantity; without a unit a bare number."""
    text = number_text(Decimal(amount))
    if unit is None:
        return TypedValue(datatype="quantity", value=text, label=text)
    word = unit.label or unit.id
    if unit in (YEARS, DAYS) and abs(amount) == 1:
        word = word.removesuffix("s")
    return TypedValue(
        datatype="quantity",
        value=text,
        label=literal_text(text, "quantity", word, None),
        unit=unit.id,
        unit_label=unit.label,
    )


def number_text(amount: Decimal) -> str:
    """A number in its shortest plain form: `4`, not `4.00` or `4E+0`."""
    text = format(amount, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def quantity(value: TypedValue) -> Quantity:
    """The number of a quantity. Raises NotComparable where it is approximate or no number."""
    if value.datatype != "quantity":
        raise NotComparable(f"{value.label} is no quantity")
    amount = _number(value.value)
    if any(bound is not None and _number(bound) != amount for bound in (value.lower, value.upper)):
        raise NotComparable(f"{value.label} is an approximate quantity")
    return Quantity(amount, Unit(value.unit, value.unit_label) if value.unit else None)


def _number(text: str) -> Decimal:
    try:
        amount = Decimal(text)
    except DecimalException as error:
        raise NotComparable(f"{text!r} is no number") from error
    exponent = amount.as_tuple().exponent
    if not isinstance(exponent, int):
        raise NotComparable(f"{text} is not a finite number")
    # A short text may stand for a very long number: 1E+999999.
    if len(text) > LONGEST_NUMBER or abs(exponent) > LONGEST_NUMBER:
        raise NotComparable(f"{text[:20]}... has more than {LONGEST_NUMBER} digits")
    return amount
