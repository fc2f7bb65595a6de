"""Replies that are no answers: a model that says nothing, is held back, or never stops.

They count as wrong, as they stand. A run tells of them, since a low score may come from a limit of
tokens or a filter of the provider's rather than from what the model knows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from inspect_ai.model import ModelOutput

from factchain.eval.replies import without_thoughts

EMPTY, FILTERED, CUT = "empty", "filtered", "cut"
_ALL = "all"

WHAT_TO_DO = {
    EMPTY: "said nothing: read them with `inspect view`; a reasoning model may have used up its "
    "tokens before it answered, for which there is --max-tokens of `inspect eval`",
    FILTERED: "were held back by a filter of the provider's: ask another provider, or leave these "
    "questions out",
    CUT: "did not stop before the limit of tokens, and count as far as they go: raise it with "
    "--max-tokens of `inspect eval`",
}
"""What the replies of each kind did, and what there is to do."""

_tally: ContextVar[Counter[str] | None] = ContextVar("_tally", default=None)


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Count the replies of the block, by what is odd about them."""
    tally: Counter[str] = Counter()
    token = _tally.set(tally)
    try:
        yield tally
    finally:
        _tally.reset(token)


def note(output: ModelOutput) -> None:
    """Count a reply, where replies are counted."""
    tally = _tally.get()
    if tally is None:
        return
    tally[_ALL] += 1
    stopped = output.choices[0].stop_reason if output.choices else "unknown"
    if stopped == "content_filter":
        tally[FILTERED] += 1
    elif stopped in ("max_tokens", "model_length"):
        tally[CUT] += 1
    elif not without_thoughts(output.completion):
        tally[EMPTY] += 1


def described(tally: Counter[str]) -> Iterator[str]:
    """What is to be told of the replies, and what to do; nothing where none is odd."""
    for kind, told in WHAT_TO_DO.items():
        if tally[kind]:
            yield f"{tally[kind]:,} of {tally[_ALL]:,} replies {told}"
