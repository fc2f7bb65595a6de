"""Dates of a stated precision and calendar: what can be asked of them, and what can not.

A date is kept as the store holds it: `1879-03-14`, `1879-03`, `1879`, `-0044` (44 BC), cut to its
precision. There is no year 0: 1 BC is followed by AD 1.
"""

from __future__ import annotations

import datetime
import re
from typing import NamedTuple

from factchain.chains.operations.typed_values import GREGORIAN, NotComparable

DAY, MONTH, YEAR = 11, 10, 9
"""Precisions of a date."""

_DATE = re.compile(r"(-?)([0-9]{1,12})(?:-([0-9]{2}))?(?:-([0-9]{2}))?")
_DAYS_IN_400_YEARS = 146_097


class Date(NamedTuple):
    """A date, cut to its precision: a year, a month or a day."""

    year: int
    """Negative before Christ; never 0."""
    month: int | None
    day: int | None
    calendar: str | None
    """Q-id of the calendar model; none for the Gregorian."""

    @property
    def precision(self) -> int:
        """Of what is known: YEAR, MONTH or DAY."""
        return DAY if self.day else MONTH if self.month else YEAR

    @property
    def astronomical(self) -> int:
        """The year in a count that has a year 0, for reckoning: 1 BC is 0, 2 BC is -1."""
        return self.year + 1 if self.year < 0 else self.year

    def cut(self, precision: int) -> tuple[int, ...]:
        """Year, month and day as far as the precision goes."""
        parts = (self.astronomical, self.month or 0, self.day or 0)
        return parts[: precision - YEAR + 1]


def parse_date(value: str, precision: int | None, calendar: str | None) -> Date:
    """A stored date. Raises NotComparable where it is none, or coarser than a year."""
    match = _DATE.fullmatch(value)
    if match is None:
        raise NotComparable(f"{value!r} is no date")
    if precision is None or precision < YEAR:
        raise NotComparable(f"{value} is no more precise than a decade")
    year, month, day = (int(part or 0) for part in match.groups()[1:])
    if year == 0:
        raise NotComparable("there is no year 0")
    if month > 12 or day > 31 or (day and not month):
        raise NotComparable(f"{value!r} is no date")
    finest = precision >= DAY and day
    return Date(
        -year if match[1] else year,
        month or None if precision >= MONTH else None,
        day if finest else None,
        None if calendar == GREGORIAN else calendar,
    )


def compare(a: Date, b: Date) -> int | None:
    """-1 where a is before b, 1 where it is after, 0 where they are the same to their precision.

    None where the precisions do not tell (1999 and May 1999). Raises NotComparable where the
    calendars differ.
    """
    _agree(a, b)
    common = min(a.precision, b.precision)
    first, second = a.cut(common), b.cut(common)
    if first == second and a.precision != b.precision:
        return None
    return (first > second) - (first < second)


def years_between(a: Date, b: Date) -> int:
    """Whole calendar years from one date to the other: the difference of their years."""
    _agree(a, b)
    return abs(a.astronomical - b.astronomical)


def days_between(a: Date, b: Date) -> int:
    """Days from one date to the other. Raises NotComparable unless both are Gregorian days."""
    return abs(_day_number(a) - _day_number(b))


def shift_years(date: Date, years: int) -> int:
    """The year that lies `years` years after the date's; negative before Christ, never 0."""
    moved = date.astronomical + years
    return moved if moved > 0 else moved - 1


def year_text(year: int) -> str:
    """A year as the store holds it: 44 BC is `-0044`."""
    return f"{'-' if year < 0 else ''}{abs(year):04d}"


def _agree(a: Date, b: Date) -> None:
    if a.calendar != b.calendar:
        raise NotComparable("the dates are of different calendars")


def _day_number(date: Date) -> int:
    """Days since a fixed day, in the Gregorian calendar, which is extended to all years."""
    if date.calendar is not None:
        raise NotComparable("days are only counted in the Gregorian calendar")
    if not date.month or not date.day:
        raise NotComparable("days are only counted between dates that are known to the day")
    # The calendar repeats every 400 years: a year from 2000 to 2399 stands for all others.
    cycles, year = divmod(date.astronomical, 400)
    try:
        of_cycle = datetime.date(2000 + year, date.month, date.day).toordinal()
    except ValueError as error:
        raise NotComparable("there is no such day") from error
    return cycles * _DAYS_IN_400_YEARS + of_cycle
