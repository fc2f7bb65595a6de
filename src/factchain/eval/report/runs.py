"""Evaluated workspaces of one dataset -> one table of scores, and the questions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from factchain.errors import FactchainError, InputError
from factchain.eval.dataset import QUESTIONS
from factchain.eval.judge import FOLDER as JUDGEMENTS
from factchain.eval.judge import Judgement, read_judgements
from factchain.eval.passages import FOLDER, GOLD, NONE, TOP_K
from factchain.eval.results import FLOOR
from factchain.eval.scores import SETTING, read_scores
from factchain.files import sha256
from factchain.progress import say
from factchain.questions.records import Question
from factchain.records import read_records
from factchain.retrieval_corpus.evaluate import evaluate_retriever
from factchain.retrieval_corpus.formats import CORPUS
from factchain.retrieval_corpus.metrics import GroupScore
from factchain.retrieval_corpus.retrievers.by_name import retriever_by_name

SCORES = Path("eval") / "scores.parquet"
_COMPARED = (QUESTIONS, str(FOLDER / CORPUS))
_RETRIEVERS = ("bm25", "rank-bm25", "dense", "dense-approximate", "hybrid")

Setting = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Runs:
    """What several workspaces hold of one dataset."""

    folders: tuple[Path, ...]
    questions: tuple[Question, ...]
    scores: pa.Table
    whose: dict[Setting, Path]
    """The workspace that each setting's scores are from."""


def read_runs(folders: Sequence[Path]) -> Runs:
    """Read the questions and put the scores together; the first that has a setting gives it.

    Raises InputError for a folder without questions or scores, for two of different datasets, and
    for scores of other questions.
    """
    for folder in folders:
        for name, remedy in (
            (QUESTIONS, "name a folder that `factchain build` or `factchain import` wrote"),
            (SCORES, f"run `factchain eval run {folder} --model MODEL` first"),
        ):
            if not (folder / name).is_file():
                raise InputError(f"{folder / name}: is missing: {remedy}")
    _check_alike(folders)
    questions = tuple(read_records(folders[0] / QUESTIONS, Question))
    known = pa.array([question.id for question in questions], pa.string())
    whose: dict[Setting, Path] = {}
    tables = []
    for folder in folders:
        scores = read_scores(folder / SCORES)
        if not pc.all(pc.is_in(scores["question"], value_set=known)).as_py() and len(scores):
            raise InputError(
                f"{folder / SCORES}: has scores of questions that {folder / QUESTIONS} does not "
                "hold: the dataset was made anew; run `factchain eval run` again"
            )
        tables.append(_new(scores, folder, whose))
    return Runs(tuple(folders), questions, pa.concat_tables(tables), whose)


def read_judged(folders: Iterable[Path]) -> list[Judgement]:
    """What judges said of the questions; the first folder that a judge's name is in gives it.

    Those that cannot be read, or are of other questions, are told and left out.
    """
    found: list[Judgement] = []
    for folder in folders:
        if any((folder / JUDGEMENTS).glob("*.jsonl")):
            known = {one.judge for one in found}
            try:
                found += [one for one in read_judgements(folder) if one.judge not in known]
            except InputError as error:
                say(f"judgements are not in the report: {error}")
    return found


def retrieval_scores(runs: Runs, also: Iterable[str] = ()) -> dict[str, list[GroupScore]]:
    """What every retriever that is named in the scores, or here, finds, by its name.

    One that cannot be loaded here, or a corpus without gold passages, is told and left out.
    """
    found: dict[str, list[GroupScore]] = {}
    retrieval = runs.scores.filter(pc.equal(runs.scores["task"], "retrieval"))
    for context in sorted({*pc.unique(retrieval["context"]).to_pylist(), *also}):
        name, _, top_k = context.partition("@")
        if context in (NONE, GOLD) or name.partition(":")[0] not in _RETRIEVERS:
            continue
        # The same in every workspace, or they would not be comparable.
        folders = (of for setting, of in runs.whose.items() if setting[2] == context)
        folder = next(folders, runs.folders[0])
        try:
            scored = evaluate_retriever(
                retriever_by_name(name),
                folder / FOLDER,
                without_partial_labels(runs.questions),
                [int(top_k or TOP_K)],
            )
        except FactchainError as error:
            say(f"{context}: recall is not in the report: {error}")
            continue
        shown = name.upper() if name.endswith("bm25") else name
        found.setdefault(shown, []).extend(scored)
    return found


def without_partial_labels(questions: Iterable[Question]) -> list[Question]:
    """The questions, without labels where a hop has none, such as a sum: no k of n is familiar."""
    return [
        question
        if len(question.labels) == question.hops
        else question.model_copy(update={"labels": ()})
        for question in questions
    ]


def _check_alike(folders: Sequence[Path]) -> None:
    first, *others = folders
    for name in _COMPARED:
        for other in others:
            both = [folder / name for folder in (first, other)]
            if not all(path.is_file() for path in both):
                continue
            one, two = map(sha256, both)
            if one != two:
                raise InputError(
                    f"{first} and {other}: two runs that are not comparable: {name} differs "
                    f"(SHA-256 {one[:12]} and {two[:12]}); report on each by itself, or evaluate "
                    "both models on one dataset"
                )


def _new(scores: pa.Table, folder: Path, whose: dict[Setting, Path]) -> pa.Table:
    """The scores of settings that no earlier folder has."""
    settings = {
        tuple(row[name] for name in SETTING)
        for row in scores.group_by(list(SETTING)).aggregate([]).to_pylist()
    }
    for setting in sorted(settings & whose.keys()):
        if not setting[3].startswith(FLOOR):
            say(f"{folder}: {', '.join(setting)}: left out: {whose[setting]} has it, too")
        same = pc.and_kleene(
            pc.equal(scores[SETTING[0]], setting[0]), pc.equal(scores[SETTING[1]], setting[1])
        )
        for name, value in zip(SETTING[2:], setting[2:], strict=True):
            same = pc.and_kleene(same, pc.equal(scores[name], value))
        scores = scores.filter(pc.invert(same))
    whose |= dict.fromkeys(settings - whose.keys(), folder)
    return scores
