"""Are the labels of a store in the language of the questions?

A store holds labels of one language, that with which its newest snapshot was filled: `kg ingest
--languages de,en` takes German labels, and English ones only where those lack. Of a graph that came
as a table of triples the language is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from factchain.chains.records import FactChain
from factchain.errors import ConfigError, StoreError
from factchain.kg.records import number
from factchain.kg.store import Store
from factchain.questions import queries

ENGLISH = "en"
IN_ALL = "mul"
"""Names that hold in all languages."""
_CODE = re.compile(r"[a-z]{2,3}(-[a-z]{2,8})*")


def check_language(store: Store, chains: Iterable[FactChain], language: str) -> None:
    """Raise where labels lack, or are in another language.

    Raises ConfigError for what is no code of a language, and StoreError where the store was filled
    with labels of another language or, for another language than English, a property of the
    chains has no label.
    """
    if not _CODE.fullmatch(language):
        raise ConfigError(f"--lang: {language!r} is no code of a language such as en, de or pt-br")
    remedy = (
        "a store holds labels of one language: fill one with "
        f"`factchain kg ingest DUMP --languages {language}`, and draw the chains from it"
    )
    held = store.newest().languages
    if held and held[0] not in (language, IN_ALL):
        raise StoreError(f"{store.path}: its labels are in `{held[0]}`, not `{language}`: {remedy}")
    used = {number(fact.p) for chain in chains for hop in chain.hops for fact in hop.facts}
    lacking = [f"P{p}" for (p,) in store.rows(queries.UNLABELLED, sorted(used))]
    if lacking and language != ENGLISH:
        told = ", ".join(lacking[:5]) + (" ..." if len(lacking) > 5 else "")
        raise StoreError(
            f"{store.path}: {len(lacking)} properties of the chains have no label in `{language}` "
            f"({told}): {remedy}"
        )
