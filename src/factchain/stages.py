"""What each stage of a build does: from files of the workspace to files of the workspace."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from factchain.chains.build import sample_chains
from factchain.chains.records import FactChain
from factchain.chains.settings import sample_settings
from factchain.config import BuildConfig
from factchain.errors import InputError
from factchain.eval.dealing import deal
from factchain.eval.report.render import write_report
from factchain.eval.report.workspace import report_data
from factchain.eval.results import Results
from factchain.eval.suite import is_installed, run_suite
from factchain.kg.dumps.from_config import dump_settings
from factchain.kg.dumps.ingest import IngestSummary, beside, ingest
from factchain.kg.popularity import PopularityBounds, count_popularity
from factchain.kg.stats import classes_of, statistics
from factchain.kg.store import Store
from factchain.manifest import StageReport
from factchain.parallel import Engine
from factchain.questions.from_config import generation_settings
from factchain.questions.generate_file import generate_file
from factchain.questions.kinds.null_questions import make_null_questions
from factchain.questions.kinds.unanswerable import (
    NEEDS_WITHHELD,
    WithholdSettings,
    make_unanswerable,
)
from factchain.questions.options.build import add_options, plan_options
from factchain.questions.records import Question
from factchain.records import read_records, write_records
from factchain.retrieval_corpus.build import BuiltCorpus, build_corpus
from factchain.retrieval_corpus.retrievers.bm25 import BM25Retriever
from factchain.retrieval_corpus.settings import corpus_settings
from factchain.retrieval_corpus.unanswerable_check import check_unanswerable

KG = "kg.duckdb"
CHAINS = "chains.jsonl"
QUESTIONS = "questions.jsonl"
ANSWERABLE = "answerable.jsonl"
"""The questions before some are made unanswerable."""
JOURNAL = "model-journal.sqlite"
"""What language models replied, so that nothing is paid twice."""
TRIAL_CORPUS = "trial-corpus"
CORPUS = "corpus"
SCORES = "eval/scores.parquet"
REPORT = "report.html"
TOP_K = 5


def make_store(config: BuildConfig, out: Path, workers: int, engine: Engine) -> StageReport:
    """All snapshots, oldest first, into a new store that takes its place when it is complete."""
    aside = out / f".{KG}.part"
    summaries: dict[str, IngestSummary] = {}
    with Store.create(aside) as store:
        for snapshot in sorted(config.snapshots, key=lambda snapshot: snapshot.date):
            summaries[snapshot.title] = ingest(
                store,
                snapshot.dump,
                snapshot.title,
                snapshot.date.isoformat(),
                settings=dump_settings(config.kg),
                listed=config.kg.entities,
                max_rejects=config.kg.max_rejects,
                rejects_file=out / f"rejects-{snapshot.date}.jsonl",
                workers=workers,
                engine=engine,
                work=beside(out / KG, snapshot.date.isoformat()),
            )
        store.checkpoint()
    aside.replace(out / KG)
    rejected: Counter[str] = Counter()
    for summary in summaries.values():
        rejected.update(summary.skipped)
        rejected["malformed line"] += summary.rejects
    return StageReport(
        rows_in=sum(s.entities + s.properties + s.rejects for s in summaries.values()),
        rows_out=sum(s.facts for s in summaries.values()),
        rejected=dict(sorted((+rejected).items())),
        details={"snapshots": {name: asdict(summary) for name, summary in summaries.items()}},
    )


def add_popularity(config: BuildConfig, out: Path, workers: int, engine: Engine) -> StageReport:
    """Passages, their mentions and the popularity of facts, into the store."""
    assert config.passages is not None  # the stage exists only with passages
    bounds = PopularityBounds(**config.popularity.model_dump())
    with Store.open(out / KG, read_only=False) as store:
        summary = count_popularity(store, config.passages, bounds, workers=workers, engine=engine)
        store.checkpoint()
    return StageReport(
        rows_in=summary.passages,
        rows_out=summary.facts,
        rejected={"ambiguous name": summary.ambiguous_names},
        details={"mentions": summary.mentions},
    )


def draw_chains(
    config: BuildConfig, out: Path, seed: int, workers: int, engine: Engine
) -> StageReport:
    """Chains of every axis."""
    settings = [
        sample_settings(config.chains, axis, seed, workers=workers, engine=engine)
        for axis in config.chains.axes
    ]
    with Store.open(out / KG) as store:
        summaries = sample_chains(store, settings, out / CHAINS)
        ((facts,),) = store.rows("SELECT count(*) FROM current_edge")
    rejected: Counter[str] = Counter()
    for summary in summaries:
        rejected.update(summary.rejected)
    return StageReport(
        rows_in=facts,
        rows_out=sum(summary.chains for summary in summaries),
        rejected=dict(sorted(rejected.items())),
        details={"axes": [asdict(summary) for summary in summaries]},
    )


def make_questions(
    config: BuildConfig, out: Path, file: str = QUESTIONS, seed: int = 1
) -> StageReport:
    """Questions from chains, into a file. Raises InputError where not one can be asked."""
    (out / ANSWERABLE).unlink(missing_ok=True)
    chains = list(read_records(out / CHAINS, FactChain))
    with Store.open(out / KG) as store:
        summary = generate_file(
            store, chains, generation_settings(config.questions), out / file, out / JOURNAL
        )
        if summary.questions and config.questions.options:
            plan = plan_options(store, list(read_records(out / file, Question)))
            write_records(out / file, add_options(plan, seed)[0])
    if not summary.questions:
        raise InputError(
            f"{out / CHAINS}: none of {len(chains)} chains became a question "
            f"({summary.rejected or 'there are none'}): `factchain kg stats --kg {out / KG}` shows "
            "what the store holds; more facts, or other settings of `chains`, would help"
        )
    return StageReport(
        rows_in=len(chains),
        rows_out=summary.questions,
        rejected=summary.rejected,
        details={"answer named in a topic's own name": summary.named_by_topic}
        | ({"wordings refused": summary.refusals} if summary.refusals else {}),
    )


def make_unanswerable_questions(config: BuildConfig, out: Path, seed: int) -> StageReport:
    """Some questions made unanswerable and null questions added, none answered by a passage.

    That is tried on a corpus built as the next stage builds it, which is then taken away.
    """
    asked, trial = config.unanswerable, out / TRIAL_CORPUS
    questions = list(read_records(out / ANSWERABLE, Question))
    settings = WithholdSettings(asked.share, *asked.withhold, seed=seed)
    try:
        with Store.open(out / KG) as store:
            made = make_unanswerable(store, questions, settings)
            null = make_null_questions(store, questions, asked.null_share, seed)
            every = [*made.questions, *null.questions]
            corpus_of(config, store, every, trial, seed)
        checked = check_unanswerable(BM25Retriever(), trial, every)
    finally:
        shutil.rmtree(trial, ignore_errors=True)
    write_records(out / QUESTIONS, checked.questions)
    return StageReport(
        rows_in=len(questions),
        rows_out=len(checked.questions),
        rejected={
            **{name: count for name, count in made.passed_over.items() if name == NEEDS_WITHHELD},
            **({"stated by a retrieved passage": len(checked.failed)} if checked.failed else {}),
        },
        details={
            "unanswerable": made.as_dict(),
            "null": null.as_dict(),
            "retrieval": checked.as_dict(),
        },
    )


def make_corpus(config: BuildConfig, out: Path, seed: int) -> StageReport:
    """Passages and gold passages; what an earlier run left is taken away first."""
    questions = list(read_records(out / QUESTIONS, Question))
    shutil.rmtree(out / CORPUS, ignore_errors=True)
    with Store.open(out / KG) as store:
        summary = corpus_of(config, store, questions, out / CORPUS, seed).summary
    return StageReport(
        rows_in=summary.facts,
        rows_out=summary.passages,
        rejected={
            "entity without label": summary.unlabelled,
            "entity without facts": summary.factless,
        },
        details=summary.model_dump(),
    )


def corpus_of(
    config: BuildConfig, store: Store, questions: Sequence[Question], folder: Path, seed: int
) -> BuiltCorpus:
    """The corpus of the questions, as the config asks for it."""
    return build_corpus(store.connection, questions, folder, corpus_settings(config.corpus, seed))


def ask_model(config: BuildConfig, out: Path, workers: int = 1) -> StageReport:
    """Scores of the model that the config names."""
    settings = config.eval
    result = run_suite(
        out,
        settings.model,
        settings.tasks,
        retrievers=settings.retrievers,
        limit=settings.limit,
        in_full=settings.in_full,
        workers=workers,
    )
    return StageReport(
        rows_in=result["answers"] + result["failed"],
        rows_out=result["answers"],
        rejected={"could not be asked": result["failed"]},
        details={"model": result["model"], "not run": result["not_run"]},
    )


def make_report(out: Path, manifest: dict[str, Any]) -> StageReport:
    """The report of what the workspace holds now."""
    questions = list(read_records(out / QUESTIONS, Question))
    with Store.open(out / KG) as store:
        figures = statistics(store)
        figures["answer_classes"] = classes_of(
            store, [q.answer.id for q in questions if q.answer.id is not None]
        )
    if not is_installed():
        write_report(report_data(out, manifest, figures, Results(), {}), out / REPORT)
        return StageReport(rows_in=len(questions), rows_out=1)
    from factchain.eval.report.asked import who_was_asked
    from factchain.eval.report.pages import MOST_PAGES
    from factchain.eval.report.runs import read_judged, read_runs, retrieval_scores
    from factchain.eval.result_tables import results_of

    runs = read_runs([out])
    results = results_of(runs.scores, questions, read_judged([out]))
    retrieval = retrieval_scores(runs, also=["bm25"])
    asked = who_was_asked(runs, results, deal(questions, MOST_PAGES))
    write_report(report_data(out, manifest, figures, results, retrieval), out / REPORT, asked)
    return StageReport(rows_in=len(questions), rows_out=1)
