"""The sample's tables -> two dumps in the official Wikidata JSON layout, and a wikimapper source.

Which statements a snapshot holds follows from their dates: one that starts after the snapshot
is not there yet, and an end that lies after it is not known yet.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import orjson

from factchain.data.tables import Entity, Property, SampleTables, Statement, read_tables
from factchain.files import write_atomically, write_text

SNAPSHOTS = {"2021": "2021-06-21", "2024": "2024-06-05"}
_GREGORIAN = "http://www.wikidata.org/entity/Q1985727"
_JULIAN = "http://www.wikidata.org/entity/Q1985786"
_FIRST_GREGORIAN_DAY = "1582-10-15"


@dataclass(frozen=True, slots=True)
class SampleInput:
    """Where the rendered sample lies."""

    config: Path
    dumps: tuple[Path, ...]
    passages: Path


def sample_folder() -> Traversable:
    """The folder of the bundled sample."""
    return files("factchain.data") / "sample"


def render_sample(out: Path) -> SampleInput:
    """Write the sample's dumps, passages and config into the folder `out`."""
    tables = read_tables(sample_folder() / "tables")
    dumps = []
    for year, date in SNAPSHOTS.items():
        dump = out / f"wikidata-{date}.json.gz"
        with (
            write_atomically(dump) as file,
            gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as archive,
        ):
            archive.write(b"[\n")
            lines = [orjson.dumps(line) for line in dump_lines(tables, year)]
            archive.write(b",\n".join(lines))
            archive.write(b"\n]\n")
        dumps.append(dump)
    for name in ("passages.jsonl", "config.yaml"):
        write_text(out / name, (sample_folder() / name).read_text(encoding="utf-8"))
    return SampleInput(out / "config.yaml", tuple(dumps), out / "passages.jsonl")


def dump_lines(tables: SampleTables, year: str) -> Iterator[dict[str, Any]]:
    """The entities of the snapshot of `year` (a key of SNAPSHOTS), properties first."""
    units = {p.id: tables.ids_by_label[p.unit][0] for p in tables.properties.values() if p.unit}
    for prop in tables.properties.values():
        yield {
            "type": "property",
            "datatype": prop.datatype,
            "id": prop.id,
            **_terms(prop.label, prop.description, prop.aliases),
            "claims": [],
        }
    for entity in tables.entities.values():
        if entity.since and entity.since > year:
            continue
        claims: dict[str, list[dict[str, Any]]] = {}
        for statement in entity.statements:
            if not _stands(statement, year):
                continue
            group = claims.setdefault(statement.property, [])
            key = f"{entity.id}${statement.property}-{len(group) + 1}"
            prop = tables.properties[statement.property]
            group.append(_claim(statement, prop, units.get(prop.id), key, year))
        yield {
            "type": "item",
            "id": entity.id,
            **_terms(entity.label, entity.description, entity.aliases),
            "claims": claims or [],
            "sitelinks": _sitelinks(entity),
        }


def _stands(statement: Statement, year: str) -> bool:
    if statement.only:
        return statement.only == year
    return not statement.start or statement.start <= SNAPSHOTS[year]


def _terms(label: str, description: str, aliases: tuple[str, ...]) -> dict[str, Any]:
    return {
        "labels": {"en": {"language": "en", "value": label}},
        "descriptions": {"en": {"language": "en", "value": description}} if description else [],
        "aliases": {"en": [{"language": "en", "value": a} for a in aliases]} if aliases else [],
    }


def _sitelinks(entity: Entity) -> dict[str, Any]:
    return {"enwiki": {"site": "enwiki", "title": entity.wikipedia, "badges": []}}


def _claim(
    statement: Statement, prop: Property, unit: str | None, key: str, year: str
) -> dict[str, Any]:
    qualifiers = {}
    if statement.start:
        qualifiers["P580"] = [_qualifier("P580", statement.start)]
    if statement.end and statement.end <= SNAPSHOTS[year]:
        qualifiers["P582"] = [_qualifier("P582", statement.end)]
    if statement.snaktype == "value":
        mainsnak = _snak(prop.id, prop.datatype, statement.value, unit)
    else:
        mainsnak = {
            "snaktype": statement.snaktype,
            "property": prop.id,
            "datatype": prop.datatype,
        }
    claim = {"mainsnak": mainsnak, "type": "statement", "id": key, "rank": statement.rank}
    if qualifiers:
        claim |= {"qualifiers": qualifiers, "qualifiers-order": list(qualifiers)}
    return claim


def _qualifier(prop: str, date: str) -> dict[str, Any]:
    snak = _snak(prop, "time", date, None)
    digest = hashlib.sha1(orjson.dumps(snak, option=orjson.OPT_SORT_KEYS), usedforsecurity=False)
    return {"hash": digest.hexdigest()} | snak


def _snak(prop: str, datatype: str, text: str, unit: str | None) -> dict[str, Any]:
    return {
        "snaktype": "value",
        "property": prop,
        "datatype": datatype,
        "datavalue": _datavalue(datatype, text, unit),
    }


def _datavalue(datatype: str, text: str, unit: str | None) -> dict[str, Any]:
    if datatype == "wikibase-item":
        value = {"entity-type": "item", "numeric-id": int(text[1:]), "id": text}
        return {"type": "wikibase-entityid", "value": value}
    if datatype == "quantity":
        amount = text if text.startswith("-") else f"+{text}"
        address = f"http://www.wikidata.org/entity/{unit}" if unit else "1"
        return {"type": "quantity", "value": {"amount": amount, "unit": address}}
    if datatype == "time":
        sign, date = ("-", text[1:]) if text.startswith("-") else ("+", text)
        parts = [*date.split("-"), "00", "00"][:3]
        julian = sign == "-" or date < _FIRST_GREGORIAN_DAY
        return {
            "type": "time",
            "value": {
                "time": f"{sign}{'-'.join(parts)}T00:00:00Z",
                "timezone": 0,
                "before": 0,
                "after": 0,
                "precision": 9 + date.count("-"),
                "calendarmodel": _JULIAN if julian else _GREGORIAN,
            },
        }
    return {"type": "string", "value": text}
