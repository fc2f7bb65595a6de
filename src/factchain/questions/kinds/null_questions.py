"""Null questions: about entities that the graph does not hold.

Each is asked like a question of the set, with the same hops, but for its topic entities, which
all bear made-up names (`made_up_names`). So nothing in the corpus leads to an answer, and the
words alone do not show it. Every hop is out of scope.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from factchain.chains.records import FactChain
from factchain.errors import ConfigError
from factchain.kg.store import Store
from factchain.questions.chain_of import chain_of
from factchain.questions.kinds.insufficient import INSUFFICIENT
from factchain.questions.kinds.made_up_names import MadeUpNames
from factchain.questions.kinds.unanswerable import hash_of
from factchain.questions.leaks import occurs
from factchain.questions.names import EntityName, entity_names
from factchain.questions.records import Provenance, Question, SubQuestion, Verdict
from factchain.questions.verbalize.protocol import Wording
from factchain.questions.verbalize.template import TemplateVerbalizer

CHECK = "absent"
"""Name of the verdict."""
MADE_UP = "made-up names"
"""Where a null question's `metadata` holds the names of its topic entities."""
AT_ONCE = 256
"""Shapes for which names are made together."""


@dataclass
class NullQuestions:
    """The null questions, and how it went."""

    questions: list[Question]
    wanted: int
    passed_over: dict[str, int] = field(default_factory=dict)
    """Why other questions could not lend their shape."""

    def as_dict(self) -> dict[str, object]:
        """The figures as JSON values."""
        return {
            "null": len(self.questions),
            "wanted": self.wanted,
            "passed over": self.passed_over,
        }

    def as_text(self) -> str:
        """The figures for a reader."""
        lines = [f"{len(self.questions):,} null questions"]
        if len(self.questions) < self.wanted:
            why = ", ".join(f"{reason} {count:,}" for reason, count in self.passed_over.items())
            lines.append(f"{self.wanted:,} were wanted; passed over: {why or 'none'}")
        return "\n".join(lines)


def make_null_questions(
    store: Store, questions: Sequence[Question], share: float, seed: int
) -> NullQuestions:
    """Null questions in the shapes of questions of the set, chosen by seed.

    As many as `share` of the answerable questions, or fewer where names or shapes run out;
    `passed_over` says why.
    """
    if not 0 <= share <= 1:
        raise ConfigError(f"the share {share} of null questions is none: 0 to 1")
    answerable = [question for question in questions if question.answerable]
    wanted = round(share * len(answerable))
    chains = [(q, chain) for q in answerable if (chain := chain_of(q)) is not None]
    shapes = sorted(chains, key=lambda shape: hash_of(seed, f"null {shape[0].id}"))
    passed_over: Counter[str] = Counter({"no facts by id": len(answerable) - len(chains)})
    made: list[Question] = []
    rng = np.random.default_rng([seed, hash_of(seed, CHECK)])
    names = entity_names(store, [chain for _, chain in shapes]) if wanted else {}
    topics = {topic for _, chain in shapes for topic in chain.topics if topic in names}
    maker = MadeUpNames(store, [names[topic] for topic in sorted(topics)])
    texts = {question.question for question in questions}
    verbalizer = TemplateVerbalizer()
    version = verbalizer.version
    for begin in range(0, len(shapes), AT_ONCE):
        batch = shapes[begin : begin + AT_ONCE]
        for (shape, chain), called in zip(batch, _called(batch, names, maker, rng), strict=True):
            if len(made) == wanted:
                break
            if called is None:
                passed_over["no name for a topic entity"] += 1
                continue
            wording = verbalizer.verbalize(chain, {**names, **called})
            if wording.question in texts or _names_one(wording, chain, names):
                passed_over["a name of the graph in the question"] += 1
                continue
            texts.add(wording.question)
            made.append(_null(shape, wording, version, [name.label for name in called.values()]))
        if len(made) == wanted:
            break
    return NullQuestions(made, wanted, dict(sorted((+passed_over).items())))


def made_up_names(question: Question) -> list[str]:
    """The names of the entities that a null question asks about; none of another question."""
    names = question.metadata.get(MADE_UP, [])
    return [str(name) for name in names] if isinstance(names, list) else []


def _called(
    shapes: Sequence[tuple[Question, FactChain]],
    names: dict[str, EntityName],
    maker: MadeUpNames,
    rng: np.random.Generator,
) -> list[dict[str, EntityName] | None]:
    """By shape how its topic entities are called; none where one cannot be called otherwise."""
    places = [(at, t) for at, (_, c) in enumerate(shapes) for t in dict.fromkeys(c.topics)]
    classes = [maker.class_of(names[topic]) if topic in names else None for _, topic in places]
    of_class = iter(maker.make([c for c in classes if c is not None], rng))
    called: list[dict[str, EntityName] | None] = [{} for _ in shapes]
    for (at, topic), known in zip(places, classes, strict=True):
        label = next(of_class) if known is not None else None
        own = called[at]
        if label is None or own is None:
            called[at] = None
        else:
            own[topic] = replace(
                names[topic], label=label, aliases=(), description="", is_ambiguous=False
            )
    return called


def _names_one(wording: Wording, chain: FactChain, names: dict[str, EntityName]) -> bool:
    """Whether the question names one of the topic entities whose places were filled."""
    return any(occurs(names[topic].label, wording.question) for topic in chain.topics)


def _null(shape: Question, wording: Wording, version: str, called: Sequence[str]) -> Question:
    verdict = Verdict(
        check=CHECK,
        passed=True,
        evidence=f"no label and no alias of the store is {', '.join(called)}; as in {shape.id}",
    )
    return Question(
        id=f"n-{hash_of(0, wording.question) >> 16:012x}",
        split=shape.split,
        type="null",
        axis=shape.axis,
        topology=shape.topology,
        hops=shape.hops,
        question=wording.question,
        answer=INSUFFICIENT,
        sub_questions=tuple(
            SubQuestion(
                index=hop.index,
                # The answers of earlier hops, which would be put in, do not exist.
                question=template,
                template=template,
                inputs=hop.inputs,
                kind=hop.kind,
                answer=INSUFFICIENT,
                facts=(),
            )
            for hop, template in zip(shape.sub_questions, wording.templates, strict=True)
        ),
        labels=(),
        answerable=False,
        withheld=tuple(hop.index for hop in shape.sub_questions),
        provenance=Provenance(
            verbalizer=TemplateVerbalizer.name,
            prompt_version=version,
            verifier=shape.provenance.verifier,
            verdicts=(verdict,),
            snapshot=shape.provenance.snapshot,
            seed=shape.provenance.seed,
        ),
        metadata={MADE_UP: list(called)},
    )
