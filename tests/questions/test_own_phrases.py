"""A user's phrases: laid over the built-in ones, checked, and in another language."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain_builder import BOOK, HUMAN, ChainBuilder, amount, day
from factchain.errors import InputError
from factchain.questions.verbalize.tables import (
    FRAMES,
    LITERALS,
    MENTIONS,
    NOUNS,
    PHRASES,
    Tables,
    read_table,
)
from factchain.questions.verbalize.template import TemplateVerbalizer

GERMAN = Path(__file__).parents[1] / "data" / "phrases_de"
HEADER = "property\tquestion\tnoun\tclause\tplural"
ROW = "P57\tWho shot {s}?\tthe maker of {s}\t{was|were} shot by {o}\tmakers of {s}"


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def nested() -> ChainBuilder:
    chain = ChainBuilder()
    chain.lookup("P57 director", "Dune", "Ann")
    chain.lookup("P19 place of birth", 1, "Paris")
    return chain


def asked(own: Path | None, chain: ChainBuilder) -> str:
    return TemplateVerbalizer(own).verbalize(chain.chain(), chain.names).question


def test_a_file_takes_the_place_of_a_property_s_phrases_and_leaves_the_rest(tmp_path: Path) -> None:
    own = write(tmp_path / "mine.tsv", HEADER, "", "# a remark", ROW)
    assert asked(own, nested()) == "Where was the maker of Dune born?"
    assert asked(None, nested()) == "Where was the director of Dune born?"
    versions = {TemplateVerbalizer(path).version for path in (own, None)}
    write(own, HEADER, ROW.replace("maker", "creator"))
    assert len(versions | {TemplateVerbalizer(own).version}) == 3


def test_a_folder_holds_several_tables(tmp_path: Path) -> None:
    write(tmp_path / PHRASES, HEADER, ROW)
    write(tmp_path / LITERALS, "property\tevent\tmeasure", "P2046\t\tsurface", "P999\trose/rise\t")
    write(tmp_path / MENTIONS, "mention\tclasses\tlabel", "Ms {label}\tQ5\t")
    write(tmp_path / NOUNS, "noun\tplural\tclasses", "movie\tmovies\tQ11424")
    write(tmp_path / FRAMES, "frame\ttext", "and\t{before} & {last}")
    chain = ChainBuilder()
    chain.entity("Dune", "Q11424")
    chain.entity("Ann", HUMAN)
    chain.lookup("P2046 area", "Rome", amount(5))
    chain.lookup("P999 date", "Rome", day("1900"))
    chain.intersect(("P57 x", "Ann"), ("P144 x", "Book"), answer="Dune")
    wording = TemplateVerbalizer(tmp_path).verbalize(chain.chain(), chain.names)
    assert wording.sub_questions == (
        "What is the surface of Rome?",
        "In which year did Rome rise?",
        "Which movie was shot by Ms Ann & is based on Book?",
    )


def test_the_table_in_the_documentation_is_one(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "templates.md").read_text(encoding="utf-8")
    own = write(tmp_path / "mine.tsv", page.split("```tsv\n")[1].split("\n```")[0])
    chain = ChainBuilder()
    chain.lookup("P57 director", "Dune", "Ann")
    chain.lookup("P90001 host", 1, "Bob")
    assert asked(own, chain) == "As of 5 June 2024, who runs the maker of Dune?"


@pytest.mark.parametrize("table", [PHRASES, LITERALS, MENTIONS, NOUNS, FRAMES])
def test_a_built_in_table_is_a_valid_table_of_one_s_own(table: str, tmp_path: Path) -> None:
    rows = read_table(table)
    lines = ["\t".join(rows[0]), *("\t".join(row.values()) for row in rows)]
    own = write(tmp_path / "any-name.tsv", *lines)
    assert Tables(own).rows(table)[: len(rows)] == rows
    assert asked(own, nested()) == asked(None, nested())


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["property\tquestion"], r"own.tsv:1: the first line must name the columns of a table"),
        ([f"{HEADER}\tcolour", ROW], r":1: column `colour` is none of phrases.tsv"),
        ([f"{HEADER}\tnoun", ROW], r":1: a column is named twice"),
        ([HEADER, ROW, f"{ROW}\tmore"], r":3: 6 cells, but the first line names 5 columns"),
        ([HEADER, ROW.replace("P57", "Q57")], r":2: column `property`: `Q57` is no property id"),
        ([HEADER, ROW.replace("shot {s}", "shot it")], r":2: column `question`: must hold \{s\}"),
        ([HEADER, "", ROW.replace("makers of {s}", "")], r":3: column `plural`: must not be empty"),
        ([HEADER, ROW.replace("{o}", "it")], r":2: column `clause`: must hold \{o\} once"),
        ([HEADER, ROW.replace("{was|were}", "{was")], r":2: column `clause`: `\{` is out of place"),
        ([HEADER, ROW.replace("Who", "So {Which}")], r"`question`: \{Which\} must be its first"),
        ([f"{HEADER}\tchanges", f"{ROW}\tmaybe"], r"column `changes`: `maybe` is neither yes nor"),
        ([f"{HEADER}\tclasses", f"{ROW}\tQ5,Q6"], r"column `classes`: `Q5,Q6` is no item id"),
        (["property\tevent\tmeasure", "P1\twas\twas"], r"column `event`: give either `event`"),
        (["mention\tclasses\tlabel", "the film\tQ5\t"], r"column `mention`: must hold \{label\}"),
        (["mention\tclasses\tlabel", "{label}\tQ5\t("], r"column `label`: is no regular express"),
        (["mention\tclasses\tplural", "{label}\tQ5\tno!"], r"column `plural`: `no!` is neither"),
        (["noun\tplural\tclasses", "film\t\tQ5"], r"column `plural`: must not be empty"),
        (["frame\ttext", "nod\tx"], r"column `frame`: there is no frame `nod`; there are after"),
        (["frame\ttext", "and\t{before}"], r"column `text`: must hold \{last\}: `\{before\}`"),
        (["frame\ttext", "first\t{s}"], r"column `text`: holds \{s\}, which frame `first` has not"),
        (
            ["frame\ttext", "language\tde"],
            r"must be complete; frames.tsv lacks after, and, and_also",
        ),
    ],
)
def test_a_mistake_is_told_with_its_line_and_column(
    lines: list[str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message):
        TemplateVerbalizer(write(tmp_path / "own.tsv", *lines))


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent.tsv: cannot be read: No such file"):
        TemplateVerbalizer(tmp_path / "absent.tsv")
    with pytest.raises(InputError, match=r"the folder holds none of phrases.tsv"):
        TemplateVerbalizer(tmp_path)
    (tmp_path / "latin.tsv").write_bytes(HEADER.encode() + b"\nP57\tWer f\xfchrt")
    with pytest.raises(InputError, match=r"latin.tsv: is not UTF-8 at byte"):
        TemplateVerbalizer(tmp_path / "latin.tsv")


@given(st.text(alphabet="\t\n{}|:sopP5#é%", max_size=60))
def test_any_file_is_used_or_refused(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        own = write(Path(folder) / "own.tsv", HEADER, text)
        try:
            told = asked(own, nested())
        except InputError as error:
            told = f"{error} is no question?"
    assert told.endswith("?")
    assert "own.tsv" in told or "Dune" in told


def test_another_language_has_no_english_in_it() -> None:
    chain = ChainBuilder()
    chain.entity("Faust", BOOK, class_labels=["literarisches Werk"])
    chain.entity("Ann", HUMAN)
    chain.lookup("P50 Autor", "Faust", "Ann")
    chain.lookup("P19 Geburtsort", 1, "Wien")
    chain.lookup("P6 Regierungschef", 2, "Bea")
    chain.lookup("P569 Geburtsdatum", 3, day("1950-02-03"))
    chain.intersect(("P50 Autor", 1), ("P144 beruht auf", 3), answer="Faust 2")
    chain.count("P40 Kind", 1, ["A", "B"])
    chain.compare("largest", "P1082 x", ("Wien", amount(9)), ("Rom", amount(7)))
    chain.arithmetic("years_between", 4, day("1900"))
    verbalizer = TemplateVerbalizer(GERMAN)
    assert verbalizer.language == "de"
    assert TemplateVerbalizer().language == "en"
    wording = verbalizer.verbalize(chain.chain(), chain.names)
    assert wording.templates == (
        "Wer hat Faust geschrieben?",
        "Wo wurde #1 geboren?",
        "Stand 2024-06-05: Was ist Regierungschef von #2?",
        "An welchem Tag wurde #3 geboren?",
        "Welches Objekt der Art „Werk“ wurde von #1 geschrieben und hat #3 als „beruht auf“?",
        "Stand 2024-06-05: Wie viele Kinder hat #1?",
        "Stand 2024-06-05: Für wen oder was gilt eher, Wien oder Rom: "
        "Es hat bei „Einwohnerzahl“ den größeren Wert?",
        "Wie viele Jahre liegen zwischen #4 und 1900?",
    )
    assert wording.sub_questions[7] == "Wie viele Jahre liegen zwischen 1950-02-03 und 1900?"
    assert wording.question == (
        "Stand 2024-06-05: X sei der Autor von Faust. Y sei der Regierungschef von der Geburtsort "
        "von X. Z sei dasjenige von beiden, Wien oder Rom, von dem gilt: Es hat bei "
        "„Einwohnerzahl“ den größeren Wert. Wie viele Jahre liegen zwischen das Jahr, in dem Y "
        "geboren wurde und 1900?"
    )
