"""Questions whose evidence is withheld, and questions about entities that do not exist."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from factchain.chains.proof.execute import execute
from factchain.cli import main
from factchain.errors import ConfigError
from factchain.kg.store import Store
from factchain.questions.chain_of import chain_of
from factchain.questions.kinds import unanswerable
from factchain.questions.kinds.made_up_names import HUMAN, MadeUpNames
from factchain.questions.kinds.null_questions import made_up_names, make_null_questions
from factchain.questions.kinds.otherwise_stated import Statements
from factchain.questions.kinds.remaining import remaining
from factchain.questions.kinds.unanswerable import WithholdSettings, make_unanswerable
from factchain.questions.lexis import fold
from factchain.questions.names import entity_names
from factchain.questions.records import Answer, Question
from factchain.records import read_records, write_records
from factchain.retrieval_corpus.build import build_corpus
from factchain.retrieval_corpus.formats import read_corpus, read_hop_qrels
from factchain.retrieval_corpus.retrievers.bm25 import BM25Retriever
from factchain.retrieval_corpus.unanswerable_check import check_unanswerable, states
from made_questions import as_questions
from random_chains import chain_of as chain_record
from store_copies import copy_store
from typed_worlds import DAY, World, open_store
from written_chains import Written, facts_of, written

CHAINS = 24


def path(*ids: int) -> Written:
    """A chain of lookups."""
    chain = Written()
    for at, (a, b) in enumerate(itertools.pairwise(ids)):
        chain.add("lookup", [at or f"Q{a}"], f"Q{a} P{at + 1} Q{b}", f"Q{b}")
    return chain


def world_of(
    chains: list[Written], around: str = "", old: str = ""
) -> tuple[Store, list[Question]]:
    """A store with the facts of the chains and others, and the questions."""
    facts = [fact for chain in chains for fact in chain.facts]
    facts += facts_of(around) if around else ()
    store = open_store(World(tuple(dict.fromkeys(facts)), tuple(facts_of(old)) if old else ()))
    return store, as_questions(store, [chain_record(chain.hops, "chain") for chain in chains])


@pytest.fixture
def apart() -> Iterator[tuple[Store, list[Question]]]:
    """Chains of three lookups that share no fact."""
    store, questions = world_of([path(*range(10 * n + 1, 10 * n + 5)) for n in range(CHAINS)])
    with store:
        yield store, questions


def keys(question: Question, hidden: bool) -> set[tuple[str, str, str]]:
    return {
        fact.key
        for hop in question.sub_questions
        if (hop.index in question.withheld) == hidden
        for fact in hop.facts
    }


@pytest.mark.parametrize(("least", "most"), [(1, 1), (1, 3), (2, 2), (3, 3)])
def test_facts_of_so_many_hops_are_withheld(
    apart: tuple[Store, list[Question]], tmp_path: Path, least: int, most: int
) -> None:
    store, questions = apart
    made = make_unanswerable(store, questions, WithholdSettings(0.5, least, most, seed=3))
    assert (made.made, made.wanted) == (CHAINS // 2, CHAINS // 2)
    hidden = [question for question in made.questions if not question.answerable]
    assert Counter(len(q.withheld) for q in hidden) == made.by_hops
    assert set(made.by_hops) == set(range(least, most + 1))
    for before, after in zip(questions, made.questions, strict=True):
        if after.answerable:
            assert after == before
            continue
        assert (after.answer.label, after.answer.kind) == (
            "Insufficient information",
            "insufficient",
        )
        assert after.full_answer == before.answer
        assert after.sub_questions == before.sub_questions
        assert after.id == f"u-{before.id.removeprefix('q-')}"
        assert after.provenance.verdicts[-1].check == unanswerable.CHECK
    facts = set().union(*(keys(question, True) for question in hidden))
    assert not any(facts & keys(question, False) for question in made.questions)
    # Executed anew on a store that does not have the facts at all.
    with copy_store(store, tmp_path / "kg.duckdb", facts) as copy:
        chains = [chain for q in questions if (chain := chain_of(q))]
        for question, results in zip(made.questions, execute(copy, chains), strict=True):
            assert bool(results[3].keys) == question.answerable
            for hop in question.withheld:
                assert not results[hop].keys


def test_every_kind_of_hop_can_be_withheld(tmp_path: Path) -> None:
    for name, (chain, facts) in written().items():
        with open_store(World(facts)) as store:
            (question,) = as_questions(store, [chain])
            made = make_unanswerable(store, [question], WithholdSettings(1.0))
            (after,) = made.questions
            assert not after.answerable, name
            with copy_store(store, tmp_path / f"{name}.duckdb", keys(after, True)) as copy:
                (results,) = execute(copy, [chain])
                assert not results[len(chain.hops)].keys, name


def test_what_other_questions_need_is_not_withheld() -> None:
    shared = [path(1, 2, 3, 4), path(1, 2, 3, 4), path(11, 12, 13)]
    store, questions = world_of(shared)
    with store:
        made = make_unanswerable(store, questions, WithholdSettings(1.0, 1, 3))
    # Of the first two only both together could be withheld, and one is considered first.
    assert [question.answerable for question in made.questions].count(False) == 1
    assert made.passed_over[unanswerable.NEEDED] == 2
    assert "2 were" not in made.as_text()
    assert "3 were wanted" in made.as_text()


@pytest.mark.parametrize(
    ("around", "old"),
    [
        ("Q2 P9 Q1", ""),  # an inverse property
        ("Q1 P9 Q2", ""),  # another property
        ("", "Q1 P1 Q7"),  # what an older snapshot says
        ("", "Q2 P8 Q1"),  # an inverse that is gone, but stands in the corpus
        ("Q1 P1 Q7", ""),  # a second object
    ],
)
def test_what_is_stated_otherwise_is_not_withheld(around: str, old: str) -> None:
    store, questions = world_of([path(1, 2)], around, old)
    with store:
        made = make_unanswerable(store, questions, WithholdSettings(1.0))
        assert made.passed_over == {unanswerable.TOO_FEW: 1}
        assert made.questions == questions


def test_a_date_that_two_properties_state_is_not_withheld() -> None:
    date = Written().add("lookup", ["Q1"], f"Q1 {DAY} 1990-01-02", "1990-01-02")
    store, (question,) = world_of([date], "Q1 P12 1990")
    with store:
        assert Statements.around(store, question.sub_questions).stated_otherwise(
            question.sub_questions[0]
        )
    store, (question,) = world_of([date], "Q1 P12 1991")
    with store:
        assert not Statements.around(store, question.sub_questions).stated_otherwise(
            question.sub_questions[0]
        )


def test_a_question_that_the_rest_answers_is_passed_over() -> None:
    """In the older snapshot another entity meets the conditions of an intersection."""
    both = Written().add("intersect", ["Q1", "Q2"], "Q3 P1 Q1, Q3 P2 Q2", "Q3")
    around = "Q4 P1 Q1, Q5 P2 Q2"
    for old, answered in (("Q6 P1 Q1, Q6 P2 Q2", True), ("Q6 P1 Q1, Q7 P2 Q2", False)):
        store, questions = world_of([both], around, old)
        with store:
            made = make_unanswerable(store, questions, WithholdSettings(1.0))
            assert [question.answerable for question in made.questions] == [answered]
            assert made.passed_over == ({unanswerable.STILL_ANSWERED: 1} if answered else {})


def test_what_remains_leaves_the_store_alone(apart: tuple[Store, list[Question]]) -> None:
    store, _ = apart
    before = store.dump()
    with remaining(store, [1, 2], [1, 2, 3]) as rest:
        kept = rest.rows("SELECT count(*) FROM fact")
        assert rest.rows("SELECT count(*) FROM current_edge") == kept
    assert kept == [(3 * CHAINS - 2,)]
    assert store.dump() == before
    assert store.rows("SELECT count(*) FROM fact") == [(3 * CHAINS,)]


def test_the_seed_decides_which(apart: tuple[Store, list[Question]]) -> None:
    store, questions = apart
    first, again, other = (
        make_unanswerable(store, questions, WithholdSettings(0.3, 1, 2, seed)).questions
        for seed in (1, 1, 2)
    )
    assert first == again != other
    # What is unanswerable already stays so.
    twice = make_unanswerable(store, first, WithholdSettings(0.5, 1, 1, 5)).questions
    assert [q for q in twice if not q.answerable and q in first] == [
        q for q in first if not q.answerable
    ]
    facts = set().union(*(keys(q, True) for q in twice))
    assert not any(facts & keys(q, False) for q in twice)


def test_imported_questions_are_left_alone(apart: tuple[Store, list[Question]]) -> None:
    store, (question, *_) = apart
    words = Answer(label="words", kind="text")
    hops = tuple(
        h.model_copy(update={"facts": (), "answer": words}) for h in question.sub_questions
    )
    imported = question.model_copy(update={"sub_questions": hops, "answer": words, "query": None})
    made = make_unanswerable(store, [imported], WithholdSettings(1.0))
    assert made.questions == [imported]
    assert made.passed_over == {unanswerable.NO_CHAIN: 1}
    null = make_null_questions(store, [imported], 1.0, 1)
    assert (null.questions, null.passed_over) == ([], {"no facts by id": 1})


@pytest.mark.parametrize("wrong", [(1.5, 1, 1), (-0.1, 1, 1), (0.5, 0, 1), (0.5, 2, 1)])
def test_settings_that_do_not_fit_are_refused(wrong: tuple[float, int, int]) -> None:
    with pytest.raises(ConfigError, match=r"share|withheld"):
        WithholdSettings(*wrong)


def test_the_corpus_lacks_what_is_withheld(
    apart: tuple[Store, list[Question]], tmp_path: Path
) -> None:
    store, questions = apart
    made = make_unanswerable(store, questions, WithholdSettings(0.5, 1, 2))
    build_corpus(store.connection, made.questions, tmp_path)
    passages = read_corpus(tmp_path)
    gold = Counter((row.question, row.hop) for row in read_hop_qrels(tmp_path, passages))
    for question in made.questions:
        for hop in question.sub_questions:
            hidden = hop.index in question.withheld
            assert (gold[question.id, hop.index] == 0) == hidden
            for passage in passages.values():
                told = states(passage, hop.facts[0], {})
                assert told == ((question.id, hop.index) in gold and passage.id == hop.facts[0].s)
    checked = check_unanswerable(BM25Retriever(), tmp_path, made.questions)
    assert (checked.checked, checked.failed) == (CHAINS // 2, {})
    verdicts = [q.provenance.verdicts[-1].check for q in checked.questions if not q.answerable]
    assert verdicts == ["not retrieved"] * (CHAINS // 2)


@pytest.mark.parametrize("with_metadata", [True, False])
def test_a_passage_that_states_it_is_found(
    apart: tuple[Store, list[Question]], tmp_path: Path, with_metadata: bool
) -> None:
    store, questions = apart
    made = make_unanswerable(store, questions, WithholdSettings(0.5))
    build_corpus(store.connection, made.questions, tmp_path)
    victim = next(q for q in made.questions if not q.answerable)
    (hop,) = [hop for hop in victim.sub_questions if hop.index in victim.withheld]
    fact = hop.facts[0]
    planted = {
        "_id": "planted",
        "title": "A letter",
        "text": f"{victim.question}\nOf {fact.s_label} it says: {fact.o_label}.",
        "metadata": {"facts": [[fact.o, "P99", fact.s]]} if with_metadata else {},
    }
    with (tmp_path / "corpus.jsonl").open("a") as corpus:
        corpus.write(json.dumps(planted) + "\n")
    checked = check_unanswerable(BM25Retriever(), tmp_path, made.questions)
    assert checked.failed == {victim.id: 1}
    assert checked.stated[0].passage == "planted"
    assert len(checked.questions) == len(made.questions) - 1
    assert f"{victim.id}: hop {hop.index}: passage planted states" in checked.as_text()


PEOPLE = ["Ada Brown", "Berta Clay", "Carl Dorn", "Dora Elm", "Emil Fink", "Fritz Gold"]


@pytest.fixture
def named() -> Iterator[tuple[Store, list[Question]]]:
    """People who were born in towns of countries."""
    chains = [path(n, n + 10, n + 20) for n in range(1, 7)]
    labels = {f"Q{n}": name for n, name in enumerate(PEOPLE, start=1)}
    labels |= {f"Q{n + 10}": f"Town{n}" for n in range(1, 7)}
    facts = tuple(fact for chain in chains for fact in chain.facts)
    world = World(facts, labels=labels, classes={f"Q{n}": ("Q5",) for n in range(1, 7)})
    with open_store(world) as store:
        yield store, as_questions(store, [chain_record(chain.hops, "chain") for chain in chains])


def test_null_questions_ask_about_nobody(named: tuple[Store, list[Question]]) -> None:
    store, questions = named
    made = make_null_questions(store, questions, 1.0, seed=4)
    assert len(made.questions) == made.wanted == len(questions)
    labels = {fold(label) for (label,) in store.rows("SELECT label FROM entity")}
    called = [made_up_names(question) for question in made.questions]
    assert len({name for names in called for name in names}) == len(questions)
    for question, names in zip(made.questions, called, strict=True):
        (name,) = names
        first, last = name.split()
        assert fold(name) not in labels
        assert first in {person.split()[0] for person in PEOPLE}
        assert last in {person.split()[1] for person in PEOPLE}
        assert name in question.question
        assert not any(label in fold(question.question) for label in labels)
        assert (question.type, question.answerable, question.withheld) == ("null", False, (1, 2))
        assert question.full_answer is question.query is None
        assert [hop.facts for hop in question.sub_questions] == [(), ()]
        assert {hop.answer.kind for hop in question.sub_questions} == {"insufficient"}
        assert "#1" in question.sub_questions[1].question
    assert made_up_names(questions[0]) == []
    assert make_null_questions(store, questions, 1.0, seed=4) == made


def test_a_name_that_exists_is_not_made(named: tuple[Store, list[Question]]) -> None:
    store, questions = named
    every = [f"{a.split()[0]} {b.split()[1]}" for a in PEOPLE for b in PEOPLE]
    # All but one of the names that can be made are aliases, in other letters.
    store.connection.execute(
        "UPDATE entity SET aliases = ? WHERE id = 1",
        [[name.upper().replace("E", "É") for name in every if name != "Ada Gold"]],
    )
    names = entity_names(store, [chain for q in questions if (chain := chain_of(q))])
    maker = MadeUpNames(store, names.values())
    assert maker.class_of(names["Q1"]) == HUMAN
    assert maker.class_of(names["Q11"]) is None
    made = maker.make([HUMAN] * 40, np.random.default_rng(1))
    assert set(made) == {None, "Ada Gold"}
    assert made.count("Ada Gold") == 1


def test_null_questions_stop_where_names_run_out(named: tuple[Store, list[Question]]) -> None:
    store, questions = named
    store.connection.execute("UPDATE entity SET classes = []")
    made = make_null_questions(store, questions, 0.5, seed=1)
    assert made.passed_over == {"no name for a topic entity": len(questions)}
    assert made.as_text().splitlines()[1].startswith("3 were wanted; passed over")
    with pytest.raises(ConfigError, match="0 to 1"):
        make_null_questions(store, questions, 2.0, seed=1)


def test_a_passage_with_a_made_up_name_is_found(
    named: tuple[Store, list[Question]], tmp_path: Path
) -> None:
    store, questions = named
    null = make_null_questions(store, questions, 0.5, seed=4).questions
    build_corpus(store.connection, [*questions, *null], tmp_path)
    assert check_unanswerable(BM25Retriever(), tmp_path, null).failed == {}
    (name,) = made_up_names(null[0])
    with (tmp_path / "corpus.jsonl").open("a") as corpus:
        corpus.write(json.dumps({"_id": "x", "title": name, "text": null[0].question}) + "\n")
    assert check_unanswerable(BM25Retriever(), tmp_path, null).failed == {null[0].id: 1}


def test_the_command_line(apart: tuple[Store, list[Question]], tmp_path: Path) -> None:
    store, questions = apart
    kg = tmp_path / "kg.duckdb"
    copy_store(store, kg).close()
    write_records(tmp_path / "all.jsonl", questions)

    def call(*arguments: object) -> str:
        result = CliRunner().invoke(main, ["questions", *map(str, arguments)])
        assert result.exit_code == 0, result.output
        return result.stdout

    out = tmp_path / "questions.jsonl"
    told = call(
        *("unanswerable", tmp_path / "all.jsonl", "--kg", kg, "--withhold", "1-2"),
        *("--share", "0.25", "--out", out, "--json"),
    )
    assert json.loads(told)["unanswerable"] == CHAINS // 4
    assert sum(not q.answerable for q in read_records(out, Question)) == CHAINS // 4
    assert "0 null questions" in call("null", out, "--kg", kg, "--out", tmp_path / "null.jsonl")
    with Store.open(kg) as opened:
        build_corpus(opened.connection, list(read_records(out, Question)), tmp_path / "corpus")
    told = call("check-unanswerable", tmp_path, "--out", tmp_path / "checked.jsonl")
    assert f"{CHAINS // 4} unanswerable questions" in told
    shown = CliRunner().invoke(
        main, ["questions", "unanswerable", str(out), "--kg", str(kg), "--withhold", "x"]
    )
    assert shown.exit_code == 2
    assert "a number of hops is needed" in shown.stderr
