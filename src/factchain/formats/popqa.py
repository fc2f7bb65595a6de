"""PopQA: a table of one-hop questions about Wikidata facts (SPEC.md 2); read only.

The relations stand there by name; their Wikidata properties are given below, so that a corpus with
the gold passages can be built from a store that has the facts.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

from factchain.chains.records import ChainFact
from factchain.errors import InputError
from factchain.formats.protocol import Drops, Entry, Format, Items
from factchain.formats.references import topology_of
from factchain.formats.source import answer, check_id, is_item, provenance, split_of
from factchain.progress import track
from factchain.questions.records import Question, SubQuestion

NAME = "popqa"
PROPERTIES = {
    "occupation": "P106",
    "place of birth": "P19",
    "genre": "P136",
    "father": "P22",
    "country": "P17",
    "producer": "P162",
    "director": "P57",
    "capital of": "P1376",
    "screenwriter": "P58",
    "composer": "P86",
    "color": "P462",
    "religion": "P140",
    "sport": "P641",
    "author": "P50",
    "mother": "P25",
    "capital": "P36",
}
"""The 16 relations of PopQA."""

_NEEDED = ("id", "subj", "prop", "obj", "question", "possible_answers")
_KEPT = ("s_pop", "o_pop", "s_wiki_title", "o_wiki_title", "subj_id", "prop_id", "obj_id")
_LONGEST_CELL = 1 << 20


def read(files: Sequence[Path], split: str | None, drops: Drops) -> Items:
    """The questions of tab-separated tables."""
    csv.field_size_limit(_LONGEST_CELL)
    for path in files:
        try:
            with path.open(encoding="utf-8-sig", newline="") as lines:
                rows = csv.DictReader(lines, delimiter="\t")
                missing = [name for name in _NEEDED if name not in (rows.fieldnames or ())]
                if missing:
                    raise InputError(
                        f"{path}:1: {missing[0]}: there is no such column: PopQA is a table with "
                        f"tabs and the columns {', '.join(_NEEDED)}"
                    )
                for row in track(rows, f"reading {path.name}"):
                    yield _entry(row, f"{path}:{rows.line_num}", split_of(path, split))
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror}") from error
        except (UnicodeDecodeError, csv.Error) as error:
            raise InputError(f"{path}: is no table of tab-separated UTF-8 text: {error}") from error


def _entry(row: dict[str, str | None], place: str, split: str) -> Entry:
    for name in _NEEDED:
        if not row.get(name):
            raise InputError(f"{place}: {name}: the cell is empty or missing")
    cells = {name: value or "" for name, value in row.items() if isinstance(name, str)}
    names = _names(cells["possible_answers"], f"{place}: possible_answers")
    label = cells["obj"]
    item, subject = _item(cells.get("o_uri", "")), _item(cells.get("s_uri", ""))
    gold = answer(label, tuple(name for name in names if name != label), item)
    p = PROPERTIES.get(cells["prop"])
    fact = None
    if p and item and subject:
        fact = ChainFact(
            s=subject, s_label=cells["subj"], p=p, p_label=cells["prop"], o=item, o_label=label
        )
    sub = SubQuestion(
        index=1,
        question=cells["question"],
        template=cells["question"],
        inputs=(),
        answer=gold,
        facts=(fact,) if fact else (),
        triples=() if fact else ((cells["subj"], cells["prop"], label),),
    )
    question = Question(
        id=f"popqa-{check_id(place, 'id', cells['id'])}",
        split=split,
        axis="none",
        topology=topology_of([()]),
        hops=1,
        question=cells["question"],
        answer=gold,
        sub_questions=(sub,),
        labels=(),
        provenance=provenance(),
        metadata={"format": NAME}
        | {
            name: int(cells[name]) if cells[name].isdecimal() else cells[name]
            for name in _KEPT
            if cells.get(name)
        },
    )
    return Entry(question)


def _names(text: str, place: str) -> list[str]:
    try:
        names = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{place}: is no JSON list: {error.msg}") from error
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InputError(f"{place}: expected a JSON list of names")
    return list(dict.fromkeys(names))


def _item(uri: str) -> str | None:
    item = uri.rpartition("/")[2]
    return item if is_item(item) else None


FORMAT = Format(
    name=NAME,
    title="PopQA",
    files="the table popQA.tsv",
    read=read,
)
