"""Where a chain of hops breaks, and what a model must know for thinking to help: Omanic's two
figures (SPEC.md 1.15), from the task `stepwise`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any

import numpy as np
import pyarrow as pa

from factchain.eval.columns import Columns, Rows
from factchain.eval.results import FEW, Amplification, HopError, KnowledgeFloor
from factchain.eval.scores import SETTING
from factchain.eval.statistics import Values, interval, paired_bootstrap

HopKey = tuple[str, int]
"""Id of a question and number of a hop."""


def summarise_errors(
    scores: pa.Table, roots: Collection[HopKey]
) -> tuple[list[HopError], list[Amplification]]:
    """The two error curves and what lies between them. `roots` are the hops without inputs."""
    columns = Columns(scores)
    rooted = set(roots)
    errors, amplified = [], []
    by_inputs: dict[tuple[str, str, str], dict[str, Rows]] = defaultdict(dict)
    for setting, rows in columns.groups(SETTING, columns.where("task", "stepwise")):
        inputs, _, answers = setting["mode"].partition("-")
        scored = rows[~np.isnan(columns.values("accuracy")[rows])]
        by_inputs[setting["model"], answers, setting["context"]][inputs] = scored
    for (model, answers, context), found in sorted(by_inputs.items()):
        whose = {"model": model, "answers": answers, "context": context}
        dependent = {
            inputs: rows[[key not in rooted for key in _keys(columns, rows)]]
            for inputs, rows in found.items()
        }
        for inputs, rows in found.items():
            counted = rows if inputs == "gold" else dependent[inputs]
            for group, members in columns.groups(("hop",), counted):
                told = whose | {"inputs": inputs, "hop": group["hop"], "n": len(members)}
                wrong = 1 - columns.values("accuracy")[members]
                low, high = interval(wrong, columns.codes("chain")[members])
                mean = float(wrong.mean())
                errors.append(
                    HopError.model_validate(told | {"error": mean, "low": low, "high": high})
                )
        if dependent.keys() >= {"gold", "own"}:
            amplified += _amplified(columns, dependent["gold"], dependent["own"], whose)
    return errors, amplified


def summarise_floors(scores: pa.Table) -> list[KnowledgeFloor]:
    """Accuracy with and without a chain of thought, by how many hops the model does not know.

    A hop is known where it is answered right by itself, with gold inputs, directly and without
    passages; questions of which a hop could not be asked are left out.
    """
    columns = Columns(scores)
    found = []
    for group, rows in columns.groups(("model",)):
        for answers in ("open", "options"):
            unknown = _unknown_hops(columns, rows, f"gold-{answers}")
            direct = _whole(columns, rows, answers)
            think = _whole(columns, rows, f"{answers}-think")
            by_number: dict[int, list[str]] = defaultdict(list)
            for question in sorted(unknown.keys() & direct.keys() & think.keys()):
                by_number[unknown[question]].append(question)
            for number, questions in sorted(by_number.items()):
                told = {"model": group["model"], "answers": answers, "unknown": number}
                rows_of = [[of[one] for one in questions] for of in (direct, think)]
                found.append(KnowledgeFloor.model_validate(told | _floor(columns, *rows_of)))
    return found


def _amplified(
    columns: Columns, gold: Rows, own: Rows, whose: dict[str, str]
) -> list[Amplification]:
    by_key = dict(zip(_keys(columns, gold), gold.tolist(), strict=True))
    pairs: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for key, row in zip(_keys(columns, own), own.tolist(), strict=True):
        if key in by_key:
            pairs[key[1]].append((row, by_key[key]))
    found = []
    for hop, rows in sorted(pairs.items()):
        in_chain, alone = np.array(rows).T
        wrong = [1 - columns.values("accuracy")[of] for of in (in_chain, alone)]
        low, high, _ = paired_bootstrap(wrong[0], wrong[1], columns.codes("chain")[in_chain])
        told = whose | {"hop": hop, "n": len(rows), "low": low, "high": high}
        difference = float((wrong[0] - wrong[1]).mean())
        found.append(Amplification.model_validate(told | {"difference": difference}))
    return found


def _keys(columns: Columns, rows: Rows) -> list[HopKey]:
    questions, hops = columns.words("question"), columns.words("hop")
    return [
        (questions[question], hops[hop])
        for question, hop in zip(
            columns.codes("question")[rows], columns.codes("hop")[rows], strict=True
        )
    ]


def _setting(columns: Columns, rows: Rows, task: str, mode: str) -> Rows:
    for name, value in (("task", task), ("mode", mode), ("context", "none")):
        rows = columns.where(name, value, rows)
    return rows


def _unknown_hops(columns: Columns, rows: Rows, mode: str) -> dict[str, int]:
    """By question id, the number of hops answered wrong."""
    asked = _setting(columns, rows, "stepwise", mode)
    found = {}
    for group, members in columns.groups(("question",), asked):
        accuracy = columns.values("accuracy")[members]
        if not np.isnan(accuracy).any():
            found[group["question"]] = int((accuracy < 1).sum())
    return found


def _whole(columns: Columns, rows: Rows, mode: str) -> dict[str, int]:
    """By question id, the row of its answer from memory."""
    asked = _setting(columns, rows, "parametric", mode)
    scored = asked[~np.isnan(columns.values("accuracy")[asked])]
    words, codes = columns.words("question"), columns.codes("question")
    return {words[codes[row]]: row for row in scored.tolist()}


def _floor(columns: Columns, direct: list[int], think: list[int]) -> dict[str, Any]:
    if len(direct) < FEW:
        names = ("direct", "think", "gain")
        hidden = (f"{name}{end}" for name in names for end in ("", "_low", "_high"))
        return {"n": len(direct)} | dict.fromkeys(hidden)
    chains = columns.codes("chain")[direct]
    answers: dict[str, Values] = {
        "direct": columns.values("accuracy")[direct],
        "think": columns.values("accuracy")[think],
    }
    told: dict[str, Any] = {"n": len(direct)}
    for name, values in answers.items():
        low, high = interval(values, chains)
        told |= {name: float(values.mean()), f"{name}_low": low, f"{name}_high": high}
    low, high, _ = paired_bootstrap(answers["think"], answers["direct"], chains)
    gain = float((answers["think"] - answers["direct"]).mean())
    return told | {"gain": gain, "gain_low": low, "gain_high": high}
