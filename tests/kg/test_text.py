"""Passages from a MediaWiki dump, from wikiextractor's output and from JSON Lines."""

from __future__ import annotations

import bz2
import gzip
import html
import json
import tracemalloc
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import mwparserfromhell
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import item, write_dump
from factchain.cli import main
from factchain.errors import InputError
from factchain.kg.dumps.ingest import ingest
from factchain.kg.records import Link, TextPassage
from factchain.kg.store import Store
from factchain.kg.text.conversion import TextSummary, write_passages
from factchain.kg.text.pages import Page
from factchain.kg.text.wikitext import ENGLISH, Prefixes, paragraphs
from factchain.kg.text.wikitext_dump import read_articles
from factchain.records import read_records, write_records

SITE = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="de">
  <siteinfo>
    <sitename>Wiki</sitename><dbname>dewiki</dbname><base>https://wiki.example/</base>
    <generator>MediaWiki</generator><case>first-letter</case>
    <namespaces>
      <namespace key="0" case="first-letter" />
      <namespace key="1" case="first-letter">Diskussion</namespace>
      <namespace key="6" case="first-letter">Datei</namespace>
      <namespace key="14" case="first-letter">Kategorie</namespace>
    </namespaces>
  </siteinfo>
"""


def revision(text: str, model: str = "wikitext") -> str:
    return (
        "<revision><id>1</id><timestamp>2024-06-05T00:00:00Z</timestamp>"
        "<contributor><username>X</username><id>1</id></contributor>"
        f"<model>{model}</model><format>text/x-wiki</format>"
        f'<text xml:space="preserve">{html.escape(text)}</text></revision>'
    )


def page(number: int, title: str, *revisions: str, ns: int = 0, redirect: str = "") -> str:
    redirected = f'<redirect title="{html.escape(redirect)}" />' if redirect else ""
    return (
        f"<page><title>{html.escape(title)}</title><ns>{ns}</ns><id>{number}</id>{redirected}"
        f"{''.join(revisions)}</page>\n"
    )


def write_xml(path: Path, *pages: str) -> Path:
    path.write_text(SITE + "".join(pages) + "</mediawiki>\n", encoding="utf-8")
    return path


def convert(out: Path, *sources: Path, **options: object) -> TextSummary:
    return write_passages(sources, out, **options)  # type: ignore[arg-type]


def shown(passage: TextPassage) -> list[tuple[str, str]]:
    """What each link of a passage shows, and where it leads."""
    return [(passage.text[link.start : link.end], link.title) for link in passage.links]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "passages.jsonl"


ARTICLE = """{{Infobox|name=[[Hidden]]}}
[[Datei:Ada.jpg|mini|Ein Bild von [[Ada]]]]
'''Ada Lovelace''' (; {{IPA|x}}, born&nbsp;1815) was an [[England|English]] [[mathematician]]s'
friend.<ref name="a">See [[Reference]].</ref> She knew
''[[Charles_Babbage|Charles ''B.'' Babbage]]''.

== Life in [[London]] ==
She lived in [[london#City|the city]] &amp; saw [[:Kategorie:Ada|a category]]
and [[de:Ada]] [[wikt:a|a]].
{| class="wikitable"
| [[Table]] || cell
|}
* First [[item]] of a list
* [http://example.org Second] item <math>x^2</math><!-- never -->
[[Kategorie:Mathematikerin]]
"""


def test_an_article_becomes_paragraphs_with_links(tmp_path: Path, out: Path) -> None:
    xml = write_xml(
        tmp_path / "wiki.xml",
        page(10, "Ada_Lovelace", revision("old"), revision(ARTICLE)),
        page(11, "Ada", revision("#REDIRECT [[Ada Lovelace]]"), redirect="Ada Lovelace"),
        page(12, "Diskussion:Ada", revision("Talk about her at length."), ns=1),
        page(13, "Data", revision("{}", model="json")),
    )
    redirects = tmp_path / "redirects.jsonl"
    summary = convert(out, xml, min_words=4, redirects=redirects)
    passages = list(read_records(out, TextPassage))
    assert [(p.id, p.title, p.text) for p in passages] == [
        (
            "10-1",
            "Ada Lovelace",
            "Ada Lovelace (born 1815) was an English mathematicians' friend. She knew Charles B. "
            "Babbage.",
        ),
        ("10-2", "Ada Lovelace", "She lived in the city & saw a category and a."),
        ("10-3", "Ada Lovelace", "First item of a list"),
    ]
    assert [shown(p) for p in passages] == [
        [
            ("English", "England"),
            ("mathematicians", "Mathematician"),
            ("Charles B. Babbage", "Charles Babbage"),
        ],
        [("the city", "London")],
        [("item", "Item")],
    ]
    assert summary == TextSummary(
        pages=1,
        passages=3,
        links=5,
        with_entity=0,
        redirects=1,
        skipped={"another namespace": 1, "no text": 1, "redirect": 1, "short paragraph": 1},
    )
    assert [json.loads(line) for line in redirects.read_text().splitlines()] == [
        {"title": "Ada", "target": "Ada Lovelace"}
    ]


def test_compression_and_workers_change_nothing(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("factchain.kg.text.conversion.SHARD_CHARACTERS", 500)
    pages = [page(n, f"Page {n}", revision(f"It is page [[{n}]] of many.")) for n in range(1, 60)]
    xml = write_xml(tmp_path / "wiki.xml", *pages)
    data = xml.read_bytes()
    (tmp_path / "wiki.xml.gz").write_bytes(gzip.compress(data))
    (tmp_path / "wiki.xml.bz2").write_bytes(bz2.compress(data[:500]) + bz2.compress(data[500:]))
    contents = []
    for name, workers in (
        ("wiki.xml", 1),
        ("wiki.xml", 2),
        ("wiki.xml.gz", 1),
        ("wiki.xml.bz2", 1),
    ):
        convert(out, tmp_path / name, workers=workers)
        contents.append(out.read_bytes())
    assert contents[1:] == contents[:1] * 3
    assert contents[0].count(b"\n") == 59


EXTRACTS = [
    {"id": "7", "revid": "1", "url": "https://en.wikipedia.org/wiki?curid=7", "title": "AT&amp;T",
     "text": 'AT&amp;T\n\nIt is a &lt;a href="Company"&gt;company&lt;/a&gt; of the US.\nHistory.'},
    {"id": "8", "url": "https://en.wikipedia.org/wiki?curid=8", "title": 'The "B"',
     "text": "The letter is a letter of letters."},
]  # fmt: skip


def as_json(extract: dict[str, str]) -> str:
    return json.dumps(extract) + "\n"


def as_doc(extract: dict[str, str]) -> str:
    return (
        f'<doc id="{extract["id"]}" url="{extract["url"]}" title="{extract["title"]}">\n'
        f"{extract['text']}\n</doc>\n"
    )


@pytest.mark.parametrize("layout", [as_json, as_doc])
def test_what_wikiextractor_wrote(
    tmp_path: Path, out: Path, layout: Callable[[dict[str, str]], str]
) -> None:
    for folder, name, extract in (("AA", "wiki_00", EXTRACTS[0]), ("AB", "wiki_00", EXTRACTS[1])):
        (tmp_path / "text" / folder).mkdir(parents=True)
        data = bz2.compress(layout(extract).encode())
        (tmp_path / "text" / folder / f"{name}.bz2").write_bytes(data)
    summary = convert(out, tmp_path / "text")
    first, second = read_records(out, TextPassage)
    assert (first.id, first.title, first.text) == ("7-1", "AT&T", "It is a company of the US.")
    assert shown(first) == [("company", "Company")]
    assert (second.id, second.title) == ("8-1", 'The "B"')
    assert (summary.pages, summary.links, summary.skipped) == (2, 1, {"short paragraph": 1})


def test_real_abstracts(reference: Callable[[str], Path], tmp_path: Path, out: Path) -> None:
    source = tmp_path / "abstracts.jsonl"
    lines = reference("rebel_sample.jsonl").read_bytes().splitlines()
    documents = [json.loads(line) for line in lines]
    passages = [
        TextPassage(
            id=d["docid"],
            title=d["title"],
            entity=d["uri"],
            text=d["text"],
            links=tuple(
                Link(start=e["boundaries"][0], end=e["boundaries"][1], title=e["surfaceform"])
                for e in d["entities"]
                if e["annotator"] == "Me" and e["boundaries"][1] <= len(d["text"])
            ),
        )
        for d in documents
    ]
    write_records(source, passages)
    summary = convert(out, source)
    assert (summary.passages, summary.pages, summary.with_entity) == (1000, 0, 1000)
    assert list(read_records(out, TextPassage)) == passages
    assert summary.links == 7_871  # of 7,906: 35 end beyond the text, by one character mostly
    assert sum(len(passage.text) for passage in passages) == sum(len(d["text"]) for d in documents)


def test_pages_find_their_entities(tmp_path: Path, out: Path) -> None:
    known = item("Q7259", "Ada Lovelace")
    known["sitelinks"] = {"enwiki": {"site": "enwiki", "title": "Ada Lovelace"}}
    with Store.create(tmp_path / "kg.duckdb") as store:
        ingest(store, write_dump(tmp_path / "d.json", [known, item("Q1", "x")]), "a", "2024-06-05")
    text = "She was an English mathematician."
    xml = write_xml(
        tmp_path / "wiki.xml", page(1, "Ada_Lovelace", revision(text)), page(2, "X", revision(text))
    )
    result = call("kg", "text", xml, "--out", out, "--kg", tmp_path / "kg.duckdb", "--json")
    assert result.exit_code == 0, result.output
    assert [p.entity for p in read_records(out, TextPassage)] == ["Q7259", None]
    assert json.loads(result.stdout)["with_entity"] == 1


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


words = st.text(st.sampled_from("abcä'é[]{}|<>= \n*#&;:.,()_-"), min_size=1, max_size=14)
plain = st.text(st.sampled_from("abcäé -"), min_size=1, max_size=10)
parts = st.one_of(
    words,
    plain.map(lambda text: f"[[{text}]]"),
    st.tuples(plain, plain).map(lambda pair: f"[[{pair[0]}|{pair[1]}]]"),
    plain.map(lambda text: f"''{text}''"),
    plain.map(lambda text: f"{{{{T|{text}}}}}"),
    plain.map(lambda text: f"<ref>{text}</ref>"),
    st.just("\n\n"),
)


@given(st.lists(parts, max_size=12).map("".join))
@settings(max_examples=400)
def test_links_stand_where_their_text_is(wikitext: str) -> None:
    for paragraph in paragraphs(wikitext):
        assert paragraph.text == " ".join(paragraph.text.split())
        end = 0
        for link in paragraph.links:
            assert end <= link.start < link.end <= len(paragraph.text)
            text = paragraph.text[link.start : link.end]
            assert text == text.strip()
            assert link.title
            end = link.end


@given(st.lists(st.tuples(plain, plain, plain), min_size=1, max_size=8))
@settings(max_examples=200)
def test_every_link_is_kept_with_its_text(pieces: list[tuple[str, str, str]]) -> None:
    wikitext = "".join(f"{before} [[{title}|{text}]] " for before, title, text in pieces)
    found = [
        (paragraph.text[link.start : link.end], link.title)
        for paragraph in paragraphs(wikitext)
        for link in paragraph.links
    ]

    def normal(text: str) -> str:
        return " ".join(text.split())

    expected = [
        (normal(text), normal(title)[:1].upper() + normal(title)[1:])
        for _, title, text in pieces
        if text.strip() and title.strip()
    ]
    assert found == expected


@given(st.text(max_size=60))
@settings(max_examples=200)
def test_any_wikitext_is_borne(wikitext: str) -> None:
    for paragraph in paragraphs(wikitext):
        assert paragraph.text.strip()


def test_text_without_markup_is_as_mwparserfromhell_strips_it() -> None:
    wikitext = "'''Bold''' and ''italic'' [[a|b]] {{template}}text<ref>note</ref> &amp; more."
    (paragraph,) = paragraphs(wikitext)
    stripped = mwparserfromhell.parse(wikitext.replace("<ref>note</ref>", "")).strip_code()
    assert paragraph.text == stripped.replace("  ", " ")


def test_prefixes_of_the_wiki_are_known() -> None:
    german = Prefixes(ENGLISH.elsewhere | {"datei", "portal"}, ENGLISH.hidden | {"datei"})
    (paragraph,) = paragraphs("a [[Datei:x.jpg|b]] [[Portal:P|c]] [[Film: Der Film]]", german)
    assert paragraph.text == "a c Film: Der Film"
    assert [link.title for link in paragraph.links] == ["Film: Der Film"]


GOOD = page(1, "One", revision("One page has some words."))
BAD: dict[str, tuple[str, str | bytes, str]] = {
    "empty": ("a.xml", "", "is empty"),
    "nothing known": ("a.txt", "plain text", "neither JSON Lines of passages, nor"),
    "another root": ("a.xml", "<html><body/></html>", "neither JSON Lines"),
    "another XML": ("a.xml", '<?xml version="1.0"?><rss></rss>', "its root is <rss>"),
    "cut off": ("a.xml", SITE + GOOD + "<page><title>T", "malformed or cut off after the page 1"),
    "not closed": ("a.xml", SITE + GOOD, "malformed or cut off"),
    "no number": ("a.xml", SITE + "<page><title>T</title><ns>x</ns></page></mediawiki>", "malf"),
    "page twice": ("a.xml", SITE + GOOD + GOOD + "</mediawiki>", "the page id 1 stands twice"),
    "cut archive": ("a.xml.gz", gzip.compress(SITE.encode() * 99)[:-20], "cut off or damaged"),
    "a bomb": (
        "a.xml",
        '<?xml version="1.0"?><!DOCTYPE m [<!ENTITY a "aaaaaaaaaa">'
        + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
        + "]>"
        + SITE.replace("<sitename>Wiki", "<sitename>&j;"),
        "malformed or cut off",
    ),
    "no passage": ("a.jsonl", '{"id": "1"}\n', "a.jsonl:1: title: Field required"),
    "an extra field": (
        "a.jsonl",
        '{"id": "1", "title": "T", "text": "a b c d e", "x": 1}\n',
        "a.jsonl:1: x: Extra inputs",
    ),
    "a link outside the text": (
        "a.jsonl",
        '{"id":"1","title":"T","text":"a b c d e","links":[{"start":8,"end":10,"title":"x"}]}\n',
        "a.jsonl:1: the line: Value error, a link from 8 to 10 in a text of 9",
    ),
    "id twice": ("a.jsonl", '{"id": "1", "title": "T", "text": "a b c d e"}\n' * 2, "stands twice"),
    "half an extract": ("wiki_00", as_json(EXTRACTS[0])[:-20] + "\n", "wiki_00:1: .*wikiextractor"),
    "an extract without end": ("wiki_00", as_doc(EXTRACTS[0])[:-8], "wiki_00:1: the <doc> has no"),
    "no page id": ("wiki_00", as_doc(EXTRACTS[0]).replace('"7"', '"x"'), "'x' is no page id"),
    "no UTF-8": (
        "wiki_00",
        as_doc(EXTRACTS[0]).encode() + b"<doc \xff",
        "wiki_00:7: the line is no",
    ),
    "nothing long enough": (
        "a.xml",
        SITE + page(1, "T", revision("Short.")) + "</mediawiki>",
        "no",
    ),
}


@pytest.mark.parametrize(
    "start", ['{"id": "1", "title": "', '{"id": "1", "url": "', '<doc id="1" url="x" title="']
)
def test_a_line_that_never_ends_is_told_and_not_held(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch, start: str
) -> None:
    monkeypatch.setattr("factchain.kg.text.passages.LONGEST_LINE", 1 << 20)
    monkeypatch.setattr("factchain.kg.triples.lines.BLOCK", 1 << 16)
    source = tmp_path / "one-line.gz"
    source.write_bytes(gzip.compress(start.encode() + b"x" * (64 << 20)))
    tracemalloc.start()
    with pytest.raises(InputError, match=r"one-line\.gz:1: the line has more than 1,048,576 bytes"):
        convert(out, source)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 24 << 20


@pytest.mark.parametrize("name", BAD)
def test_bad_text_is_one_message_and_nothing_is_written(tmp_path: Path, name: str) -> None:
    file, content, message = BAD[name]
    source = tmp_path / file
    source.write_bytes(content if isinstance(content, bytes) else content.encode())
    out = tmp_path / "out"
    with pytest.raises(InputError, match=message):
        convert(out / "p.jsonl", source, redirects=out / "r.jsonl")
    assert not list(out.iterdir())
    result = call("kg", "text", source, "--out", out / "p.jsonl", "--quiet")
    assert result.exit_code == 1
    assert "Traceback" not in result.output


def test_sources_that_are_not_there(tmp_path: Path, out: Path) -> None:
    with pytest.raises(InputError, match=r"absent\.xml: cannot be read"):
        convert(out, tmp_path / "absent.xml")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="the folder holds no file"):
        convert(out, tmp_path / "empty")


def test_a_format_can_be_said(tmp_path: Path, out: Path) -> None:
    source = tmp_path / "wiki"
    source.write_text('{"title": "T", "id": "1", "text": "a b c d e"}\n')
    assert convert(out, source, form="wikiextractor").pages == 1
    with pytest.raises(InputError, match="the XML is malformed"):
        convert(out, source, form="mediawiki")


def test_pages_are_not_kept(tmp_path: Path) -> None:
    peaks = []
    for count in (2_000, 8_000):
        talk = "".join(page(n, f"T{n}", revision("x"), ns=1) for n in range(1, count))
        xml = write_xml(tmp_path / "w.xml", talk, page(count, "T", revision(ARTICLE)))
        skipped = Counter[str]()
        with xml.open("rb") as stream:
            tracemalloc.start()
            (article,) = read_articles(xml, stream, skipped)
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        assert isinstance(article, Page)
        assert (article.id, skipped) == (count, {"another namespace": count - 1})
    assert peaks[1] < peaks[0] + 100_000
