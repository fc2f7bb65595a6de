"""Questions in nearly the same words, found without comparing all with all.

Templates make questions that differ in nothing but a name or a relation: `Who directed Alien?` and
`Who directed Aliens?` are not near, nor are the father of X and the spouse of X. So two texts are
only compared where their telling words are the same: those with a capital (but for the first word
of the text) or a digit, and those of the names of topics where these are known. Of these, and of
texts without telling words, rapidfuzz says how alike they are, word order apart
(`token_sort_ratio`). Whoever asks checks that the answers are the same, too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from rapidfuzz import fuzz, process

from factchain.questions.lexis import FUNCTION_WORDS, WORD, fold, stem

Telling = frozenset[str]
LONGEST = 2
"""Words of a text without telling words by which it is found."""


class NearTexts:
    """Texts by their telling words; ask for those that are near, then add the next."""

    def __init__(self, threshold: float) -> None:
        self.threshold = threshold
        self._blocks: dict[tuple[Telling, str], dict[int, str]] = defaultdict(dict)

    def near(self, text: str, telling: Telling) -> list[int]:
        """The places of the texts that are near, of those that were added, the earliest first.

        `text` is in comparable form: folded words.
        """
        found = {
            at
            for block in _blocks_of(text, telling)
            for _, _, at in process.extract_iter(
                _sorted(text),
                self._blocks.get(block, {}),
                scorer=fuzz.ratio,
                score_cutoff=self.threshold,
            )
        }
        return sorted(found)

    def add(self, at: int, text: str, telling: Telling) -> None:
        """Remember the text at that place."""
        for block in _blocks_of(text, telling):
            self._blocks[block][at] = _sorted(text)


def telling_words(question: str, topics: Iterable[str] = ()) -> Telling:
    """The words that tell a question from others of the same form: names and numbers, by stem."""
    first, *rest = WORD.findall(question) or [""]
    telling = [word for word in rest if word[0].isupper()]
    telling += [word for word in (first, *rest) if any(map(str.isdigit, word))]
    telling += [word for topic in topics for word in WORD.findall(topic)]
    folded = {fold(word) for word in telling}
    return frozenset(stem(word) for word in folded - FUNCTION_WORDS)


def _blocks_of(text: str, telling: Telling) -> list[tuple[Telling, str]]:
    """Where the texts are that may be near.

    Texts without telling words are compared where they share one of their longest words.
    """
    if telling:
        return [(telling, "")]
    longest = sorted(set(text.split()), key=lambda word: (-len(word), word))
    return [(telling, word) for word in longest[:LONGEST]]


def _sorted(text: str) -> str:
    return " ".join(sorted(text.split()))
