"""MuSiQue: JSON Lines of questions with decompositions and twenty paragraphs (SPEC.md 2).

Sub-questions refer to earlier answers by `#k`, from which the topology follows. An unanswerable
question has the id of its answerable twin; ours ends in `-unanswerable`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field, StrictBool, StrictInt

from factchain.errors import InputError
from factchain.formats.contexts import final_answer
from factchain.formats.dataset_folder import DatasetFolder
from factchain.formats.json_files import Json, SourceRecord, parse, read_objects
from factchain.formats.json_output import write_by_split
from factchain.formats.protocol import Drops, Entry, Format, Items, Written
from factchain.formats.references import inputs_of, put_in, topology_of
from factchain.formats.sentences import passage_of
from factchain.formats.source import answer, check_id, known, provenance, remember, split_of
from factchain.questions.records import Answer, Question, SubQuestion

NAME = "musique"
PARAGRAPHS = 20
INSUFFICIENT = "Insufficient information"
_TWIN = "-unanswerable"
_ABSENT = "absent"
_SHAPES = {("converging", 3): "3hop2", ("converging", 4): "4hop2", ("bridge", 4): "4hop3"}
_HOLDS = frozenset(
    {
        *("topology", "hops", "answer", "answer.aliases", "other_answers", "full_answer"),
        *("withheld", "sub_questions", "sub_questions.template"),
        *("gold passages", "gold passages by hop", "candidates"),
    }
)


class Paragraph(SourceRecord):
    """A paragraph; test files do not say whether it supports."""

    idx: StrictInt
    title: str
    paragraph_text: str
    is_supporting: StrictBool | None = None


class Step(SourceRecord):
    """A sub-question."""

    id: StrictInt | str
    question: str
    answer: str
    paragraph_support_idx: StrictInt | None = None


class MusiqueRecord(SourceRecord):
    """One question of MuSiQue; test files lack what tells the answer."""

    id: str
    question: str
    paragraphs: list[Paragraph]
    answer: str | None = None
    answer_aliases: list[str] = Field([])
    answerable: StrictBool | None = None
    question_decomposition: list[Step] = Field([])


def read(files: Sequence[Path], split: str | None, drops: Drops) -> Items:
    """The questions of JSON Lines files (or JSON arrays)."""
    for path in files:
        for place, source in read_objects(path):
            record = parse(place, source, MusiqueRecord, "a question of MuSiQue")
            yield _entry(record, place, source, split_of(path, split), drops)


def _entry(record: MusiqueRecord, place: str, source: Json, split: str, drops: Drops) -> Entry:
    pool = tuple(passage_of(p.title, p.paragraph_text) for p in record.paragraphs)
    ids = {p.idx: passage.id for p, passage in zip(record.paragraphs, pool, strict=True)}
    if len(ids) < len(pool):
        raise InputError(f"{place}: paragraphs: two of them have the same idx")
    drops["paragraphs: further fields"] += sum(len(p.model_extra or ()) for p in record.paragraphs)
    gold = []
    for number, step in enumerate(record.question_decomposition):
        cited = step.paragraph_support_idx
        if cited is not None and cited not in ids:
            raise InputError(
                f"{place}: question_decomposition.{number}.paragraph_support_idx: there is no "
                f"paragraph {cited}"
            )
        if cited is not None:
            gold.append((number + 1, ids[cited]))
    supporting = {ids[p.idx]: 1 for p in record.paragraphs if p.is_supporting}
    question = _question(record, place, split)
    entry = Entry(question, pool, tuple(gold), supporting)
    rebuilt = to_object(entry, Drops())
    if rebuilt["paragraphs"] != source["paragraphs"]:
        metadata = question.metadata | _numbering(record, rebuilt)
        question = question.model_copy(update={"metadata": metadata})
    kept = remember(question, source, rebuilt, leave=("paragraphs",))
    return entry._replace(question=kept)


def _question(record: MusiqueRecord, place: str, split: str) -> Question:
    steps = record.question_decomposition
    answers = [step.answer for step in steps]
    inputs = [inputs_of(step.question, hop) for hop, step in enumerate(steps, start=1)]
    answerable = record.answerable is not False
    gold = answer(record.answer or "", record.answer_aliases)
    return Question(
        id=check_id(place, "id", record.id) + ("" if answerable else _TWIN),
        split=split,
        axis="none",
        topology=topology_of(inputs),
        hops=max(1, len(steps)),
        question=record.question,
        answer=gold
        if answerable
        else Answer(label="Insufficient information", kind="insufficient"),
        answerable=answerable,
        full_answer=None if answerable else gold,
        withheld=()
        if answerable
        else tuple(hop for hop, step in enumerate(steps, 1) if step.paragraph_support_idx is None),
        sub_questions=tuple(
            SubQuestion(
                index=hop,
                question=put_in(step.question, needs, answers),
                template=step.question,
                inputs=needs,
                answer=answer(step.answer),
                facts=(),
            )
            for hop, (step, needs) in enumerate(zip(steps, inputs, strict=True), start=1)
        ),
        labels=(),
        provenance=provenance(),
        metadata={"format": NAME}
        | ({"decomposition_ids": [step.id for step in steps]} if steps else {}),
    )


def _numbering(record: MusiqueRecord, rebuilt: Json) -> Json:
    """What the places of the paragraphs in the pool do not say of them."""
    kept: Json = {}
    if [p.idx for p in record.paragraphs] != list(range(len(record.paragraphs))):
        kept["paragraph_idx"] = [p.idx for p in record.paragraphs]
    marks = [
        p.is_supporting if "is_supporting" in p.model_fields_set else _ABSENT
        for p in record.paragraphs
    ]
    if marks != [p["is_supporting"] for p in rebuilt["paragraphs"]]:
        kept["is_supporting"] = marks
    return kept


def to_object(entry: Entry, drops: Drops) -> Json:
    """The question as MuSiQue has it; aliases and further answers are all aliases."""
    question = entry.question
    numbers: Any = known(question, NAME, "paragraph_idx") or range(len(entry.pool))
    marks: Any = known(question, NAME, "is_supporting")
    paragraphs: list[Json] = []
    place: dict[str, int] = {}
    gold = {passage for passage, score in entry.gold.items() if score > 0}
    for at, (number, passage) in enumerate(zip(numbers, entry.pool, strict=True)):
        place.setdefault(passage.id, number)
        supports = marks[at] if marks else passage.id in gold
        paragraphs.append(
            {"idx": number, "title": passage.title, "paragraph_text": passage.text}
            | ({} if supports == _ABSENT else {"is_supporting": supports})
        )
    native = question.metadata.get("format") == NAME
    others = [name for one in question.other_answers for name in one.names]
    gold_answer = question.full_answer or question.answer
    return {
        "id": question.id.removesuffix(_TWIN) if native else _musique_id(question),
        "paragraphs": paragraphs,
        "question": question.question,
        "question_decomposition": _decomposition(entry, place, drops),
        "answer": final_answer(question),
        "answer_aliases": [*gold_answer.aliases, *others],
        "answerable": question.answerable,
    }


def _decomposition(entry: Entry, place: dict[str, int], drops: Drops) -> list[Json]:
    question = entry.question
    ids: Any = known(question, NAME, "decomposition_ids")
    cited: dict[int, int] = {}
    for hop, passage in entry.hop_gold:
        if passage in place and hop not in cited:
            cited[hop] = place[passage]
        elif passage in place:
            drops["gold passages of a hop beyond its first"] += 1
    steps = []
    for sub in question.sub_questions:
        if sub.index not in cited and sub.index not in question.withheld:
            drops["hops without a gold passage (paragraph_support_idx is null)"] += 1
        steps.append(
            {
                "id": ids[sub.index - 1] if ids else _step_id(sub),
                "question": sub.template,
                "answer": sub.answer.label,
                "paragraph_support_idx": cited.get(sub.index),
            }
        )
    return steps


def _musique_id(question: Question) -> str:
    """An id that begins with the shape, as MuSiQue's do."""
    shape = _SHAPES.get((question.topology, question.hops), f"{question.hops}hop")
    if shape in ("3hop", "4hop"):
        shape += "1"
    return f"{shape}__{question.id}"


def _step_id(sub: SubQuestion) -> int:
    """A number for a sub-question, the same wherever it is asked."""
    said = "\n".join([sub.question, *(" ".join(fact.key) for fact in sub.facts)])
    return int.from_bytes(hashlib.sha256(said.encode()).digest()[:4]) >> 1


def write(dataset: DatasetFolder, out: Path, drops: Drops) -> Written:
    """Write JSON Lines a split."""
    return write_by_split(
        dataset.entries(PARAGRAPHS),
        out,
        lambda entry: to_object(entry, drops),
        name=NAME,
        holds=_HOLDS,
        drops=drops,
    )


FORMAT = Format(
    name=NAME,
    title="MuSiQue",
    files="JSON Lines of questions with their paragraphs, such as musique_ans_v1.0_dev.jsonl",
    read=read,
    write=write,
    holds=_HOLDS,
)
