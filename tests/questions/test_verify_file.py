"""`questions verify`: questions of ours, spoilt ones, and imported ones, of which less is known."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from conftest import claim, item, item_snak, property_entity, write_dump
from factchain.chains.proof.chains_files import chain_of_facts
from factchain.chains.records import ChainFact, FactChain
from factchain.cli import main
from factchain.kg.dumps.ingest import ingest
from factchain.kg.store import Store
from factchain.questions.build import generate_questions
from factchain.questions.checks import ALL_CHECKS, Verification
from factchain.questions.foreign import UNVERIFIABLE
from factchain.questions.names import entity_names
from factchain.questions.records import Answer, Provenance, Question, SubQuestion
from factchain.questions.verbalize.llm import ModelVerbalizer
from factchain.questions.verbalize.template import TemplateVerbalizer
from factchain.questions.verify_file import FileVerdicts, verify_file
from factchain.records import read_records, write_records
from fake_model import FakeModel
from knowing_model import KnowingModel

ENTITIES = [
    property_entity("P57", "director"),
    property_entity("P19", "place of birth"),
    item("Q1", "Amélie", [claim(item_snak("P57", "Q2"))], "2001 film"),
    item("Q2", "Jean-Pierre Jeunet", [claim(item_snak("P19", "Q3"))], aliases=["Jeunet"]),
    item("Q3", "Roanne", aliases=["Rouanne"]),
    item("Q4", "Delicatessen", [claim(item_snak("P57", "Q2"))]),
    item("Q5", "Twin", [claim(item_snak("P19", "Q3"))]),
    item("Q6", "Twin", [claim(item_snak("P19", "Q3"))]),
]
LABELS = {one["id"]: one["labels"]["en"]["value"] for one in ENTITIES}


def chain(key: str, *triples: str) -> FactChain:
    facts = [
        ChainFact(s=s, s_label=LABELS[s], p=p, p_label=LABELS[p], o=o, o_label=LABELS[o])
        for s, p, o in (triple.split() for triple in triples)
    ]
    return chain_of_facts(key, facts, "2024-06-05")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store, chains, and questions made of them."""
    folder = tmp_path_factory.mktemp("workspace")
    chains = [
        chain("c-1", "Q1 P57 Q2", "Q2 P19 Q3"),
        chain("c-2", "Q4 P57 Q2", "Q2 P19 Q3"),
        chain("c-3", "Q1 P57 Q2"),
    ]
    write_records(folder / "chains.jsonl", chains)
    with Store.create(folder / "kg.duckdb") as store:
        ingest(store, write_dump(folder / "dump.json", ENTITIES), "2024-06-05", "2024-06-05")
        generate_questions(store, chains, TemplateVerbalizer(), folder / "questions.jsonl")
    return folder


@pytest.fixture
def store(folder: Path) -> Iterable[Store]:
    with Store.open(folder / "kg.duckdb") as store:
        yield store


@pytest.fixture
def ours(folder: Path) -> list[Question]:
    return list(read_records(folder / "questions.jsonl", Question))


def verdicts_of(path: Path) -> list[dict[str, tuple[bool, str]]]:
    return [
        {v.check: (v.passed, v.evidence) for v in question.provenance.verdicts}
        for question in read_records(path, Question)
    ]


def verified(
    store: Store, questions: list[Question], out: Path, *checks: str, **more: Any
) -> tuple[FileVerdicts, list[dict[str, tuple[bool, str]]]]:
    asked = Verification(checks or ALL_CHECKS[:4], **more)
    result = verify_file(questions, store, asked, out)
    return result, verdicts_of(out)


def test_questions_of_ours_pass_again(store: Store, ours: list[Question], tmp_path: Path) -> None:
    result, _ = verified(store, ours, tmp_path / "v")
    assert (result.questions, result.foreign, result.kept) == (3, 0, 3)
    assert result.passed == dict.fromkeys(ALL_CHECKS[:4], 3)
    assert not result.failed
    assert list(read_records(tmp_path / "v", Question)) == ours


def spoilt(whole: Question, **more: Any) -> Question:
    return whole.model_copy(update=more)


def test_what_was_spoilt_is_found(store: Store, ours: list[Question], tmp_path: Path) -> None:
    one, two, three = ours
    lyon = Answer(id="Q4", label="Delicatessen")
    last = two.sub_questions[-1].model_copy(update={"answer": lyon})
    questions = [
        spoilt(one, question="Where was Jeunet, director of Amélie, born?"),
        spoilt(two, sub_questions=(two.sub_questions[0], last), answer=lyon),
        spoilt(three, question="Who is Amélie?"),
        spoilt(one, id="q-gold", answer=lyon),
        spoilt(one, id="q-name", answer=one.answer.model_copy(update={"label": "Lyon"})),
    ]
    result, found = verified(store, questions, tmp_path / "v")
    assert found[0]["leak"] == (False, "names Jeunet")
    assert found[0]["symbolic"][0]
    assert found[1]["symbolic"] == (False, "executed: {Q2} -> {Q3}")
    assert found[2]["coverage"] == (False, "does not say director")
    assert "but that of the last hop is Roanne" in found[3]["symbolic"][1]
    assert "Q3 is not called Lyon in the store" in found[4]["symbolic"][1]
    assert result.failed == {"leak": 1, "symbolic": 3, "coverage": 1}
    assert result.kept == 0


def test_entities_that_the_store_does_not_know_are_told(
    store: Store, ours: list[Question], tmp_path: Path
) -> None:
    text = ours[0].model_dump_json(by_alias=True).replace('"Q2"', '"Q77"')
    stranger = Question.model_validate_json(text)
    result, (found,) = verified(store, [stranger, ours[1]][:1], tmp_path / "v", "symbolic", "leak")
    assert found["symbolic"] == (False, "the store knows no label of Q77")
    assert result.failed == {"symbolic": 1, "leak": 1}


def imported(key: str, text: str, answer: str, *hops: tuple[tuple[str, str, str], ...]) -> Question:
    """A question as an importer makes it: words alone."""
    subs = tuple(
        SubQuestion(
            index=k,
            question=f"sub-question {k}?",
            template=f"sub-question {k}?",
            inputs=(k - 1,) if k > 1 else (),
            answer=Answer(label=triples[-1][2] if triples else answer, kind="text"),
            facts=(),
            triples=triples,
        )
        for k, triples in enumerate(hops, start=1)
    )
    return Question(
        id=key,
        axis="none",
        topology="chain",
        hops=max(1, len(hops)),
        question=text,
        answer=Answer(label=answer, kind="text"),
        sub_questions=subs,
        labels=(),
        provenance=Provenance(
            verbalizer="imported", verifier="none", verdicts=(), snapshot=None, seed=0
        ),
    )


DIRECTED = (("Amélie", "director", "Jeunet"),)
BORN = (("Jeunet", "place of birth", "Roanne"),)
WHERE = "What is the place of birth of the director of Amélie?"


def test_an_imported_chain_of_lookups_is_executed(store: Store, tmp_path: Path) -> None:
    for answer in ("Roanne", "Rouanne"):
        question = imported("m1", WHERE, answer, DIRECTED, BORN)
        result, (found,) = verified(store, [question], tmp_path / "v")
        assert result.foreign == 1
        assert found["symbolic"] == (True, "executed: {Q2} -> {Q3}")
    assert found["symbolic"] == (True, "executed: {Q2} -> {Q3}")
    assert found["leak"] == (True, "names no answer of any hop")
    assert found["coverage"][0]
    lost = imported("m2", "What is the place of birth of Amélie?", "Roanne", DIRECTED, BORN)
    _, (found,) = verified(store, [lost], tmp_path / "v")
    assert found["coverage"] == (False, "does not say director")


def test_of_other_imported_questions_what_can_be_is_verified(store: Store, tmp_path: Path) -> None:
    questions = [
        imported("wrong", "Where?", "Amélie", (("Jeunet", "place of birth", "Amélie"),), ()),
        imported("unknown", "Where?", "Lyon", (("Nobody", "director", "Lyon"),)),
        imported("ambiguous", "Where?", "Roanne", (("Twin", "place of birth", "Roanne"),)),
        imported("no facts", "Where is Roanne?", "Roanne"),
        imported("nobody", "Who?", "Nobody"),
        imported("two facts", "Where?", "Roanne", (*DIRECTED, *BORN)),
    ]
    result, found = verified(store, questions, tmp_path / "v", "symbolic", "leak", "coverage")
    evidence = [one["symbolic"][1] for one in found]
    assert evidence[0] == "the store does not hold: Jeunet place of birth Amélie"
    assert evidence[1] == f"{UNVERIFIABLE}unknown: Nobody, unknown: Lyon"
    assert evidence[2] == f"{UNVERIFIABLE}ambiguous: Twin"
    assert evidence[3] == f"{UNVERIFIABLE}it names no facts; 'Roanne' is a name of Q3"
    assert evidence[4].endswith("no entity of the store is called 'Nobody'")
    assert evidence[5].startswith(f"{UNVERIFIABLE}the store holds all 2 facts")
    assert not any(one["symbolic"][0] for one in found)
    assert found[3]["leak"] == (False, "names Roanne")
    assert all(one["coverage"][1].startswith(UNVERIFIABLE) for one in found)
    assert result.failed == {"symbolic": 1, "leak": 1}
    assert result.not_verified == {"symbolic": 5, "coverage": 6}
    assert result.kept == 0


def test_models_read_imported_questions_too(store: Store, folder: Path, tmp_path: Path) -> None:
    question = imported("m1", WHERE, "Roanne", DIRECTED, BORN)
    asked: list[str] = []

    def answer(ask: Any) -> dict[str, Any]:
        asked.append(ask.purpose)
        if ask.purpose == "coverage":
            hops = ["director", "place of birth"]
            return {"hops": [{"property": p, "operation": "none"} for p in hops]}
        complete = '"place of birth"' in ask.user and '"director"' in ask.user
        said = "Jeunet" if "sub-question 1" in ask.user else "Roanne"
        return {"sufficient": complete, "answer": said if complete else ""}

    bare = imported("m2", "Where?", "Roanne")
    model = FakeModel(answer, "tiny")
    result, found = verified(store, [question, bare], tmp_path / "v", *ALL_CHECKS, verifier=model)
    assert asked == ["coverage", *["reading"] * 3, *["necessity"] * 2]
    assert all(passed for passed, _ in found[0].values())
    assert "by its words: says every property" in found[0]["coverage"][1]
    assert found[1]["reading"] == (False, f"{UNVERIFIABLE}it names no facts")
    assert (result.kept, result.failed) == (1, {})
    (kept,) = [q for q in read_records(tmp_path / "v", Question) if q.id == "m1"]
    assert kept.provenance.verifier.startswith("symbolic, tiny")


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_the_command_prints_a_table_and_writes_verdicts(folder: Path, tmp_path: Path) -> None:
    kg, file = folder / "kg.duckdb", folder / "questions.jsonl"
    result = call("questions", "verify", file, "--kg", kg, "--out", tmp_path / "v.jsonl")
    assert result.exit_code == 0, result.output
    assert "3 questions, 0 of them without a chain of ours; 3 pass every check" in result.output
    assert len(verdicts_of(tmp_path / "v.jsonl")) == 3
    lines = file.read_text().splitlines()
    bad = json.loads(lines[0]) | {"question": "Where was Jeunet,\u001b[31m of Amélie, born?"}
    spoilt_file = tmp_path / "spoilt.jsonl"
    spoilt_file.write_text("\n".join([json.dumps(bad), *lines[1:]]) + "\n")
    only = tmp_path / "only.jsonl"
    result = call(
        *("questions", "verify", spoilt_file, "--kg", kg, "--out", only, "--only-passed"),
        *("--checks", "leak"),
    )
    assert result.exit_code == 1
    assert "q-1: names Jeunet" in result.output
    assert "\x1b" not in result.output
    assert len(verdicts_of(only)) == 2
    shown = call("questions", "verify", spoilt_file, "--kg", kg, "--json")
    told = json.loads(shown.stdout)
    assert told["checks"]["leak"] == {"passed": 2, "failed": 1, "not verified": 0}
    assert told["failures"]["leak"] == [{"question": "q-1", "evidence": "names Jeunet"}]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "holds no question"),
        ('{"id": "x"}\n', "a file of another format is read by `factchain import`"),
        ("twice", "the id q-1 stands there twice"),
    ],
)
def test_a_file_that_is_none_is_told(
    folder: Path, tmp_path: Path, content: str, message: str
) -> None:
    file = tmp_path / "questions.jsonl"
    first = (folder / "questions.jsonl").read_text().splitlines()[0]
    file.write_text(f"{first}\n{first}\n" if content == "twice" else content)
    result = call("questions", "verify", file, "--kg", folder / "kg.duckdb")
    assert result.exit_code == 1
    assert message in result.stderr
    assert "Traceback" not in result.output


def test_wrong_names_are_told(folder: Path, tmp_path: Path) -> None:
    base = ["questions", "verify", folder / "questions.jsonl", "--kg", folder / "kg.duckdb"]
    for more, message in (
        (["--checks", "leek"], "'leek' is no check"),
        (["--checks", "reading"], "reading asks a language model"),
        (["--lang", "fr"], "its labels are in `en`, not `fr`"),
        (["--closed-book", "2"], "name one with --model"),
    ):
        result = call(*base, *more)
        assert result.exit_code in (1, 2)
        assert message in result.stderr, result.stderr


def test_what_a_model_wrote_is_verified_again(store: Store, folder: Path, tmp_path: Path) -> None:
    chains = list(read_records(folder / "chains.jsonl", FactChain))
    knowing = KnowingModel(chains, entity_names(store, chains))
    model = FakeModel(lambda ask: knowing.answer(ask.system, ask.user))
    asked = Verification(ALL_CHECKS, model)
    generate_questions(store, chains, ModelVerbalizer(model), tmp_path / "q", asked)
    written = list(read_records(tmp_path / "q", Question))
    result, _ = verified(store, written, tmp_path / "v", *ALL_CHECKS, verifier=model)
    assert (len(written), result.kept) == (3, 3)


def test_a_real_imported_set_is_verified_as_far_as_can_be(
    folder: Path, tmp_path: Path, reference: Callable[[str], Path]
) -> None:
    musique = reference("musique_train.json")
    made = call("import", "musique", musique, "--out", tmp_path / "set", "--limit", 100)
    assert made.exit_code == 0, made.output
    file = tmp_path / "set/questions.jsonl"
    shown = call("questions", "verify", file, "--kg", folder / "kg.duckdb", "--json")
    assert shown.exit_code in (0, 1)
    told = json.loads(shown.stdout)
    assert told["questions"] == told["foreign"] == told["checks"]["symbolic"]["not verified"] > 50
    assert told["checks"]["leak"]["passed"] > 0.9 * told["questions"]
    assert told["passed all"] == 0
