"""The question stage: `chains.jsonl` -> `questions.jsonl`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from factchain.chains.kinds.types import type_of
from factchain.chains.proof.execute import execute
from factchain.chains.records import FactChain
from factchain.kg.store import Store
from factchain.progress import track
from factchain.questions.answers import to_answer
from factchain.questions.checks import SYMBOLIC_VERIFIER, Verification
from factchain.questions.leaks import PART_OF_NAME
from factchain.questions.model_checks.closed_book import with_difficulty
from factchain.questions.names import (
    EntityName,
    entity_names,
    property_meanings,
    property_names,
)
from factchain.questions.records import Provenance, Question, SubQuestion, Verdict
from factchain.questions.rounds import Candidate, prove, word_and_verify
from factchain.questions.verbalize.protocol import (
    Draft,
    RoundVerbalizer,
    Verbalizer,
    Wording,
    in_rounds,
)
from factchain.questions.verbalize.template import TemplateVerbalizer
from factchain.records import write_records


@dataclass(frozen=True)
class QuestionSummary:
    """How many questions were kept, and why others were not."""

    questions: int
    rejected: dict[str, int]
    named_by_topic: int = 0
    """Questions kept although a topic's own name contains the name of an answer."""
    refusals: dict[str, int] = field(default_factory=dict)
    """Wordings that a check refused, over all attempts, of verbalizers that try again."""
    attempts: dict[int, int] = field(default_factory=dict)
    """Questions by the number of attempts that they took."""


def generate_questions(
    store: Store,
    chains: Sequence[FactChain],
    verbalizer: Verbalizer | RoundVerbalizer,
    out: Path,
    verification: Verification | None = None,
) -> QuestionSummary:
    """Put every chain into words, verify it, and write the questions that pass to `out`.

    Raises ModelError where a model that is asked gives no reply; nothing is written then, and
    another run takes from the journal what was answered.
    """
    asked = verification or Verification()
    writer = in_rounds(verbalizer)
    templates = verbalizer if isinstance(verbalizer, TemplateVerbalizer) else None
    candidates = candidates_of(store, chains, asked.language, templates)
    outcome = word_and_verify(
        prove(candidates, asked.checks),
        writer,
        asked,
        lambda one, wording, verdicts: to_question(
            one.chain, wording, verdicts, one.draft.names, writer, asked.title, one.attempts
        ),
        property_list(store, chains),
    )
    kept, rejected = _distinct(candidates)
    if asked.closed_book:
        kept = with_difficulty(kept, asked.readers, asked.closed_book, asked.language)
    write_records(out, kept)
    named = sum(PART_OF_NAME in verdict.evidence for q in kept for verdict in q.provenance.verdicts)
    tries = Counter(question.provenance.attempts for question in kept)
    retries = writer.attempts > 1
    return QuestionSummary(
        len(kept),
        dict(sorted(rejected.items())),
        named,
        refusals=dict(sorted(outcome.refusals.items())) if retries else {},
        attempts=dict(sorted(tries.items())) if retries else {},
    )


def candidates_of(
    store: Store,
    chains: Sequence[FactChain],
    language: str = "en",
    templates: TemplateVerbalizer | None = None,
) -> list[Candidate]:
    """The chains with their names, with what their queries give, and how they may be said.

    Besides labels and aliases, properties may be said by the phrases of the templates, where they
    are in the language.
    """
    names = entity_names(store, chains)
    properties = property_names(store, chains)
    meanings = property_meanings(store, chains)
    templates = templates or TemplateVerbalizer()
    pairs = zip(chains, execute(store, chains), strict=True)
    candidates = []
    for chain, executed in track(pairs, "verifying chains", len(chains)):
        said = templates.wordings(chain) if language == templates.language else {}
        labels = {fact.p for hop in chain.hops for fact in hop.facts}
        wordings = {p: {*said.get(p, ()), *properties.get(p, ())} for p in labels}
        candidates.append(Candidate(Draft(chain, names, meanings), executed, wordings))
    return candidates


def property_list(
    store: Store, chains: Sequence[FactChain]
) -> tuple[dict[str, str], dict[str, str]]:
    """The labels and descriptions of all properties of the chains, by P-id."""
    labels = {fact.p: fact.p_label for chain in chains for hop in chain.hops for fact in hop.facts}
    return labels, property_meanings(store, chains)


def _distinct(candidates: Sequence[Candidate]) -> tuple[list[Question], Counter[str]]:
    """The questions, without those whose text an earlier one has, and why others are none."""
    kept: list[Question] = []
    rejected: Counter[str] = Counter()
    texts: set[tuple[str, str]] = set()
    for one in candidates:
        if one.question is None:
            rejected[one.refused] += 1
        elif (one.chain.axis, one.question.question) in texts:
            rejected["duplicate"] += 1
        else:
            texts.add((one.chain.axis, one.question.question))
            kept.append(one.question)
    return kept, rejected


def to_question(
    chain: FactChain,
    wording: Wording,
    verdicts: tuple[Verdict, ...],
    names: Mapping[str, EntityName],
    verbalizer: RoundVerbalizer,
    verifier: str = SYMBOLIC_VERIFIER,
    attempts: int = 1,
) -> Question:
    """The record of a verified question."""
    last = chain.hops[-1]
    return Question(
        id=f"q-{chain.id.removeprefix('c-')}",
        type=type_of(last.kind, last.operation.operator if last.operation else None),
        axis=chain.axis,
        topology=chain.topology,
        hops=len(chain.hops),
        question=wording.question,
        answer=to_answer(last.answer, names),
        other_answers=tuple(to_answer(answer, names) for answer in last.other_answers),
        sub_questions=tuple(
            SubQuestion(
                index=hop.index,
                question=question,
                template=template,
                inputs=hop.inputs,
                kind=hop.kind,
                answer=to_answer(hop.answer, names),
                other_answers=tuple(to_answer(answer, names) for answer in hop.other_answers),
                facts=hop.facts,
                operation=hop.operation,
                label=hop.label,
            )
            for hop, question, template in zip(
                chain.hops, wording.sub_questions, wording.templates, strict=True
            )
        ),
        labels=chain.labels,
        query=chain.query,
        provenance=Provenance(
            verbalizer=verbalizer.name,
            model=verbalizer.model,
            prompt_version=verbalizer.version,
            attempts=attempts,
            verifier=verifier,
            verdicts=verdicts,
            snapshot=chain.snapshot,
            seed=chain.seed,
        ),
    )
