"""2WikiMultihopQA: HotpotQA's layout with evidence triples and Wikidata ids (SPEC.md 2).

Every evidence triple is a hop: its sub-question is `subject >> relation`, as MuSiQue writes such,
and needs the earlier hop whose object is its subject. The gold passage of a hop is the paragraph
about its subject.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from factchain.errors import InputError
from factchain.formats.contexts import (
    PARAGRAPHS,
    ContextRecord,
    context_and_support,
    final_answer,
    is_comparison,
    pool_of,
    supporting_passages,
)
from factchain.formats.dataset_folder import DatasetFolder
from factchain.formats.json_files import Json, parse, read_objects
from factchain.formats.json_output import answerable_only, write_by_split
from factchain.formats.protocol import Drops, Entry, Format, Items, Written
from factchain.formats.references import put_in, topology_of
from factchain.formats.source import answer, check_id, known, provenance, remember, split_of
from factchain.questions.records import Question, QuestionType, SubQuestion

NAME = "2wikimultihopqa"
TYPES: dict[str, QuestionType] = {
    "compositional": "chain",
    "inference": "chain",
    "comparison": "comparison",
    "bridge_comparison": "comparison",
}
"""2WikiMultihopQA's inference follows a rule along a chain (a grandfather): a chain of ours."""

_KEPT = ("type", "supporting_facts", "entity_ids", "evidences_id", "answer_id")
_HOLDS = frozenset(
    {
        *("type", "answer", "answer.id", "sub_questions.facts"),
        *("sub_questions.answer.id", "gold passages", "candidates"),
    }
)

Triple = tuple[str, str, str]


class TwoWikiRecord(ContextRecord):
    """One question of 2WikiMultihopQA; only the extended release has ids."""

    evidences: list[Triple] = Field([])
    evidences_id: list[Triple] = Field([])
    entity_ids: str | None = None
    answer_id: str | None = None


def read(files: Sequence[Path], split: str | None, drops: Drops) -> Items:
    """The questions of JSON arrays (or JSON Lines)."""
    for path in files:
        for place, source in read_objects(path):
            record = parse(place, source, TwoWikiRecord, "a question of 2WikiMultihopQA")
            yield _entry(record, place, source, split_of(path, split), drops)


def _entry(record: TwoWikiRecord, place: str, source: Json, split: str, drops: Drops) -> Entry:
    kind = (record.type or "compositional").replace("-", "_")
    if kind not in TYPES:
        raise InputError(f"{place}: type: {record.type!r} is none of {', '.join(TYPES)}")
    if record.evidences_id and len(record.evidences_id) != len(record.evidences):
        drops["evidences_id: not one for each of evidences"] += 1
        record = record.model_copy(update={"evidences_id": []})
    pool = pool_of(record)
    supporting = supporting_passages(record, pool, drops)
    subs = _sub_questions(record)
    question = Question(
        id=check_id(place, "_id", record.id),
        split=split,
        type=TYPES[kind],
        axis="none",
        topology=topology_of([sub.inputs for sub in subs]),
        hops=max(1, len(subs)),
        question=record.question,
        answer=answer(record.answer or "", item=record.answer_id),
        sub_questions=subs,
        labels=(),
        provenance=provenance(),
        metadata={"format": NAME}
        | {key: source[key] for key in _KEPT if source.get(key) is not None},
    )
    gold = tuple(_gold(record, supporting))
    entry = Entry(question, pool, gold, dict.fromkeys(supporting.values(), 1))
    rebuilt = to_object(entry, Drops())
    return entry._replace(question=remember(question, source, rebuilt, leave=("context",)))


def _sub_questions(record: TwoWikiRecord) -> tuple[SubQuestion, ...]:
    objects = [triple[2] for triple in record.evidences]
    ids = [triple[2] for triple in record.evidences_id] or [""] * len(objects)
    subs = []
    for hop, triple in enumerate(record.evidences, start=1):
        subject, relation, object_ = triple
        inputs = tuple(k for k in range(1, hop) if _same(objects[k - 1], subject))[-1:]
        template = f"#{inputs[0]} >> {relation}" if inputs else f"{subject} >> {relation}"
        subs.append(
            SubQuestion(
                index=hop,
                question=put_in(template, inputs, objects),
                template=template,
                inputs=inputs,
                answer=answer(object_, item=ids[hop - 1]),
                facts=(),
                triples=(triple,),
            )
        )
    return tuple(subs)


def _gold(record: TwoWikiRecord, supporting: dict[str, str]) -> Iterator[tuple[int, str]]:
    """The passage of every hop: that with its subject as title, else the next that is left.

    Without evidences every supporting paragraph is that of a hop.
    """
    if not record.evidences:
        yield from enumerate(supporting.values(), start=1)
        return
    by_hop: dict[int, str] = {}
    for hop, (subject, _, _) in enumerate(record.evidences, start=1):
        for title, passage in supporting.items():
            if _same(title, subject):
                by_hop[hop] = passage
    left = [passage for passage in supporting.values() if passage not in by_hop.values()]
    for hop in range(1, len(record.evidences) + 1):
        if hop not in by_hop and supporting:
            by_hop[hop] = left.pop(0) if left else list(supporting.values())[-1]
    yield from sorted(by_hop.items())


def _same(one: str, other: str) -> bool:
    return one.strip().casefold() == other.strip().casefold()


def to_object(entry: Entry, drops: Drops) -> Json:
    """The question as 2WikiMultihopQA has it: the evidences are the facts, with labels and ids.

    Ids are given where all facts are between entities, as there.
    """
    question = entry.question
    context, support = context_and_support(entry, spaced=False, titles_merged=drops)
    facts = [fact for sub in question.sub_questions for fact in sub.facts]
    evidences = [
        triple
        for sub in question.sub_questions
        for triple in [
            *([fact.s_label, fact.p_label, fact.o_label] for fact in sub.facts),
            *map(list, sub.triples),
        ]
    ]
    ids = [[fact.s, fact.p_label, fact.o] for fact in facts]
    whole = len(ids) == len(evidences) and all(fact.o for fact in facts)
    subjects = "_".join(dict.fromkeys(fact.s for fact in facts))
    item = (question.full_answer or question.answer).id
    kept: dict[str, Any] = {key: known(question, NAME, key) for key in _KEPT}
    native = question.metadata.get("format") == NAME
    return {
        "_id": question.id,
        "type": kept["type"] or _type(question),
        "question": question.question,
        "context": context,
        "entity_ids": kept["entity_ids"] if native else subjects,
        "supporting_facts": support,
        "evidences": evidences,
        "answer": final_answer(question),
        "evidences_id": kept["evidences_id"] if native else (ids if whole else []),
        "answer_id": kept["answer_id"] if native else item,
    }


def _type(question: Question) -> str:
    if not is_comparison(question):
        return "inference" if question.type == "inference" else "compositional"
    chained = any(sub.inputs and sub.kind == "lookup" for sub in question.sub_questions)
    return "bridge_comparison" if chained else "comparison"


def write(dataset: DatasetFolder, out: Path, drops: Drops) -> Written:
    """Write a JSON array a split."""
    return write_by_split(
        dataset.entries(PARAGRAPHS, one_a_title=True),
        out,
        answerable_only(to_object, drops),
        name=NAME,
        holds=_HOLDS,
        drops=drops,
        array=True,
    )


FORMAT = Format(
    name=NAME,
    title="2WikiMultihopQA",
    files="JSON arrays of questions with their paragraphs, such as dev.json",
    read=read,
    write=write,
    holds=_HOLDS,
)
