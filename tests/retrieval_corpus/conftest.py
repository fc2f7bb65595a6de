"""Tiny stores and questions, written down in the tests that use them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib.resources import files
from typing import Any

import duckdb
import pytest

from factchain.chains.records import Axis, ChainFact, HopLabel, Query
from factchain.questions.records import Answer, Provenance, Question, SubQuestion

OLD, NEW = "2021-06-21", "2024-06-05"
SCHEMA = (files("factchain.kg") / "schema.sql").read_text(encoding="utf-8")

Literal = tuple[str, str, int | None, int | None]
Fact = tuple[int, int, int | Literal, tuple[str, ...]]
StoreMaker = Callable[..., duckdb.DuckDBPyConnection]
QuestionMaker = Callable[..., Question]


def _make_store(
    entities: Mapping[int, str | None],
    properties: Mapping[int, str],
    facts: Iterable[Fact],
    snapshots: tuple[str, ...] = (OLD, NEW),
) -> duckdb.DuckDBPyConnection:
    """A store in memory; a fact is (s, p, o or (value, datatype, unit, precision), snapshots)."""
    store = duckdb.connect()
    store.execute(SCHEMA)
    # Ids in reverse, so that nothing can rely on their order.
    numbers = {name: len(snapshots) - i for i, name in enumerate(snapshots)}
    for name, number in numbers.items():
        store.execute("INSERT INTO snapshot VALUES (?, ?, ?, '', '', [])", [number, name, name])
    for q, label in entities.items():
        store.execute("INSERT INTO entity VALUES (?, ?, NULL, [], [], NULL, 1)", [q, label])
    for p, label in properties.items():
        store.execute("INSERT INTO property VALUES (?, ?, NULL, [], '', 1)", [p, label])
    for number, (s, p, target, names) in enumerate(facts):
        row: list[Any] = [target, None, "wikibase-item", None, None]
        if isinstance(target, tuple):
            row = [None, *target]
        store.execute(
            "INSERT INTO fact (id, s, p, o, value, datatype, unit, precision) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [number, s, p, *row],
        )
        for name in names:
            store.execute(
                "INSERT INTO fact_snapshot VALUES (?, ?, 'normal', NULL, NULL)",
                [number, numbers[name]],
            )
    return store


def _make_question(
    question_id: str,
    *hops: tuple[str, str, str],
    labels: tuple[HopLabel, ...] = (),
    axis: Axis = "recency",
    split: str = "test",
    snapshot: str = NEW,
) -> Question:
    """A question with one fact (s, p, o) a hop; labels of entities are their ids."""

    def answer(o: str) -> Answer:
        return Answer(id=o, label=o)

    return Question(
        id=question_id,
        split=split,
        axis=axis,
        topology="chain",
        hops=len(hops),
        question=f"Question {question_id}?",
        answer=answer(hops[-1][2]),
        sub_questions=tuple(
            SubQuestion(
                index=k,
                question="?",
                template="?",
                inputs=(k - 1,) if k > 1 else (),
                answer=answer(o),
                facts=(ChainFact(s=s, s_label=s, p=p, p_label=p, o=o, o_label=o),),
            )
            for k, (s, p, o) in enumerate(hops, start=1)
        ),
        labels=labels,
        query=Query(sparql="SELECT"),
        provenance=Provenance(
            verbalizer="template", verifier="symbolic", verdicts=(), snapshot=snapshot, seed=1
        ),
    )


@pytest.fixture(scope="session")
def make_store() -> StoreMaker:
    return _make_store


@pytest.fixture(scope="session")
def make_question() -> QuestionMaker:
    return _make_question
