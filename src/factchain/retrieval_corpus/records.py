"""The retrieval corpus in BEIR layout: passages, queries, gold passages."""

from __future__ import annotations

from pydantic import Field

from factchain.records import Record


class PassageMetadata(Record):
    """What a passage was made from."""

    entity: str | None = None
    """Q-id of the entity that the passage is about, where known."""
    snapshot: str | None = None
    """Name of the snapshot that says so and that another contradicts; else none."""
    facts: tuple[tuple[str, str, str], ...] = ()
    """(s, p, o) of every fact stated; a literal object stands as its value and its unit's Q-id."""


class Passage(Record):
    """One line of `corpus.jsonl`."""

    id: str = Field(alias="_id")
    """Passage id."""
    title: str
    """Label of the entity."""
    text: str
    """The facts in words, one a sentence."""
    metadata: PassageMetadata = PassageMetadata()
    """What it was made from; empty for a passage from elsewhere."""


class CorpusQuery(Record):
    """One line of `queries.jsonl`."""

    id: str = Field(alias="_id")
    """Id of the question."""
    text: str
    """The question."""


class HopGold(Record):
    """A gold passage of one hop: a row of `hop_qrels/<split>.tsv`."""

    question: str
    """Id of the question."""
    hop: int
    """Number of the hop, from 1."""
    passage: str
    """Id of a passage that states the hop's fact."""


class CorpusSummary(Record):
    """What a corpus holds, for the manifest and the report."""

    entities: int
    """Entities with passages."""
    unlabelled: int
    """Entities left out because they have no label."""
    factless: int
    """Entities left out because they have a label but no outgoing fact."""
    passages: int
    """Lines of `corpus.jsonl`."""
    dated: int
    """Passages that hold one of two conflicting versions."""
    facts: int
    """Facts stated; one in both of two conflicting versions counts twice."""
    questions: int
    """Lines of `queries.jsonl`."""
    gold: int
    """Rows of the `qrels` files."""
