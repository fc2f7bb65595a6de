"""Passages as lists of sentences, as HotpotQA and 2WikiMultihopQA have them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence

import orjson

from factchain.questions.records import SubQuestion
from factchain.retrieval_corpus.records import Passage, PassageMetadata

_LINE = re.compile(r"[^\n]+")


def passage_of(
    title: str, text: str, sentences: Iterable[tuple[int, int]] | None = None
) -> Passage:
    """A passage whose id is a hash of what it says: the same passage has the same id anywhere."""
    spans = None if sentences is None else tuple(sentences)
    digest = hashlib.sha256(orjson.dumps([title, text, spans])).hexdigest()
    return Passage(
        id=f"p-{digest[:20]}", title=title, text=text, metadata=PassageMetadata(sentences=spans)
    )


def joined(title: str, sentences: Sequence[str]) -> Passage:
    """A passage of sentences, which remembers where each begins and ends.

    HotpotQA's sentences begin with the space before them; others get one in between.
    """
    text = ""
    spans = []
    for sentence in sentences:
        if text and sentence and not (text[-1].isspace() or sentence[0].isspace()):
            text += " "
        spans.append((len(text), len(text) + len(sentence)))
        text += sentence
    return passage_of(title, text, spans)


def sentences_of(passage: Passage) -> list[str]:
    """The sentences that an import kept; else the lines, each a fact in a built corpus."""
    if passage.metadata.sentences is not None:
        return [passage.text[begin:end] for begin, end in passage.metadata.sentences]
    return [line.strip() for line in _LINE.findall(passage.text) if line.strip()] or [passage.text]


def stating(passage: Passage, hop: SubQuestion | None) -> list[int]:
    """Which sentences of a gold passage state the hop's facts, from 0.

    In a built corpus those of the facts; else those that name the hop's answer; else the first.
    """
    sentences = sentences_of(passage)
    facts = passage.metadata.facts
    wanted = {fact.key for fact in hop.facts} if hop else set()
    heading = len(sentences) - len(facts)  # 1 where the passage names its date first
    found = [place + heading for place, fact in enumerate(facts) if fact in wanted]
    if found and heading in (0, 1):
        return found
    names = [name.casefold() for name in hop.answer.names if name.strip()] if hop else []
    named = [
        place
        for place, sentence in enumerate(sentences)
        if any(name in sentence.casefold() for name in names)
    ]
    return named or [0]
