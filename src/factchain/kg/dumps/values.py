"""The values of statements: items, dates, quantities, texts, coordinates, strings."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal

import msgspec

STRING_TYPES = frozenset(
    {
        *("string", "url", "external-id", "commonsMedia", "math", "musical-notation"),
        *("geo-shape", "tabular-data", "localMedia"),
    }
)
"""Datatypes whose values are strings."""
ITEM_TYPES = frozenset({"wikibase-item", "wikibase-entityid"})
OTHER_TYPES = frozenset(
    {
        *("wikibase-property", "wikibase-lexeme", "wikibase-form", "wikibase-sense"),
        *("entity-schema",),
    }
)
"""Datatypes that are known and cannot: entities that are no items."""
KEPT_TYPES = ITEM_TYPES | {
    *("time", "quantity", "string", "monolingualtext", "globe-coordinate", "url"),
}
"""Datatypes of the facts that are kept by default: no external ids, no media."""
DAY, YEAR = 11, 9
"""Precisions of a date, in between them 10 for a month."""
FINEST = 14
"""Precision of a second."""
GREGORIAN = 1985727
"""Q-id of the proleptic Gregorian calendar, which is not stored."""
LARGEST_NUMBER = 2**31 - 1
"""Of an id: it fits 32 bits, so that two of them make one 64-bit key (`chains.graph`)."""
LONGEST_NUMBER = 10
"""In digits."""

_ENTITY = re.compile("[QP][0-9]{1,10}")
_TIME = re.compile(r"([+-]?)(\d+)-(0\d|1[0-2])-([0-2]\d|3[01])T\d\d:\d\d:\d\dZ", re.ASCII)
_AMOUNT = re.compile(r"[+-]?\d+(?:\.\d+)?", re.ASCII)
_URI = re.compile(r"(?:https?://www\.wikidata\.org/entity/)?(Q[0-9]{1,10})")


class Fields(msgspec.Struct, gc=False):
    """The fields of a value that is an object, of whatever kind; others are not decoded."""

    id: Any = None
    entity_type: Any = msgspec.field(default=None, name="entity-type")
    numeric_id: Any = msgspec.field(default=None, name="numeric-id")
    time: Any = None
    precision: Any = None
    calendarmodel: Any = None
    amount: Any = None
    unit: Any = None
    lower: Any = msgspec.field(default=None, name="lowerBound")
    upper: Any = msgspec.field(default=None, name="upperBound")
    text: Any = None
    language: Any = None
    latitude: Any = None
    longitude: Any = None


class DataValue(msgspec.Struct, gc=False):
    """A value and its kind, which goes with the datatype."""

    value: Fields | str | float | bool | list[Any] | None = None
    type: str = ""


class Snak(msgspec.Struct, gc=False):
    """A property with a value, or the statement that there is none or an unknown one."""

    snaktype: Literal["value", "somevalue", "novalue"]
    property: str
    datatype: str = ""
    datavalue: DataValue | None = None


Details = tuple[tuple[str, Any], ...]
"""What a literal has besides its text, by column: unit, precision, calendar, lower, upper."""
Value = int | tuple[str, Details] | None
"""The number of an item, a literal, or none for an entity that is not an item."""


def parse_value(snak: Snak) -> Value:
    """The value of a snak. Raises ValueError where it has not the shape of its datatype."""
    data = snak.datavalue
    if data is None:
        raise ValueError(f"{snak.property} has no value")
    kind, parse = _PARSERS[snak.datatype]
    try:
        if data.type != kind:
            raise ValueError(f"a value of {snak.datatype} cannot be a {data.type!r}")
        return parse(data.value)
    except (TypeError, AttributeError):
        # Python's own words would say nothing of the dump.
        raise ValueError(f"{snak.property}: no {kind}: the value has another shape") from None
    except ValueError as error:
        raise ValueError(f"{snak.property}: no {kind}: {error}") from error


def _string(value: Any) -> Value:
    if type(value) is not str:
        raise ValueError(f"{value!r} is no string")
    return value, ()


def _item(value: Any) -> Value:
    entity = value.id
    if entity is None:  # dumps before 2017
        if type(value.numeric_id) is not int:
            raise ValueError(f"{value.numeric_id!r} is not the number of an entity")
        entity = f"{'Q' if value.entity_type == 'item' else 'P'}{value.numeric_id}"
    return _item_number(entity)


@lru_cache(maxsize=50_000)
def _item_number(entity: str) -> int | None:
    digits = entity[1:]
    if entity[0:1] == "Q":
        if digits.isdigit() and digits.isascii() and len(digits) <= LONGEST_NUMBER:
            number = int(digits)
            if number <= LARGEST_NUMBER:
                return number
        raise ValueError(f"{entity!r} is not the id of an item")
    return None


def _time(value: Any) -> Value:
    return _dated(value.time, value.precision, value.calendarmodel)


@lru_cache(maxsize=30_000, typed=True)
def _dated(text: str, precision: int, model: str | None) -> Value:
    date, precision = parse_time(text, precision)
    calendar = GREGORIAN if model is None else _number_of_uri(model)
    if calendar == GREGORIAN:
        return date, (("precision", precision),)
    return date, (("precision", precision), ("calendar", calendar))


def _quantity(value: Any) -> Value:
    amount, unit, lower, upper = _amount(value.amount), value.unit, value.lower, value.upper
    details: Details = () if unit in ("1", None) else (("unit", _number_of_uri(unit)),)
    if lower is not None:
        details += (("lower", _amount(lower)),)
    if upper is not None:
        details += (("upper", _amount(upper)),)
    return amount, details


def _text(value: Any) -> Value:
    if not (isinstance(value.text, str) and isinstance(value.language, str)):
        raise ValueError("it lacks text or language")
    return f"{value.text}@{value.language}", ()


def _coordinate(value: Any) -> Value:
    latitude, longitude = value.latitude, value.longitude
    if (
        type(latitude) not in (int, float)
        or type(longitude) not in (int, float)
        or not (-90 <= latitude <= 90 and -360 <= longitude <= 360)
    ):
        raise ValueError(f"{latitude!r}, {longitude!r} are not latitude and longitude")
    return f"{latitude},{longitude}", ()


_PARSERS: dict[str, tuple[str, Callable[[Any], Value]]] = {
    **dict.fromkeys(STRING_TYPES, ("string", _string)),
    **dict.fromkeys(ITEM_TYPES, ("wikibase-entityid", _item)),
    "time": ("time", _time),
    "quantity": ("quantity", _quantity),
    "monolingualtext": ("monolingualtext", _text),
    "globe-coordinate": ("globecoordinate", _coordinate),
}
"""By datatype: the kind of its values, and what reads them."""
DATATYPES = frozenset(_PARSERS)
"""Datatypes that can be kept."""


def _amount(text: str) -> str:
    """A decimal number as text, without a leading plus. Raises ValueError for anything else."""
    if text[1:].isdigit() and text.isascii() and text[0] in "+-0123456789":
        return text.removeprefix("+")
    if _AMOUNT.fullmatch(text):
        return text.removeprefix("+")
    raise ValueError(f"{text!r} is no decimal number")


@lru_cache(maxsize=10_000)
def _number_of_uri(uri: str) -> int:
    """The number of the item whose address or id is given."""
    match = _URI.fullmatch(uri)
    if match is None:
        raise ValueError(f"{uri!r} is no item of Wikidata: is this the dump of another wiki?")
    return entity_number(match[1])


@lru_cache(maxsize=100_000)
def property_number(prop: str) -> int:
    """The number of a P-id. Raises ValueError for anything else."""
    if prop[:1] != "P":
        raise ValueError(f"{prop!r} is not the id of a property")
    return entity_number(prop)


def entity_number(entity: str) -> int:
    """The number of a Q- or P-id. Raises ValueError for anything else."""
    if _ENTITY.fullmatch(entity) and (number := int(entity[1:])) <= LARGEST_NUMBER:
        return number
    raise ValueError(f"{entity!r} is not the id of an entity")


def parse_time(text: str, precision: int) -> tuple[str, int]:
    """An ISO date cut to its precision: `+1879-03-14T00:00:00Z` at 9 (year) -> `1879`.

    Raises ValueError for anything that is no such date.
    """
    if type(precision) is not int or not 0 <= precision <= FINEST:
        raise ValueError(f"{precision!r} is no precision of a date")
    match = _TIME.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no date")
    sign, year, month, day = match.groups()
    parts = [f"{int(year):04d}", month, day][: max(1, min(precision, DAY) - YEAR + 1)]
    return ("-" if sign == "-" else "") + "-".join(parts), precision
