"""What a build ends with on the terminal: what was made, what was not, and what to try next."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from factchain.eval.setting_names import setting_name, setting_order
from factchain.manifest import read_manifest
from factchain.questions.records import Question
from factchain.records import read_records

WIDTH = 22
LINE = 96
LEXICAL = "factchain/lexical"
WIDE = 48
"""Of the names of settings."""


def summarise(out: Path) -> str:
    """The summary of a finished workspace, as lines of text."""
    manifest = read_manifest(out)
    questions = list(read_records(out / "questions.jsonl", Question))
    parts = [
        _built(manifest, questions),
        _questions(questions),
        _rejected(manifest["stages"]),
        scores_as_text(out),
        _files(out),
        _next(out),
    ]
    return "\n\n".join(part for part in parts if part)


def _row(name: str, *cells: object, width: int = WIDTH, cell_width: int = 12) -> str:
    return f"  {name:<{width}}" + "".join(
        f"{cell:>{cell_width},}" if isinstance(cell, int) else f"{cell:>{cell_width}}"
        for cell in cells
    )


def _built(manifest: dict[str, Any], questions: list[Question]) -> str:
    stages = manifest["stages"]
    store = stages["store"]
    lines = ["Built"]
    for name, snapshot in store["details"]["snapshots"].items():
        lines.append(_row(f"facts of {name}", snapshot["facts"]))
    if "popularity" in stages:
        lines.append(_row("text passages", stages["popularity"]["rows_in"]))
        lines.append(_row("facts they state", stages["popularity"]["rows_out"]))
    lines.append(_row("fact chains", stages["chains"]["rows_out"]) + f"   {_strata(manifest)}")
    lines.append(_row("verified questions", len(questions)) + _without_answer(questions))
    lines.append(_row("corpus passages", stages["corpus"]["rows_out"]))
    return "\n".join(lines)


def _strata(manifest: dict[str, Any]) -> str:
    """How many strata of entity chains got all the chains that they were to have, and how many
    chains count, reckon or compare."""
    axes = manifest["stages"]["chains"]["details"]["axes"]
    strata = [stratum for axis in axes for stratum in axis["strata"]]
    plain = [stratum for stratum in strata if stratum["content"] == "entities"]
    full = sum(1 for stratum in plain if stratum["taken"] == stratum["wanted"])
    wanted = manifest["settings"]["chains"]["per_stratum"]
    told = f"{full} of {len(plain)} strata (topology, hops and labels) have their {wanted}"
    for content in ("mathematics", "comparison"):
        if count := sum(s["taken"] for s in strata if s["content"] == content):
            told += f"; {count} with {content}"
    return told


def _without_answer(questions: list[Question]) -> str:
    """How many questions the corpus holds no answer to."""
    null = sum(question.type == "null" for question in questions)
    withheld = sum(not question.answerable for question in questions) - null
    told = {"unanswerable, facts withheld": withheld, "about nobody in the graph": null}
    text = "; ".join(f"{count} {what}" for what, count in told.items() if count)
    return f"   {text}" if text else ""


def _questions(questions: list[Question]) -> str:
    counts = Counter((question.axis, question.hops) for question in questions)
    hops = sorted({h for _, h in counts})
    made = {question.provenance.model or question.provenance.verbalizer for question in questions}
    writers = ", ".join(sorted("templates" if name == "template" else name for name in made))
    lines = [f"Questions by axis and hops (made by {writers})"]
    lines.append(_row("", *(f"{h} hop{'s' if h > 1 else ''}" for h in hops), "all"))
    for axis in sorted({a for a, _ in counts}):
        cells = [counts[axis, h] for h in hops]
        lines.append(_row(axis, *cells, sum(cells)))
    return "\n".join(lines)


def _rejected(stages: dict[str, Any]) -> str:
    titles = {
        "store": "statements of the dumps",
        "popularity": "mentions in the text",
        "chains": "facts and chains",
        "questions": "questions",
        "corpus": "entities",
    }
    lines = ["Left out, and why"]
    for name, title in titles.items():
        reasons = {r: n for r, n in stages.get(name, {}).get("rejected", {}).items() if n}
        if reasons:
            told = ", ".join(
                f"{reason} {count:,}"
                for reason, count in sorted(reasons.items(), key=lambda item: -item[1])
            )
            lines += textwrap.wrap(
                f"{title}: {told}", LINE, initial_indent="  ", subsequent_indent="    "
            )
    return "\n".join(lines) if len(lines) > 1 else ""


def scores_as_text(out: Path) -> str:
    """The scores of every model that was asked, by setting and hops."""
    if not find_spec("inspect_ai"):
        return "Scores\n  not run, because it needs an extra: pip install 'factchain[eval]'"
    from factchain.eval.scores import FLOOR, read_scores, summarise

    path = out / "eval" / "scores.parquet"
    if not path.is_file():
        return ""
    rows = summarise(read_scores(path), [(), ("hops",)])
    lines = []
    for model in sorted({row.model for row in rows if not row.model.startswith(FLOOR)}):
        of_model = [row for row in rows if row.model == model]
        hops = sorted({row.hops for row in of_model if row.hops is not None})
        note = "" if model != LEXICAL else ": it looks words up, it is no language model"
        lines.append(f"Accuracy of {model}{note}")
        heads = (f"{h} hop{'s' if h > 1 else ''}" for h in hops)
        lines.append(_row("", *heads, "all", "F1", "n", width=WIDE, cell_width=7))
        settings = dict.fromkeys((row.task, row.mode, row.context) for row in of_model)
        for setting in sorted(settings, key=setting_order):
            found = {
                (row.score, row.hops): row
                for row in of_model
                if (row.task, row.mode, row.context) == setting
            }
            cells = [found.get(("accuracy", h)) for h in [*hops, None]]
            cells.append(found.get(("f1", None)))
            told = ("" if cell is None else f"{cell.mean:.3f}" for cell in cells)
            asked = found["accuracy", None].n
            lines.append(_row(setting_name(*setting), *told, asked, width=WIDE, cell_width=7))
    return "\n".join(lines)


def _files(out: Path) -> str:
    files = {
        "report.html": "open it in a browser",
        "questions.jsonl": "questions, sub-questions, answers, proofs",
        "chains.jsonl": "fact chains with SPARQL",
        "corpus/": "passages and gold passages, BEIR layout",
        "kg.duckdb": "the triple store",
        "eval/": "scores.parquet, Inspect logs, hits of retrievers",
        "manifest.json": "what was read, done, rejected and written",
    }
    lines = [f"Files in {out}"]
    lines += [f"  {name:<{WIDTH}}{told}" for name, told in files.items() if (out / name).exists()]
    return "\n".join(lines)


def _next(out: Path) -> str:
    command = "factchain" if shutil.which("factchain") else _beside_python()
    some = "--tasks 'retrieval-*' --limit 50"
    return "\n".join(
        [
            "Try next",
            f"  {command} eval run {out} --model openai/gpt-4o-mini {some}",
            f"  {command} kg stats --kg {out}/kg.duckdb",
            f"  {command} init my-data   # a config for your own Wikidata dumps and text",
        ]
    )


def _beside_python() -> str:
    """The command of a virtual environment that is not activated, from here if it is below."""
    command = Path(sys.executable).with_name("factchain")
    here = Path.cwd()
    return str(command.relative_to(here) if command.is_relative_to(here) else command)
