"""A run to be killed: asks 60 questions in two rounds, and writes the answers to a file."""

from __future__ import annotations

from pathlib import Path

from factchain import progress
from factchain.questions.llm.client import ModelClient
from factchain.questions.llm.protocol import Quarantined
from factchain.questions.llm.settings import ModelSettings
from questions_llm import ask, asks

QUESTIONS = 60


def main(url: str, journal: Path, out: Path, batch: bool) -> None:
    progress.set_silent(True)
    settings = ModelSettings(
        "scripted", url, concurrency=4, first_wait=0.01, batch=batch, batch_poll=0.02
    )
    with ModelClient(settings, journal) as model:
        first = model.ask_all(asks(QUESTIONS), "asking")
        words = [one.text if isinstance(one, Quarantined) else one.answer for one in first]
        again = model.ask_all([ask(f"Sure: {word}?") for word in words], "asking again")
    lines = [one.problem if isinstance(one, Quarantined) else one.answer for one in again]
    out.write_text("\n".join(lines) + "\n")
