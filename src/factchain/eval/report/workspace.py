"""A workspace folder -> what its report is drawn from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from factchain.chains.records import FactChain
from factchain.eval.report.records import (
    Build,
    DegreeBin,
    InputFile,
    ReportData,
    Stage,
    StoreStatistics,
)
from factchain.eval.results import Results
from factchain.kg.popularity import PopularityBounds
from factchain.questions.records import Question
from factchain.records import read_records
from factchain.retrieval_corpus.formats import read_corpus, read_hop_qrels
from factchain.retrieval_corpus.metrics import GroupScore


def report_data(
    out: Path,
    manifest: dict[str, Any],
    figures: dict[str, Any],
    results: Results,
    retrieval: Mapping[str, Sequence[GroupScore]],
) -> ReportData:
    """Read what a build wrote into `out`, and put it together with what was counted and scored.

    `manifest` is the content of `manifest.json`; `figures` is what `kg.stats.statistics` says of
    the store, with the answers' classes as `answer_classes`; `retrieval` are scores of retrievers.
    Raises InputError for a file that is missing or broken.
    """
    questions = tuple(read_records(out / "questions.jsonl", Question))
    passages = read_corpus(out / "corpus")
    splits = sorted({question.split for question in questions})
    return ReportData(
        build=_build(manifest),
        store=_store(manifest, figures),
        corpus_passages=len(passages),
        audit=_audit(manifest),
        chains=tuple(read_records(out / "chains.jsonl", FactChain)),
        questions=questions,
        gold=tuple(
            row for split in splits for row in read_hop_qrels(out / "corpus", passages, split)
        ),
        results=results,
        retrieval={name: tuple(scores) for name, scores in retrieval.items()},
    )


def _audit(manifest: dict[str, Any]) -> dict[str, int]:
    counted = manifest["stages"].get("corpus", {}).get("details", {})
    titles = {"distributed": "No passage states two facts", "without_shortcut": "No shortcut"}
    return {title: counted[name] for name, title in titles.items() if name in counted}


def _build(manifest: dict[str, Any]) -> Build:
    return Build(
        version=manifest["factchain"],
        seed=manifest["seed"],
        inputs=tuple(
            InputFile(name=entry["file"], size=entry["bytes"], sha256=entry["sha256"])
            for entry in manifest["inputs"]
        ),
        stages=tuple(
            Stage(
                name=name,
                rows_in=entry["rows_in"],
                rows_out=entry["rows_out"],
                rejected={reason: n for reason, n in entry["rejected"].items() if n},
            )
            for name, entry in manifest["stages"].items()
            if name != "report"
        ),
    )


def _store(manifest: dict[str, Any], figures: dict[str, Any]) -> StoreStatistics:
    bounds = manifest["settings"]["popularity"] if "popularity" in manifest["stages"] else None
    return StoreStatistics(
        entities=figures["counts"]["entities"],
        properties=figures["counts"]["properties"],
        passages=figures["counts"]["passages"],
        snapshots=figures["facts_by_snapshot"],
        recency=figures["facts_by_recency"],
        popularity=figures["popularity_histogram"],
        bounds=PopularityBounds(**bounds) if bounds else None,
        answer_classes=figures["answer_classes"],
        out_degrees=_degrees(figures["degrees"]["out"]),
        in_degrees=_degrees(figures["degrees"]["in"]),
        coverage={what: n for what, n in figures["coverage"].items() if what.startswith("with ")},
        class_sizes=_class_sizes(figures["classes"]),
    )


def _class_sizes(classes: list[dict[str, Any]]) -> dict[str, int]:
    """Entities by the name of their class; where classes share it, by name and id."""
    names = Counter(entry["label"] for entry in classes)
    return {
        entry["label"]
        if entry["label"] and names[entry["label"]] == 1
        else " ".join(filter(None, (entry["label"], entry["id"]))): entry["entities"]
        for entry in classes
    }


def _degrees(described: dict[str, Any]) -> tuple[DegreeBin, ...]:
    return tuple(
        DegreeBin(low=one["from"], high=one["to"], entities=one["entities"])
        for one in described["bins"]
    )
