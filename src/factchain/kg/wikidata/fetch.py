"""A slice of Wikidata around some items, from its service -> one snapshot of the store.

The slice is written as a dump in the official layout and read like one, so that its facts are
those that `kg ingest` would have taken.
"""

from __future__ import annotations

import gzip
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import orjson
from qwikidata.entity import WikidataItem

from factchain.errors import InputError
from factchain.files import write_atomically
from factchain.kg.dumps.ingest import ingest
from factchain.kg.dumps.values import entity_number
from factchain.kg.records import number
from factchain.kg.store import Store
from factchain.kg.wikidata.wikidata_api import FULL, NAMES, WikidataApi
from factchain.progress import say, track

LIMIT = 1_000
SLICE = "wikidata-slice.json"


@dataclass(frozen=True)
class Wanted:
    """What a slice begins with, and how far it goes."""

    entities: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    """Items of which instances, also of subclasses, are wanted."""
    sparql: str | None = None
    """A query whose first variable gives items."""
    hops: int = 0
    """How often the items that the statements lead to are fetched too."""
    limit: int = LIMIT
    """Items that are fetched with their statements."""


@dataclass(frozen=True)
class FetchSummary:
    """What the service gave."""

    items: int
    """Fetched with their statements."""
    named: int
    """Items and properties that these lead to, fetched with their names alone."""
    missing: int
    redirects: int
    beyond_limit: int
    """Items that would have been fetched with their statements."""
    requests: int
    facts: int
    rejects: int
    skipped: dict[str, int]


def parse_ids(text: str) -> tuple[str, ...]:
    """Q-ids apart by commas or white space. Raises InputError for anything else, or none."""
    ids = text.replace(",", " ").split()
    for one in ids:
        try:
            if one[0] != "Q":
                raise ValueError
            entity_number(one)
        except ValueError as error:
            raise InputError(f"{one!r} is no item: expected Q-ids, as in Q42,Q64") from error
    if not ids:
        raise InputError("no item is given: expected Q-ids, as in Q42,Q64")
    return tuple(dict.fromkeys(ids))


def read_ids(text: str) -> tuple[str, ...]:
    """Q-ids, or those in the file of that name."""
    path = Path(text)
    return parse_ids(_read(path) if path.is_file() else text)


def read_query(path: Path) -> str:
    """A SPARQL query from a file. Raises InputError where it cannot be read, or is empty."""
    query = _read(path)
    if not query.strip():
        raise InputError(f"{path}: is empty: expected a SPARQL query")
    return query


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error


def class_query(classes: Sequence[str], limit: int) -> str:
    """The SPARQL query for instances of classes and their subclasses."""
    values = " ".join(f"wd:{one}" for one in classes)
    return (
        f"SELECT DISTINCT ?item WHERE {{ VALUES ?class {{ {values} }} "
        f"?item wdt:P31/wdt:P279* ?class . }} LIMIT {limit}"
    )


def fetch(
    store: Store,
    api: WikidataApi,
    wanted: Wanted,
    name: str,
    date: str,
    *,
    keep_dump: Path | None = None,
) -> FetchSummary:
    """Add the slice as the snapshot `name` of the day `date` (ISO).

    `keep_dump` keeps it as a dump as well. Raises InputError where the service cannot be reached
    or has none of what is wanted; the store is then as it was.
    """
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix=".fetch.", dir=store.path.parent) as folder:
        dump = Path(folder) / SLICE
        with ExitStack() as stack:
            outputs: list[BinaryIO] = [stack.enter_context(dump.open("wb"))]
            if keep_dump is not None:
                outputs.append(stack.enter_context(_new_dump(keep_dump)))
            _write_dump(outputs, _slice(api, wanted, counts))
        added = ingest(store, dump, name, date)
    return FetchSummary(
        items=counts["items"],
        named=counts["named"],
        missing=counts["missing"],
        redirects=counts["redirects"],
        beyond_limit=counts["beyond limit"],
        requests=api.requests,
        facts=added.facts,
        rejects=added.rejects,
        skipped=added.skipped,
    )


@contextmanager
def _new_dump(path: Path) -> Iterator[BinaryIO]:
    """A dump to write, compressed where its name ends in `.gz`; complete or absent."""
    with write_atomically(path) as out:
        if path.suffix == ".gz":
            with gzip.GzipFile("", "wb", fileobj=out, mtime=0) as compressed:
                yield cast(BinaryIO, compressed)
        else:
            yield out


def _write_dump(outputs: Sequence[BinaryIO], entities: Iterator[dict[str, Any]]) -> None:
    """One entity a line between brackets, as in the official dump."""
    before = b"[\n"
    for entity in entities:
        line = before + orjson.dumps(entity)
        for out in outputs:
            out.write(line)
        before = b",\n"
    for out in outputs:
        out.write(b"\n]\n")


def _slice(api: WikidataApi, wanted: Wanted, counts: Counter[str]) -> Iterator[dict[str, Any]]:
    """The items that are wanted, hop by hop, then the names of what they lead to."""
    ring = _seeds(api, wanted)
    asked: set[str] = set()
    done: set[str] = set()
    led: set[str] = set()
    for hop in range(wanted.hops + 1):
        room = wanted.limit - counts["items"]
        counts["beyond limit"] += max(0, len(ring) - room)
        ring = ring[:room]
        asked.update(ring)
        found: set[str] = set()
        what = f"fetching items, hop {hop} of {wanted.hops}"
        for entity in _new(api, ring, FULL, what, done, counts):
            counts["items"] += "redirect" not in entity
            items, others = links(entity)
            found |= items
            led |= items | others
            yield entity
        if not done:
            raise InputError(
                f"the service has no such item as {ring[0] if ring else 'is wanted'}: check the ids"
            )
        ring = sorted(found - asked - done, key=number)
    names = sorted(led - asked - done, key=lambda one: (one[0], number(one)))
    for entity in _new(api, names, NAMES, "fetching names", done, counts):
        counts["named"] += "redirect" not in entity
        yield entity


def _seeds(api: WikidataApi, wanted: Wanted) -> list[str]:
    """The items that a slice begins with. Raises InputError where there are none."""
    items = list(wanted.entities)
    queries = [class_query(wanted.classes, wanted.limit)] if wanted.classes else []
    if wanted.sparql is not None:
        queries.append(wanted.sparql)
    for query in queries:
        found, others = api.query(query)
        if others:
            say(f"  the query gave {others} values that are no items; they are left out")
        items += found
    if not items:
        raise InputError("the query gives no item: run it at the query service to see what it does")
    return list(dict.fromkeys(items))


def _new(
    api: WikidataApi,
    ids: Sequence[str],
    props: str,
    what: str,
    done: set[str],
    counts: Counter[str],
) -> Iterator[dict[str, Any]]:
    """The entities of these ids that were not `done`, and redirects as a dump has them."""
    for asked, entity in track(api.entities(ids, props), what, len(ids)):
        if entity is None:
            counts["missing"] += 1
            continue
        own = entity.get("id")
        if own != asked:
            counts["redirects"] += 1
            yield {"entity": asked, "redirect": own}
        if own not in done:
            done.add(str(own))
            yield {key: value for key, value in entity.items() if key != "redirects"}


def links(entity: dict[str, Any]) -> tuple[set[str], set[str]]:
    """The items that an entity's truthy statements lead to; its properties and units.

    Read by `qwikidata`, the reference for what is truthy. A group of statements that it cannot
    read leads nowhere; reading the slice tells what is wrong with it.
    """
    items: set[str] = set()
    others: set[str] = set()
    try:
        item = WikidataItem(entity)
    except (ValueError, TypeError, LookupError):
        return items, others
    claims = entity["claims"] if isinstance(entity["claims"], dict) else {}
    for prop in claims:
        try:
            for claim in item.get_truthy_claim_group(prop):
                snak = claim.mainsnak
                others.add(str(prop))
                if snak.value_datatype == "wikibase-entityid" and snak.datavalue:
                    target = snak.datavalue.value
                    if target["entity-type"] == "item":
                        items.add(target.get("id") or f"Q{target['numeric-id']}")
                elif snak.value_datatype == "quantity" and snak.datavalue:
                    unit = str(snak.datavalue.value["unit"]).rpartition("/")[2]
                    if unit.startswith("Q"):
                        others.add(unit)
        except (ValueError, TypeError, LookupError, AttributeError):
            continue
    return {one for one in items if _is_id(one)}, {one for one in others if _is_id(one)}


def _is_id(text: object) -> bool:
    try:
        entity_number(str(text))
    except ValueError:
        return False
    return True
