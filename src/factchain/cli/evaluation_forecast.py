"""What `factchain eval run --dry-run` prints."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from factchain.cli.tables import table

if TYPE_CHECKING:
    from factchain.eval.forecast import Forecast, Range, Toll

HEAD = ("task", "questions", "calls", "prompts", "replies", "usd")
NOTE = (
    "Nothing was asked. Of two numbers, the first is for a model that asks no sub-question and is\n"
    "always certain, the second for one that asks as many as it may and never is. `~`: counted on\n"
    "some of the questions. Prompts and replies are tokens, estimated; retries are not counted."
)
KEPT = "`3 of 5`: the answers to the other two are kept from an earlier run."
UNPRICED = "The price of a model that is not on the list is given with --price IN,OUT."


def forecast_text(expected: Forecast) -> str:
    """A line for each task and model, and their sum."""
    rows = [
        (
            one.task + (" (judge)" if one.role == "judge" else ""),
            f"{one.questions:,}"
            + (f" of {one.questions + one.answered:,}" if one.answered else ""),
            *_cells(one.toll, "~" if one.scaled else ""),
        )
        for one in expected.tasks
    ]
    rows.append(("all", "", *_cells(expected.total, "")))
    notes = [f"{name}: not run: {reason}" for name, reason in expected.not_run.items()]
    notes.append(NOTE)
    if any(one.answered for one in expected.tasks):
        notes.append(KEPT)
    if expected.total.usd is None:
        notes.append(UNPRICED)
    return "\n".join([table(HEAD, rows, total=True), "", *notes])


def _cells(toll: Toll, about: str) -> tuple[str, str, str, str]:
    return (
        about + _span(toll.calls, "{:,.0f}".format),
        _span(toll.prompt_tokens, _rounded),
        _span(toll.reply_tokens, _rounded),
        "unknown" if toll.usd is None else _span(toll.usd, "{:.2f}".format),
    )


def _span(of: Range, shown: Callable[[float], str]) -> str:
    """One number, or two where they differ in what is shown."""
    return "-".join(dict.fromkeys(map(shown, (of.least, of.most))))


def _rounded(tokens: float) -> str:
    """In thousands or millions, where there are so many."""
    if tokens < 1_000:
        return f"{tokens:.0f}"
    return f"{tokens / 1e3:.0f}k" if tokens < 1e6 else f"{tokens / 1e6:.1f}M"
