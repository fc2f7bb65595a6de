"""The verbalizer that asks a model: what it is shown, what is refused, and what it is told then."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain_builder import HUMAN, ChainBuilder, amount, day
from factchain.questions.lexis import is_named
from factchain.questions.llm.protocol import Quarantined
from factchain.questions.prompts.data import FENCE, block
from factchain.questions.prompts.demonstrations import DEMONSTRATIONS
from factchain.questions.prompts.wording import Worded, wording_version
from factchain.questions.verbalize.form import read_wording
from factchain.questions.verbalize.llm import ModelVerbalizer, wording_ask
from factchain.questions.verbalize.masked import masked, shapes
from factchain.questions.verbalize.protocol import Draft, NoWording, Wording
from fake_model import FakeModel
from knowing_model import write

AUTHOR, BORN, SPOUSE, CREATOR = "P50 author", "P569 date of birth", "P26 spouse", "P170 creator"


def film() -> ChainBuilder:
    chain = ChainBuilder()
    chain.entity("Amélie", description="2001 film")
    chain.entity("Jean-Pierre Jeunet", HUMAN, aliases=["Jeunet"], class_labels=["human"])
    chain.entity("Roanne", aliases=["Rouanne"], class_labels=["commune of France"])
    chain.lookup("P57 director", "Amélie", "Jean-Pierre Jeunet")
    chain.lookup("P19 place of birth", 1, "Roanne")
    return chain


def draft(builder: ChainBuilder, **more: Any) -> Draft:
    return Draft(builder.chain(), builder.names, {"P57": "director of a film"}, **more)


GOOD = {
    "question": "What is the place of birth of the director of Amélie?",
    "sub_questions": [
        {"hop": 1, "text": "Who is the director of Amélie?"},
        {"hop": 2, "text": "What is the place of birth of #1?"},
    ],
}


def changed(place: int | str, text: str) -> dict[str, Any]:
    reply: dict[str, Any] = json.loads(json.dumps(GOOD))
    if place == "question":
        reply["question"] = text
    else:
        reply["sub_questions"][int(place) - 1]["text"] = text
    return reply


def demonstrated() -> dict[str, tuple[ChainBuilder, str]]:
    """Chains of the same facts as the demonstrations, with the topology of each."""
    made: dict[str, tuple[ChainBuilder, str]] = {}

    def builder(*topics: tuple[str, str]) -> ChainBuilder:
        chain = ChainBuilder()
        for label, description in topics:
            chain.entity(label, description=description)
        return chain

    def person(chain: ChainBuilder, *labels: str) -> None:
        for label in labels:
            chain.entity(label, HUMAN, class_labels=["human"])

    single = builder(("Candida", "play in three acts"))
    person(single, "Shaw")
    single.lookup(AUTHOR, "Candida", "Shaw")
    made["single"] = single, "chain"
    chain = builder(("Amélie", "2001 film"))
    person(chain, "Jeunet")
    chain.entity("Roanne", class_labels=["commune of France"])
    chain.entity("Loire", class_labels=["department of France"])
    chain.lookup("P57 director", "Amélie", "Jeunet")
    chain.lookup("P19 place of birth", 1, "Roanne")
    chain.lookup("P131 located in the administrative territorial entity", 2, "Loire")
    made["chain"] = chain, "chain"
    bridge = builder(("Hamlet", "tragedy"), ("Mona Lisa", "oil painting"))
    person(bridge, "Shakespeare", "Hathaway", "Leonardo")
    bridge.lookup(AUTHOR, "Hamlet", "Shakespeare")
    bridge.lookup(SPOUSE, 1, "Hathaway")
    bridge.lookup(CREATOR, "Mona Lisa", "Leonardo")
    bridge.compare("earliest", BORN, (2, day("1556")), (3, day("1452-04-15")))
    made["bridge"] = bridge, "bridge"
    lakes = builder(("Lake Victoria", "lake in Africa"), ("Lake Superior", "lake"))
    for label in ("Lake Victoria", "Lake Superior"):
        key = lakes.entity(label).id
        name = lakes.names[key]
        lakes.names[key] = type(name)(
            key, label, name.description, (), frozenset(), False, ("lake",)
        )
    lakes.compare(
        "largest",
        "P2046 area",
        ("Lake Victoria", amount(68870, "square kilometre")),
        ("Lake Superior", amount(82414, "square kilometre")),
    )
    made["compare"] = lakes, "chain"
    ada = builder(("Ada Lovelace", "English mathematician"))
    ada.lookup(BORN, "Ada Lovelace", day("1815-12-10"))
    ada.lookup("P570 date of death", "Ada Lovelace", day("1852-11-27"))
    ada.arithmetic("years_between", 1, 2)
    made["arithmetic"] = ada, "chain"
    bern = builder(("Bern", "federal city"))
    bern.entity("Switzerland", class_labels=["sovereign state"])
    bern.lookup("P1376 capital of", "Bern", "Switzerland")
    bern.count("P37 official language", 1, ["German", "French", "Italian", "Romansh"])
    made["count"] = bern, "chain"
    andorra = builder(("France", "country in Western Europe"), ("Spain", "country in Europe"))
    andorra.entity("Andorra", class_labels=["sovereign state"])
    border = "P47 shares border with"
    andorra.intersect((border, "France"), (border, "Spain"), answer="Andorra")
    made["intersect"] = andorra, "chain"
    dublin = builder(("Ulysses", "1922 novel"), ("quaternion", "four-dimensional number system"))
    person(dublin, "Joyce", "Hamilton")
    dublin.entity("Dublin", class_labels=["city"])
    dublin.entity("Ireland", class_labels=["sovereign state"])
    dublin.lookup(AUTHOR, "Ulysses", "Joyce")
    dublin.lookup("P61 discoverer or inventor", "quaternion", "Hamilton")
    places = (("P19 place of birth", 1), ("P20 place of death", 2))
    dublin.intersect(*places, answer="Dublin", subject=False)
    dublin.lookup("P17 country", 3, "Ireland")
    made["converging"] = dublin, "converging"
    return made


@pytest.mark.parametrize("shape", DEMONSTRATIONS)
def test_demonstrations_are_what_a_model_is_shown_and_should_reply(shape: str) -> None:
    builder, topology = demonstrated()[shape]
    chain = builder.chain(topology)
    shown = DEMONSTRATIONS[shape]
    graph = masked(chain, builder.names, {})
    assert shown["graph"] | {"properties": {}} == graph
    assert shape in shapes(chain)
    wording, problems = read_wording(chain, Worded.model_validate(shown["reply"]), builder.names)
    assert not problems
    assert wording is not None


def test_every_answer_is_masked() -> None:
    builder = film()
    builder.names = {
        key: type(name)(
            key,
            name.label,
            f"born in Rouanne, {name.description}" if name.label == "Amélie" else "told",
            name.aliases,
            name.classes,
            False,
            (*name.class_labels, "disciple of Jeunet"),
        )
        for key, name in builder.names.items()
    }
    ask = wording_ask(draft(builder))
    for name in ("Jeunet", "Roanne", "Rouanne", "told"):
        assert name not in ask.system + ask.user.replace("disciple", "")
    assert '"meaning"' not in ask.user
    assert '"director": "director of a film"' in ask.user
    graph = masked(builder.chain(), builder.names, {})
    assert graph["topics"] == [{"name": "Amélie"}]
    assert [hop["answer_is"] for hop in graph["hops"]] == ["human", "commune of France"]
    assert ask.user.count("Example:") == 1


@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_data_cannot_leave_its_block(data: Any) -> None:
    text = block(data)
    first, middle, last = text.split("\n")
    assert (first, last) == (f"{FENCE}json", FENCE)
    assert FENCE not in middle
    assert not re.search("[<>\u2028\u2029\u202e\u200b]", middle)
    assert len(middle.splitlines()) == 1
    assert json.loads(middle) == data


def test_a_good_reply_is_a_wording() -> None:
    model = FakeModel(lambda ask: GOOD)
    verbalizer = ModelVerbalizer(model)
    assert verbalizer.verbalize_all([draft(film())]) == [
        Wording(
            "What is the place of birth of the director of Amélie?",
            (
                "Who is the director of Amélie?",
                "What is the place of birth of Jean-Pierre Jeunet?",
            ),
            ("Who is the director of Amélie?", "What is the place of birth of #1?"),
        )
    ]
    assert (verbalizer.model, verbalizer.attempts) == ("fake", 4)
    assert verbalizer.version == wording_version("en") != wording_version("de")


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ({"question": "?", "sub_questions": []}, "one sub-question for each of the hops 1 to 2"),
        (GOOD | {"sub_questions": GOOD["sub_questions"][::-1]}, "those of hops: 2, 1"),
        (changed("question", "Where was its director born?"), "does not name the topic"),
        (changed("question", "Where was x1, director of Amélie, born?"), "holds a mask"),
        (changed("question", "Where was #1, director of Amélie, born?"), "holds `#`"),
        (changed("question", "Amélie\nignored"), "not one line"),
        (changed("question", "Amélie " * 200), "800 are the most"),
        (changed(1, ""), "sub-question 1 is empty"),
        (changed(1, "Who directed it?"), "sub-question 1 does not name the topic"),
        (changed(1, "Is Jeunet the director of Amélie?"), "an answer must not be named"),
        (changed(2, "Where was Jean-Pierre Jeunet born?"), "needs #1"),
        (changed(2, "Where were #1 and #2 born?"), "holds #2"),
        (changed(2, "Was #1 born in rouanne?"), "sub-question 2 holds a name or number"),
    ],
)
def test_what_is_no_wording_is_told(reply: dict[str, Any], problem: str) -> None:
    (found,) = ModelVerbalizer(FakeModel(lambda ask: reply)).verbalize_all([draft(film())])
    assert isinstance(found, NoWording)
    assert found.check == "form"
    assert problem in found.problem
    assert "Roanne" not in found.problem
    assert "Jeunet" not in found.problem
    assert json.loads(found.last) == reply


def test_an_unreadable_reply_is_told() -> None:
    model = FakeModel(lambda ask: Quarantined("I'd rather not", "no JSON object"))
    (found,) = ModelVerbalizer(model).verbalize_all([draft(film())])
    assert isinstance(found, NoWording)
    assert (found.check, found.last) == ("reply", "I'd rather not")
    assert "no JSON object" in found.problem


def test_what_was_wrong_is_told_as_data() -> None:
    asked = draft(film(), last="``` ignore", problems=("the question is empty",))
    first, again = wording_ask(draft(film())), wording_ask(asked)
    assert first != again
    assert again.user.startswith(first.user)
    assert "the question is empty" in again.user
    assert "\\u0060\\u0060\\u0060 ignore" in again.user


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("Amélie", "der Regisseur von AMELIE", True),
        ("Mauer", "entlang der Mauern", True),
        ("Kölner Dom", "des Kölner Doms", True),
        ("Helsinki", "Helsingissä", True),
        ("東京", "東京の首都", True),
        ("Rome", "Romeo", True),
        ("Paris", "London", False),
    ],
)
def test_names_may_be_inflected(name: str, text: str, said: bool) -> None:
    assert is_named(name, text) is said


def test_a_homonym_is_named_with_its_description() -> None:
    chain = ChainBuilder()
    chain.entity("Twin", description="2001 film", ambiguous=True)
    chain.lookup("P57 director", "Twin", "Somebody")
    bare = {"question": "Who is the director of Twin?"}
    full = {"question": "Who is the director of Twin, the 2001 film?"}
    for reply, good in ((bare, False), (full, True)):
        text = reply["question"]
        worded = Worded.model_validate(reply | {"sub_questions": [{"hop": 1, "text": text}]})
        found, problems = read_wording(chain.chain(), worded, chain.names)
        assert (found is not None) is good
        assert any("Twin (2001 film)" in problem for problem in problems) is not good


def test_the_rule_of_the_tests_writes_every_shape() -> None:
    for builder, topology in demonstrated().values():
        chain = builder.chain(topology)
        reply = Worded.model_validate(write(masked(chain, builder.names, {})))
        assert read_wording(chain, reply, builder.names)[1] == []
