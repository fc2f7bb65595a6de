"""The retrieval corpus in BEIR layout: passages, queries, gold passages."""

from __future__ import annotations

from typing import Any

from pydantic import Field, JsonValue

from factchain.records import Record


def _absent(value: Any) -> bool:
    return value is None or value == {}


class PassageMetadata(Record):
    """What a passage was made from."""

    entity: str | None = None
    """Q-id of the entity that the passage is about, where known."""
    snapshot: str | None = None
    """Name of the snapshot that says so and that another contradicts; else none."""
    facts: tuple[tuple[str, str, str], ...] = ()
    """(s, p, o) of every fact stated; a literal object stands as its value and its unit's Q-id."""
    sentences: tuple[tuple[int, int], ...] | None = Field(None, exclude_if=_absent)
    """First character of every sentence of the text, and the one after its last, where an imported
    dataset cuts the text into sentences."""
    extra: dict[str, JsonValue] = Field(default_factory=dict, exclude_if=_absent)
    """What an imported corpus says of the passage beyond these fields."""


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


class Candidate(Record):
    """A passage that a dataset shows with a question: a row of `candidates/<split>.tsv`."""

    question: str
    """Id of the question."""
    rank: int = Field(ge=1)
    """Its place in the question's context, from 1."""
    passage: str
    """Id of the passage."""


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
    withheld: int
    """Facts that no passage states, so that questions have no answer."""
    distributed: int
    """Questions of which no passage states two facts (HopWeaver's fact distribution)."""
    without_shortcut: int
    """Questions of which no passage joins two entities that the chain holds apart."""
    dropped: int
    """Questions left out because they fail one of the two, where that was asked for."""
