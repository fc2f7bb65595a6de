"""Wikipedia's text, or a corpus of another layout -> a file of passages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import orjson

from factchain.errors import InputError
from factchain.files import write_atomically
from factchain.kg import doors_queries
from factchain.kg.records import TextPassage, qid
from factchain.kg.store import Store
from factchain.kg.text import wikiextractor, wikitext
from factchain.kg.text.pages import Page, TitleRedirect
from factchain.kg.text.sources import Format, Read, files_of, read_sources
from factchain.parallel import Engine, map_shards
from factchain.progress import measuring

MIN_WORDS = 5
SHARD_CHARACTERS = 2**20
"""Of the pages that one worker cuts at a time."""
BATCH = 10_000
"""Passages whose entities are looked up at a time."""


@dataclass(frozen=True)
class TextSummary:
    """What the sources gave."""

    pages: int
    passages: int
    links: int
    with_entity: int
    """Passages of pages whose entity is known."""
    redirects: int
    skipped: dict[str, int]


class Cut(NamedTuple):
    """A shard of what was read, cut into passages."""

    passages: list[TextPassage]
    redirects: list[TitleRedirect]
    pages: int
    skipped: Counter[str]


def write_passages(
    sources: Sequence[Path],
    out: Path,
    *,
    form: Format | None = None,
    min_words: int = MIN_WORDS,
    store: Store | None = None,
    redirects: Path | None = None,
    workers: int = 1,
    engine: Engine = "local",
) -> TextSummary:
    """Write the passages of the sources, files or folders, to `out`, and redirects where asked.

    A paragraph of at least `min_words` words is a passage. With a store, pages get the entity
    whose Wikipedia title is theirs. Raises InputError for a malformed source; nothing is written.
    """
    skipped = Counter[str]()
    counts = Counter[str]()
    files = files_of(sources)
    size = sum(file.stat().st_size for file in files if file.is_file())
    with ExitStack() as stack:
        on_read = stack.enter_context(measuring("cutting pages", size))
        read = read_sources(files, form, skipped, on_read)
        cuts = map_shards(partial(cut, min_words=min_words), _shards(read), workers, engine)
        passages_file = stack.enter_context(write_atomically(out))
        redirects_file = stack.enter_context(write_atomically(redirects)) if redirects else None

        def passages() -> Iterator[TextPassage]:
            for part in cuts:
                counts.update(pages=part.pages, redirects=len(part.redirects))
                skipped.update(part.skipped)
                if redirects_file is not None:
                    for redirect in part.redirects:
                        redirects_file.write(orjson.dumps(redirect.model_dump()) + b"\n")
                yield from part.passages

        for passage in with_entities(passages(), store):
            known = passage.entity is not None
            counts.update(passages=1, links=len(passage.links), with_entity=known)
            passages_file.write(orjson.dumps(passage.model_dump(mode="json")) + b"\n")
        if not counts["passages"]:
            raise InputError(
                f"{sources[0]}: holds no passage of {min_words} words or more "
                f"({dict(sorted(skipped.items()))})"
            )
    return TextSummary(
        pages=counts["pages"],
        passages=counts["passages"],
        links=counts["links"],
        with_entity=counts["with_entity"],
        redirects=counts["redirects"],
        skipped=dict(sorted(skipped.items())),
    )


def _shards(read: Iterable[Read]) -> Iterator[list[Read]]:
    """What was read, in stretches of about `SHARD_CHARACTERS`."""
    shard: list[Read] = []
    size = 0
    for one in read:
        shard.append(one)
        size += len(one.body) if isinstance(one, Page) else len(one.title)
        size += len(one.text) if isinstance(one, TextPassage) else 0
        if size >= SHARD_CHARACTERS:
            yield shard
            shard, size = [], 0
    if shard:
        yield shard


def cut(shard: list[Read], *, min_words: int) -> Cut:
    """The passages of some pages, in their order: a paragraph each, numbered from 1."""
    done = Cut([], [], 0, Counter())
    pages = 0
    for one in shard:
        if isinstance(one, TitleRedirect):
            done.redirects.append(one)
        elif isinstance(one, TextPassage):
            if len(one.text.split()) < min_words:
                done.skipped["short paragraph"] += 1
            else:
                done.passages.append(one)
        else:
            pages += 1
            _cut_page(one, min_words, done)
    return done._replace(pages=pages)


def _cut_page(page: Page, min_words: int, done: Cut) -> None:
    try:
        if page.markup == "wikitext":
            paragraphs = wikitext.paragraphs(page.body, page.prefixes)
        else:
            paragraphs = wikiextractor.paragraphs(page.title, page.body)
    except ValueError:
        done.skipped["unreadable wikitext"] += 1
        return
    number = 0
    for text, links in paragraphs:
        if len(text.split()) < min_words:
            done.skipped["short paragraph"] += 1
            continue
        number += 1
        done.passages.append(
            TextPassage(id=f"{page.id}-{number}", title=page.title, text=text, links=links)
        )


def with_entities(passages: Iterator[TextPassage], store: Store | None) -> Iterator[TextPassage]:
    """Passages with the entity of their page, where the store has an entity of that title."""
    if store is None:
        yield from passages
        return
    while batch := list(islice(passages, BATCH)):
        titles = {p.title: p.title.replace("_", " ") for p in batch if p.entity is None}
        rows = store.rows(doors_queries.ENTITIES_OF_TITLES, sorted(set(titles.values())))
        entities = dict(rows)
        for passage in batch:
            entity = entities.get(titles.get(passage.title, ""))
            if passage.entity is None and entity is not None:
                passage = passage.model_copy(update={"entity": qid(entity)})
            yield passage
