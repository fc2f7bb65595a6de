"""Read a file of chains: ours, or in MINTQA's layout (SPEC.md section 2).

MINTQA's lines hold `triple`, the [subject, relation, object] labels of a chain, and, in some
versions, `triple_ids` with their ids. Labels are resolved by the store: a label or alias of one
entity is that entity; where several bear it, the one that the stated fact is about. What stays
unknown or ambiguous is named, and its chain is not checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import orjson
import pyarrow as pa

from factchain.chains import queries
from factchain.chains.proof.plan import NoPlan
from factchain.chains.proof.sparql import to_sparql
from factchain.chains.records import (
    MAX_HOPS,
    ChainFact,
    EntityRef,
    FactChain,
    Hop,
    Query,
)
from factchain.errors import InputError
from factchain.kg.records import pid, qid
from factchain.kg.store import Store
from factchain.records import read_record

SCHEMA = FactChain.model_fields["schema_version"].default
_ID = re.compile("[QP][1-9][0-9]{0,9}")
Role = Literal["s", "p", "o"]
Names = tuple[str, str, str]


@dataclass
class ChainsFile:
    """The chains of a file."""

    chains: list[FactChain]
    unresolved: dict[str, list[str]] = field(default_factory=dict)
    """Of a foreign file, by chain the names that are unknown or ambiguous, and which they are."""


def read_chains(path: Path, store: Store) -> ChainsFile:
    """The chains of a JSON Lines file.

    Raises InputError, naming file and line, for a line that is neither a chain of this layout
    nor one of MINTQA's.
    """
    chains: list[FactChain] = []
    foreign: list[tuple[str, list[Names], list[Names]]] = []
    for line, content in _lines(path):
        if "triple" in content and "hops" not in content:
            foreign.append(_foreign(path, line, content))
        else:
            chains.append(_own(path, line, content))
    if not foreign:
        return ChainsFile(chains)
    resolved, unresolved = _resolve(store, foreign)
    return ChainsFile(chains + resolved, unresolved)


def resolve_triples(
    store: Store, triples: Sequence[Names]
) -> list[tuple[int, int, int] | list[str]]:
    """The numbers of triples of labels, or for each what is unknown or ambiguous in it."""
    names = _Names(store, set(triples))
    return [names.resolve(triple) for triple in triples]


def chain_of_facts(identity: str, facts: Sequence[ChainFact], snapshot: str) -> FactChain:
    """A chain of lookups that claims the facts between entities, in their order."""
    hops = tuple(
        Hop(
            index=index,
            kind="lookup",
            inputs=(index - 1,) if index > 1 else (),
            topics=() if index > 1 else (fact.s,),
            answer=EntityRef(id=fact.o or "", label=fact.o_label),
            facts=(fact,),
        )
        for index, fact in enumerate(facts, start=1)
    )
    try:
        sparql = to_sparql(hops)
    except NoPlan:
        sparql = ""
    return FactChain(
        id=identity,
        axis="none",
        topology="chain",
        topics=(facts[0].s,),
        answer=hops[-1].answer.key,
        hops=hops,
        query=Query(sparql=sparql),
        snapshot=snapshot,
        seed=0,
    )


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        text = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    for line, content in enumerate(text.splitlines(), start=1):
        if not content.strip():
            continue
        try:
            record = orjson.loads(content)
        except orjson.JSONDecodeError as error:
            raise InputError(f"{path}:{line}: is no JSON: {error}") from error
        if not isinstance(record, dict):
            raise InputError(f"{path}:{line}: is no fact chain: one JSON object a line is needed")
        yield line, record


def _own(path: Path, line: int, content: dict[str, Any]) -> FactChain:
    version = content.get("schema")
    if version != SCHEMA:
        raise InputError(
            f"{path}:{line}: "
            + (
                f"has the layout of chains {version}"
                if "schema" in content
                else "has no `schema` (of our chains) and no `triple` (of MINTQA's)"
            )
            + f"; this factchain reads {SCHEMA}: `factchain chains sample` writes the file anew"
        )
    return read_record(path, line, orjson.dumps(content), FactChain)


def _foreign(
    path: Path, line: int, content: dict[str, Any]
) -> tuple[str, list[Names], list[Names]]:
    """A line of MINTQA's: its name, the triples of labels, and those of ids where it has any."""

    def triples(key: str) -> list[Names]:
        found = content.get(key) or []
        if not isinstance(found, list) or not all(
            isinstance(t, list) and len(t) == 3 and all(isinstance(part, str) for part in t)
            for t in found
        ):
            raise InputError(
                f"{path}:{line}: {key}: is no list of [subject, relation, object] names"
            )
        return [(t[0].strip(), t[1].strip(), t[2].strip()) for t in found]

    labels, ids = triples("triple"), triples("triple_ids")
    if not 1 <= len(labels) <= MAX_HOPS:
        raise InputError(f"{path}:{line}: triple: has {len(labels)} hops, not 1 to {MAX_HOPS}")
    if ids and len(ids) != len(labels):
        raise InputError(f"{path}:{line}: triple_ids: there are {len(ids)} of {len(labels)} hops")
    if not all(_ID.fullmatch(part) for triple in ids for part in triple):
        raise InputError(f"{path}:{line}: triple_ids: are no Q- and P-ids")
    return str(content.get("id") or f"line-{line}"), labels, ids


def _resolve(
    store: Store, foreign: Sequence[tuple[str, list[Names], list[Names]]]
) -> tuple[list[FactChain], dict[str, list[str]]]:
    names = _Names(store, {t for _, labels, ids in foreign if not ids for t in labels})
    snapshot = store.newest().name
    chains: list[FactChain] = []
    unresolved: dict[str, list[str]] = {}
    for identity, labels, ids in foreign:
        found = [_numbers(t) for t in ids] if ids else [names.resolve(t) for t in labels]
        problems = [problem for one in found if isinstance(one, list) for problem in one]
        if problems:
            unresolved[identity] = list(dict.fromkeys(problems))
            continue
        facts = [
            ChainFact(
                s=qid(one[0]),
                s_label=label[0],
                p=pid(one[1]),
                p_label=label[1],
                o=qid(one[2]),
                o_label=label[2],
            )
            for one, label in zip(found, labels, strict=True)
            if isinstance(one, tuple)
        ]
        chains.append(chain_of_facts(identity, facts, snapshot))
    return chains, unresolved


def _numbers(ids: Names) -> tuple[int, int, int]:
    return int(ids[0][1:]), int(ids[1][1:]), int(ids[2][1:])


class _Names:
    """What labels and aliases stand for, and which facts of the store triples of them state."""

    def __init__(self, store: Store, triples: Iterable[Names]) -> None:
        asked = sorted(triples)
        table = {
            "triple": pa.array(range(len(asked)), pa.int64()),
            **{
                role: pa.array([triple[at].lower() for triple in asked], pa.string())
                for at, role in enumerate(("s", "p", "o"))
            },
        }
        self.entities: dict[str, set[int]] = {}
        self.properties: dict[str, set[int]] = {}
        self.facts: dict[Names, set[tuple[int, int, int]]] = {}
        with store.incoming(triple=pa.table(table)):
            store.connection.execute(queries.MAKE_NAMED)
            for kind, name, number in store.rows(queries.NAMED):
                of_kind = self.entities if kind == "Q" else self.properties
                of_kind.setdefault(name, set()).add(number)
            for triple, s, p, o in store.rows(queries.NAMED_FACTS):
                self.facts.setdefault(asked[triple], set()).add((s, p, o))

    def resolve(self, triple: Names) -> tuple[int, int, int] | list[str]:
        """The ids of a triple of names, or what is unknown or ambiguous."""
        kinds = (self.entities, self.properties, self.entities)
        options = [
            sorted(kind.get(name.lower(), ())) for kind, name in zip(kinds, triple, strict=True)
        ]
        if unknown := [name for name, o in zip(triple, options, strict=True) if not o]:
            return [f"unknown: {name}" for name in unknown]
        facts = self.facts.get(triple, set())
        if len(facts) == 1:
            return next(iter(facts))
        if all(len(o) == 1 for o in options):
            return options[0][0], options[1][0], options[2][0]
        several = [name for name, o in zip(triple, options, strict=True) if len(o) > 1]
        return [f"ambiguous: {name}" for name in several]
