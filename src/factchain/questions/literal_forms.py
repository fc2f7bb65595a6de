"""How numbers and dates are written, and read back: aliases of literals, and answers by value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from factchain.chains.records import TypedValue
from factchain.kg.literals import MONTHS
from factchain.questions.verbalize.english import pluralise

YEAR, MONTH, DAY = 9, 10, 11
LARGEST_SPELLED = 999
"""Numbers above are written with digits."""

_SPANS = frozenset({"years", "days"})
"""Units of the time between two dates, which are in the plural already."""
_ONLY_ONE = re.compile(r"-?1(?:\.0+)?")
_PLAIN = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")

# fmt: off
_UNITS = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
# fmt: on
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_WORDS = {word: n for n, word in enumerate(_UNITS)} | {
    word: 10 * n for n, word in enumerate(_TENS, start=2)
}
_ONE = "|".join([*sorted(_WORDS, key=len, reverse=True), "hundred", *_SCALES])
_SPELLED = re.compile(rf"(?<!\w)(?:{_ONE})(?:(?:[\s-]|\s+and\s+)+(?:{_ONE}))*(?!\w)", re.IGNORECASE)
_DIGITS = re.compile(
    r"(?<![\w.,])(?<!\w-)([-\u2212]?)(\d{1,3}(?:[,\u00a0\u202f]\d{3})+(?!\d)|\d+)(\.\d+)?(?!\w|[.,]\d)"
    rf"(?:\s+({'|'.join(_SCALES)})(?!\w))?",
    re.IGNORECASE,
)
_MONTH_NAMES = "|".join(f"{month}|{month[:3]}\\.?" for month in MONTHS)
_ERA = r"(?:\s*(BCE?|B\.C\.(?:E\.)?))?"
_DATES = (
    re.compile(r"(?<![\w-])(?P<y>\d{3,4})-(?P<m>\d\d)(?:-(?P<d>\d\d))?(?![\w-])(?P<bc>)"),
    re.compile(
        rf"(?<!\w)(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m>{_MONTH_NAMES}),? "
        rf"(?P<y>\d{{1,4}})(?!\d)(?P<bc>{_ERA})",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?<!\w)(?P<m>{_MONTH_NAMES}) (?P<d>\d{{1,2}})(?:st|nd|rd|th)?,? "
        rf"(?P<y>\d{{1,4}})(?!\d)(?P<bc>{_ERA})",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?<!\w)(?P<m>{_MONTH_NAMES}),? (?P<y>\d{{1,4}})(?!\d)(?P<bc>{_ERA})(?P<d>)",
        re.IGNORECASE,
    ),
    re.compile(rf"(?<![\w-])(?P<y>\d{{1,4}})(?![\w-])(?P<bc>{_ERA})(?P<d>)(?P<m>)", re.IGNORECASE),
)


class Found(NamedTuple):
    """A number in a text, and where."""

    value: Decimal
    start: int
    end: int


class FoundDate(NamedTuple):
    """A date in a text: year (negative before Christ), month and day as far as they are told."""

    parts: tuple[int, ...]
    start: int
    end: int


def spell(number: int) -> str:
    """A whole number from 0 to 999 in words: 35 -> `thirty-five`."""
    if number >= 100:
        rest = f" and {spell(number % 100)}" if number % 100 else ""
        return f"{_UNITS[number // 100]} hundred{rest}"
    if number < 20:
        return _UNITS[number]
    unit = f"-{_UNITS[number % 10]}" if number % 10 else ""
    return _TENS[number // 10 - 2] + unit


def number_forms(value: str) -> list[str]:
    """Ways to write a number: `1234567` -> `1,234,567`; `35` -> `thirty-five`."""
    forms = [value]
    whole, _, fraction = value.partition(".")
    if len(whole.lstrip("-")) > 3:
        forms.append(f"{int(whole):,}{'.' if fraction else ''}{fraction}")
    if value.isdecimal() and int(value) <= LARGEST_SPELLED:
        forms.append(spell(int(value)))
    return forms


def for_readers(value: TypedValue) -> str:
    """A literal as English prose has it: `441467` square kilometres as `441,467 square kilometres`.

    A number of four digits keeps them together, since it may be a year.
    """
    if value.datatype != "quantity" or not _PLAIN.fullmatch(value.value):
        return value.label
    whole, point, fraction = value.value.partition(".")
    number = f"{int(whole):,}" if len(whole.lstrip("-")) > 4 else whole
    number += point + fraction
    if value.unit is None:
        return number
    unit = value.unit_label or value.unit
    one, several = (unit, unit) if unit == value.unit else unit_forms(unit)
    return f"{number} {one if _ONLY_ONE.fullmatch(value.value) else several}"


def unit_forms(label: str) -> tuple[str, str]:
    """A unit's name after one, and after any other number: `metre`, `metres`."""
    if label in _SPANS:
        return label.removesuffix("s"), label
    return label, pluralise(label)


def date_forms(value: TypedValue) -> list[str]:
    """Ways to write a date of the precision of year, month or day."""
    parts = date_parts(value)
    era = " BC" if value.value.startswith("-") else ""
    year = f"{abs(parts[0])}{era}" if parts else value.label
    if len(parts) == 3:
        month, day = MONTHS[parts[1] - 1], parts[2]
        return [value.label, value.value, f"{month} {day}, {year}", f"{day} {month} {year}"]
    if len(parts) == 2:
        return [value.label, value.value, f"{MONTHS[parts[1] - 1]} {year}"]
    return [value.label, year]


def date_parts(value: TypedValue) -> tuple[int, ...]:
    """Year, month and day of a stored date as far as its precision goes; empty below a year."""
    if value.precision is None or value.precision < YEAR:
        return ()
    sign = -1 if value.value.startswith("-") else 1
    parts = [int(part) for part in value.value.lstrip("+-").split("-") if part.isdecimal()]
    known = [part for part in parts[: value.precision - YEAR + 1] if part]
    return (sign * known[0], *known[1:]) if known else ()


def numbers(text: str) -> Iterator[Found]:
    """The numbers in a text, in digits or in words, with `million` and the like."""
    for match in _DIGITS.finditer(text):
        sign, whole, fraction, scale = match.groups()
        digits = re.sub(r"\D", "", whole) + (fraction or "")
        try:
            value = Decimal(digits) * _SCALES.get((scale or "").lower(), 1)
        except InvalidOperation:  # digits of other scripts that are no decimals
            continue
        yield Found(-value if sign else value, match.start(), match.end())
    for match in _SPELLED.finditer(text):
        if (words := _read_words(match[0])) is not None:
            yield Found(Decimal(words), match.start(), match.end())


def _read_words(text: str) -> int | None:
    total, group, seen = 0, 0, False
    for word in re.split(r"[\s-]+", text.lower()):
        if word == "and":
            continue
        if word == "hundred":
            group = (group or 1) * 100
        elif word in _SCALES:
            total, group = total + (group or 1) * _SCALES[word], 0
        elif group % 100 and not (group % 100 >= 20 and group % 10 == 0 and _WORDS[word] < 10):
            return None  # `one two` are two numbers
        else:
            group += _WORDS[word]
        seen = True
    return total + group if seen else None


def dates(text: str) -> Iterator[FoundDate]:
    """The dates in a text: ISO, `12 March 1968`, `March 12, 1968`, `March 1968`, `44 BC`."""
    taken: list[tuple[int, int]] = []
    for pattern in _DATES:
        for match in pattern.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            year = int(match["y"]) * (-1 if (match["bc"] or "").strip() else 1)
            parts = [year]
            if match["m"]:
                parts.append(_month(match["m"]))
                if match["d"]:
                    parts.append(int(match["d"]))
            taken.append(match.span())
            yield FoundDate(tuple(parts), *match.span())


def _month(text: str) -> int:
    if text.isdecimal():
        return int(text)
    return next(
        n for n, month in enumerate(MONTHS, start=1) if month.lower()[:3] == text.lower()[:3]
    )
