"""Models of known behaviour for the evaluation: a function from a prompt to a reply."""

from __future__ import annotations

from collections.abc import Callable

from inspect_ai.model import ChatMessage, Model, ModelOutput, ModelUsage, get_model

from factchain.eval import prompts
from factchain.eval.prompts import Prompt


class PromptedModel:
    """Answers by a function of the prompt, as it is read back, and keeps all prompts."""

    def __init__(self, reply: Callable[[Prompt], str]) -> None:
        self.reply = reply
        self.asked: list[Prompt] = []

    @property
    def model(self) -> Model:
        """The model for Inspect."""

        def generate(input: list[ChatMessage], *_: object) -> ModelOutput:
            prompt = prompts.read(input[-1].text)
            self.asked.append(prompt)
            output = ModelOutput.from_content("scripted", self.reply(prompt))
            output.usage = ModelUsage()  # mockllm would fetch a tokenizer to count tokens
            return output

        return get_model("mockllm/scripted", custom_outputs=generate)

    def kinds(self) -> list[str]:
        """The kinds of the prompts, in their order."""
        return [prompt.kind for prompt in self.asked]
