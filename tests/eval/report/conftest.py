"""A small report: six questions of every shape, with labels that are not to be trusted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from factchain.chains.records import ChainFact, EntityRef, FactChain, Hop, Query
from factchain.eval.records import ScoreSummary
from factchain.eval.report.records import (
    Build,
    DegreeBin,
    InputFile,
    ReportData,
    Stage,
    StoreStatistics,
)
from factchain.eval.results import Results
from factchain.kg.popularity import PopularityBounds
from factchain.questions.records import Answer, Provenance, Question, SubQuestion, Verdict
from factchain.retrieval_corpus.metrics import GroupScore
from factchain.retrieval_corpus.records import HopGold

ChainMaker = Callable[..., FactChain]
QuestionMaker = Callable[[FactChain], Question]


@pytest.fixture
def make_chain() -> ChainMaker:
    """A chain from its hops' inputs: hop k asks for `e<k>`, from `t<k>` where it has no input."""

    def make(
        inputs: Sequence[tuple[int, ...]],
        labels: Sequence[str] = (),
        *,
        key: str = "1",
        axis: str = "popularity",
        topology: str = "chain",
        name: Callable[[str], str] = lambda entity: f"label of {entity}",
    ) -> FactChain:
        labels = labels or ["popular"] * len(inputs)
        hops = []
        for k, needed in enumerate(inputs, start=1):
            topic = None if needed else f"Q{900 + k}"
            starts = [f"Q{i}" for i in needed] or [f"Q{900 + k}"]
            facts = []
            for j, start in enumerate(starts):
                # The second condition of an intersection has the answer as its subject.
                s, o = (start, f"Q{k}") if j == 0 else (f"Q{k}", start)
                facts.append(
                    ChainFact(
                        s=s,
                        s_label=name(s),
                        p=f"P{10 * k + j}",
                        p_label=name(f"P{10 * k + j}"),
                        o=o,
                        o_label=name(o),
                        popularity=k,
                    )
                )
            hops.append(
                Hop(
                    index=k,
                    kind="lookup" if len(starts) == 1 else "intersect",
                    inputs=needed,
                    topics=(topic,) if topic else (),
                    label=labels[k - 1],
                    answer=EntityRef(id=f"Q{k}", label=name(f"Q{k}")),
                    facts=tuple(facts),
                )
            )
        return FactChain(
            id=f"c-{key}",
            axis=axis,
            topology=topology,
            topics=tuple(topic for hop in hops for topic in hop.topics),
            answer=f"Q{len(hops)}",
            hops=tuple(hops),
            query=Query(sparql="SELECT ?x WHERE { ?x wdt:P10 wd:Q901 . }"),
            snapshot="2024-06-05",
            seed=7,
        )

    return make


@pytest.fixture
def make_question() -> QuestionMaker:
    """The question of a chain, in plain words."""

    def make(chain: FactChain) -> Question:
        return Question(
            id=f"q-{chain.id[2:]}",
            axis=chain.axis,
            topology=chain.topology,
            hops=len(chain.hops),
            question=f"Question {chain.id[2:]}?",
            answer=Answer(
                id=chain.answer, label=chain.hops[-1].answer.label, aliases=("an alias",)
            ),
            sub_questions=tuple(
                SubQuestion(
                    index=hop.index,
                    question=f"Sub-question {hop.index}?",
                    template=f"Template {hop.index} of #1?",
                    inputs=hop.inputs,
                    answer=Answer(id=hop.answer.id, label=hop.answer.label),
                    facts=hop.facts,
                    label=hop.label,
                )
                for hop in chain.hops
            ),
            labels=chain.labels,
            query=chain.query,
            provenance=Provenance(
                verbalizer="template",
                verifier="symbolic",
                verdicts=(Verdict(check="executes", passed=True, evidence="one answer"),),
                snapshot="2024-06-05",
                seed=7,
            ),
        )

    return make


def degree_bins(*entities: int) -> tuple[DegreeBin, ...]:
    """Bins 0, 1, 2-3, 4-7 and so on."""
    return tuple(
        DegreeBin(low=2**i // 2, high=2**i - 1, entities=n) for i, n in enumerate(entities)
    )


@pytest.fixture
def data(make_chain: ChainMaker, make_question: QuestionMaker) -> ReportData:
    """Six questions over both axes, 1 to 4 hops and three topologies, with scores."""
    chains = (
        make_chain([()], ["popular"], key="a"),
        make_chain([(), (1,)], ["popular", "unpopular"], key="b"),
        make_chain([(), (1,)], ["old", "new"], key="c", axis="recency"),
        make_chain([(), (1,)], ["new", "new"], key="d", axis="recency"),
        make_chain(
            [(), (1,), (), (2, 3)],
            ["old", "new", "old", "new"],
            key="e",
            axis="recency",
            topology="bridge",
        ),
        make_chain([(), (1,), (2,)], ["old", "old", "old"], key="f", axis="recency"),
    )

    groups = (
        (None, None, None),
        (None, 2, None),
        (None, 1, None),
        ("recency", 2, "old-new"),
        ("popularity", 2, "popular-unpopular"),
        ("popularity", 1, "popular"),
        ("popularity", 2, None),
    )
    scores = tuple(
        ScoreSummary(
            task=task,
            mode="open",
            context=context,
            model="factchain/lexical",
            axis=axis,
            hops=hops,
            labels=labels,
            score=score,
            n=4,
            failed=1,
            mean=mean,
            low=mean / 2,
            high=(1 + mean) / 2,
        )
        for task, context, mean in (
            ("parametric", "none", 0.0),
            ("retrieval", "bm25", 0.25),
            ("retrieval", "gold", 0.5),
        )
        for axis, hops, labels in groups
        for score in ("accuracy", "accuracy_alias", "exact_match", "f1")
    )
    recall = GroupScore(
        axis="popularity",
        by="hops",
        group="1",
        k=5,
        questions=4,
        recall=0.75,
        recall_stderr=0.1,
        complete=0.5,
        complete_stderr=0.1,
        hit=1.0,
        average_precision=0.6,
        reciprocal_rank=0.7,
        ndcg=0.65,
    )
    return ReportData(
        build=Build(
            version="0.1.0",
            seed=7,
            inputs=(InputFile(name="old.json.gz", size=12_345, sha256="ab" * 32),),
            stages=(
                Stage(name="kg", rows_in=6_000, rows_out=3_412, rejected={"malformed line": 3}),
                Stage(name="chains", rows_in=3_412, rows_out=6, rejected={"no shortcut": 30}),
                Stage(name="questions", rows_in=6, rows_out=6),
            ),
        ),
        store=StoreStatistics(
            entities=842,
            properties=58,
            passages=560,
            snapshots={"2021-06-21": 3_104, "2024-06-05": 3_312},
            recency={"old": 3_002, "new": 310, "gone": 102},
            popularity={1: 40, 2: 20, 7: 5},
            bounds=PopularityBounds(unpopular_min=1, unpopular_max=2, popular_min=5),
            answer_classes={"city": 4, "human": 2},
            out_degrees=degree_bins(100, 300, 442),
            in_degrees=degree_bins(500, 300, 40, 0, 2),
            coverage={"with label": 842, "with description": 421},
            class_sizes={"human": 300, "city": 100},
        ),
        corpus_passages=1_032,
        chains=chains,
        questions=tuple(make_question(chain) for chain in chains),
        gold=(
            HopGold(question="q-a", hop=1, passage="Q901-1"),
            HopGold(question="q-a", hop=1, passage="Q901-0"),
        ),
        results=Results(scores=scores),
        retrieval={"BM25": (recall, recall.model_copy(update={"by": "all", "group": "all"}))},
    )
