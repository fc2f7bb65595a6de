"""The question stage: `chains.jsonl` -> `questions.jsonl`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from factchain.chains.execute import execute
from factchain.chains.records import FactChain
from factchain.kg.store import Store
from factchain.progress import track
from factchain.questions.names import EntityName, entity_names
from factchain.questions.records import Answer, Provenance, Question, SubQuestion, Verdict
from factchain.questions.verbalize.protocol import Verbalizer, Wording
from factchain.questions.verify import verify
from factchain.records import write_records

SYMBOLIC_VERIFIER = "symbolic"


@dataclass(frozen=True)
class QuestionSummary:
    """How many questions were kept, and why others were not."""

    questions: int
    rejected: dict[str, int]


def generate_questions(
    store: Store, chains: Sequence[FactChain], verbalizer: Verbalizer, out: Path
) -> QuestionSummary:
    """Put every chain into words, verify it, and write the questions that pass to `out`."""
    names = entity_names(store, chains)
    kept: list[Question] = []
    rejected: Counter[str] = Counter()
    texts: set[tuple[str, str]] = set()
    executed = execute(store, chains)
    pairs = zip(chains, executed, strict=True)
    for chain, answers in track(pairs, "verifying questions", len(chains)):
        wording = verbalizer.verbalize(chain, names)
        verdicts = verify(chain, wording, names, answers)
        failed = [verdict.check for verdict in verdicts if not verdict.passed]
        if failed:
            rejected[failed[0]] += 1
        elif (chain.axis, wording.question) in texts:
            rejected["duplicate"] += 1
        else:
            texts.add((chain.axis, wording.question))
            kept.append(to_question(chain, wording, verdicts, names, verbalizer))
    write_records(out, kept)
    return QuestionSummary(len(kept), dict(sorted(rejected.items())))


def to_question(
    chain: FactChain,
    wording: Wording,
    verdicts: tuple[Verdict, ...],
    names: Mapping[str, EntityName],
    verbalizer: Verbalizer,
) -> Question:
    """The record of a verified question."""
    return Question(
        id=f"q-{chain.id.removeprefix('c-')}",
        axis=chain.axis,
        topology=chain.topology,
        hops=len(chain.hops),
        question=wording.question,
        answer=_answer(names[chain.answer]),
        sub_questions=tuple(
            SubQuestion(
                index=hop.index,
                question=question,
                template=template,
                inputs=hop.inputs,
                answer=_answer(names[hop.answer.key]),
                facts=hop.facts,
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


def _answer(name: EntityName) -> Answer:
    return Answer(id=name.id, label=name.label, aliases=tuple(sorted(name.aliases)))
