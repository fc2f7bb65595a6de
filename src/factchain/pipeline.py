"""The main job: dumps and text -> store, chains, questions, corpus, scores, report.

Every stage reads files of the workspace and writes files of the workspace, so that a run that
was stopped goes on with the first stage that was not finished.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from factchain import progress
from factchain.chains.build import sample_chains
from factchain.chains.records import FactChain
from factchain.chains.sampler import SampleSettings
from factchain.chains.selection import Caps
from factchain.config import BuildConfig, read_config
from factchain.data.render import SampleInput, render_sample
from factchain.errors import InputError
from factchain.eval.records import ScoreSummary
from factchain.eval.report.render import write_report
from factchain.eval.report.workspace import report_data
from factchain.eval.suite import is_installed, run_suite
from factchain.files import sweep
from factchain.kg.ingest import IngestSummary, ingest
from factchain.kg.popularity import PopularityBounds, count_popularity
from factchain.kg.records import number
from factchain.kg.stats import classes_of, statistics
from factchain.kg.store import Store
from factchain.kg.text import read_passages
from factchain.manifest import Manifest, Stage, StageReport, read_manifest
from factchain.questions.build import generate_questions
from factchain.questions.records import Question
from factchain.questions.verbalize.template import TemplateVerbalizer
from factchain.records import read_records
from factchain.retrieval_corpus.build import build_corpus
from factchain.retrieval_corpus.evaluate import evaluate_retriever
from factchain.retrieval_corpus.metrics import GroupScore
from factchain.retrieval_corpus.retrievers.bm25 import BM25Retriever

KG = "kg.duckdb"
CHAINS = "chains.jsonl"
QUESTIONS = "questions.jsonl"
CORPUS = "corpus"
SCORES = "eval/scores.parquet"
REPORT = "report.html"
REJECTS = "rejects.jsonl"
SAMPLE = "sample"
TOP_K = 5


def build(config_file: Path | None, out: Path, *, seed: int = 1, workers: int = 1) -> Manifest:
    """Run every stage that is not done yet; without a config file on the bundled sample.

    Returns the manifest. Raises a FactchainError for a mistake in settings, input or output.
    """
    if config_file:
        config = read_config(config_file)
        _check_inputs(config)
        manifest = Manifest.open(out, seed, _plain(config))
    else:
        manifest = Manifest.open(out, seed, {})
        config = read_config(_render(out / SAMPLE).config)
        manifest.settings = _plain(config)
    with sweep(out):
        manifest.run(_stages(config, out, seed, workers, manifest), _tell)
    return manifest


def _render(folder: Path) -> SampleInput:
    """Render the bundled sample, from the tables of this version."""
    shutil.rmtree(folder, ignore_errors=True)
    return render_sample(folder)


def _check_inputs(config: BuildConfig) -> None:
    passages = [config.passages] if config.passages else []
    for path in [*(snapshot.dump for snapshot in config.snapshots), *passages]:
        if not path.is_file():
            raise InputError(f"{path}: no such file, though the config names it")


def _plain(config: BuildConfig) -> dict[str, Any]:
    """The settings as JSON values; files by name, wherever they lie."""
    settings: dict[str, Any] = json.loads(config.model_dump_json())
    for snapshot in settings["snapshots"]:
        snapshot["dump"] = Path(snapshot["dump"]).name
    if settings["passages"]:
        settings["passages"] = Path(settings["passages"]).name
    return settings


def _tell(stage: str, done: bool) -> None:
    progress.say(f"{stage}: done already" if done else f"{stage} ...")


def _stages(
    config: BuildConfig, out: Path, seed: int, workers: int, manifest: Manifest
) -> list[Stage]:
    """The stages in their order."""
    settings = _plain(config)
    stages = [
        Stage(
            name="store",
            settings={"snapshots": settings["snapshots"], "kg": settings["kg"]},
            run=partial(_build_store, config, out, workers),
            inputs=[snapshot.dump for snapshot in config.snapshots],
            stores=[KG],
        )
    ]
    if config.passages:
        stages.append(
            Stage(
                name="popularity",
                settings=settings["popularity"],
                run=partial(_count_popularity, config, out),
                inputs=[config.passages],
                stores=[KG],
            )
        )
    stages += [
        Stage(
            name="chains",
            settings=settings["chains"] | {"seed": seed},
            run=partial(_sample_chains, config, out, seed),
            outputs=[CHAINS],
        ),
        Stage(
            name="questions",
            settings={"verbalizer": TemplateVerbalizer.version},
            run=partial(_generate_questions, out),
            outputs=[QUESTIONS],
        ),
        Stage(
            name="corpus",
            settings=settings["corpus"],
            run=partial(_build_corpus, config, out),
            outputs=[
                f"{CORPUS}/corpus.jsonl",
                f"{CORPUS}/queries.jsonl",
                f"{CORPUS}/qrels/test.tsv",
                f"{CORPUS}/hop_qrels/test.tsv",
            ],
        ),
        _evaluation_stage(config, settings, out),
        Stage(
            name="report",
            settings={},
            run=partial(_report, out, manifest),
            outputs=[REPORT],
        ),
    ]
    return stages


def _report(out: Path, manifest: Manifest) -> StageReport:
    _write_report(out, manifest.content())
    return StageReport(rows_in=manifest.stages["questions"]["rows_out"], rows_out=1)


def _evaluation_stage(config: BuildConfig, settings: dict[str, Any], out: Path) -> Stage:
    """The evaluation, or a stage that says why it does not run."""
    if is_installed():
        return Stage(
            name="evaluation",
            settings=settings["eval"],
            run=partial(_evaluate, out, config.eval.model),
            outputs=[SCORES],
        )
    reason = "not run, because it needs an extra: pip install 'factchain[eval]'"
    return Stage(
        name="evaluation",
        settings={"skipped": reason},
        run=lambda: StageReport(0, 0, details={"skipped": reason}),
    )


def _build_store(config: BuildConfig, out: Path, workers: int) -> StageReport:
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
                keep_ended=config.kg.keep_ended,
                max_rejects=config.kg.max_rejects,
                rejects_file=out / REJECTS,
                workers=workers,
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


def _count_popularity(config: BuildConfig, out: Path) -> StageReport:
    assert config.passages is not None  # the stage exists only with passages
    bounds = PopularityBounds(**config.popularity.model_dump())
    with Store.open(out / KG, read_only=False) as store:
        summary = count_popularity(store, read_passages(config.passages), bounds)
        store.checkpoint()
    return StageReport(
        rows_in=summary.passages,
        rows_out=summary.facts,
        rejected={"ambiguous name": summary.ambiguous_names},
        details={"mentions": summary.mentions},
    )


def _sample_chains(config: BuildConfig, out: Path, seed: int) -> StageReport:
    chains = config.chains
    settings = [
        SampleSettings(
            axis=axis,
            hops=chains.hops,
            per_stratum=chains.per_stratum,
            seed=seed,
            caps=Caps(chains.property_share, chains.per_answer, chains.per_topic),
            exclude_properties=frozenset(map(number, chains.exclude_properties)),
        )
        for axis in chains.axes
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


def _generate_questions(out: Path) -> StageReport:
    chains = list(read_records(out / CHAINS, FactChain))
    with Store.open(out / KG) as store:
        summary = generate_questions(store, chains, TemplateVerbalizer(), out / QUESTIONS)
    if not summary.questions:
        raise InputError(
            f"{out / CHAINS}: none of {len(chains)} chains became a question "
            f"({summary.rejected or 'there are none'}): `factchain kg stats --kg {out / KG}` shows "
            "what the store holds; more facts, or other settings of `chains`, would help"
        )
    return StageReport(len(chains), summary.questions, summary.rejected)


def _build_corpus(config: BuildConfig, out: Path) -> StageReport:
    questions = list(read_records(out / QUESTIONS, Question))
    shutil.rmtree(out / CORPUS, ignore_errors=True)
    with Store.open(out / KG) as store:
        summary = build_corpus(
            store.connection, questions, out / CORPUS, max_tokens=config.corpus.chunk_tokens
        )
    return StageReport(
        rows_in=summary.facts,
        rows_out=summary.passages,
        rejected={
            "entity without label": summary.unlabelled,
            "entity without facts": summary.factless,
        },
        details=summary.model_dump(),
    )


def _evaluate(out: Path, model: str) -> StageReport:
    result = run_suite(out, model)
    return StageReport(
        rows_in=result["answers"] + result["failed"],
        rows_out=result["answers"],
        rejected={"could not be asked": result["failed"]},
        details={"model": result["model"]},
    )


def evaluate_workspace(folder: Path, model: str, *, limit: int | None = None) -> dict[str, Any]:
    """Ask a model the questions of a finished workspace, and renew its scores and report.

    Raises MissingExtraError without the extra `eval`, OutputError for a folder that is none.
    """
    manifest = read_manifest(folder)
    result = run_suite(folder, model, limit=limit)
    _write_report(folder, manifest)
    return result


def _write_report(out: Path, manifest: dict[str, Any]) -> None:
    """The report of what the workspace holds now."""
    questions = list(read_records(out / QUESTIONS, Question))
    with Store.open(out / KG) as store:
        figures = statistics(store)
        figures["answer_classes"] = classes_of(store, [q.answer.id for q in questions])
    scores: list[ScoreSummary] = []
    retrieval: list[GroupScore] = []
    if is_installed():
        from factchain.eval.scores import read_scores, summarise

        scores = summarise(read_scores(out / SCORES))
        retrieval = evaluate_retriever(BM25Retriever(), out / CORPUS, questions, [TOP_K])
    write_report(report_data(out, manifest, figures, scores, retrieval), out / REPORT)
