"""BEIR: a folder with `corpus.jsonl`, `queries.jsonl` and `qrels/<split>.tsv` (SPEC.md 2).

BEIR has no answers; where a query's `metadata` has one, as HotpotQA's in BEIR, it is taken. It has
no hops either: all gold passages are those of hop 1.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

import orjson
from pydantic import Field, JsonValue, ValidationError

from factchain.errors import InputError
from factchain.files import write_atomically
from factchain.formats.dataset_folder import SPLIT, DatasetFolder
from factchain.formats.json_files import Json, SourceRecord, parse, read_objects
from factchain.formats.losses import count_losses
from factchain.formats.protocol import Drops, Entry, Format, Items, Written
from factchain.formats.references import UNKNOWN
from factchain.formats.source import answer, check_id, provenance, remember, restore
from factchain.questions.records import Question
from factchain.retrieval_corpus.formats import Qrels, qrels_file, write_qrels
from factchain.retrieval_corpus.records import Passage, PassageMetadata

NAME = "beir"
_HOLDS = frozenset({"gold passages"})


class PassageRecord(SourceRecord):
    """One passage."""

    id: str = Field(alias="_id")
    title: str = ""
    text: str
    metadata: dict[str, JsonValue] = Field({})


class QueryRecord(SourceRecord):
    """One query."""

    id: str = Field(alias="_id")
    text: str
    metadata: dict[str, JsonValue] = Field({})


def read(files: Sequence[Path], split: str | None, drops: Drops) -> Items:
    """The passages of the folders, then the queries of every split that they have gold for."""
    for folder in files:
        if not folder.is_dir():
            raise InputError(f"{folder}: is no folder: BEIR's layout is a folder with corpus.jsonl")
        passages: set[str] = set()
        for place, source in read_objects(folder / "corpus.jsonl"):
            passage = _passage(parse(place, source, PassageRecord, "a passage of BEIR"), place)
            if passage.id in passages:
                raise InputError(f"{place}: _id: {passage.id!r} stands earlier, too")
            passages.add(passage.id)
            yield passage
        yield from _queries(folder, split, passages, drops)


def _passage(record: PassageRecord, place: str) -> Passage:
    return Passage(
        id=check_id(place, "_id", record.id),
        title=record.title,
        text=record.text,
        metadata=_metadata(record.metadata | (record.model_extra or {})),
    )


def _metadata(value: Json) -> PassageMetadata:
    """Ours where a build wrote it, else as it is."""
    try:
        ours = PassageMetadata.model_validate(value)
    except ValidationError:
        return PassageMetadata(extra=value)
    same = ours.model_dump(mode="json", exclude_defaults=True) == value
    return ours if same and value.keys() - {"extra"} else PassageMetadata(extra=value)


def _queries(folder: Path, split: str | None, passages: set[str], drops: Drops) -> Iterator[Entry]:
    qrels: dict[str, Qrels] = {}
    for path in sorted((folder / "qrels").glob("*.tsv")):
        if split in (None, path.stem):
            if not SPLIT.fullmatch(path.stem):
                raise InputError(f"{path}: the name of a split has letters, digits, '-' and '_'")
            qrels[path.stem] = _read_qrels(path, passages)
    if not qrels:
        raise InputError(f"{folder / 'qrels'}: has no {split or '<split>'}.tsv")
    seen: set[str] = set()
    for place, source in read_objects(folder / "queries.jsonl"):
        record = parse(place, source, QueryRecord, "a query of BEIR")
        splits = [name for name, of_split in qrels.items() if record.id in of_split]
        seen.add(record.id)
        if not splits:
            drops["queries without gold passages"] += 1
            continue
        drops["queries in a further split"] += len(splits) - 1
        yield _entry(record, place, source, splits[0], qrels[splits[0]][record.id])
    for name, of_split in qrels.items():
        for query in of_split:
            if query not in seen:
                raise InputError(f"{folder}: qrels/{name}.tsv: there is no query {query!r}")


def _read_qrels(path: Path, passages: set[str]) -> Qrels:
    """The relevance by query and passage; the first line is a heading, whatever it says."""
    qrels: Qrels = {}
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            rows = csv.reader(lines, delimiter="\t")
            next(rows, None)
            for row in rows:
                place = f"{path}:{rows.line_num}"
                if len(row) != 3 or not row[2].lstrip("-").isdecimal():
                    raise InputError(f"{place}: expected query-id, corpus-id and a whole score")
                query, passage, score = row
                if passage not in passages:
                    raise InputError(f"{place}: corpus-id: the corpus has no passage {passage!r}")
                if passage in qrels.setdefault(query, {}):
                    raise InputError(f"{place}: {query} and {passage} stand together already")
                qrels[query][passage] = max(0, int(score))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: is no table of tab-separated UTF-8 text: {error}") from error
    return qrels


def _entry(
    record: QueryRecord, place: str, source: Json, split: str, gold: dict[str, int]
) -> Entry:
    said = record.metadata.get("answer")
    question = Question(
        id=check_id(place, "_id", record.id),
        split=split,
        axis="none",
        topology=UNKNOWN,
        hops=1,
        question=record.text,
        answer=answer(said if isinstance(said, str) else ""),
        sub_questions=(),
        labels=(),
        provenance=provenance(),
        metadata={"format": NAME},
    )
    of_hop = tuple((1, passage) for passage, score in gold.items() if score > 0)
    entry = Entry(question, (), of_hop, gold)
    return entry._replace(question=remember(question, source, to_object(entry)))


def to_object(entry: Entry) -> Json:
    """The query as BEIR has it."""
    return {"_id": entry.question.id, "text": entry.question.question}


def write(dataset: DatasetFolder, out: Path, drops: Drops) -> Written:
    """Write the folder."""
    qrels: dict[str, Qrels] = {}
    with write_atomically(out / "queries.jsonl") as file:
        for entry in dataset.entries():
            if not entry.gold:
                drops["questions without gold passages, left out"] += 1
                continue
            count_losses(entry, NAME, _HOLDS, drops)
            file.write(orjson.dumps(restore(entry.question, NAME, to_object(entry))) + b"\n")
            qrels.setdefault(entry.question.split, {})[entry.question.id] = entry.gold
        if not qrels:
            raise InputError("no question has gold passages: BEIR is about them: build a corpus")
    with write_atomically(out / "corpus.jsonl") as file:
        for passage in dataset.passages.values():
            metadata = passage.metadata.model_dump(mode="json", exclude_defaults=True)
            if metadata.keys() == {"extra"}:
                metadata = metadata["extra"]
            line: Json = {"_id": passage.id, "title": passage.title, "text": passage.text}
            file.write(orjson.dumps(line | ({"metadata": metadata} if metadata else {})) + b"\n")
    for split, of_split in qrels.items():
        write_qrels(qrels_file(out, split), of_split)
    files = ["corpus.jsonl", "queries.jsonl", *(f"qrels/{split}.tsv" for split in qrels)]
    return Written(files, sum(map(len, qrels.values())), len(dataset.passages))


FORMAT = Format(
    name=NAME,
    title="BEIR",
    files="folders in BEIR's layout",
    read=read,
    write=write,
    holds=_HOLDS,
)
