"""Models that need no network, as an Inspect provider: `factchain/lexical`.

`lexical` reads the documents of its prompt word by word (`lexical_reader.py`), takes a question
apart by the templates (`lexical_decomposition.py`), and knows nothing else: asked without
documents, it says so. It sees the prompt alone, never a sample's metadata.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from factchain.errors import ConfigError
from factchain.eval import prompts
from factchain.eval.lexical_decomposition import next_sub_question, sub_questions
from factchain.eval.lexical_operations import read
from factchain.eval.prompts import Prompt

LEXICAL = "factchain/lexical"
"""The lexical baseline's name for Inspect."""

NO_PASSAGES = "I do not know: without passages I cannot tell."
NOT_FOUND = "I do not know: the passages do not say."
UNKNOWN = (NO_PASSAGES, NOT_FOUND)
"""What it says instead of an answer; neither has the word `no`, which would answer a question."""


@modelapi(name="factchain")
class BuiltInModels(ModelAPI):
    """The provider of the built-in models; the model's name says which."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008
    ) -> None:
        if model_name != "lexical":
            raise ConfigError(f"factchain/{model_name}: no such model is built in: use {LEXICAL}")
        super().__init__(model_name, base_url, api_key, config=config)

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Answer the last message."""
        return ModelOutput.from_content(self.model_name, answer(input[-1].text))


def answer(text: str) -> str:
    """What the lexical baseline says to a prompt."""
    prompt = prompts.read(text)
    return _REPLIES.get(prompt.kind, _read)(prompt)


def _read(prompt: Prompt) -> str:
    if not prompt.documents:
        return NO_PASSAGES
    return read(prompt.question, prompt.documents) or NOT_FOUND


def _support(prompt: Prompt) -> str:
    """The answer, and the documents that the question or the answer names."""
    said = _read(prompt)
    texts = (prompt.question, said)
    named = [
        number
        for number, (title, text) in enumerate(prompt.documents, start=1)
        if said not in UNKNOWN and (said in text or any(title in one for one in texts))
    ]
    return json.dumps({"answer": said, "documents": named}, ensure_ascii=False)


def _reckon(prompt: Prompt) -> str:
    """A step without passages can be answered only where it reckons with what it says."""
    return read(prompt.question, []) or NO_PASSAGES


def _choose_strategy(prompt: Prompt) -> str:
    return _chosen("A" if len(sub_questions(prompt.question)) > 1 else "C")


def _judge_done(prompt: Prompt) -> str:
    left = next_sub_question(prompt.question, prompt.steps)
    return _chosen("A" if left is None else "B")


def _ask_next(prompt: Prompt) -> str:
    if any(step.answer in UNKNOWN for step in prompt.steps):
        return prompts.FINISH
    asked = next_sub_question(prompt.question, prompt.steps)
    return prompts.FINISH if asked is None else f"{prompts.NEXT} {asked}"


def _conclude(prompt: Prompt) -> str:
    return (prompt.steps[-1].answer if prompt.steps else None) or NO_PASSAGES


def _chosen(letter: str) -> str:
    return f'{{"choice": "{letter}"}}'


_REPLIES: dict[str, Callable[[Prompt], str]] = {
    "supported": _support,
    "strategy": _choose_strategy,
    "step-strategy": lambda prompt: _chosen("B"),  # it knows nothing by itself
    "completion": _judge_done,
    "next": _ask_next,
    "final": _conclude,
    "confident": lambda prompt: f"{prompts.ANSWER} unknown\n{prompts.CONFIDENCE} uncertain",
    "step": _reckon,
}
"""How it replies to each kind of prompt; all others are read."""
