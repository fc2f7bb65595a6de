"""What the size of a chunk is counted in: words, or the tokens of a Hugging Face tokenizer."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from factchain.errors import ConfigError, MissingExtraError
from factchain.retrieval_corpus.settings import WORDS

Counts = npt.NDArray[np.int64]
_SPACE = ord(" ")


class TextColumn:
    """A column of strings as its bytes, so that neighbours are one slice."""

    def __init__(self, array: pa.StringArray) -> None:
        _, offsets, data = array.buffers()
        places = np.frombuffer(offsets, np.int32, array.offset + len(array) + 1)[array.offset :]
        first, last = (int(places[0]), int(places[-1])) if len(array) else (0, 0)
        self.offsets: Counts = places.astype(np.int64) - first
        """Where each string begins in `bytes`, and where the last one ends."""
        self.bytes = bytes(memoryview(data)[first:last]) if last > first else b""

    def texts(self) -> list[str]:
        """All strings."""
        bounds = pairwise(self.offsets.tolist())
        return [self.bytes[start:end].decode() for start, end in bounds]


class Tokenizer(Protocol):
    """Counts tokens."""

    def count(self, lines: TextColumn) -> Counts:
        """How many tokens each line has; none is empty, and each ends with a line break."""

    def count_text(self, text: str) -> int:
        """How many tokens a text has."""


class Words:
    """Words set apart by single spaces."""

    def count(self, lines: TextColumn) -> Counts:
        """How many words each line has."""
        spaces = np.frombuffer(lines.bytes, np.uint8) == _SPACE
        return np.add.reduceat(spaces, lines.offsets[:-1], dtype=np.int64) + 1

    def count_text(self, text: str) -> int:
        """How many words a text has."""
        return len(text.split())


class HuggingFaceTokens:
    """Tokens of a tokenizer of the `tokenizers` library, without those that open and end a text."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def count(self, lines: TextColumn) -> Counts:
        """How many tokens each line has with a line break before or after it, whichever are more.

        A tokenizer may join a word to the break, and need more tokens for it than at the start.
        """
        texts = lines.texts()
        return np.maximum(self._sizes(texts), self._sizes([f"\n{text[:-1]}" for text in texts]))

    def _sizes(self, texts: list[str]) -> Counts:
        encoded = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        return np.fromiter((len(one.ids) for one in encoded), np.int64, len(encoded))

    def count_text(self, text: str) -> int:
        """How many tokens a text has."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)


def load_tokenizer(name: str) -> Tokenizer:
    """`words`, or the tokenizer of a Hugging Face model by its name, folder or `tokenizer.json`.

    Raises ConfigError where there is none of that name, MissingExtraError without the library.
    """
    if name == WORDS:
        return Words()
    try:
        from tokenizers import Tokenizer as Loaded
    except ImportError as error:
        raise MissingExtraError(f"the tokenizer {name}", "dense") from error
    path = Path(name)
    file = path / "tokenizer.json" if path.is_dir() else path
    try:
        loaded = Loaded.from_file(str(file)) if file.is_file() else Loaded.from_pretrained(name)
    except Exception as error:  # the library raises bare exceptions
        first = str(error).splitlines()[0]
        raise ConfigError(
            f"{name}: no tokenizer could be loaded ({first}): give `words`, the name of a model on "
            "the model hub, or the folder of one with its tokenizer.json"
        ) from error
    # What a model cuts off or fills up with is no matter of counting.
    loaded.no_truncation()
    loaded.no_padding()
    return HuggingFaceTokens(loaded)
