"""MINTQA: JSON Lines of questions with one label, sub-question and triple a hop (SPEC.md 2).

The types of the inner values are not documented: a single value is read as a list of one, a triple
may be words or nothing, and the number of hops follows from the triples where it is not given.
Ids of our own go into the field `triple_ids`, and are read from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, JsonValue, StrictInt

from factchain.chains.records import Axis, ChainFact, HopLabel
from factchain.errors import InputError
from factchain.formats.contexts import final_answer
from factchain.formats.dataset_folder import DatasetFolder
from factchain.formats.json_files import Json, SourceRecord
from factchain.formats.json_output import answerable_only, write_by_split
from factchain.formats.protocol import Drops, Entry, Format, Items, Written
from factchain.formats.references import inputs_of, put_in, take_out, topology_of
from factchain.formats.source import answer, is_item, numbered, provenance, remember
from factchain.questions.records import Question, SubQuestion

NAME = "mintqa"
_LABELS: dict[str, tuple[Axis, HopLabel]] = {
    "popular": ("popularity", "popular"),
    "unpopular": ("popularity", "unpopular"),
    "old": ("recency", "old"),
    "new": ("recency", "new"),
}
_HOLDS = frozenset(
    {
        *("labels", "hops", "answer", "answer.aliases", "other_answers", "sub_questions"),
        *("sub_questions.facts", "sub_questions.facts.ids", "answer.id"),
        "sub_questions.answer.id",
    }
)


def _as_list(value: object) -> object:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _as_triples(value: object) -> object:
    single = isinstance(value, list) and value and all(isinstance(v, str) for v in value)
    return [value] if single else _as_list(value)


Texts = Annotated[list[str], BeforeValidator(_as_list)]
Triples = Annotated[list[tuple[str, str, str] | tuple[()]], BeforeValidator(_as_triples)]
IdTriples = Annotated[list[tuple[str, str, str | None] | tuple[()]], BeforeValidator(_as_triples)]


class MintqaRecord(SourceRecord):
    """One question of MINTQA."""

    id: str | StrictInt | None = None
    question: str
    answer: Texts
    type: Texts = Field([])
    num_hops: StrictInt | None = None
    subquestion: Texts = Field([])
    subanswer: Texts = Field([])
    triple: Triples = Field([])
    triple_ids: IdTriples = Field([])
    facts: JsonValue = None


def read(files: Sequence[Path], split: str | None, drops: Drops) -> Items:
    """The questions of JSON Lines files (or JSON arrays)."""
    for read_one in numbered(files, split, MintqaRecord, NAME, "MINTQA"):
        yield _entry(*read_one)


def _entry(record: MintqaRecord, place: str, source: Json, key: str, split: str) -> Entry:
    _check(record, place)
    axis, labels = _labels(record, place)
    subs = _sub_questions(record, labels)
    names = record.answer or [""]
    question = Question(
        id=key,
        split=split,
        axis=axis,
        topology=topology_of([sub.inputs for sub in subs]),
        hops=record.num_hops or max(1, len(record.triple), len(record.subquestion)),
        question=record.question,
        answer=answer(names[0], names[1:], item=subs[-1].answer.id if subs else None),
        sub_questions=subs,
        labels=labels,
        provenance=provenance(),
        metadata={"format": NAME}
        | ({} if record.facts is None else {"facts": record.facts})
        | ({"id": "by place"} if record.id is None else {}),
    )
    return Entry(remember(question, source, to_object(Entry(question), Drops())))


def _check(record: MintqaRecord, place: str) -> None:
    hops = record.num_hops or len(record.triple) or len(record.subquestion)
    for field in ("triple", "type", "subquestion", "subanswer", "triple_ids"):
        found = len(getattr(record, field))
        if found and found != hops:
            raise InputError(f"{place}: {field}: has {found} values where there are {hops} hops")


def _labels(record: MintqaRecord, place: str) -> tuple[Axis, tuple[HopLabel, ...]]:
    found = []
    for text in record.type:
        if text.strip().lower() not in _LABELS:
            raise InputError(f"{place}: type: {text!r} is none of {', '.join(_LABELS)}")
        found.append(_LABELS[text.strip().lower()])
    axes = {axis for axis, _ in found}
    if len(axes) > 1:
        raise InputError(f"{place}: type: {record.type} are labels of two axes")
    return (axes.pop() if axes else "none"), tuple(label for _, label in found)


def _sub_questions(record: MintqaRecord, labels: tuple[HopLabel, ...]) -> tuple[SubQuestion, ...]:
    """One a hop; the single hop of a question without sub-questions asks the question itself."""
    asked, answers = record.subquestion, record.subanswer
    if not asked and len(record.triple) == 1:
        asked = [record.question]
    if not answers:
        answers = [triple[2] if triple else "" for triple in record.triple] or [""] * len(asked)
    if len(asked) == 1 and not record.subanswer:
        answers = record.answer[:1] or answers
    subs = []
    for hop, text in enumerate(asked, start=1):
        inputs = inputs_of(text, hop)
        template = text
        if not inputs:
            template, inputs = take_out(text, hop, answers)
        triple = record.triple[hop - 1] if record.triple else ()
        ids = record.triple_ids[hop - 1] if record.triple_ids else ()
        fact = _fact(triple, ids)
        item = ids[2] if ids and is_item(ids[2]) else None
        subs.append(
            SubQuestion(
                index=hop,
                question=put_in(text, inputs, answers),
                template=template,
                inputs=inputs,
                answer=answer(answers[hop - 1], item=item),
                facts=(fact,) if fact else (),
                triples=(triple,) if triple and not fact else (),
                label=labels[hop - 1] if labels else None,
            )
        )
    return tuple(subs)


def _fact(triple: Sequence[str], ids: Sequence[str | None]) -> ChainFact | None:
    """The fact, where words and ids are there; a literal has no id, and stays in words."""
    if not triple or not ids or not (is_item(ids[0]) and is_item(ids[2])):
        return None
    (s, p, o), (s_label, p_label, o_label) = ids, triple
    if not is_item(f"Q{str(p)[1:]}") or not str(p).startswith("P"):
        return None
    return ChainFact(s=str(s), s_label=s_label, p=str(p), p_label=p_label, o=o, o_label=o_label)


def to_object(entry: Entry, drops: Drops) -> Json:
    """The question as MINTQA has it: lists with one value a hop.

    Of a hop with several facts the first is its triple; `facts` says all, in words. A one-hop
    question has no sub-questions.
    """
    question = entry.question
    subs = question.sub_questions
    several = len(subs) > 1
    names = [name for one in (question.answer, *question.other_answers) for name in one.names]
    native = question.metadata.get("format") == NAME
    facts: Any = question.metadata.get("facts") if native else _sentences(question)
    drops["facts of a hop beyond its first (they are in `facts`)"] += sum(
        max(0, len(sub.facts) - 1) for sub in subs
    )
    triples = [_triple(sub) for sub in subs]
    ids = [[sub.facts[0].s, sub.facts[0].p, sub.facts[0].o] if sub.facts else [] for sub in subs]
    made: Json = {
        "id": question.id,
        "question": question.question,
        "answer": names if len(names) > 1 else final_answer(question),
        "type": _types(question),
        "num_hops": question.hops,
        "subquestion": [sub.question for sub in subs] if several else [],
        "subanswer": [sub.answer.label for sub in subs] if several else [],
        "triple": triples,
        "triple_ids": ids if any(ids) else [],
        "facts": facts,
    }
    if question.metadata.get("id") == "by place" and native:
        del made["id"]
    return made


def _types(question: Question) -> list[str]:
    """One label a hop where every hop has one, as MINTQA writes them; else none."""
    labels = [sub.label for sub in question.sub_questions] or list(question.labels)
    return [label.capitalize() for label in labels if label] if all(labels) else []


def _triple(sub: SubQuestion) -> list[str]:
    if sub.facts:
        return [sub.facts[0].s_label, sub.facts[0].p_label, sub.facts[0].o_label]
    return list(sub.triples[0]) if sub.triples else []


def _sentences(question: Question) -> list[str]:
    facts = [fact for sub in question.sub_questions for fact in sub.facts]
    return [f"{fact.s_label} {fact.p_label} {fact.o_label}." for fact in facts]


def write(dataset: DatasetFolder, out: Path, drops: Drops) -> Written:
    """Write JSON Lines a split; unanswerable questions have no place in them."""

    def build(entry: Entry, drops: Drops) -> Json:
        drops["labels of hops that not all hops have"] += bool(
            entry.question.labels and not _types(entry.question)
        )
        return to_object(entry, drops)

    return write_by_split(
        dataset.entries(),
        out,
        answerable_only(build, drops),
        name=NAME,
        holds=_HOLDS,
        drops=drops,
    )


FORMAT = Format(
    name=NAME,
    title="MINTQA",
    files="JSON Lines of questions (whatever the suffix)",
    read=read,
    write=write,
    holds=_HOLDS,
)
