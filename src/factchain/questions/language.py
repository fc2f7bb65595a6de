"""In which language are the labels of a store? A store holds one, that with which it was filled.

`kg ingest --languages de` takes German labels, and English ones only where a fallback says so. The
store does not keep the code; whether it is English is seen from the labels of properties that
every graph of some size has.
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
IN_ENGLISH: dict[int, str] = {
    17: "country",
    19: "place of birth",
    20: "place of death",
    27: "country of citizenship",
    31: "instance of",
    36: "capital",
    50: "author",
    57: "director",
    131: "located in the administrative territorial entity",
    161: "cast member",
    495: "country of origin",
    569: "date of birth",
    570: "date of death",
    571: "inception",
}
"""English labels of frequent properties, by the number of their id."""
_CODE = re.compile(r"[a-z]{2,3}(-[a-z]{2,8})*")


def check_language(store: Store, chains: Iterable[FactChain], language: str) -> None:
    """Raise where labels lack, or are plainly not in the language.

    Raises ConfigError for what is no code of a language and, for another language than English,
    StoreError where the store's labels of frequent properties are English, or a property of the
    chains has no label. Ids of graphs that are not Wikidata may mean anything, so that labels
    which are not English prove nothing.
    """
    if not _CODE.fullmatch(language):
        raise ConfigError(f"--lang: {language!r} is no code of a language such as en, de or pt-br")
    rows = store.rows(queries.PROPERTY_LABELS, sorted(IN_ENGLISH))
    labels = {p: label for p, label in rows if label}
    english = sum(label == IN_ENGLISH[p] for p, label in labels.items())
    remedy = (
        "a store holds labels of one language: fill one with "
        f"`factchain kg ingest DUMP --languages {language}`, and draw the chains from it"
    )
    # A label that is the same in both languages proves nothing.
    if language != ENGLISH and labels and english > len(labels) / 2:
        raise StoreError(f"{store.path}: its labels are English, not `{language}`: {remedy}")
    used = {number(fact.p) for chain in chains for hop in chain.hops for fact in hop.facts}
    lacking = [f"P{p}" for (p,) in store.rows(queries.UNLABELLED, sorted(used))]
    if lacking and language != ENGLISH:
        told = ", ".join(lacking[:5]) + (" ..." if len(lacking) > 5 else "")
        raise StoreError(
            f"{store.path}: {len(lacking)} properties of the chains have no label in `{language}` "
            f"({told}): {remedy}"
        )
