"""The filter as one run: duplicates first, since no model need be asked of those."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from factchain.questions.filtering.duplicates import (
    DEFAULT_RULES,
    NEAR,
    DuplicatesSummary,
    Rule,
    drop_duplicates,
)
from factchain.questions.filtering.ensemble import (
    EnsembleSummary,
    Mode,
    ensemble_asks,
    ensemble_filter,
)
from factchain.questions.llm.protocol import Ask, LanguageModel
from factchain.questions.records import Question, Verdict
from factchain.records import write_records


@dataclass(frozen=True)
class FilterSettings:
    """What a question is dropped for."""

    rules: tuple[Rule, ...] = DEFAULT_RULES
    near: float = NEAR
    mode: Mode = "open"
    discard_at: int = 2
    """Models that must be right for a question to be dropped."""


@dataclass(frozen=True)
class FilterSummary:
    """How many questions stay, and why others do not."""

    read: int
    duplicates: DuplicatesSummary
    ensemble: EnsembleSummary | None
    """None where no model was asked."""
    kept: int


def first_round(questions: Sequence[Question], settings: FilterSettings) -> list[Ask[Any]]:
    """What each model would be asked."""
    kept, _, _ = drop_duplicates(questions, settings.rules, settings.near)
    return list(ensemble_asks(kept, settings.mode))


def run_filter(
    questions: Sequence[Question],
    settings: FilterSettings,
    out: Path,
    dropped: Path | None = None,
    models: Sequence[LanguageModel] = (),
) -> FilterSummary:
    """Write the questions that stay to `out` and, where it is named, the others to `dropped`.

    Those have a verdict that says why. Raises ModelError where a model gives no reply; nothing
    is written then.
    """
    kept, doubles, of_doubles = drop_duplicates(questions, settings.rules, settings.near)
    why = {
        one.question: Verdict(check="duplicate", passed=False, evidence=f"{one.rule}: {one.kept}")
        for one in doubles
    }
    known: EnsembleSummary | None = None
    told = {question.id: question for question in questions}
    if models:
        kept, discarded, known = ensemble_filter(kept, models, settings.discard_at, settings.mode)
        told |= {question.id: question for question in discarded}
        names = ", ".join(known.models)
        evidence = f"{settings.discard_at} or more are right without context, of {names}"
        why |= {
            question.id: Verdict(check="ensemble", passed=False, evidence=evidence)
            for question in discarded
        }
    write_records(out, kept)
    if dropped is not None:
        write_records(dropped, (_with(told[q.id], why[q.id]) for q in questions if q.id in why))
    return FilterSummary(len(questions), of_doubles, known, len(kept))


def _with(question: Question, verdict: Verdict) -> Question:
    verdicts = (*question.provenance.verdicts, verdict)
    provenance = question.provenance.model_copy(update={"verdicts": verdicts})
    return question.model_copy(update={"provenance": provenance})
