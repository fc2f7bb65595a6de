"""MultiHop-RAG: JSON arrays of queries with evidence, and of articles (SPEC.md 2).

Every piece of evidence is a hop, whose gold passage is its article. Without the articles there is
no corpus, and no gold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from factchain.errors import InputError
from factchain.files import write_atomically
from factchain.formats.dataset_folder import DatasetFolder
from factchain.formats.json_files import Json, SourceRecord, parse, read_objects
from factchain.formats.json_output import write_by_split
from factchain.formats.protocol import Drops, Entry, Format, Items, Written
from factchain.formats.references import UNKNOWN
from factchain.formats.sentences import passage_of, sentences_of, stating
from factchain.formats.source import answer, known, provenance, remember, split_of
from factchain.questions.records import Answer, Question, QuestionType
from factchain.retrieval_corpus.records import Passage

NAME = "multihop-rag"
INSUFFICIENT = "Insufficient information."
_TYPES: dict[str, QuestionType] = {
    "inference_query": "inference",
    "comparison_query": "comparison",
    "temporal_query": "temporal",
    "null_query": "null",
}
_OF_ARTICLE = ("author", "url", "source", "category", "published_at")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_HOLDS = frozenset({"type", "hops", "answer", "gold passages", "gold passages by hop"})


class Evidence(SourceRecord):
    """A sentence of an article."""

    title: str
    fact: str
    url: str | None = None


class QueryRecord(SourceRecord):
    """One query."""

    query: str
    answer: str
    question_type: str
    evidence_list: list[Evidence]


class Article(SourceRecord):
    """One article of the corpus."""

    title: str
    body: str
    url: str | None = None


def read(files: Sequence[Path], split: str | None, drops: Drops) -> Items:
    """The articles (records with a `body`), then the queries of the other files."""
    corpora = [path for path in files if _is_corpus(path)]
    articles: dict[str, list[Passage]] = {}
    seen: set[str] = set()
    for path in corpora:
        for place, source in read_objects(path):
            passage = _passage(parse(place, source, Article, "an article"), source)
            if passage.id in seen:
                drops["articles that come twice"] += 1
                continue
            seen.add(passage.id)
            for key in {passage.title, str(passage.metadata.extra.get("url") or "")} - {""}:
                articles.setdefault(key, []).append(passage)
            yield passage
    number = 0
    for path in files:
        if path in corpora:
            continue
        for place, source in read_objects(path):
            number += 1
            record = parse(place, source, QueryRecord, "a query of MultiHop-RAG")
            gold = tuple(_gold(record, place, articles)) if corpora else ()
            yield _entry(record, place, source, gold, f"mhr-{number:05}", split_of(path, split))


def _is_corpus(path: Path) -> bool:
    """Whether the first record is an article."""
    for _, source in read_objects(path):
        return "body" in source
    return False


def _passage(article: Article, source: Json) -> Passage:
    passage = passage_of(article.title, article.body)
    extra = {key: value for key, value in source.items() if key not in ("title", "body")}
    metadata = passage.metadata.model_copy(update={"extra": extra})
    return passage.model_copy(update={"metadata": metadata})


def _gold(
    record: QueryRecord, place: str, articles: dict[str, list[Passage]]
) -> Iterator[tuple[int, str]]:
    """The articles of the evidence; of several with its url or title that with the sentence."""
    for hop, evidence in enumerate(record.evidence_list, start=1):
        found = articles.get(evidence.url or "") or articles.get(evidence.title)
        if not found:
            raise InputError(
                f"{place}: evidence_list.{hop - 1}: no article has the title {evidence.title!r} "
                "or its url: import the corpus that belongs to the queries"
            )
        saying = (passage for passage in found if evidence.fact in passage.text)
        yield hop, next(saying, found[0]).id


def _entry(
    record: QueryRecord,
    place: str,
    source: Json,
    gold: tuple[tuple[int, str], ...],
    key: str,
    split: str,
) -> Entry:
    if record.question_type not in _TYPES:
        raise InputError(
            f"{place}: question_type: {record.question_type!r} is none of {', '.join(_TYPES)}"
        )
    kind = _TYPES[record.question_type]
    null = kind == "null"
    question = Question(
        id=key,
        split=split,
        type=kind,
        axis="none",
        topology=UNKNOWN,
        hops=max(1, len(record.evidence_list)),
        question=record.query,
        answer=Answer(label=record.answer, kind="insufficient") if null else answer(record.answer),
        answerable=not null,
        sub_questions=(),
        labels=(),
        provenance=provenance(),
        metadata={"format": NAME, "evidence_list": source["evidence_list"]},
    )
    rebuilt = _record(question, source["evidence_list"])
    return Entry(remember(question, source, rebuilt), (), gold)


def to_object(entry: Entry, dataset: DatasetFolder) -> Json:
    """The question as MultiHop-RAG has it; what is unanswerable is a null query.

    The evidence is the sentences that state the facts of the hops, with what the corpus says of
    their passages.
    """
    question = entry.question
    kept: Any = known(question, NAME, "evidence_list")
    if kept is not None or not question.answerable:
        return _record(question, kept or [])
    hops = {sub.index: sub for sub in question.sub_questions}
    evidence = []
    for hop, key in entry.hop_gold:
        passage = dataset.passages[key]
        sentences = sentences_of(passage)
        for place in stating(passage, hops.get(hop)):
            evidence.append(
                {"title": passage.title, **_article_fields(passage), "fact": sentences[place]}
            )
    return _record(question, evidence)


def _record(question: Question, evidence: list[Any]) -> Json:
    by_type = {ours: theirs for theirs, ours in _TYPES.items()}
    null = not question.answerable
    native = question.metadata.get("format") == NAME
    return {
        "query": question.question,
        "answer": INSUFFICIENT if null and not native else question.answer.label,
        "question_type": "null_query" if null else by_type.get(question.type, "inference_query"),
        "evidence_list": evidence,
    }


def _article_fields(passage: Passage) -> Json:
    """Where a passage is from; one of ours from the Wikidata item, as of the snapshot it names."""
    extra = passage.metadata.extra
    entity, snapshot = passage.metadata.entity, passage.metadata.snapshot or ""
    made = {
        "author": "",
        "url": f"http://www.wikidata.org/entity/{entity}" if entity else "",
        "source": "Wikidata" if entity else "",
        "category": "",
        "published_at": f"{snapshot}T00:00:00+00:00" if _DATE.fullmatch(snapshot) else "",
    }
    return {key: extra.get(key, made[key]) for key in _OF_ARTICLE}


def write(dataset: DatasetFolder, out: Path, drops: Drops) -> Written:
    """Write the queries of every split as JSON arrays, and `corpus.json`."""
    written = write_by_split(
        dataset.entries(),
        out,
        lambda entry: to_object(entry, dataset),
        name=NAME,
        holds=_HOLDS,
        drops=drops,
        array=True,
        prefix="MultiHopRAG.",
    )
    with write_atomically(out / "corpus.json") as file:
        for number, passage in enumerate(dataset.passages.values()):
            file.write((b",\n" if number else b"[\n") + orjson.dumps(_article(passage)))
        file.write(b"\n]\n" if dataset.passages else b"[]\n")
    files = [*written.files, "corpus.json"]
    return Written(files, written.questions, len(dataset.passages))


def _article(passage: Passage) -> Json:
    extra = passage.metadata.extra
    about = dict(extra) if extra else _article_fields(passage)
    return {"title": passage.title, **about, "body": passage.text}


FORMAT = Format(
    name=NAME,
    title="MultiHop-RAG",
    files="the queries (MultiHopRAG.json) and the articles (corpus.json)",
    read=read,
    write=write,
    holds=_HOLDS,
)
