"""Fixtures: the reference data, small dumps and stores written in the test."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from factchain import progress
from factchain.kg.dumps.chunks import ChunkReader
from factchain.kg.dumps.dump import DumpSettings, Parser
from factchain.kg.dumps.ingest import ingest
from factchain.kg.dumps.statements import FactFilter
from factchain.kg.records import DumpTables
from factchain.kg.store import Store

# No example is timed, since the machine may be busy; CI runs the same examples every time.
hypothesis.settings.register_profile("local", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "local")

REFERENCE_DATA = Path(__file__).parents[2] / "shared" / "data"
DATES = ("2021-06-21", "2024-06-05")

Edge = tuple[str, str, str]


@pytest.fixture(autouse=True)
def _loud() -> Iterable[None]:
    """Leave no silenced progress behind."""
    yield
    progress.set_silent(False)


@pytest.fixture
def reference() -> Callable[[str], Path]:
    """A file of the reference data; the test is skipped where that is absent."""

    def find(name: str) -> Path:
        path = REFERENCE_DATA / name
        if not path.exists():
            pytest.skip(f"the reference data is absent: {path}")
        return path

    return find


def item_snak(prop: str, target: str) -> dict[str, Any]:
    value = {"entity-type": "item", "numeric-id": int(target[1:]), "id": target}
    return {
        "snaktype": "value",
        "property": prop,
        "datatype": "wikibase-item",
        "datavalue": {"type": "wikibase-entityid", "value": value},
    }


def claim(snak: dict[str, Any], rank: str = "normal", **qualifiers: Any) -> dict[str, Any]:
    return {
        "mainsnak": snak,
        "type": "statement",
        "rank": rank,
        "qualifiers": qualifiers or [],
    }


def item(
    qid: str,
    label: str | None = None,
    claims: Iterable[dict[str, Any]] = (),
    description: str = "",
    aliases: Iterable[str] = (),
) -> dict[str, Any]:
    """An item as a dump holds it; empty maps are lists, as there."""
    grouped: dict[str, list[dict[str, Any]]] = {}
    for one in claims:
        grouped.setdefault(one["mainsnak"]["property"], []).append(one)

    def term(text: str) -> dict[str, str]:
        return {"language": "en", "value": text}

    return {
        "type": "item",
        "id": qid,
        "labels": {"en": term(label)} if label else [],
        "descriptions": {"en": term(description)} if description else [],
        "aliases": {"en": [term(a) for a in aliases]} if aliases else [],
        "claims": grouped or [],
        "sitelinks": [],
    }


def property_entity(pid: str, label: str) -> dict[str, Any]:
    entity = item(pid, label)
    return entity | {"type": "property", "datatype": "wikibase-item"}


def write_dump(path: Path, entities: Iterable[dict[str, Any]]) -> Path:
    """A dump in the official layout."""
    path.write_text("[\n" + ",\n".join(json.dumps(e) for e in entities) + "\n]\n")
    return path


def parse_dump(path: Path, settings: DumpSettings | None = None) -> list[DumpTables]:
    """What the chunks of a dump hold."""
    parser = Parser(settings or DumpSettings(FactFilter(date=DATES[1])))
    return [parser.parse(chunk) for chunk in ChunkReader([path])]


def edges_to_entities(edges: Iterable[Edge]) -> list[dict[str, Any]]:
    """Items labelled by their ids, with one claim an edge, and the properties."""
    edges = list(edges)
    ids = sorted({e for s, _, o in edges for e in (s, o)})
    return [
        *(property_entity(p, f"property {p}") for p in sorted({p for _, p, _ in edges})),
        *(
            item(q, f"entity {q}", [claim(item_snak(p, o)) for s, p, o in edges if s == q])
            for q in ids
        ),
    ]


@pytest.fixture
def make_store(tmp_path: Path) -> Iterable[Callable[..., Store]]:
    """Build a store from the edges of one or two snapshots."""
    opened: list[Store] = []

    def make(*snapshots: Iterable[Edge]) -> Store:
        folder = tmp_path / f"store-{len(opened)}"
        folder.mkdir()
        store = Store.create(folder / "kg.duckdb")
        opened.append(store)
        for date, edges in zip(DATES, snapshots, strict=False):
            dump = write_dump(folder / f"{date}.json", edges_to_entities(edges))
            ingest(store, dump, date, date)
        return store

    yield make
    for store in opened:
        store.close()
