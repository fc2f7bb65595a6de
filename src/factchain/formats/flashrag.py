"""FlashRAG: JSON Lines of questions with golden answers, and of a corpus (SPEC.md 2).

FlashRAG keeps no gold passages; those that we write into its free `metadata` are read back.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
from pydantic import Field, JsonValue, StrictInt

from factchain.errors import InputError
from factchain.files import write_atomically
from factchain.formats.dataset_folder import DatasetFolder
from factchain.formats.json_files import Json, SourceRecord, parse, read_objects
from factchain.formats.json_output import write_by_split
from factchain.formats.letters import letter, number_of
from factchain.formats.protocol import Drops, Entry, Format, Items, Written
from factchain.formats.references import UNKNOWN
from factchain.formats.source import answer, check_id, known, provenance, remember, split_of
from factchain.questions.records import Question
from factchain.retrieval_corpus.records import Passage, PassageMetadata
from factchain.retrieval_corpus.retrievers.protocol import contents

NAME = "flashrag"
_HOLDS = frozenset(
    {
        *("type", "topology", "hops", "labels", "answer", "answer.aliases", "other_answers"),
        *("options", "sub_questions", "gold passages"),
    }
)


class QuestionRecord(SourceRecord):
    """One question; with `choices`, the golden answers are indices of them."""

    id: str
    question: str
    golden_answers: list[str] | list[StrictInt] = Field([])
    metadata: dict[str, JsonValue] = Field({})
    choices: list[str] | None = None


class PassageRecord(SourceRecord):
    """One passage: title and text in one string."""

    id: str
    contents: str


def read(files: Sequence[Path], split: str | None, drops: Drops) -> Items:
    """The passages (records with `contents`), then the questions of the other files."""
    corpora = [path for path in files if _is_corpus(path)]
    passages: set[str] = set()
    for path in corpora:
        for place, source in read_objects(path):
            passage = _passage(parse(place, source, PassageRecord, "a passage of FlashRAG"), place)
            if passage.id in passages:
                raise InputError(f"{place}: id: {passage.id!r} stands earlier, too")
            passages.add(passage.id)
            yield passage
    for path in files:
        if path in corpora:
            continue
        for place, source in read_objects(path):
            record = parse(place, source, QuestionRecord, "a question of FlashRAG")
            yield _entry(record, place, source, split_of(path, split), passages)


def _is_corpus(path: Path) -> bool:
    for _, source in read_objects(path):
        return "contents" in source
    return False


def _passage(record: PassageRecord, place: str) -> Passage:
    title, newline, text = record.contents.partition("\n")
    if not newline or not title:
        title, text = "", record.contents
    return Passage(
        id=check_id(place, "id", record.id),
        title=title,
        text=text,
        metadata=PassageMetadata(extra=dict(record.model_extra or {})),
    )


def _entry(
    record: QuestionRecord, place: str, source: Json, split: str, passages: set[str]
) -> Entry:
    names, options, right = _answers(record, place)
    found = record.metadata.get("gold_passages")
    gold = [str(one) for one in found] if isinstance(found, list) else []
    hops = record.metadata.get("hops")
    question = Question(
        id=check_id(place, "id", record.id),
        split=split,
        axis="none",
        topology=UNKNOWN,
        hops=hops if type(hops) is int and hops > 0 else 1,
        question=record.question,
        answer=answer(names[0] if names else "", names[1:]),
        sub_questions=(),
        labels=(),
        options=options,
        correct_option=right,
        provenance=provenance(),
        metadata={"format": NAME} | ({"metadata": record.metadata} if "metadata" in source else {}),
    )
    known_gold = tuple((1, passage) for passage in gold if passage in passages)
    entry = Entry(question, (), known_gold)
    return entry._replace(question=remember(question, source, to_object(entry)))


def _answers(
    record: QuestionRecord, place: str
) -> tuple[list[str], dict[str, str] | None, str | None]:
    """The names of the answer, and the options with the right letter."""
    if record.choices is None:
        return [str(name) for name in record.golden_answers], None, None
    options = {letter(place): choice for place, choice in enumerate(record.choices)}
    right = []
    for one in record.golden_answers:
        index = int(one) if str(one).isdecimal() else -1
        if not 0 <= index < len(record.choices):
            raise InputError(
                f"{place}: golden_answers: {one!r} is no index of the {len(record.choices)} choices"
            )
        right.append(index)
    names = [record.choices[index] for index in right]
    return names, options, letter(right[0]) if right else None


def to_object(entry: Entry) -> Json:
    """The question as FlashRAG has it; what it has no field for goes into its `metadata`."""
    question = entry.question
    names = [name for one in (question.answer, *question.other_answers) for name in one.names]
    made: Json = {"id": question.id, "question": question.question, "golden_answers": names}
    if question.options is not None:
        made["choices"] = [question.options[key] for key in sorted(question.options, key=number_of)]
        right = question.correct_option
        made["golden_answers"] = [] if right is None else [number_of(right)]
    kept: Any = known(question, NAME, "metadata")
    if kept is None and question.metadata.get("format") != NAME:
        kept = {
            "type": question.type,
            "topology": question.topology,
            "hops": question.hops,
            "labels": list(question.labels),
            "answerable": question.answerable,
            "sub_questions": [
                {"question": sub.question, "answer": sub.answer.label}
                for sub in question.sub_questions
            ],
            "gold_passages": [passage for passage, score in entry.gold.items() if score > 0],
        }
    return made if kept is None else made | {"metadata": kept}


def write(dataset: DatasetFolder, out: Path, drops: Drops) -> Written:
    """Write JSON Lines a split, and `corpus.jsonl`."""

    def build(entry: Entry) -> Json:
        question = entry.question
        drops["answer.aliases (of questions with choices)"] += bool(
            question.options and question.answer.aliases and not known(question, NAME, "format")
        )
        return to_object(entry)

    written = write_by_split(
        dataset.entries(),
        out,
        build,
        name=NAME,
        holds=_HOLDS,
        drops=drops,
    )
    if not dataset.has_corpus:
        return written
    with write_atomically(out / "corpus.jsonl") as file:
        for passage in dataset.passages.values():
            drops["passages: facts and snapshots"] += bool(
                passage.metadata.facts or passage.metadata.snapshot
            )
            text = contents(passage) if passage.title else passage.text
            line = {**passage.metadata.extra, "id": passage.id, "contents": text}
            file.write(orjson.dumps(line) + b"\n")
    files = [*written.files, "corpus.jsonl"]
    return Written(files, written.questions, len(dataset.passages))


FORMAT = Format(
    name=NAME,
    title="FlashRAG",
    files="JSON Lines of questions, and of the corpus if there is one",
    read=read,
    write=write,
    holds=_HOLDS,
)
