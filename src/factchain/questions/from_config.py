"""The section `questions` of a config as the settings of the stage."""

from __future__ import annotations

from typing import Any

from factchain.config_questions import QuestionsConfig
from factchain.questions.generate_file import (
    GenerationSettings,
    VerificationSettings,
    settings_of,
)
from factchain.questions.llm.prices import Price
from factchain.questions.llm.settings import ModelSettings
from factchain.questions.prompts.hops_read import hops_read_version
from factchain.questions.prompts.reading import reading_version
from factchain.questions.prompts.wording import wording_version
from factchain.questions.verbalize.template import TemplateVerbalizer


def generation_settings(config: QuestionsConfig) -> GenerationSettings:
    """What the config asks for. Raises ConfigError where a model cannot be asked so."""
    model = _model(config)
    verifier = settings_of(model, config.verifier_model or None, config.verifier_base_url or None)
    readers = [settings_of(model, name) for name in config.closed_book_models] or [verifier]
    return GenerationSettings(
        verbalizer=config.verbalizer,
        phrases=config.phrases,
        writer=model,
        regenerations=config.regenerations,
        verification=VerificationSettings(
            language=config.language,
            checks=config.checks or None,
            verifier=verifier,
            closed_book=config.closed_book,
            readers=tuple(one for one in readers if one) if config.closed_book else (),
        ),
    )


def _model(config: QuestionsConfig) -> ModelSettings | None:
    if not config.model:
        return None
    return ModelSettings(
        model=config.model,
        base_url=config.base_url or None,
        key_env=config.key_env,
        concurrency=config.concurrency,
        max_usd=config.max_usd,
        max_tokens=config.max_tokens,
        price=Price(*config.price) if config.price else None,
        batch=config.batch,
    )


def questions_version(config: QuestionsConfig) -> dict[str, Any]:
    """What decides which questions come out: settings, and versions of the words."""
    language = config.language
    words = {"templates": TemplateVerbalizer(phrases=config.phrases).version}
    if config.model:
        words["wording"] = wording_version(language)
        words["reading"] = reading_version(language)
        words["coverage"] = hops_read_version()
    return {"settings": config.deciding(), "words": words}
