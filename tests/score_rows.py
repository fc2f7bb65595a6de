"""Rows of `scores.parquet` for tests."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from factchain.eval.scores import SCHEMA


def row(question: str, accuracy: float | None, **values: Any) -> dict[str, Any]:
    """A row of a one-hop question; without an accuracy it could not be asked."""
    return {
        "task": "parametric",
        "mode": "open",
        "context": "none",
        "model": "m",
        "question": question,
        "hop": 0,
        "chain": question,
        "axis": "popularity",
        "topology": "chain",
        "kinds": "lookup",
        "hops": 1,
        "labels": "popular",
        "prediction": None if accuracy is None else "said",
        "error": "broken" if accuracy is None else None,
        "accuracy": accuracy,
        "f1": accuracy,
    } | values


def table(*rows: dict[str, Any]) -> pa.Table:
    """A table of scores."""
    return pa.Table.from_pylist(list(rows), schema=SCHEMA)
