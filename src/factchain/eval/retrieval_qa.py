"""Passages for the question, then an answer from them (SPEC.md 4.3 D3; 4.5, oracle)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver

from factchain.errors import ConfigError, InputError
from factchain.eval import prompts
from factchain.eval.dataset import QUESTIONS, as_dataset, read_questions, rests_on, version_of
from factchain.eval.scorers import answer_scores
from factchain.questions.records import Question
from factchain.retrieval_corpus.formats import CORPUS, hop_qrels_file, read_corpus, read_hop_qrels
from factchain.retrieval_corpus.records import HopGold, Passage
from factchain.retrieval_corpus.retrievers.bm25 import BM25Retriever
from factchain.retrieval_corpus.retrievers.protocol import Retriever

TOP_K = 5
"""How many passages a retriever gives a question (SPEC.md 4.5)."""

CONTEXTS = ("bm25", "gold")
"""What may stand before the question: the passages of a retriever, or the gold ones."""

PASSAGES = "passages"
"""Where a sample's store keeps the ids of its passages, in the order shown."""

_FOLDER = Path("corpus")


@task
def retrieval(dataset: str, context: str = "bm25") -> Task:
    """Every question with the best five passages of BM25, or, `context=gold`, the gold ones.

    `dataset` is a folder that `factchain build` wrote. Raises InputError where it lacks
    questions, passages or gold passages, ConfigError for another context.
    """
    if context not in CONTEXTS:
        raise ConfigError(f"context {context!r}: there is only {' and '.join(CONTEXTS)}")
    workspace = Path(dataset)
    files = rests_on(workspace, [QUESTIONS, (_FOLDER / CORPUS).as_posix()])
    questions = read_questions(workspace)
    passages = read_corpus(workspace / _FOLDER)
    if context == "gold":
        splits = sorted({question.split for question in questions})
        files |= rests_on(workspace, [hop_qrels_file(_FOLDER, s).as_posix() for s in splits])
        gold = [
            row for split in splits for row in read_hop_qrels(workspace / _FOLDER, passages, split)
        ]
        find = take_gold(gold_passages(questions, gold))
    else:
        find = retrieve(searcher(BM25Retriever(), passages.values()))
    return Task(
        dataset=as_dataset(questions),
        solver=[find, answer_from_passages(passages.__getitem__), generate()],
        scorer=answer_scores(),
        config=GenerateConfig(temperature=0),
        version=version_of(files),
        metadata={"context": context, "files": files},
    )


@solver
def retrieve(search: Callable[[str], Sequence[str]]) -> Solver:
    """Note the passages that `search` finds for the question; see `searcher`."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.store.set(PASSAGES, list(search(state.input_text)))
        return state

    return solve


@solver
def take_gold(gold: Callable[[str], Sequence[str]]) -> Solver:
    """Note the gold passages, which `gold` gives for the question's id."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.store.set(PASSAGES, list(gold(str(state.sample_id))))
        return state

    return solve


@solver
def answer_from_passages(passage: Callable[[str], Passage]) -> Solver:
    """Ask for an answer from the passages noted; `passage` gives one by its id."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        found = map(passage, state.store.get(PASSAGES))
        documents = (prompts.Document(one.title, one.text) for one in found)
        state.user_prompt.text = prompts.answer_with_documents(state.input_text, documents)
        return state

    return solve


def searcher(retriever: Retriever, passages: Collection[Passage]) -> Callable[[str], Sequence[str]]:
    """The ids of a query's best passages; indexed at the first query, a query searched once."""

    @functools.cache
    def index() -> Retriever:
        retriever.index(passages)
        return retriever

    @functools.cache
    def search(query: str) -> tuple[str, ...]:
        (hits,) = index().search([query], TOP_K)
        return tuple(hit.passage_id for hit in hits)

    return search


def gold_passages(
    questions: Iterable[Question], gold: Iterable[HopGold]
) -> Callable[[str], Sequence[str]]:
    """By question id the passages of its hops, in the order of the hops, each once.

    Raises InputError for a hop with facts that has none.
    """
    by_hop: dict[tuple[str, int], list[str]] = {}
    for row in gold:
        by_hop.setdefault((row.question, row.hop), []).append(row.passage)
    by_question: dict[str, Sequence[str]] = {}
    for question in questions:
        # A hop that only reckons with earlier answers rests on no passage of its own.
        hops = [(question.id, sub.index) for sub in question.sub_questions if sub.facts]
        for key in hops:
            if key not in by_hop:
                raise InputError(
                    f"question {key[0]}: hop {key[1]} has no gold passage: build the corpus anew"
                )
        by_question[question.id] = tuple(
            dict.fromkeys(passage for key in hops for passage in by_hop[key])
        )
    return by_question.__getitem__
