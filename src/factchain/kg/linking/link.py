"""Statements in words -> facts of the graph that passages state.

Heads and tails are looked up as titles of pages in a wikimapper index, redirects followed, those
of the wiki and those of the graph;
relations are names of properties: a label, or else an alias, of the store's. Several properties
of one alias are told apart by the classes that they join in the graph. As in MINTQA, only facts
that the newest snapshot holds are kept, in the direction that the statement has: the inverse of a
relation is another property, if Wikidata has it at all. What is dropped is counted by reason.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
from wikimapper import WikiMapper

from factchain.errors import InputError
from factchain.kg.dumps.values import LARGEST_NUMBER
from factchain.kg.extraction import queries as text_queries
from factchain.kg.extraction.mentions import keep
from factchain.kg.linking import queries
from factchain.kg.records import number
from factchain.kg.shared_folder import join, let_duckdb_read, write_parquet
from factchain.kg.store import Store
from factchain.parallel import Engine, map_shards
from factchain.progress import track

SPANS_A_SHARD = 20_000
MEMORY_OF_STATED = 200
"""Bytes that DuckDB has for each statement that it joins with what its words mean, at least."""
SPAN_SCHEMA = pa.schema(
    [("span", pa.string()), ("entity", pa.int64()), ("disambiguation", pa.bool_())]
)
RELATION_SCHEMA = pa.schema([("relation", pa.string()), ("p", pa.int32())])
DISAMBIGUATION = " (disambiguation)"


@dataclass(frozen=True)
class LinkSummary:
    """What linking gave."""

    statements: int
    """Statements that were read, with repetitions."""
    kept: int
    """Of these, those that state a fact of the graph."""
    facts: int
    """Facts that are stated at all."""
    dropped: dict[str, int]
    """The other statements, by reason."""
    merged: int = 0
    """Spans whose item was merged into another, which they are taken for."""


class Meaning(NamedTuple):
    """What a span means."""

    span: str
    entity: int | None
    disambiguation: bool
    """Whether its page only lists what it may mean."""


@dataclass(frozen=True, slots=True)
class SpanShard:
    """Some spans to look up, and where to put what they mean."""

    address: str
    index: Path
    spans: list[str]


def link(
    store: Store,
    index: Path,
    extractor: str,
    folder: str,
    *,
    workers: int = 1,
    engine: Engine = "local",
) -> LinkSummary:
    """Link the statements in the store's view `stated`; put the mentions in the store.

    `folder` (a path or fsspec address) takes the spans' meanings. What the extractor found
    before is replaced, and popularity goes: it has to be counted again. Use it inside a
    transaction, with an index that is checked (`check_index`).
    """
    shards = _shards(store, index, folder)
    done = track(map_shards(link_spans, shards, workers, engine), "linking, by shard")
    spans = {"shards": list(done)}
    relations = [relation for (relation,) in store.rows(queries.RELATIONS)]
    properties = properties_of(relations, store)
    execute = store.connection.execute
    let_duckdb_read(store.connection, folder)
    with store.incoming(relation=pa.Table.from_pylist(properties, schema=RELATION_SCHEMA)):
        execute(queries.KEEP_RELATIONS)
    with (
        store.aside("meant", queries.MEANINGS, spans),
        store.aside("meant_edge", queries.MEANT_EDGES),
        store.aside("type_support", queries.TYPE_SUPPORT),
    ):
        bound = {"extractor": extractor}
        keep(store, "mention", text_queries.OTHER_MENTIONS, bound)
        keep(store, "entity_mention", text_queries.OTHER_ENTITY_MENTIONS, bound)
        statements, kept, dropped = _add_mentions(store, extractor)
        ((merged,),) = store.rows(queries.COUNT_MERGED)
    execute(queries.DROP_RELATIONS)
    execute(text_queries.DROP_COUNTS)
    ((facts,),) = store.rows(queries.COUNT_FACTS, extractor)
    return LinkSummary(statements, kept, facts, dict(sorted(dropped.items())), merged)


def _add_mentions(store: Store, extractor: str) -> tuple[int, int, Counter[str]]:
    """How many statements there are, how many state a fact, and why the others do not."""
    execute = store.connection.execute
    bound = {"extractor": extractor}
    statements = kept = 0
    dropped: Counter[str] = Counter()
    ((count,),) = store.rows(queries.COUNT_STATED)
    for part in store.parts(queries.STATING_PASSAGES, count, MEMORY_OF_STATED, ("", None)):
        with (
            store.aside("stated_part", queries.STATED_PART, part),
            store.aside("chosen", queries.CHOSEN_PROPERTIES),
            store.aside("linked_statement", queries.LINKED_STATEMENTS),
        ):
            ((here, linked, named),) = store.rows(queries.LINKED_SIZES)
            statements, kept = statements + int(here), kept + int(linked)
            # Not where there are none: see `keep`.
            if linked:
                execute(queries.ADD_MENTIONS, bound)
            if named:
                execute(queries.ADD_ENTITY_MENTIONS, bound)
            dropped.update({why: int(number) for why, number in store.rows(queries.DROPPED)})
    return statements, kept, dropped


def check_index(index: Path) -> None:
    """Raise InputError where the file is no wikimapper index."""
    # wikimapper would make an empty file where there is none.
    try:
        with closing(sqlite3.connect(f"{index.absolute().as_uri()}?mode=ro", uri=True)) as file:
            held = file.execute(queries.HAS_TABLE, ["mapping"]).fetchone()
    except sqlite3.Error as error:
        raise InputError(f"{index}: cannot be read as an index: {error}; {_REMEDY}") from error
    if not held:
        raise InputError(f"{index}: holds no table `mapping`: it is no wikimapper index; {_REMEDY}")


_REMEDY = "`factchain kg link --sql-dumps DIR` makes one from a wiki's SQL dumps"


def link_spans(shard: SpanShard) -> str:
    """Write what each span means, by the index; return where that is."""
    with closing(TitleIndex(shard.index)) as index:
        rows = [index.meaning(span)._asdict() for span in shard.spans]
    write_parquet(shard.address, pa.Table.from_pylist(rows, schema=SPAN_SCHEMA))
    return shard.address


class TitleIndex:
    """A wikimapper index, and which of its pages are disambiguation pages, where it says so."""

    def __init__(self, path: Path) -> None:
        self._mapper = WikiMapper(str(path))
        self._marks = self._mapper.conn.execute(queries.HAS_TABLE, ["disambiguation"]).fetchone()

    def meaning(self, span: str) -> Meaning:
        """Look a span up as a title: as it is, then with its first letter upper-cased."""
        title = "_".join(span.replace("_", " ").split())
        for tried in dict.fromkeys((title, title[:1].upper() + title[1:])):
            if self._is_ambiguous(tried):
                return Meaning(span, None, True)
            item = self._mapper.title_to_id(tried)
            if item and number(item) <= LARGEST_NUMBER:
                return Meaning(span, number(item), False)
        return Meaning(span, None, False)

    def _is_ambiguous(self, title: str) -> bool:
        if not self._marks:
            return title.endswith(DISAMBIGUATION.replace(" ", "_"))
        found = self._mapper.conn.execute(queries.FIND_DISAMBIGUATION, [title]).fetchone()
        return found is not None

    def close(self) -> None:
        """Close the file."""
        self._mapper.conn.close()


def _shards(store: Store, index: Path, folder: str) -> Iterator[SpanShard]:
    rows = store.connection.execute(queries.SPANS)
    for position in count():
        spans = [span for (span,) in rows.fetchmany(SPANS_A_SHARD)]
        # The first one is written in any case: a run without statements is read like others.
        if position and not spans:
            return
        yield SpanShard(join(folder, f"spans-{position:06}.parquet"), index, spans)


def properties_of(relations: Iterable[str], store: Store) -> list[dict[str, str | int]]:
    """A row for each relation and property that it may mean: those of that label, else alias."""
    labels: dict[str, set[int]] = defaultdict(set)
    aliases: dict[str, set[int]] = defaultdict(set)
    for p, label, others in store.rows(queries.PROPERTY_NAMES):
        if label:
            labels[_folded(label)].add(p)
        for alias in others:
            aliases[_folded(alias)].add(p)
    return [
        {"relation": relation, "p": p}
        for relation in dict.fromkeys(relations)
        for p in sorted(labels.get(_folded(relation)) or aliases.get(_folded(relation)) or ())
    ]


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())
