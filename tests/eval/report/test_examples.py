from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from factchain.chains.records import FactChain
from factchain.errors import InputError
from factchain.eval.report.examples import choose, examples
from factchain.eval.report.records import ReportData
from factchain.questions.records import Question


@pytest.fixture
def many(
    make_chain: Callable[..., FactChain], make_question: Callable[[FactChain], Question]
) -> list[Question]:
    """Both axes, 1 to 4 hops, every label pattern, five questions each."""
    questions = []
    for axis, labels in (("popularity", ("popular", "unpopular")), ("recency", ("old", "new"))):
        for n in range(1, 5):
            for i, pattern in enumerate(product(labels, repeat=n)):
                for j in range(5):
                    inputs = [(k - 1,) if k > 1 else () for k in range(1, n + 1)]
                    key = f"{axis}{n}-{i:02}-{j}"
                    chain = make_chain(inputs, pattern, key=key, axis=axis)
                    questions.append(make_question(chain))
    return questions


def test_examples_cover_axes_hops_and_patterns(many: list[Question]) -> None:
    chosen = choose(many)
    assert len(chosen) == 12
    assert {(q.axis, q.hops) for q in chosen} == set(
        product(("popularity", "recency"), range(1, 5))
    )
    assert len({q.labels for q in chosen}) == 12
    assert [(q.axis, q.hops) for q in chosen] == sorted((q.axis, q.hops) for q in chosen)


def test_the_choice_depends_on_the_questions_alone(many: list[Question]) -> None:
    assert choose(many) == choose(many[::-1])


def test_a_rare_topology_is_shown(data: ReportData, many: list[Question]) -> None:
    bridge = next(q for q in data.questions if q.topology == "bridge")
    assert bridge in choose([*many, bridge], 16)


def test_few_questions_are_all_shown(data: ReportData) -> None:
    assert len(choose(data.questions)) == 6
    assert choose([]) == []


def test_an_example_has_its_gold_passages_by_hop(data: ReportData) -> None:
    first, second = examples(data)[:2]
    assert [(step.sub_question.index, step.gold) for step in first.steps] == [
        (1, ("Q901-0", "Q901-1"))
    ]
    assert [step.gold for step in second.steps] == [(), ()]
    assert "Reasoning graph: chain, 1 hop" in first.drawing


def test_a_question_without_its_chain_is_an_error(data: ReportData) -> None:
    with pytest.raises(InputError, match=r"question q-a: its chain is not among the chains"):
        examples(data.model_copy(update={"chains": data.chains[1:]}))
