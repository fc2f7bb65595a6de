"""The store and the questions -> the corpus folder, with the gold passages of every hop."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import duckdb
import orjson

from factchain import progress
from factchain.errors import InputError, StoreError
from factchain.files import write_atomically
from factchain.kg.records import number
from factchain.questions.records import Question
from factchain.records import write_records
from factchain.retrieval_corpus.audit import (
    AUDIT,
    Finding,
    Shortcuts,
    undistributed,
    write_findings,
)
from factchain.retrieval_corpus.chunk import Chunk, Chunker
from factchain.retrieval_corpus.evidence import Evidence, entities_of
from factchain.retrieval_corpus.formats import (
    CORPUS,
    QUERIES,
    Qrels,
    hop_qrels_file,
    qrels_file,
    write_hop_qrels,
    write_qrels,
)
from factchain.retrieval_corpus.linearize import Linearizer
from factchain.retrieval_corpus.records import CorpusQuery, CorpusSummary, HopGold
from factchain.retrieval_corpus.settings import CorpusSettings
from factchain.retrieval_corpus.tokenizers import load_tokenizer

_SPLIT = re.compile(r"[A-Za-z0-9_-]+")
_PASSAGES_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class BuiltCorpus:
    """A corpus that was written."""

    summary: CorpusSummary
    questions: list[Question]
    """Those that it has gold passages for: all that were given, less what `strict` left out."""


def build_corpus(
    connection: duckdb.DuckDBPyConnection,
    questions: Sequence[Question],
    out: Path,
    settings: CorpusSettings | None = None,
) -> BuiltCorpus:
    """Linearize the store into `out`: passages, queries, gold passages by split, and the audit.

    The gold passages of a hop are those that state its facts, all of them, in the snapshot in
    which the question holds; a hop that reckons with earlier answers alone has none, and so has
    one that is withheld. Memory does not grow with the store, but with the questions.

    Raises InputError for a question whose evidence is not in the corpus or that another withholds,
    for two questions with one id and for a split that cannot name a file, ConfigError for settings
    that do not fit, StoreError for a store that gives no passage; then nothing is written.
    """
    settings = settings or CorpusSettings()
    _check(questions)
    evidence = Evidence.of(questions)
    shortcuts = Shortcuts(questions)
    tokenizer = load_tokenizer(settings.tokenizer)
    lines = Linearizer(
        connection,
        settings,
        evidence=evidence.facts,
        withheld=evidence.withheld,
        nodes=shortcuts.entities,
        entities=map(number, entities_of(questions)),
    )
    counts: Counter[str] = Counter()
    gold: dict[str, list[HopGold]] = {}

    def chunks() -> Iterator[Chunk]:
        chunker = Chunker(tokenizer, settings.max_tokens, lines.snapshots())
        for chunk in chunker.chunks(lines.batches()):
            evidence.meet(chunk)
            shortcuts.meet(chunk)
            yield chunk
        # Here, so that missing evidence stops the writing of the corpus.
        gold.update((question.id, evidence.gold(question)) for question in questions)

    try:
        _write_passages(out / CORPUS, chunks(), counts)
        unlabelled, factless = lines.count_left_out()
    finally:
        lines.close()
    found = _audit(questions, evidence, shortcuts)
    failing = {finding.question for finding in found}
    kept = [q for q in questions if not (settings.strict and q.id in failing)]
    write_findings(out / AUDIT, found)
    write_records(out / QUERIES, (CorpusQuery(id=q.id, text=q.question) for q in kept))
    rows = _write_gold(out, kept, gold)
    summary = CorpusSummary(
        entities=counts["entities"],
        unlabelled=unlabelled,
        factless=factless,
        passages=counts["passages"],
        dated=counts["dated"],
        facts=counts["facts"],
        questions=len(kept),
        gold=rows,
        withheld=len(evidence.withheld),
        distributed=_passing(questions, found, "fact distribution"),
        without_shortcut=_passing(questions, found, "no shortcut"),
        dropped=len(questions) - len(kept),
    )
    return BuiltCorpus(summary, kept)


def _check(questions: Sequence[Question]) -> None:
    for question_id, count in Counter(question.id for question in questions).items():
        if count > 1:
            raise InputError(f"question {question_id}: {count} questions have this id")
    for question in questions:
        if not _SPLIT.fullmatch(question.split):
            raise InputError(
                f"question {question.id}: split {question.split!r} cannot name a file: "
                "use letters, digits, '-' and '_'"
            )


def _write_passages(path: Path, chunks: Iterator[Chunk], counts: Counter[str]) -> None:
    """Write `corpus.jsonl`, complete or not at all, and count what it holds.

    The lines are those of `Passage`, made without one, since there may be a hundred million.
    """
    passages = entities = dated = facts = 0
    last = 0
    with write_atomically(path) as out, progress.counting("thousands of passages") as advance:
        for chunk in chunks:
            out.write(_line(chunk))
            passages += 1
            entities += chunk.entity != last
            last = chunk.entity
            dated += chunk.snapshot is not None
            facts += chunk.size
            if passages % _PASSAGES_AT_ONCE == 0:
                advance()
        if not passages:
            raise StoreError("no entity of the scope has a label and facts in the triple store")
    counts.update(passages=passages, entities=entities, dated=dated, facts=facts)


def _line(chunk: Chunk) -> bytes:
    metadata = {
        "entity": f"Q{chunk.entity}",
        "snapshot": chunk.snapshot,
        "facts": orjson.Fragment(chunk.facts),
    }
    return orjson.dumps(
        {"_id": chunk.id, "title": chunk.title, "text": chunk.text, "metadata": metadata},
        option=orjson.OPT_APPEND_NEWLINE,
    )


def _audit(
    questions: Sequence[Question], evidence: Evidence, shortcuts: Shortcuts
) -> list[Finding]:
    return [
        finding
        for question in questions
        for finding in (*undistributed(question, evidence), *shortcuts.findings(question))
    ]


def _passing(questions: Sequence[Question], found: Sequence[Finding], constraint: str) -> int:
    return len(questions) - len({f.question for f in found if f.constraint == constraint})


def _write_gold(out: Path, questions: Sequence[Question], gold: dict[str, list[HopGold]]) -> int:
    """Write the gold passages by split, in place of those of an earlier corpus; return the rows."""
    for folder in ("qrels", "hop_qrels"):
        for earlier in (out / folder).glob("*.tsv"):
            earlier.unlink()
    rows = 0
    for split, group in groupby(sorted(questions, key=_split), key=_split):
        ids = [question.id for question in group]
        qrels: Qrels = {key: {row.passage: 1 for row in gold[key]} for key in ids}
        write_qrels(qrels_file(out, split), qrels)
        write_hop_qrels(hop_qrels_file(out, split), (row for key in ids for row in gold[key]))
        rows += sum(map(len, qrels.values()))
    return rows


def _split(question: Question) -> str:
    return question.split
