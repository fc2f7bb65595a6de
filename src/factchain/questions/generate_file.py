"""`questions generate`: a file of chains -> a file of questions, by templates or by a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from factchain.chains.proof.chains_files import read_chains
from factchain.chains.records import FactChain
from factchain.errors import ConfigError, InputError
from factchain.kg.store import Store
from factchain.questions.build import QuestionSummary, generate_questions
from factchain.questions.checks import Verification, named_checks
from factchain.questions.language import check_language
from factchain.questions.llm.client import ModelClient
from factchain.questions.llm.journal import Journal
from factchain.questions.llm.protocol import LanguageModel
from factchain.questions.llm.settings import ModelSettings
from factchain.questions.verbalize.llm import REGENERATIONS, ModelVerbalizer
from factchain.questions.verbalize.template import TemplateVerbalizer

VerbalizerName = Literal["template", "llm"]
Endpoint = tuple[str, str]
"""What tells models apart: name and address."""


@dataclass(frozen=True)
class VerificationSettings:
    """How questions are verified."""

    language: str = "en"
    """Code of the language of the store's labels, and of the questions."""
    checks: str | Sequence[str] | None = None
    """Names of checks; without them all that can be made."""
    verifier: ModelSettings | None = None
    """The model that reads; without one no check asks a model."""
    closed_book: int = 0
    """Replies without context of each of the readers."""
    readers: tuple[ModelSettings, ...] = ()
    """The models that are asked without context."""

    def __post_init__(self) -> None:
        named_checks(self.checks, has_model=self.verifier is not None)
        if self.closed_book and not self.readers:
            raise ConfigError("--closed-book asks language models: name one with --model")

    @property
    def models(self) -> list[ModelSettings]:
        """All models that are asked."""
        return [one for one in (self.verifier, *self.readers) if one is not None]


@dataclass(frozen=True)
class GenerationSettings:
    """How chains are put into words, and how the questions are verified."""

    verbalizer: VerbalizerName = "template"
    phrases: Path | None = None
    """A table of phrases, or a folder of tables, laid over those of the templates."""
    writer: ModelSettings | None = None
    """The model that writes."""
    regenerations: int = REGENERATIONS
    """How often a refused wording is asked for again."""
    verification: VerificationSettings = VerificationSettings()

    def __post_init__(self) -> None:
        language = self.verification.language
        if self.verbalizer == "llm" and self.writer is None:
            raise ConfigError("the verbalizer llm asks a language model: name one with --model")
        if self.verbalizer == "template" and language != "en" and self.phrases is None:
            raise ConfigError(
                f"the templates are English: for `{language}` give a table of phrases with "
                "--phrases, or have a model write with --verbalizer llm"
            )
        if self.verbalizer == "llm" and self.phrases is not None:
            raise ConfigError("--phrases are for the verbalizer template; llm has its own words")
        if self.regenerations < 0:
            raise ConfigError("a number of regenerations from 0 on is needed")

    @property
    def models(self) -> list[ModelSettings]:
        """All models that are asked."""
        writer = [self.writer] if self.writer is not None and self.verbalizer == "llm" else []
        return [*writer, *self.verification.models]


def endpoint(model: ModelSettings) -> Endpoint:
    """Which model it is."""
    return model.model, model.address


def read_chains_to_word(path: Path, store: Store, limit: int | None = None) -> list[FactChain]:
    """The chains of a file, the first `limit` of them.

    Raises InputError where there is none, or a name in a file of MINTQA's layout stands for none.
    """
    read = read_chains(path, store)
    if read.unresolved:
        line, problems = next(iter(read.unresolved.items()))
        raise InputError(
            f"{path}: {len(read.unresolved)} chains have names that the store does not know, or "
            f"knows more than once ({line}: {problems[0]}): `factchain chains check {path} --kg "
            f"{store.path} --verbose` lists them; take them out, or give `triple_ids`"
        )
    if not read.chains:
        raise InputError(f"{path}: holds no chain")
    return read.chains[:limit]


def generate_file(
    store: Store,
    chains: Sequence[FactChain],
    settings: GenerationSettings,
    out: Path,
    journal: Path,
) -> QuestionSummary:
    """Questions from chains, into `out`; what models reply goes into the journal.

    Raises StoreError where labels are in another language or lack, ConfigError where a setting
    does not fit, ModelError where a model gives no reply; nothing is written then.
    """
    check_language(store, chains, settings.verification.language)
    with opened(settings.models, journal) as models:
        verification = verification_of(settings.verification, models)
        return generate_questions(store, chains, writer_of(settings, models), out, verification)


@contextmanager
def opened(
    settings: Sequence[ModelSettings], journal: Path
) -> Iterator[Mapping[Endpoint, LanguageModel]]:
    """The models, which share one journal, and so one budget; without models no journal."""
    with ExitStack() as stack:
        clients: dict[Endpoint, LanguageModel] = {}
        if settings:
            shared = stack.enter_context(Journal(journal))
            for one in settings:
                if endpoint(one) not in clients:
                    clients[endpoint(one)] = stack.enter_context(ModelClient(one, shared))
        yield clients


def writer_of(
    settings: GenerationSettings, models: Mapping[Endpoint, LanguageModel]
) -> TemplateVerbalizer | ModelVerbalizer:
    """The verbalizer; `models` are the language models that are open.

    Raises ConfigError where the phrases are in another language than the questions are to be.
    """
    language = settings.verification.language
    if settings.writer is not None and settings.verbalizer == "llm":
        model = models[endpoint(settings.writer)]
        return ModelVerbalizer(model, language, settings.regenerations)
    templates = TemplateVerbalizer(phrases=settings.phrases)
    if templates.language != language:
        raise ConfigError(
            f"{settings.phrases or 'the templates'}: the language of the sentences is "
            f"`{templates.language}`, but --lang is `{language}`: its table frames.tsv names it"
        )
    return templates


def verification_of(
    settings: VerificationSettings, models: Mapping[Endpoint, LanguageModel]
) -> Verification:
    """The checks, with the models that they ask."""
    verifier = settings.verifier
    return Verification(
        checks=named_checks(settings.checks, has_model=verifier is not None),
        verifier=models[endpoint(verifier)] if verifier is not None else None,
        language=settings.language,
        closed_book=settings.closed_book,
        readers=tuple(models[endpoint(one)] for one in settings.readers),
    )


def settings_of(
    base: ModelSettings | None, model: str | None, base_url: str | None = None
) -> ModelSettings | None:
    """The settings of another model with the limits of the first; at its server if none is named.

    Raises ConfigError where there is no first model and no other either.
    """
    if model is None:
        return base
    if base is None:
        raise ConfigError("name the first language model with --model")
    changes: dict[str, Any] = {"model": model}
    if base_url is not None:
        changes["base_url"] = base_url
    return replace(base, **changes)
