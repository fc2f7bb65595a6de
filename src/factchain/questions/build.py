"""The question stage: `chains.jsonl` -> `questions.jsonl`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from factchain.chains.proof.execute import execute
from factchain.chains.records import FactChain
from factchain.kg.store import Store
from factchain.progress import track
from factchain.questions.answers import to_answer
from factchain.questions.leaks import PART_OF_NAME
from factchain.questions.names import EntityName, entity_names, property_names
from factchain.questions.records import Provenance, Question, SubQuestion, Verdict
from factchain.questions.verbalize.protocol import Verbalizer, Wording
from factchain.questions.verbalize.template import TemplateVerbalizer
from factchain.questions.verify import verify
from factchain.records import write_records

SYMBOLIC_VERIFIER = "symbolic"


@dataclass(frozen=True)
class QuestionSummary:
    """How many questions were kept, and why others were not."""

    questions: int
    rejected: dict[str, int]
    named_by_topic: int = 0
    """Questions kept although a topic's own name contains the name of an answer."""


def generate_questions(
    store: Store, chains: Sequence[FactChain], verbalizer: Verbalizer, out: Path
) -> QuestionSummary:
    """Put every chain into words, verify it, and write the questions that pass to `out`."""
    names = entity_names(store, chains)
    properties = property_names(store, chains)
    templates = TemplateVerbalizer()
    kept: list[Question] = []
    rejected: Counter[str] = Counter()
    texts: set[tuple[str, str]] = set()
    executed = execute(store, chains)
    pairs = zip(chains, executed, strict=True)
    for chain, answers in track(pairs, "verifying questions", len(chains)):
        wording = verbalizer.verbalize(chain, names)
        wordings = {
            p: {*said, *properties.get(p, ())} for p, said in templates.wordings(chain).items()
        }
        verdicts = verify(chain, wording, names, answers, wordings)
        failed = [verdict.check for verdict in verdicts if not verdict.passed]
        if failed:
            rejected[failed[0]] += 1
        elif (chain.axis, wording.question) in texts:
            rejected["duplicate"] += 1
        else:
            texts.add((chain.axis, wording.question))
            kept.append(to_question(chain, wording, verdicts, names, verbalizer))
    write_records(out, kept)
    named = sum(PART_OF_NAME in verdict.evidence for q in kept for verdict in q.provenance.verdicts)
    return QuestionSummary(len(kept), dict(sorted(rejected.items())), named)


def to_question(
    chain: FactChain,
    wording: Wording,
    verdicts: tuple[Verdict, ...],
    names: Mapping[str, EntityName],
    verbalizer: Verbalizer,
) -> Question:
    """The record of a verified question."""
    last = chain.hops[-1]
    return Question(
        id=f"q-{chain.id.removeprefix('c-')}",
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
            prompt_version=verbalizer.version,
            verifier=SYMBOLIC_VERIFIER,
            verdicts=verdicts,
            snapshot=chain.snapshot,
            seed=chain.seed,
        ),
    )
