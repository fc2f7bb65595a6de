"""Our questions, written in a format and read back: what the format holds is what it was."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import format_sources as sources
from factchain.chains.records import ChainFact, Query
from factchain.chains.topologies import BUILT_IN
from factchain.errors import InputError
from factchain.formats.conversion import Conversion
from factchain.formats.exporting import export_dataset
from factchain.formats.importing import import_dataset
from factchain.formats.registry import FORMATS, WRITABLE
from factchain.progress import set_silent
from factchain.questions.records import Answer, Provenance, Question, SubQuestion
from factchain.records import read_records, write_records
from factchain.retrieval_corpus.formats import (
    hop_qrels_file,
    qrels_file,
    read_corpus,
    read_hop_qrels,
    read_qrels,
    write_hop_qrels,
    write_qrels,
)
from factchain.retrieval_corpus.records import HopGold, Passage, PassageMetadata
from format_examples import HOTPOT, MUSIQUE, TWO_WIKI

FEW = settings(max_examples=15)
SHAPES = [(name, hops) for name, of in BUILT_IN.items() for hops in of if hops <= 4]
WORDS = st.text("abcdef é'’\"<>", min_size=1, max_size=8).map(str.strip).filter(bool)
LETTERS = "ABCD"
PROPERTY = 7
Dataset = tuple[list[Question], dict[str, Passage], list[HopGold]]


@st.composite
def question(draw: st.DrawFn, number: int, *, unanswerable: bool) -> Question:
    """A question whose hops state facts about entities of its own."""
    topology, hops = draw(st.sampled_from(SHAPES))
    edges = BUILT_IN[topology][hops]
    base = 1000 * number
    names = [f"{draw(WORDS)} {base + k}" for k in range(2 * hops + 2)]
    labels = draw(st.sampled_from([("popular", "unpopular"), ("old", "new")]))
    subs = []
    for hop in range(1, hops + 1):
        inputs = tuple(begin for begin, end in edges if end == hop)
        subjects = [base + k for k in inputs] or [base + hops + hop]
        answer = Answer(
            id=f"Q{base + hop}", label=names[hop], aliases=tuple(draw(st.lists(WORDS, max_size=2)))
        )
        references = " ".join(f"#{k}" for k in inputs)
        subs.append(
            SubQuestion(
                index=hop,
                question=f"hop {hop} " + " ".join(names[k] for k in inputs),
                template=f"hop {hop} {references}",
                inputs=inputs,
                kind="intersect" if len(inputs) > 1 else "lookup",
                answer=answer,
                facts=tuple(
                    ChainFact(
                        s=f"Q{s}",
                        s_label=names[s - base],
                        p=f"P{PROPERTY + k}",
                        p_label=f"property {k}",
                        o=answer.id,
                        o_label=answer.label,
                    )
                    for k, s in enumerate(subjects)
                ),
                label=draw(st.sampled_from(labels)),
                options={letter: draw(WORDS) for letter in LETTERS},
                correct_option=draw(st.sampled_from(LETTERS)),
            )
        )
    gold = subs[-1].answer
    none = Answer(label="Insufficient information", kind="insufficient")
    return Question(
        id=f"q-{number}",
        axis="popularity" if "popular" in labels else "recency",
        topology=topology,
        hops=hops,
        question=f"question {number} {draw(WORDS)}?",
        answer=none if unanswerable else gold,
        answerable=not unanswerable,
        full_answer=gold if unanswerable else None,
        withheld=(hops,) if unanswerable else (),
        sub_questions=tuple(subs),
        labels=tuple(sub.label for sub in subs),
        options=subs[-1].options,
        correct_option=subs[-1].correct_option,
        query=Query(sparql="SELECT"),
        provenance=Provenance(
            verbalizer="template", verifier="symbolic", verdicts=(), snapshot="2024-06-05", seed=1
        ),
    )


@st.composite
def datasets(draw: st.DrawFn, *, unanswerable: bool = True) -> Dataset:
    """Questions, a passage for the facts of every subject, and some that state nothing asked."""
    count = draw(st.integers(1, 3))
    questions = [
        draw(question(n, unanswerable=unanswerable and draw(st.booleans())))
        for n in range(1, count + 1)
    ]
    facts: dict[str, list[ChainFact]] = {}
    for one in questions:
        for sub in one.sub_questions:
            for fact in sub.facts if sub.index not in one.withheld else ():
                facts.setdefault(fact.s, []).append(fact)
    passages = {
        s: Passage(
            id=s,
            title=of[0].s_label,
            text="\n".join(f"{f.s_label} {f.p_label} {f.o_label}." for f in of),
            metadata=PassageMetadata(entity=s, facts=tuple(f.key for f in of)),
        )
        for s, of in facts.items()
    }
    for n in range(draw(st.integers(1, 30))):
        passages[f"d{n}"] = Passage(id=f"d{n}", title=f"other {n}", text=f"question hop {n}")
    gold = {
        HopGold(question=one.id, hop=sub.index, passage=fact.s): None
        for one in questions
        for sub in one.sub_questions
        for fact in (sub.facts if sub.index not in one.withheld else ())
    }
    return questions, passages, list(gold)


def write_dataset(folder: Path, dataset: Dataset) -> Path:
    """The dataset as a build leaves it."""
    questions, passages, gold = dataset
    write_records(folder / "questions.jsonl", questions)
    if passages:
        write_records(folder / "corpus/corpus.jsonl", passages.values())
    qrels: dict[str, dict[str, int]] = {one.id: {} for one in questions}
    for row in gold:
        qrels[row.question][row.passage] = 1
    write_qrels(qrels_file(folder / "corpus", "test"), qrels)
    write_hop_qrels(hop_qrels_file(folder / "corpus", "test"), gold)
    return folder


def there_and_back(name: str, dataset: Dataset, folder: Path) -> tuple[list[Question], Path]:
    """Export, import what was exported; the questions, and the folder that was imported."""
    set_silent(True)
    write_dataset(folder / "ours", dataset)
    done = export_dataset(FORMATS[name], folder / "ours", folder / "out")
    files = [folder / "out" / file for file in done.files]
    if name == "beir":
        files = [folder / "out"]
    import_dataset(FORMATS[name], files, folder / "back", split="test")
    return list(read_records(folder / "back" / "questions.jsonl", Question)), folder / "back"


def said(folder: Path, questions: Iterable[Question]) -> list[set[tuple[str, str]]]:
    """Title and text of the gold passages of every question."""
    passages = read_corpus(folder / "corpus")
    qrels = read_qrels(folder / "corpus", passages)
    return [
        {(passages[p].title, passages[p].text) for p in qrels.get(one.id, {})} for one in questions
    ]


def hops_of(folder: Path, questions: Iterable[Question]) -> list[dict[int, str]]:
    """By hop the title of its first gold passage."""
    passages = read_corpus(folder / "corpus")
    found: dict[str, dict[int, str]] = {}
    for row in read_hop_qrels(folder / "corpus", passages):
        found.setdefault(row.question, {}).setdefault(row.hop, passages[row.passage].title)
    return [found.get(one.id, {}) for one in questions]


def names(one: Question) -> tuple[str, ...]:
    """The label and the aliases of the true answer."""
    return (one.full_answer or one.answer).names


@FEW
@given(dataset=datasets())
def test_musique(tmp_path_factory: pytest.TempPathFactory, dataset: Dataset) -> None:
    folder = tmp_path_factory.mktemp("musique")
    back, there = there_and_back("musique", dataset, folder)
    ours = dataset[0]
    for one, other in zip(ours, back, strict=True):
        assert other.id.removesuffix("-unanswerable").endswith(f"__{one.id}")
        assert (one.question, names(one), one.answerable, one.withheld) == (
            *(other.question, names(other), other.answerable, other.withheld),
        )
        assert (one.topology, one.hops) == (other.topology, other.hops)
        for sub, read in zip(one.sub_questions, other.sub_questions, strict=True):
            assert (sub.question.strip(), sub.template, sub.inputs, sub.answer.label) == (
                *(read.question.strip(), read.template, read.inputs, read.answer.label),
            )
    assert said(folder / "ours", ours) == said(there, back)
    assert hops_of(folder / "ours", ours) == hops_of(there, back)
    sizes = [len(row["paragraphs"]) for row in sources.read_lines(folder / "out" / "test.jsonl")]
    assert sizes == [min(20, len(dataset[1]))] * len(ours)


@pytest.mark.parametrize("name", ["hotpotqa", "2wikimultihopqa"])
@FEW
@given(dataset=datasets(unanswerable=False))
def test_hotpotqa_and_2wiki(
    tmp_path_factory: pytest.TempPathFactory, name: str, dataset: Dataset
) -> None:
    folder = tmp_path_factory.mktemp(name)
    back, there = there_and_back(name, dataset, folder)
    ours, passages, gold = dataset
    for one, other in zip(ours, back, strict=True):
        assert (one.id, one.question, one.answer.label) == (
            *(other.id, other.question, other.answer.label),
        )
        if name == "2wikimultihopqa":
            facts = [fact for sub in one.sub_questions for fact in sub.facts]
            assert other.answer.id == one.answer.id
            assert [triple for sub in other.sub_questions for triple in sub.triples] == [
                (fact.s_label, fact.p_label, fact.o_label) for fact in facts
            ]
            assert [sub.answer.id for sub in other.sub_questions] == [fact.o for fact in facts]
    found = said(there, back)
    assert [{title for title, _ in one} for one in found] == [
        {passages[row.passage].title for row in gold if row.question == one.id} for one in ours
    ]
    for row, one in zip(sources.read_array(folder / "out" / "test.json"), ours, strict=True):
        context = dict(row["context"])
        assert len(context) == len(row["context"]) == min(10, len(passages))
        stated = {context[title][place].strip() for title, place in row["supporting_facts"]}
        assert stated == {
            f"{fact.s_label} {fact.p_label} {fact.o_label}."
            for sub in one.sub_questions
            for fact in sub.facts
        }


@FEW
@given(dataset=datasets(unanswerable=False))
def test_mintqa(tmp_path_factory: pytest.TempPathFactory, dataset: Dataset) -> None:
    back, _ = there_and_back("mintqa", dataset, tmp_path_factory.mktemp("mintqa"))
    for one, other in zip(dataset[0], back, strict=True):
        assert (one.id, one.axis, one.hops, one.question, names(one), one.labels) == (
            *(other.id, other.axis, other.hops, other.question, names(other), other.labels),
        )
        assert other.answer.id == one.answer.id
        for sub, read in zip(one.sub_questions, other.sub_questions, strict=True):
            assert (sub.answer.label, sub.answer.id) == (read.answer.label, read.answer.id)
            assert (sub.facts[0], sub.label) == (read.facts[0], read.label)
            assert sub.question == read.question or one.hops == 1


@FEW
@given(dataset=datasets())
def test_omanic(tmp_path_factory: pytest.TempPathFactory, dataset: Dataset) -> None:
    four = [one for one in dataset[0] if one.hops == 4 and one.answerable]
    if not four:
        return
    back, _ = there_and_back("omanic", dataset, tmp_path_factory.mktemp("omanic"))
    for one, other in zip(four, back, strict=True):
        assert (one.id, one.topology, one.question, one.answer.label) == (
            *(other.id, other.topology, other.question, other.answer.label),
        )
        assert (one.options, one.correct_option) == (other.options, other.correct_option)
        for sub, read in zip(one.sub_questions, other.sub_questions, strict=True):
            assert (sub.question, sub.template, sub.inputs, sub.answer.label) == (
                *(read.question, read.template, read.inputs, read.answer.label),
            )
            assert (sub.options, sub.correct_option) == (read.options, read.correct_option)


@FEW
@given(dataset=datasets())
def test_multihop_rag(tmp_path_factory: pytest.TempPathFactory, dataset: Dataset) -> None:
    folder = tmp_path_factory.mktemp("mhr")
    back, there = there_and_back("multihop-rag", dataset, folder)
    ours = dataset[0]
    for one, other in zip(ours, back, strict=True):
        assert (one.question, one.answerable) == (other.question, other.answerable)
        if one.answerable:
            assert one.answer.label == other.answer.label
            facts = [fact for sub in one.sub_questions for fact in sub.facts]
            assert [evidence["fact"] for evidence in other.metadata["evidence_list"]] == [
                f"{fact.s_label} {fact.p_label} {fact.o_label}." for fact in facts
            ]
        else:
            assert (other.type, other.answer.label) == ("null", "Insufficient information.")
    answerable = [one for one in ours if one.answerable]
    kept = [other for one, other in zip(ours, back, strict=True) if one.answerable]
    assert said(folder / "ours", answerable) == said(there, kept)


@FEW
@given(dataset=datasets())
def test_flashrag_and_beir(tmp_path_factory: pytest.TempPathFactory, dataset: Dataset) -> None:
    folder = tmp_path_factory.mktemp("flashrag")
    back, there = there_and_back("flashrag", dataset, folder)
    ours = dataset[0]
    for one, other in zip(ours, back, strict=True):
        right = one.options[one.correct_option]
        assert (one.id, one.question, one.hops) == (other.id, other.question, other.hops)
        assert list(other.options.values()) == list(one.options.values())
        assert other.answer.label == right
    assert said(folder / "ours", ours) == said(there, back)
    with_gold = [one for one in ours if any(row.question == one.id for row in dataset[2])]
    if with_gold:
        folder = tmp_path_factory.mktemp("beir")
        back, there = there_and_back("beir", dataset, folder)
        assert [(q.id, q.question) for q in back] == [(q.id, q.question) for q in with_gold]
        assert read_corpus(there / "corpus") == dataset[1]
        assert said(folder / "ours", with_gold) == said(there, back)


@pytest.mark.parametrize("name", WRITABLE)
def test_the_same_seed_gives_the_same_files(tmp_path: Path, name: str) -> None:
    dataset = _example()
    folder = write_dataset(tmp_path / "ours", dataset)
    for out, seed in (("a", 1), ("b", 1), ("c", 2)):
        export_dataset(FORMATS[name], folder, tmp_path / out, seed=seed)
    files = [
        {p.relative_to(tmp_path / out): p.read_bytes() for p in (tmp_path / out).rglob("*.*")}
        for out in "abc"
    ]
    assert files[0] == files[1]
    shown = name in ("musique", "hotpotqa", "2wikimultihopqa")
    assert (files[0] != files[2]) is shown


@pytest.mark.parametrize("name", WRITABLE)
def test_what_finds_no_place_is_listed(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_dataset(tmp_path / "ours", _example())
    done = export_dataset(FORMATS[name], folder, tmp_path / "out")
    path = tmp_path / "out" / "conversion.json"
    assert Conversion.model_validate_json(path.read_bytes()) == done
    assert done.dropped["query"] == done.dropped["provenance"] == done.questions == 2
    told = [f"dropped: {field}: {count}" for field, count in done.dropped.items()]
    assert [line for line in capsys.readouterr().err.splitlines() if "dropped" in line] == told
    holds = FORMATS[name].holds
    assert ("labels" in done.dropped) is ("labels" not in holds)
    assert done.dropped.get("sub_questions.template", 0) == (
        0 if "sub_questions.template" in holds else 4
    )


def _example() -> Dataset:
    """A bridge and a converging question, of four hops each, over forty passages."""
    questions, passages = [], {}
    gold = []
    for number, topology in enumerate(("bridge", "converging"), start=1):
        subs = []
        for hop in range(1, 5):
            inputs = tuple(begin for begin, end in BUILT_IN[topology][4] if end == hop)
            s, o = f"Q{number}{hop}0", f"Q{number}{hop}1"
            fact = ChainFact(s=s, s_label=f"s{s}", p="P1", p_label="part", o=o, o_label=f"o{o}")
            subs.append(
                SubQuestion(
                    index=hop,
                    question=f"hop {hop}",
                    template=f"hop {hop}" + "".join(f" #{k}" for k in inputs),
                    inputs=inputs,
                    answer=Answer(id=o, label=f"o{o}"),
                    facts=(fact,),
                    label="old",
                )
            )
            passages[s] = Passage(
                id=s,
                title=f"s{s}",
                text=f"s{s} part o{o}.",
                metadata=PassageMetadata(entity=s, facts=(fact.key,)),
            )
            gold.append(HopGold(question=f"q{number}", hop=hop, passage=s))
        questions.append(
            Question(
                id=f"q{number}",
                axis="recency",
                topology=topology,
                hops=4,
                question=f"What of part {number}?",
                answer=subs[-1].answer,
                sub_questions=tuple(subs),
                labels=("old",) * 4,
                query=Query(sparql="SELECT"),
                provenance=Provenance(
                    verbalizer="template", verifier="symbolic", verdicts=(), snapshot="x", seed=1
                ),
            )
        )
    for n in range(32):
        passages[f"d{n}"] = Passage(id=f"d{n}", title=f"other {n}", text=f"part {n % 3}")
    return questions, passages, gold


@pytest.mark.parametrize("source", ["musique", "hotpotqa", "2wikimultihopqa"])
@pytest.mark.parametrize("target", WRITABLE)
def test_one_published_format_becomes_another(tmp_path: Path, source: str, target: str) -> None:
    record = {"musique": MUSIQUE, "hotpotqa": HOTPOT, "2wikimultihopqa": TWO_WIKI}[source]
    path = sources.write_array(tmp_path / "x.json", [record])
    import_dataset(FORMATS[source], [path], tmp_path / "in")
    if target == "omanic":
        with pytest.raises(InputError, match="questions not of 4 hops, left out"):
            export_dataset(FORMATS[target], tmp_path / "in", tmp_path / "out")
        return
    done = export_dataset(FORMATS[target], tmp_path / "in", tmp_path / "out")
    assert done.questions == 1
    assert ("metadata" in done.dropped) is (source != target)
    files = [tmp_path / "out" / name for name in done.files]
    again = [tmp_path / "out"] if target == "beir" else files
    import_dataset(FORMATS[target], again, tmp_path / "back", split=None)
    (one,) = read_records(tmp_path / "in" / "questions.jsonl", Question)
    (other,) = read_records(tmp_path / "back" / "questions.jsonl", Question)
    assert other.question == one.question
    assert other.answer.label == ("" if target == "beir" else one.answer.label)
    if target != "mintqa":
        assert said(tmp_path / "in", [one]) == said(tmp_path / "back", [other])
