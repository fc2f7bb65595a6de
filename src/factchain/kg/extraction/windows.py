"""A text as windows of whole sentences that a model can take in at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

_SENTENCE_END = re.compile(r"""[.!?]["'”’)\]]*\s+|\n+\s*""")
"""Also after abbreviations: that matters only where a window is full."""

CountTokens = Callable[[Sequence[str]], list[int]]


def sentence_windows(text: str, limit: int, count: CountTokens) -> list[str]:
    """Sentences packed into windows of at most `limit` tokens, in order, none left out.

    A sentence of more than that is cut between words; a word of more stands alone. `count`
    gives the numbers of tokens of some texts.
    """
    return _packed(_sentences(text), limit, count)


def _sentences(text: str) -> list[str]:
    ends = [0, *(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]
    sentences = (" ".join(text[a:b].split()) for a, b in pairwise(ends))
    return [sentence for sentence in sentences if sentence]


def _packed(pieces: list[str], limit: int, count: CountTokens) -> list[str]:
    windows: list[list[str]] = []
    room = 0
    for piece, size in zip(pieces, count(pieces) if pieces else [], strict=True):
        if size > limit and " " in piece:
            windows += [[part] for part in _packed(piece.split(" "), limit, count)]
            room = 0
        elif size > room:
            windows.append([piece])
            room = limit - size
        else:
            windows[-1].append(piece)
            room -= size
    return [" ".join(window) for window in windows]
