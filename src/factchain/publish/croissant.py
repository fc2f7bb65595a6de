"""Croissant metadata of a published dataset: files with checksums, record sets, statements."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from factchain import __version__
from factchain.errors import InputError, MissingExtraError
from factchain.files import sha256
from factchain.publish.columns import Column, ColumnType
from factchain.publish.parquet import Part
from factchain.publish.responsible_ai import WIKIDATA, Statements
from factchain.publish.settings import DEFAULT_LICENCE, LICENCES, PublishSettings
from factchain.publish.statistics import Statistics

CROISSANT = "croissant.json"
CONFORMS_TO = ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"]

_TYPES: dict[ColumnType, str] = {
    "text": "sc:Text",
    "texts": "sc:Text",
    "integer": "sc:Integer",
    "integers": "sc:Integer",
    "boolean": "sc:Boolean",
}
_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "prov": "http://www.w3.org/ns/prov#",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def croissant(
    settings: PublishSettings,
    description: str,
    parts: Sequence[Part],
    folder: Path,
    seen: Statistics,
    told: Statements,
) -> dict[str, Any]:
    """The metadata as JSON-LD; the files of `parts` lie in `folder`."""
    content: dict[str, Any] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": settings.name,
        "description": description,
        "license": LICENCES[settings.licence or DEFAULT_LICENCE][1],
        "version": settings.version,
        "inLanguage": settings.language,
        "isAccessibleForFree": True,
        "keywords": ["multi-hop question answering", "retrieval", "knowledge graph", "benchmark"],
        **_optional(settings),
        **{f"rai:{name}": statement for name, statement in told.items()},
        "rai:hasSyntheticData": seen.imported < seen.questions,
        **_provenance(seen),
        "distribution": [_file(part, folder) for part in parts],
        "recordSet": [_record_set(part) for part in parts],
    }
    return content


def check_croissant(path: Path) -> None:
    """Have `mlcroissant` validate a file.

    Raises InputError where it finds an error, MissingExtraError without the extra `publish`.
    """
    try:
        import mlcroissant
    except ImportError as error:
        raise MissingExtraError("Croissant metadata", "publish") from error
    # It logs what is only recommended, such as an address that is not known yet.
    log = logging.getLogger("absl")
    before, log.disabled = log.disabled, True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of rdflib, which it uses
            mlcroissant.Dataset(str(path))
    except mlcroissant.ValidationError as error:
        raise InputError(f"{path.name}: mlcroissant refuses it: {error}") from error
    finally:
        log.disabled = before


def _optional(settings: PublishSettings) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if settings.url:
        found["url"] = settings.url
    if settings.creator:
        found["creator"] = {"@type": "sc:Organization", "name": settings.creator}
    found["citeAs"] = settings.cited
    if settings.date:
        found["datePublished"] = settings.date.isoformat()
    return found


def _provenance(seen: Statistics) -> Mapping[str, Any]:
    """Where the data comes from; nothing where all of it was imported."""
    if seen.imported == seen.questions:
        return {}
    return {
        "prov:wasDerivedFrom": WIKIDATA,
        "prov:wasGeneratedBy": f"factchain {__version__}: chains sampled from a knowledge graph, "
        "put into words and verified by execution",
    }


def _name(part: Part) -> str:
    return f"{part.table.name}-{part.split}"


def _file(part: Part, folder: Path) -> dict[str, Any]:
    path = folder / part.path
    return {
        "@type": "cr:FileObject",
        "@id": f"{_name(part)}.parquet",
        "name": f"{_name(part)}.parquet",
        "description": f"{part.table.about} Split {part.split}.",
        "contentUrl": part.path.as_posix(),
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": "application/x-parquet",
        "sha256": sha256(path),
    }


def _record_set(part: Part) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": _name(part),
        "name": _name(part),
        "description": f"{part.table.about} Split {part.split}, {part.rows:,} rows.",
        "field": [_field(part, column) for column in part.table.columns],
    }


def _field(part: Part, column: Column) -> dict[str, Any]:
    found: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": f"{_name(part)}/{column.name}",
        "name": f"{_name(part)}/{column.name}",
        "description": column.about,
        "dataType": _TYPES[column.type],
        "source": {
            "fileObject": {"@id": f"{_name(part)}.parquet"},
            "extract": {"column": column.name},
        },
    }
    if column.type in ("texts", "integers"):
        found["repeated"] = True
    return found
