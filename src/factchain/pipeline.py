"""The main job: dumps and text -> store, chains, questions, corpus, scores, report.

Every stage reads files of the workspace and writes files of the workspace, so that a run that
was stopped goes on with the first stage that was not finished.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from factchain import progress, stages
from factchain.config import BuildConfig, read_config
from factchain.data.render import SampleInput, render_sample
from factchain.errors import InputError
from factchain.eval.suite import is_installed, run_suite
from factchain.files import sweep
from factchain.kg.dumps.from_config import dump_settings
from factchain.manifest import Manifest, Stage, StageReport, read_manifest
from factchain.parallel import Engine
from factchain.questions.from_config import questions_version

SAMPLE = "sample"


def build(
    config_file: Path | None,
    out: Path,
    *,
    seed: int = 1,
    workers: int = 1,
    engine: Engine = "local",
) -> Manifest:
    """Run every stage that is not done yet; without a config file on the bundled sample.

    With the engine `ray`, reading dumps, extracting from text and drawing chains go to the cluster
    at RAY_ADDRESS; what is written is the same.

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
        manifest.run(_plan(config, out, seed, workers, engine, manifest), _tell)
    return manifest


def _render(folder: Path) -> SampleInput:
    """Render the bundled sample, from the tables of this version."""
    shutil.rmtree(folder, ignore_errors=True)
    return render_sample(folder)


def _check_inputs(config: BuildConfig) -> None:
    dump_settings(config.kg)
    if config.questions.phrases and not config.questions.phrases.exists():
        raise InputError(f"{config.questions.phrases}: no such file, though the config names it")
    for path in [*_store_inputs(config), *([config.passages] if config.passages else [])]:
        if not path.is_file():
            raise InputError(f"{path}: no such file, though the config names it")


def _store_inputs(config: BuildConfig) -> list[Path]:
    """The files of which the store is made."""
    listed = [config.kg.entities] if config.kg.entities else []
    return [*(snapshot.dump for snapshot in config.snapshots), *listed]


def _plain(config: BuildConfig) -> dict[str, Any]:
    """The settings as JSON values; files by name, wherever they lie."""
    settings: dict[str, Any] = json.loads(config.model_dump_json())
    for snapshot in settings["snapshots"]:
        snapshot["dump"] = Path(snapshot["dump"]).name
    named = ((settings, "passages"), (settings["kg"], "entities"))
    for section, key in (*named, (settings["questions"], "phrases")):
        if section[key]:
            section[key] = Path(section[key]).name
    return settings


def _tell(stage: str, done: bool) -> None:
    progress.say(f"{stage}: done already" if done else f"{stage} ...")


def _plan(
    config: BuildConfig, out: Path, seed: int, workers: int, engine: Engine, manifest: Manifest
) -> list[Stage]:
    """The stages in their order."""
    settings = _plain(config)
    first = stages.ANSWERABLE if config.unanswerable.is_on else stages.QUESTIONS
    plan = [
        Stage(
            name="store",
            settings={"snapshots": settings["snapshots"], "kg": settings["kg"]},
            run=partial(stages.make_store, config, out, workers, engine),
            inputs=_store_inputs(config),
            stores=[stages.KG],
        )
    ]
    if config.passages:
        plan.append(
            Stage(
                name="popularity",
                settings=settings["popularity"],
                run=partial(stages.add_popularity, config, out, workers, engine),
                inputs=[config.passages],
                stores=[stages.KG],
            )
        )
    plan += [
        Stage(
            name="chains",
            settings=settings["chains"] | {"seed": seed},
            run=partial(stages.draw_chains, config, out, seed, workers, engine),
            outputs=[stages.CHAINS],
        ),
        Stage(
            name="questions",
            settings=questions_version(config.questions)
            | ({"seed": seed} if config.questions.options else {}),
            run=partial(stages.make_questions, config, out, first, seed),
            outputs=[first],
        ),
        *([_unanswerable_stage(config, settings, out, seed)] if config.unanswerable.is_on else []),
        Stage(
            name="corpus",
            settings=settings["corpus"] | {"seed": seed},
            run=partial(stages.make_corpus, config, out, seed),
            outputs=[
                f"{stages.CORPUS}/corpus.jsonl",
                f"{stages.CORPUS}/audit.tsv",
                f"{stages.CORPUS}/queries.jsonl",
                f"{stages.CORPUS}/qrels/test.tsv",
                f"{stages.CORPUS}/hop_qrels/test.tsv",
            ],
        ),
        _evaluation_stage(config, settings, out, workers),
        Stage(
            name="report",
            settings={},
            run=lambda: stages.make_report(out, manifest.content()),
            outputs=[stages.REPORT],
        ),
    ]
    return plan


def _unanswerable_stage(
    config: BuildConfig, settings: dict[str, Any], out: Path, seed: int
) -> Stage:
    return Stage(
        name="unanswerable",
        settings={"asked": settings["unanswerable"], "seed": seed, "corpus": settings["corpus"]},
        run=partial(stages.make_unanswerable_questions, config, out, seed),
        outputs=[stages.QUESTIONS],
    )


def _evaluation_stage(
    config: BuildConfig, settings: dict[str, Any], out: Path, workers: int
) -> Stage:
    """The evaluation, or a stage that says why it does not run."""
    if is_installed():
        return Stage(
            name="evaluation",
            settings=settings["eval"],
            run=partial(stages.ask_model, config, out, workers),
            outputs=[stages.SCORES],
        )
    reason = "not run, because it needs an extra: pip install 'factchain[eval]'"
    return Stage(
        name="evaluation",
        settings={"skipped": reason},
        run=lambda: StageReport(0, 0, details={"skipped": reason}),
    )


def evaluate_workspace(
    folder: Path,
    model: str,
    tasks: Sequence[str] | None = None,
    *,
    retrievers: Sequence[str] = ("bm25",),
    limit: int | None = None,
    workers: int = 1,
    judge: str | None = None,
) -> dict[str, Any]:
    """Ask a model the questions of a finished workspace or of an imported dataset.

    Renews its scores and, where there is a store, its report. `judge` is the model for the tasks
    that need one.

    Raises MissingExtraError without the extra `eval`, OutputError for a folder that is none.
    """
    manifest = read_manifest(folder)
    result = run_suite(
        folder, model, tasks, retrievers=retrievers, limit=limit, workers=workers, judge=judge
    )
    if (folder / stages.KG).is_file():  # an imported dataset has no store to report on
        stages.make_report(folder, manifest)
    return result
