"""One record of every format, and how to change it."""

from __future__ import annotations

import json
from typing import Any

MUSIQUE: dict[str, Any] = {
    "id": "2hop__1_2",
    "question": "Who leads the land of Ann?",
    "paragraphs": [
        {"idx": 0, "title": "Ann", "paragraph_text": "Ann is of Here.", "is_supporting": True},
        {"idx": 1, "title": "Here", "paragraph_text": "Bob leads Here.", "is_supporting": True},
    ],
    "question_decomposition": [
        {"id": 1, "question": "Ann >> land", "answer": "Here", "paragraph_support_idx": 0},
        {"id": 2, "question": "Who leads #1?", "answer": "Bob", "paragraph_support_idx": 1},
    ],
    "answer": "Bob",
    "answer_aliases": [],
    "answerable": True,
}
HOTPOT: dict[str, Any] = {
    "_id": "a",
    "question": "?",
    "answer": "x",
    "type": "bridge",
    "level": "easy",
    "supporting_facts": [["T", 0]],
    "context": [["T", ["s"]]],
}
TWO_WIKI = {k: v for k, v in HOTPOT.items() if k != "level"} | {
    "type": "compositional",
    "evidences": [["a", "b", "c"]],
    "entity_ids": "Q1",
}
MINTQA: dict[str, Any] = {
    "question": "?",
    "answer": "x",
    "type": ["Old", "New"],
    "subquestion": ["a", "b"],
    "subanswer": ["y", "x"],
    "triple": [["a", "b", "y"], ["y", "c", "x"]],
}
HOP = {"question": "?", "answer": "x"}
OMANIC: dict[str, Any] = {
    "multi_hop_question": "?",
    "multi_hop_answer": "x",
    "single_hop": [HOP] * 4,
}
FLASHRAG: dict[str, Any] = {"id": "1", "question": "?", "golden_answers": ["x"]}
QUERY: dict[str, Any] = {
    "query": "?",
    "answer": "x",
    "question_type": "inference_query",
    "evidence_list": [{"title": "T", "fact": "f", "url": "u"}],
}
POPQA = "id\tsubj\tprop\tobj\tquestion\tpossible_answers\n"


def without(record: dict[str, Any], field: str) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key != field}


def deep(record: dict[str, Any], *path: Any, value: Any) -> dict[str, Any]:
    """The record with another value at the end of the path."""
    copy = json.loads(json.dumps(record))
    place = copy
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return copy


def lines(*records: dict[str, Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)
