"""REBEL's output, `<triplet> HEAD <subj> TAIL <obj> RELATION ...`, read and written.

The markers' names mislead: after `<triplet>` comes the head, after `<subj>` the tail, after
`<obj>` the relation; a head may have several pairs of tail and relation. The reader is the plain
state machine of SPEC.md 6.2: it emits a triple only when all three parts are there, where the
published one also emits triples without head or tail, and of a tail with an earlier relation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from factchain.kg.extraction.protocol import Statement

HEAD, TAIL, RELATION = "<triplet>", "<subj>", "<obj>"
MARKERS = (HEAD, TAIL, RELATION)
AROUND = ("<s>", "<pad>", "</s>")
"""Tokens of BART that stand around and between the text."""
_MARKER = re.compile("|".join(map(re.escape, MARKERS)))


def parse_triples(reply: str, around: Sequence[str] = AROUND) -> list[Statement]:
    """The triples of a reply, as they come, duplicates kept; whatever it is, no error.

    Tokens of `around` are taken out; what comes before the first marker, a triple that lacks a
    part, and one that was cut off count for nothing.
    """
    for token in around:
        reply = reply.replace(token, " ")
    triples: list[Statement] = []
    parts: dict[str, list[str]] = {marker: [] for marker in MARKERS}
    current: list[str] | None = None

    def emit() -> None:
        head, tail, relation = (" ".join(parts[marker]) for marker in MARKERS)
        if head and tail and relation:
            triples.append(Statement(head, relation, tail))
            parts[TAIL], parts[RELATION] = [], []

    for token in _MARKER.sub(r" \g<0> ", reply).split():
        if token in parts:
            emit()
            current = parts[token] = []
            if token == HEAD:
                parts[TAIL], parts[RELATION] = [], []
        elif current is not None:
            current.append(token)
    emit()
    return triples


def write_triples(triples: Iterable[Statement]) -> str:
    """Triples as REBEL writes them; those of one head that follow each other share it."""
    words = []
    for head, group in groupby(triples, key=lambda triple: triple.head):
        words += [HEAD, head]
        for triple in group:
            words += [TAIL, triple.tail, RELATION, triple.relation]
    return " ".join(words)


def without_markers(text: str) -> str:
    """A text that cannot pass for REBEL's markers or the tokens around them."""
    for token in (*MARKERS, *AROUND):
        text = text.replace(token, " ")
    return text
