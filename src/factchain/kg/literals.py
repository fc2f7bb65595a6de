"""Typed literals in words: dates to their precision, quantities with their unit."""

from __future__ import annotations

import re

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July",
    "August", "September", "October", "November", "December",
)  # fmt: skip
_DATE = re.compile(r"(-?)(\d+)(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?)?(?:-00)*")
_DAY, _MONTH, _DECADE, _CENTURY, _MILLENNIUM = 11, 10, 8, 7, 6
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def literal_text(value: str, datatype: str, unit: str | None, precision: int | None) -> str:
    """A stored literal as a reader would write it.

    `value` is as `factchain.kg.dumps.statements` stores it, `unit` the label of a quantity's unit,
    `precision` Wikidata's precision of a date.
    """
    if datatype == "time" and precision is not None:
        return date_text(value, precision)
    if datatype == "quantity" and unit is not None:
        return f"{value} {unit}"
    if datatype == "monolingualtext":
        return value.rpartition("@")[0] or value
    if datatype == "globe-coordinate":
        return value.replace(",", ", ")
    return value


def date_text(value: str, precision: int) -> str:
    """An ISO date in words: `1879-03-14` at precision 11 (day) -> `14 March 1879`.

    A leading `-` is a year before Christ; a part that is missing or `00` is left out; what is
    no date stays as it is.
    """
    parts = _DATE.fullmatch(value)
    if parts is None:
        return value
    sign, year, month, day = parts[1], int(parts[2]), parts[3], parts[4]
    era = " BC" if sign else ""
    if precision >= _DAY and day:
        return f"{int(day)} {MONTHS[int(month) - 1]} {year}{era}"
    if precision >= _MONTH and month:
        return f"{MONTHS[int(month) - 1]} {year}{era}"
    if precision > _DECADE:
        return f"{year}{era}"
    if precision == _DECADE:
        return f"{year // 10 * 10}s{era}"
    if precision == _CENTURY:
        return f"{_ordinal(-(-year // 100))} century{era}"
    if precision == _MILLENNIUM:
        return f"{_ordinal(-(-year // 1000))} millennium{era}"
    return f"around {year}{era}"


def _ordinal(number: int) -> str:
    teen = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teen else _ENDINGS.get(number % 10, 'th')}"
