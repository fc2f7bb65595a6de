"""One demonstration for each shape: a masked graph of real facts, and the reply that is wanted."""

from __future__ import annotations

from typing import Any

AS_OF = "2024-06-05"
HUMAN, DATE = "human", "a date, told to the day"


def _topic(name: str, description: str) -> dict[str, str]:
    return {"name": name, "description": description}


def _fact(subject: str, name: str, target: str) -> dict[str, str]:
    return {"subject": subject, "property": name, "object": target}


def _hop(number: int, kind: str, needs: list[int], answer_is: str, *facts: Any, **more: Any) -> Any:
    hop = {"hop": number, "kind": kind, "needs": needs, "facts": list(facts), **more}
    return hop | {"answer": f"x{number}", "answer_is": answer_is}


def _shown(
    topics: list[dict[str, str]],
    hops: list[Any],
    meanings: dict[str, str],
    question: str,
    *texts: str,
) -> dict[str, Any]:
    return {
        "graph": {"as_of": AS_OF, "topics": topics, "hops": hops, "properties": meanings},
        "reply": {
            "question": question,
            "sub_questions": [{"hop": k, "text": text} for k, text in enumerate(texts, start=1)],
        },
    }


def _operation(name: str, meaning: str, *operands: str) -> dict[str, Any]:
    return {"name": name, "meaning": meaning} | ({"of": list(operands)} if operands else {})


_AUTHOR = {"author": "main creator(s) of a written work"}
_BIRTH = "date on which the subject was born"

DEMONSTRATIONS: dict[str, dict[str, Any]] = {
    "single": _shown(
        [_topic("Candida", "play in three acts")],
        [_hop(1, "lookup", [], HUMAN, _fact("Candida", "author", "x1"))],
        _AUTHOR,
        "Who is the author of Candida?",
        "Who is the author of Candida?",
    ),
    "chain": _shown(
        [_topic("Amélie", "2001 film")],
        [
            _hop(1, "lookup", [], HUMAN, _fact("Amélie", "director", "x1")),
            _hop(2, "lookup", [1], "commune of France", _fact("x1", "place of birth", "x2")),
            _hop(
                3,
                "lookup",
                [2],
                "department of France",
                _fact("x2", "located in the administrative territorial entity", "x3"),
            ),
        ],
        {"place of birth": "most specific known birth location of a person, animal or character"},
        "In which administrative territorial entity is the place of birth of the director of "
        "Amélie located?",
        "Who is the director of Amélie?",
        "What is the place of birth of #1?",
        "In which administrative territorial entity is #2 located?",
    ),
    "bridge": _shown(
        [_topic("Hamlet", "tragedy"), _topic("Mona Lisa", "oil painting")],
        [
            _hop(1, "lookup", [], HUMAN, _fact("Hamlet", "author", "x1")),
            _hop(2, "lookup", [1], HUMAN, _fact("x1", "spouse", "x2")),
            _hop(3, "lookup", [], HUMAN, _fact("Mona Lisa", "creator", "x3")),
            _hop(
                4,
                "compare",
                [2, 3],
                HUMAN,
                _fact("x2", "date of birth", "value 1"),
                _fact("x3", "date of birth", "value 2"),
                operation=_operation("earliest", "which of them has the earlier or earliest date"),
            ),
        ],
        _AUTHOR | {"date of birth": _BIRTH},
        "Which of the two has the earlier date of birth: the spouse of the author of Hamlet or "
        "the creator of the Mona Lisa?",
        "Who is the author of Hamlet?",
        "Who is the spouse of #1?",
        "Who is the creator of the Mona Lisa?",
        "Which of #2 and #3 has the earlier date of birth?",
    ),
    "converging": _shown(
        [_topic("Ulysses", "1922 novel"), _topic("quaternion", "four-dimensional number system")],
        [
            _hop(1, "lookup", [], HUMAN, _fact("Ulysses", "author", "x1")),
            _hop(2, "lookup", [], HUMAN, _fact("quaternion", "discoverer or inventor", "x2")),
            _hop(
                3,
                "intersect",
                [1, 2],
                "city",
                _fact("x1", "place of birth", "x3"),
                _fact("x2", "place of death", "x3"),
            ),
            _hop(4, "lookup", [3], "sovereign state", _fact("x3", "country", "x4")),
        ],
        _AUTHOR,
        "In which country is the city that is both the place of birth of the author of Ulysses "
        "and the place of death of the discoverer of the quaternion?",
        "Who is the author of Ulysses?",
        "Who is the discoverer of the quaternion?",
        "Which city is the place of birth of #1 and the place of death of #2?",
        "In which country is #3?",
    ),
    "intersect": _shown(
        [_topic("France", "country in Western Europe"), _topic("Spain", "country in Europe")],
        [
            _hop(
                1,
                "intersect",
                [],
                "sovereign state",
                _fact("x1", "shares border with", "France"),
                _fact("x1", "shares border with", "Spain"),
            )
        ],
        {"shares border with": "countries or administrative subdivisions that border this one"},
        "Which country shares a border with France and also shares a border with Spain?",
        "Which country shares a border with France and also shares a border with Spain?",
    ),
    "count": _shown(
        [_topic("Bern", "federal city")],
        [
            _hop(1, "lookup", [], "sovereign state", _fact("Bern", "capital of", "x1")),
            _hop(
                2,
                "count",
                [1],
                "a number",
                _fact("x1", "official language", "each one that is counted"),
                operation=_operation("count", "how many there are"),
            ),
        ],
        {"official language": "language designated as official by this item"},
        "As of 2024-06-05, how many official languages does the country have that Bern is the "
        "capital of?",
        "As of 2024-06-05, which country is Bern the capital of?",
        "As of 2024-06-05, how many official languages does #1 have?",
    ),
    "arithmetic": _shown(
        [_topic("Ada Lovelace", "English mathematician")],
        [
            _hop(1, "lookup", [], DATE, _fact("Ada Lovelace", "date of birth", "x1")),
            _hop(2, "lookup", [], DATE, _fact("Ada Lovelace", "date of death", "x2")),
            _hop(
                3,
                "arithmetic",
                [1, 2],
                "a number of years",
                operation=_operation(
                    "years_between", "how many years lie between the two dates", "x1", "x2"
                ),
            ),
        ],
        {"date of birth": _BIRTH},
        "How many years lie between the date of birth of Ada Lovelace and her date of death?",
        "What is the date of birth of Ada Lovelace?",
        "What is the date of death of Ada Lovelace?",
        "How many years lie between #1 and #2?",
    ),
    "compare": _shown(
        [_topic("Lake Victoria", "lake in Africa"), _topic("Lake Superior", "lake")],
        [
            _hop(
                1,
                "compare",
                [],
                "lake",
                _fact("Lake Victoria", "area", "value 1"),
                _fact("Lake Superior", "area", "value 2"),
                operation=_operation("largest", "which of them has the larger or largest value"),
            )
        ],
        {"area": "area occupied by an object"},
        "Which has the larger area, Lake Victoria or Lake Superior?",
        "Which has the larger area, Lake Victoria or Lake Superior?",
    ),
}
"""By shape: the topologies, `single` for one hop, and the kinds of hop besides lookups."""
