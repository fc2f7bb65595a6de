"""The verbalizer that asks a language model, after MINTQA: the answers are masked in its prompt.

So it cannot name what it does not see, and what it guesses is found by the leak check. A reply
that is refused is asked for again, up to three times, with what was wrong.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from factchain.questions.llm.protocol import Ask, LanguageModel, Quarantined
from factchain.questions.prompts import wording
from factchain.questions.prompts.wording import Worded
from factchain.questions.verbalize.form import read_wording
from factchain.questions.verbalize.masked import masked, shapes
from factchain.questions.verbalize.protocol import Draft, NoWording, Wording

REGENERATIONS = 3
"""How often a refused wording is asked for again (MINTQA)."""
_TOKENS_A_HOP = 120


class ModelVerbalizer:
    """Puts chains of every topology and hop kind into words by a language model."""

    name = "llm"

    def __init__(
        self, model: LanguageModel, language: str = "en", regenerations: int = REGENERATIONS
    ) -> None:
        self._model = model
        self._language = language
        self.model: str | None = model.name
        self.attempts = 1 + regenerations

    @property
    def version(self) -> str:
        """`prompts-` and a checksum of the prompt."""
        return wording.wording_version(self._language)

    def verbalize_all(self, drafts: Sequence[Draft]) -> list[Wording | NoWording]:
        """The drafts in words, in their order."""
        asks = [wording_ask(draft, self._language) for draft in drafts]
        replies = self._model.ask_all(asks, "putting chains into words")
        return [_read(draft, reply) for draft, reply in zip(drafts, replies, strict=True)]


def wording_ask(draft: Draft, language: str = "en") -> Ask[Worded]:
    """What is asked for a draft."""
    graph = masked(draft.chain, draft.names, draft.meanings)
    last = _as_reply(draft.last) if isinstance(draft.last, Wording) else draft.last
    return Ask(
        purpose="verbalize",
        system=wording.system(language),
        user=wording.user(graph, shapes(draft.chain), last, draft.problems),
        reply=Worded,
        max_tokens=_TOKENS_A_HOP * (2 + len(draft.chain.hops)),
    )


def _read(draft: Draft, reply: Worded | Quarantined) -> Wording | NoWording:
    if isinstance(reply, Quarantined):
        problem = "it was no JSON object with the fields `question` and `sub_questions`"
        return NoWording("reply", f"{problem}: {reply.problem}", reply.text)
    found, problems = read_wording(draft.chain, reply, draft.names)
    if found is None:
        return NoWording("form", "; ".join(problems), reply.model_dump_json())
    return found


def _as_reply(said: Wording) -> str:
    hops = [{"hop": k, "text": text} for k, text in enumerate(said.templates, start=1)]
    return json.dumps({"question": said.question, "sub_questions": hops}, ensure_ascii=False)
