"""Words compared by their stems: what two phrases have in common."""

from __future__ import annotations

import re
import unicodedata

WORD = re.compile(r"(?:birth|death)(?=place\b)|\w+")
FUNCTION_WORDS = frozenset(
    WORD.findall(
        "a an the of in on at to for by from into with as and or is was are were be been does did "
        "do has have had that which what who whom whose it its this there s"
    )
)
_DOUBLED = re.compile(r"(?<=([^\W\daeioulsz]))\1$")
_SUFFIXES = ("ation", "ly", "ing", "ion", "ers", "ors", "er", "or", "ed", "es", "s", "e")
_SHORTEST_STEM = 3
_INFLECTED = 2
"""Letters at the end of a word that another case may change."""


def content_words(text: str) -> list[str]:
    """The words of a text, casefolded, without those that only hold a sentence together."""
    return [word for word in WORD.findall(text.casefold()) if word not in FUNCTION_WORDS]


def stem(word: str) -> str:
    """The word without its ending: `director` and `directed` -> `direct`."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_STEM:
            return _DOUBLED.sub("", word.removesuffix(suffix))
    return word


def fold(text: str) -> str:
    """Case and accents removed."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def is_named(name: str, text: str) -> bool:
    """Whether the text holds the name, or all of its words up to an ending of another case."""
    name, text = fold(name), fold(text)
    if name in text:
        return bool(name)
    words = re.findall(r"\w+", text)
    return all(
        any(said.startswith(part[: max(_SHORTEST_STEM, len(part) - _INFLECTED)]) for said in words)
        for part in re.findall(r"\w+", name)
    )
