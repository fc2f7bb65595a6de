"""What a run will ask of models, told before anything is asked: the requests of its first round.

Of the checks, requests depend on the wording, which is not known yet: that of the templates stands
in for it. Wordings that are refused, and asked for again, come on top.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from factchain.chains.records import FactChain
from factchain.kg.store import Store
from factchain.questions.build import candidates_of, property_list, to_question
from factchain.questions.checks import Verification
from factchain.questions.generate_file import (
    Endpoint,
    GenerationSettings,
    VerificationSettings,
    endpoint,
    verification_of,
)
from factchain.questions.language import check_language
from factchain.questions.llm.protocol import Ask
from factchain.questions.llm.settings import ModelSettings
from factchain.questions.model_checks.closed_book import closed_book_asks
from factchain.questions.model_checks.hops_read import properties_of
from factchain.questions.model_checks.reading import source_facts
from factchain.questions.records import Question
from factchain.questions.rounds import model_checks, prove
from factchain.questions.verbalize.llm import wording_ask
from factchain.questions.verbalize.protocol import OneByOne
from factchain.questions.verbalize.template import TemplateVerbalizer


@dataclass
class Unasked:
    """A model that is only counted with."""

    name: str

    def ask_all(self, asks: Sequence[Ask[Any]], doing: str) -> NoReturn:
        """Never called: raises AssertionError."""
        raise AssertionError(f"{doing}: a forecast asks nothing")


@dataclass
class Forecast:
    """The requests of a first round, by the model that they go to."""

    asks: dict[Endpoint, tuple[ModelSettings, list[Ask[Any]]]] = field(default_factory=dict)

    def add(self, model: ModelSettings | None, asks: Sequence[Ask[Any]]) -> None:
        """Count requests to a model."""
        if model is not None:
            self.asks.setdefault(endpoint(model), (model, []))[1].extend(asks)


def forecast(store: Store, chains: Sequence[FactChain], settings: GenerationSettings) -> Forecast:
    """What `generate_file` will ask at first."""
    language = settings.verification.language
    check_language(store, chains, language)
    verification = _unasked(settings.verification)
    found = Forecast()
    proved = prove(candidates_of(store, chains, language), verification.checks)
    if settings.verbalizer == "llm":
        found.add(settings.writer, [wording_ask(one.draft, language) for one in proved])
    templates = OneByOne(TemplateVerbalizer())
    questions = [
        to_question(
            one.chain,
            TemplateVerbalizer().verbalize(one.chain, one.draft.names),
            (),
            one.draft.names,
            templates,
        )
        for one in proved
    ]
    labels, meanings = property_list(store, chains)
    _add_checks(found, questions, settings.verification, verification, labels, meanings)
    return found


def forecast_of_questions(
    questions: Sequence[Question], settings: VerificationSettings
) -> Forecast:
    """What `verify_file` will ask."""
    found = Forecast()
    with_facts = [question for question in questions if source_facts(question)]
    labels = properties_of(with_facts)
    _add_checks(found, with_facts, settings, _unasked(settings), labels, {})
    return found


def _unasked(settings: VerificationSettings) -> Verification:
    return verification_of(settings, {endpoint(one): Unasked(one.model) for one in settings.models})


def _add_checks(
    found: Forecast,
    questions: Sequence[Question],
    settings: VerificationSettings,
    verification: Verification,
    labels: dict[str, str],
    meanings: dict[str, str],
) -> None:
    for check in model_checks(verification, labels, meanings):
        asks = [ask for question in questions for ask in check.asks(question)]
        found.add(settings.verifier, asks)
    for reader in settings.readers if settings.closed_book else ():
        for question in questions:
            found.add(reader, closed_book_asks(question, settings.closed_book, settings.language))
