"""Models that need no network, as an Inspect provider: `factchain/lexical`.

`lexical` reads the documents of its prompt word by word (`lexical_reader.py`) and knows nothing
else: asked without documents, it says so. It sees the prompt alone, never a sample's metadata.
"""

from __future__ import annotations

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
from factchain.eval.lexical_operations import read

LEXICAL = "factchain/lexical"
"""The lexical baseline's name for Inspect."""

NO_PASSAGES = "I do not know: no passages were given."
NOT_FOUND = "I do not know: the passages do not say."


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


def answer(prompt: str) -> str:
    """What the lexical baseline says to a prompt."""
    question, documents = prompts.read(prompt)
    if not documents:
        return NO_PASSAGES
    return read(question, documents) or NOT_FOUND
