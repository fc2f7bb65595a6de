"""The tables of a report as CSV: the figures themselves, not rounded."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from factchain.eval.report.distributions import (
    entities_in_facts,
    properties_in_facts,
    questions_by_pattern,
)
from factchain.eval.results import Results
from factchain.files import write_text
from factchain.questions.records import Question
from factchain.records import Record
from factchain.retrieval_corpus.metrics import GroupScore

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a text begins that a spreadsheet would reckon with."""


def write_tables(
    folder: Path,
    results: Results,
    retrieval: Mapping[str, Sequence[GroupScore]],
    questions: Sequence[Question],
) -> list[Path]:
    """Write a file for each table that has rows, and return their paths.

    A text that a spreadsheet would take for a formula has an apostrophe before it. Raises
    OutputError where nothing can be written.
    """
    tables: dict[str, list[dict[str, Any]]] = {
        name: [_row(one) for one in getattr(results, name)] for name in Results.model_fields
    }
    tables["retrieval"] = [
        {"retriever": name} | _row(one) for name, groups in retrieval.items() for one in groups
    ]
    tables["questions"] = [
        {
            **{"id": q.id, "split": q.split, "axis": q.axis, "hops": q.hops},
            **{"labels": "-".join(q.labels), "topology": _cell(q.topology)},
            **{"question": _cell(q.question), "answer": _cell(q.answer.label)},
        }
        for q in questions
    ]
    tables |= {
        name: [dict(zip(table.head, map(_cell, row), strict=True)) for row in table.rows]
        for name, table in (
            ("label_patterns", questions_by_pattern(questions).table),
            ("entities", entities_in_facts(questions).table),
            ("properties", properties_in_facts(questions).table),
        )
    }
    written = []
    for name, rows in tables.items():
        if rows:
            text = io.StringIO()
            writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
            written.append(folder / f"{name}.csv")
            write_text(written[-1], text.getvalue())
    return written


def _row(record: Record) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for name, value in record.model_dump().items():
        if isinstance(value, tuple):  # a setting of a comparison
            parts = ("task", "mode", "context", "model")
            row |= {f"{name}_{part}": _cell(one) for part, one in zip(parts, value, strict=True)}
        else:
            row[name] = _cell(value)
    return row


def _cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
