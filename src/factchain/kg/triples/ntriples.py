"""Lines of a Wikidata truthy dump (N-Triples) -> facts and names.

N-Triples and its escapes as in W3C's recommendation of 2014; what the predicates mean as in
Wikibase's "RDF dump format". A truthy dump leaves out what the JSON dump has of a value, so that
three readings are taken here: a date of 1 January has the precision of a year, any other that of
a day (a month cannot be told from its first day); a quantity has no unit; ranks and qualifiers
are unknown. Years before Christ are counted as XSD 1.1 does, with a year 0, and turned back into
Wikidata's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import isfinite
from types import MappingProxyType
from urllib.parse import unquote

from factchain.kg.dumps.values import DAY, YEAR, parse_time
from factchain.kg.records import Reject
from factchain.kg.triples.lines import SHOWN, Block
from factchain.kg.triples.staging import ITEM, REDIRECT, Found

_CODE = r"u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}"
# Plain stretches with escapes between them: much faster than one character at a time.
_IRI = rf'<([^\x00-\x20<>"{{}}|^`\\]*+(?:\\(?:{_CODE})[^\x00-\x20<>"{{}}|^`\\]*+)*+)>'
_BLANK = r"(_:[^\s<>\"]+)"
_STRING = rf'"([^"\\\r]*+(?:\\(?:[tbnrf"\'\\]|{_CODE})[^"\\\r]*+)*+)"'
_LANGUAGE = r"@([a-zA-Z]+(?:-[a-zA-Z0-9]+)*)"
_LINE = re.compile(
    rf"[ \t]*(?:{_IRI}|{_BLANK})[ \t]*{_IRI}[ \t]*"
    rf"(?:{_IRI}|{_BLANK}|{_STRING}(?:{_LANGUAGE}|\^\^{_IRI})?)[ \t]*\.[ \t]*(?:#.*)?",
)
_ESCAPE = re.compile(r"\\(?:([tbnrf\"'\\])|u(.{4})|U(.{8}))")
_CONTROL = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}

_ENTITY = re.compile(r"https?://www\.wikidata\.org/entity/([QP][1-9][0-9]{0,8})")
_OTHER_ENTITY = re.compile(r"https?://www\.wikidata\.org/entity/")
_DIRECT = re.compile(r"https?://www\.wikidata\.org/prop/(direct|novalue)/(P[1-9][0-9]{0,8})")
_NORMALIZED = "www.wikidata.org/prop/direct-normalized/"
_UNKNOWN = "www.wikidata.org/.well-known/genid/"
_MEDIA = re.compile(r"https?://commons\.wikimedia\.org/")
_WIKIPEDIA = re.compile(r"https://en\.wikipedia\.org/wiki/(.+)")
_DATE = re.compile(
    r"([+-]?)(\d{1,16})-(0\d|1[0-2])-([0-2]\d|3[01])T[0-9:.]+(?:Z|[+-]\d\d:\d\d)?", re.ASCII
)
_POINT = re.compile(r"(?:<[^>]*>\s*)?point\s*\(\s*(\S+)\s+(\S+)\s*\)", re.ASCII | re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_XSD = "http://www.w3.org/2001/XMLSchema#"
_TERMS: Mapping[str, str] = MappingProxyType(
    {
        "http://www.w3.org/2000/01/rdf-schema#label": "label",
        "http://www.w3.org/2004/02/skos/core#prefLabel": "label",
        "http://schema.org/name": "label",
        "http://www.w3.org/2004/02/skos/core#altLabel": "alias",
        "http://schema.org/description": "description",
    }
)
_ABOUT = "http://schema.org/about"
_SAME = "http://www.w3.org/2002/07/owl#sameAs"
_TYPE = f"{_RDF}type"
_PROPERTY_TYPE = "http://wikiba.se/ontology#propertyType"
PROPERTY_TYPES: Mapping[str, str] = MappingProxyType(
    {
        "CommonsMedia": "commonsMedia",
        "EntitySchema": "entity-schema",
        "ExternalId": "external-id",
        "GeoShape": "geo-shape",
        "GlobeCoordinate": "globe-coordinate",
        "Math": "math",
        "Monolingualtext": "monolingualtext",
        "MusicalNotation": "musical-notation",
        "Quantity": "quantity",
        "String": "string",
        "TabularData": "tabular-data",
        "Time": "time",
        "Url": "url",
        "WikibaseForm": "wikibase-form",
        "WikibaseItem": "wikibase-item",
        "WikibaseLexeme": "wikibase-lexeme",
        "WikibaseProperty": "wikibase-property",
        "WikibaseSense": "wikibase-sense",
    }
)
"""Datatypes of properties: the name in RDF, and in JSON."""

Groups = tuple[str | None, ...]
"""Subject (IRI, blank), predicate, object (IRI, blank, string, its language, its type)."""


def parse_block(block: Block, languages: tuple[str, ...]) -> Found:
    """The facts and names of a block of lines; names in the first of `languages` that has one."""
    found = Found()
    places = {language: place for place, language in enumerate(languages)}
    for number, line in enumerate(block.data.split(b"\n"), start=block.first):
        try:
            if block.too_long:
                raise ValueError("the line is too long")
            groups = parse_line(line.decode().rstrip("\r"))
            if groups is None:
                continue
            _read(groups, places, found)
        except ValueError as error:
            reason = str(error)
            if isinstance(error, UnicodeDecodeError):
                reason = f"the line is no UTF-8 (byte {error.start + 1})"
            shown = line[:SHOWN].decode(errors="replace")
            found.rejects.append(Reject(number, reason, shown))
        found.lines += 1
    return found


def parse_line(line: str) -> Groups | None:
    """The parts of a triple, still escaped; None for a blank line or a comment.

    Raises ValueError for anything else.
    """
    match = _LINE.fullmatch(line)
    if match is not None:
        return match.groups()
    content = line.strip()
    if not content or content.startswith("#"):
        return None
    raise ValueError("the line is no triple of N-Triples")


def unescape(text: str) -> str:
    r"""Text without N-Triples' escapes (`\n`, `é`). Raises ValueError for no character."""
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(match: re.Match[str]) -> str:
    single, four, eight = match.groups()
    if single is not None:
        return _CONTROL.get(single, single)
    point = int(four or eight, 16)
    if point > 0x10FFFF or 0xD800 <= point < 0xE000:
        raise ValueError(f"{match[0]} is no character")
    return chr(point)


def _read(groups: Groups, places: Mapping[str, int], found: Found) -> None:
    """Put one triple where it belongs."""
    subject, _, predicate, target, _, text, language, _ = groups
    assert predicate is not None  # every triple has one
    about = _ENTITY.fullmatch(subject) if subject is not None else None
    if about is None:
        if predicate == _ABOUT and subject is not None and target is not None:
            _sitelink(subject, target, found)
        else:
            found.skipped["not about an item"] += 1
        return
    entity = about[1]
    kind = entity[0]
    if (field := _TERMS.get(predicate)) is not None and text is not None:
        place = places.get(language or "")
        if place is None:
            found.skipped["another language"] += 1
        else:
            found.names[(kind, entity, field, place, unescape(text))] = 1
    elif (direct := _DIRECT.fullmatch(predicate)) is not None and direct[1] == "direct":
        _fact(entity, direct[2], groups, found)
    elif predicate == _PROPERTY_TYPE and target is not None:
        datatype = PROPERTY_TYPES.get(target.rpartition("#")[2], "unknown")
        found.names[(kind, entity, "datatype", 0, datatype)] = 1
    elif predicate == _TYPE and target is not None and _DIRECT.fullmatch(target):
        found.skipped["novalue"] += 1
    elif predicate == _SAME and target is not None:
        found.skipped["redirect"] += 1
        if (end := _ENTITY.fullmatch(target)) is not None and kind == end[1][0] == ITEM:
            found.names[(kind, entity, REDIRECT, 0, end[1])] = 1
    elif _NORMALIZED in predicate:
        found.skipped["normalized value"] += 1
    else:
        found.skipped["another predicate"] += 1


def _sitelink(page: str, target: str, found: Found) -> None:
    """The English Wikipedia page about an item."""
    title, about = _WIKIPEDIA.fullmatch(page), _ENTITY.fullmatch(target)
    if title is None or about is None:
        found.skipped["another page"] += 1
    else:
        name = unquote(unescape(title[1])).replace("_", " ")
        found.names[(ITEM, about[1], "wikipedia", 0, name)] = 1


def _fact(s: str, p: str, groups: Groups, found: Found) -> None:
    """A truthy statement, or the reason why it is left out."""
    target, blank, text, language, datatype = groups[3:]
    if s[0] != ITEM:
        found.skipped["statement of a property"] += 1
    elif blank is not None or (target is not None and _UNKNOWN in target):
        found.skipped["somevalue"] += 1
    elif target is not None:
        _linked(s, p, unescape(target), found)
    elif text is not None and language is not None:
        value = f"{unescape(text)}@{language}"
        found.triples.append((s, p, None, value, "monolingualtext", None))
    elif text is not None and datatype in (None, f"{_XSD}string"):
        found.triples.append((s, p, None, unescape(text), "string", None))
    elif text is not None and (read := _LITERALS.get(datatype or "")) is not None:
        value, kind, precision = read(unescape(text))
        found.triples.append((s, p, None, value, kind, precision))
    else:
        found.skipped["datatype"] += 1


def _linked(s: str, p: str, target: str, found: Found) -> None:
    entity = _ENTITY.fullmatch(target)
    if entity is not None and entity[1][0] == ITEM:
        found.triples.append((s, p, entity[1], None, "wikibase-item", None))
    elif _OTHER_ENTITY.match(target):
        found.skipped["not an item"] += 1
    elif _MEDIA.match(target):
        found.skipped["datatype"] += 1
    else:
        found.triples.append((s, p, None, target, "url", None))


Literal = tuple[str, str, int | None]
"""Value, datatype and, of a date, precision."""


def _date(text: str) -> Literal:
    match = _DATE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no xsd:dateTime")
    sign, year, month, day = match.groups()
    number = -int(year) if sign == "-" else int(year)
    # XSD 1.1's year 0 is 1 before Christ.
    written = f"+{number:04d}" if number > 0 else f"-{1 - number:04d}"
    precision = YEAR if (month, day) == ("01", "01") or month == "00" else DAY
    if day == "00" and month != "00":
        precision = DAY - 1
    value, _ = parse_time(f"{written}-{month}-{day}T00:00:00Z", precision)
    return value, "time", precision


def _quantity(text: str) -> Literal:
    if not _NUMBER.fullmatch(text) or not isfinite(float(text)):
        raise ValueError(f"{text!r} is no number")
    return text.lstrip("+"), "quantity", None


def _point(text: str) -> Literal:
    match = _POINT.fullmatch(text.strip())
    if match is None or not (_NUMBER.fullmatch(match[1]) and _NUMBER.fullmatch(match[2])):
        raise ValueError(f"{text!r} is no point")
    longitude, latitude = float(match[1]), float(match[2])
    if not (abs(latitude) <= 90 and abs(longitude) <= 360):
        raise ValueError(f"{text!r} is no point on a globe")
    return f"{latitude},{longitude}", "globe-coordinate", None


_LITERALS: Mapping[str, Callable[[str], Literal]] = MappingProxyType(
    {
        f"{_XSD}dateTime": _date,
        f"{_XSD}date": lambda text: _date(f"{text}T00:00:00Z"),
        f"{_XSD}decimal": _quantity,
        f"{_XSD}integer": _quantity,
        f"{_XSD}double": _quantity,
        "http://www.opengis.net/ont/geosparql#wktLiteral": _point,
    }
)
