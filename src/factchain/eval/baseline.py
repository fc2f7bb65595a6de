"""Models that need no network, as an Inspect provider: `factchain/lexical`.

`lexical` reads the documents of its prompt word by word (`lexical_reader.py`), takes a question
apart by the templates (`lexical_decomposition.py`), reckons with the numbers that a question names,
and knows nothing else: asked without documents for anything else, it says so. It sees the prompt
alone, never a sample's metadata.
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
from factchain.eval.lexical_decomposition import next_sub_question, read_by_hops, take_apart
from factchain.eval.lexical_facts import content, key
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

    def max_connections(self) -> int:
        """One at a time: it answers at once, and each question under way takes memory and time."""
        return 1

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
    """What the documents say; without any, what follows from the numbers in the question."""
    unknown = NOT_FOUND if prompt.documents else NO_PASSAGES
    return read_by_hops(prompt.question, prompt.documents) or unknown


def _think(prompt: Prompt) -> str:
    return f"The answer is: {_read(prompt)}"


def _choose_option(prompt: Prompt) -> str:
    """The option that it has worked out, else the one with most words of the question; of several
    the first, for one must be chosen."""
    said = read(prompt.question, prompt.documents)
    asked = set(content(prompt.question))

    def fits(letter: str) -> tuple[bool, float]:
        option = prompt.options[letter]
        words = set(content(option))
        return said is not None and key(said) == key(option), len(words & asked) / (len(words) or 1)

    return max(sorted(prompt.options), key=fits, default=NO_PASSAGES)


def _think_of_option(prompt: Prompt) -> str:
    return f"The answer is: {_choose_option(prompt)}"


def _support(prompt: Prompt) -> str:
    """The answer, and the documents that the question or the answer names.

    It is the best that can be made of documents of which some may be missing: where a hop cannot be
    read, how far the words of the question lead.
    """
    found = read_by_hops(prompt.question, prompt.documents)
    said = found or read(prompt.question, prompt.documents) or NOT_FOUND
    texts = (prompt.question, said)
    named = [
        number
        for number, (title, text) in enumerate(prompt.documents, start=1)
        if said not in UNKNOWN and (said in text or any(title in one for one in texts))
    ]
    return json.dumps({"answer": said, "documents": named}, ensure_ascii=False)


def _say_how_certain(prompt: Prompt) -> str:
    """Certain where the answer follows from the numbers in the question: nothing else is known."""
    said = read(prompt.question, [])
    confidence = "uncertain" if said is None else "certain"
    return f"{prompts.ANSWER} {said or 'unknown'}\n{prompts.CONFIDENCE} {confidence}"


def _choose_strategy(prompt: Prompt) -> str:
    return _chosen("A" if len(take_apart(prompt.question)) > 1 else "C")


def _choose_for_step(prompt: Prompt) -> str:
    is_known = prompt.steps and read(prompt.steps[-1].question, []) is not None
    return _chosen("A" if is_known else "B")


def _judge_done(prompt: Prompt) -> str:
    left = next_sub_question(prompt.question, prompt.steps)
    return _chosen("A" if left is None else "B")


def _ask_next(prompt: Prompt) -> str:
    asked = next_sub_question(prompt.question, prompt.steps, UNKNOWN)
    return prompts.FINISH if asked is None else f"{prompts.NEXT} {asked}"


def _conclude(prompt: Prompt) -> str:
    return (prompt.steps[-1].answer if prompt.steps else None) or NO_PASSAGES


def _chosen(letter: str) -> str:
    return f'{{"choice": "{letter}"}}'


_REPLIES: dict[str, Callable[[Prompt], str]] = {
    "supported": _support,
    "strategy": _choose_strategy,
    "step-strategy": _choose_for_step,
    "completion": _judge_done,
    "next": _ask_next,
    "final": _conclude,
    "confident": _say_how_certain,
    "think": _think,
    "option": _choose_option,
    "think-option": _think_of_option,
}
"""How it replies to each kind of prompt; all others are read."""
