"""Sentence frames: everything that holds phrases together, by name, in one language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from factchain.questions.verbalize.tables import ENGLISH

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


class Frames:
    """The frames of `frames.tsv`."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self.language = texts["language"]

    @property
    def is_english(self) -> bool:
        """Whether the rules of English may be used where a table gives no form."""
        return self.language == ENGLISH

    def say(self, frame: str, **words: str) -> str:
        """A frame with words for its placeholders; `{s}` and `{o}` stay until they are given."""
        return _PLACEHOLDER.sub(lambda match: words.get(match[1], match[0]), self._texts[frame])

    def listing(self, phrases: Iterable[str]) -> str:
        """`A`, `A and B`, `A, B and C`."""
        *before, last = phrases
        if not before:
            return last
        said = before[0]
        for phrase in before[1:]:
            said = self.say("comma", before=said, last=phrase)
        return self.say("and", before=said, last=last)

    def all_of(self, phrases: Iterable[str]) -> str:
        """`A`, `both A and B`, `A, B and C`."""
        several = list(phrases)
        if len(several) == 2:
            return self.say("both", a=several[0], b=several[1])
        return self.listing(several)
