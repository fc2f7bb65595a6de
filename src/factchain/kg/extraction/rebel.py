"""Triples in words that REBEL, a sequence-to-sequence model, reads out of passages.

Any such model with REBEL's markers in its vocabulary will do; `Babelscape/rebel-large` is the
published one (CC BY-NC-SA). Text is given in windows of whole sentences, the title is not. The
model is data: weights are read as safetensors only, and code that comes with it never runs.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from factchain.errors import ConfigError, InputError, MissingExtraError
from factchain.files import sha256
from factchain.kg.extraction.protocol import Evidence
from factchain.kg.extraction.rebel_format import MARKERS, parse_triples, without_markers
from factchain.kg.extraction.windows import sentence_windows
from factchain.kg.records import PassageView

NAME = "rebel"
MODEL = "Babelscape/rebel-large"
NO_TRIPLE = "reply without a triple"
CUT_OFF = "reply cut off"
DEVICES = ("auto", "cpu", "cuda")


@dataclass(frozen=True, slots=True)
class RebelSettings:
    """What makes a REBEL extractor."""

    model: str = MODEL
    """A name on the Hugging Face hub, or a folder."""
    revision: str = "main"
    """Of a model on the hub."""
    weights: str = ""
    """Hash of the weights, where they are local (`of_model`)."""
    device: str = "auto"
    """auto takes the GPU where there is one, and computes in bfloat16 there."""
    beams: int = 3
    window_tokens: int = 256
    reply_tokens: int = 128
    batch: int = 32
    """Windows that are read at once."""
    shard_bytes: int = 250_000
    """Text of one shard: what is lost, at most, when a run is stopped."""

    @classmethod
    def of_model(cls, model: str, **settings: Any) -> RebelSettings:
        """Settings that know the weights of a local model, so that others give another key."""
        digest = hashlib.sha256()
        for path in sorted(Path(model).glob("*.safetensors")) if Path(model).is_dir() else ():
            digest.update(sha256(path).encode())
        return cls(model=model, weights=digest.hexdigest()[:16], **settings)

    @property
    def name(self) -> str:
        """The extractor's name in the store."""
        return NAME

    def key(self) -> str:
        """Changes with everything that changes what is found."""
        model = f"{self.model}@{self.revision} {self.weights}"
        sizes = f"{self.beams} {self.window_tokens} {self.reply_tokens} {self.batch}"
        return f"{NAME} 1 {model} {sizes}"

    def make(self) -> Rebel:
        """Load the model; see `Rebel`."""
        return Rebel(self)


def placement(device: str, has_gpu: bool) -> tuple[str, str]:
    """Where the model computes, and in what format of numbers: bfloat16 on a GPU.

    Raises ConfigError where a GPU is asked for and there is none.
    """
    if device == "cuda" and not has_gpu:
        raise ConfigError("--device cuda: torch finds no GPU here: take auto or cpu")
    return ("cpu", "float32") if device == "cpu" or not has_gpu else ("cuda", "bfloat16")


class Rebel:
    """The REBEL extractor.

    Raises MissingExtraError without torch and transformers, and InputError where there is no
    such model, or it has no safetensors, needs code of its own, or lacks the markers.
    """

    def __init__(self, settings: RebelSettings) -> None:
        try:
            import torch
            from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
            from transformers.utils import logging
        except ImportError as error:
            raise MissingExtraError("the extractor rebel", "rebel") from error
        silence: Callable[[], None] = logging.disable_progress_bar
        silence()
        self._settings = settings
        self._torch = torch
        place, number_format = placement(settings.device, torch.cuda.is_available())
        source: Any = {"revision": settings.revision, "trust_remote_code": False}
        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(settings.model, **source)
            self._model: Any = AutoModelForSeq2SeqLM.from_pretrained(
                settings.model,
                **source,
                use_safetensors=True,
                dtype=getattr(torch, number_format),
            )
            self._model.to(place).eval()
        except (OSError, ValueError, RuntimeError, AssertionError) as error:
            first = str(error).strip().splitlines()[0]
            raise InputError(
                f"{settings.model}: cannot be used as a model: {first}: --model takes a name on "
                "the Hugging Face hub (that needs the network), or a folder with config.json, "
                "model.safetensors and tokenizer.json"
            ) from error
        known = self._tokenizer.get_vocab()
        missing = [marker for marker in MARKERS if marker not in known]
        if missing:
            raise InputError(
                f"{settings.model}: lacks {', '.join(missing)} in its vocabulary: it was not "
                "trained to write triples as REBEL does"
            )

    def extract(self, passages: Sequence[PassageView]) -> Evidence:
        """The triples that the passages state."""
        windows = [
            (position, window)
            for position, passage in enumerate(passages)
            for window in self._windows(without_markers(passage.text))
        ]
        # Windows of like length together: less padding.
        windows.sort(key=lambda one: (-len(one[1]), one))
        evidence = Evidence()
        for first in range(0, len(windows), self._settings.batch):
            batch = windows[first : first + self._settings.batch]
            replies = self._replies([window for _, window in batch])
            for (position, _), (reply, ended) in zip(batch, replies, strict=True):
                statements = parse_triples(reply, self._tokenizer_tokens())
                evidence.rejected.update({NO_TRIPLE: not statements, CUT_OFF: not ended})
                evidence.statements.setdefault(position, Counter()).update(statements)
        evidence.rejected = +evidence.rejected
        return evidence

    def _windows(self, text: str) -> list[str]:
        around = self._tokenizer.num_special_tokens_to_add()
        return sentence_windows(text, self._settings.window_tokens - around, self._count)

    def _count(self, texts: Sequence[str]) -> list[int]:
        """Numbers of tokens, as they count within a window."""
        spaced = [f" {text}" for text in texts]
        return [len(ids) for ids in self._tokenizer(spaced, add_special_tokens=False)["input_ids"]]

    def _tokenizer_tokens(self) -> list[str]:
        """The tokenizer's own tokens, such as its padding, that are no marker."""
        return [token for token in self._tokenizer.all_special_tokens if token not in MARKERS]

    def _replies(self, windows: list[str]) -> Iterator[tuple[str, bool]]:
        """What the model writes for each window, and whether it came to an end."""
        settings, torch = self._settings, self._torch
        given = self._tokenizer(
            windows,
            padding=True,
            truncation=True,
            max_length=settings.window_tokens,
            return_tensors="pt",
            return_token_type_ids=False,
        ).to(self._model.device)
        # Longer replies are worth as much as short ones, as REBEL was published.
        beams = {"num_beams": settings.beams, "length_penalty": 0.0} if settings.beams > 1 else {}
        with torch.inference_mode():
            written = self._model.generate(
                **given,
                **beams,
                do_sample=False,
                max_new_tokens=settings.reply_tokens,
                max_length=None,
            )
        texts = self._tokenizer.batch_decode(written, skip_special_tokens=False)
        end = self._tokenizer.eos_token_id
        # The first token starts the reply, and is the end's own in BART.
        yield from zip(texts, (written[:, 1:] == end).any(dim=1).tolist(), strict=True)
