from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import pytest

from factchain.errors import OutputError
from factchain.eval.report.asked import Asked
from factchain.eval.report.records import ReportData
from factchain.eval.report.render import render_report, write_report
from factchain.eval.report.tables import Table
from factchain.eval.results import Results

HOSTILE = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7 * 7 }} &amp;"
VOID = {"meta", "link", "input"}


class Page(HTMLParser):
    """The page's elements; fails where one is closed that is not open."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.children: list[list[str]] = []
        self.words: list[str] = []
        self.content: dict[str, str] = {}
        self._open: list[tuple[str, list[str]]] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._open:
            self._open[-1][1].append(tag)
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        self.children.append([])
        if tag not in VOID:
            self._open.append((tag, self.children[-1]))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if self._open:
            self.content[self._open[-1][0]] = data

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]


def poisoned(value: object) -> object:
    """The same data with hostile text after every string that is not of a fixed vocabulary."""
    # The records refuse an id that is none.
    fixed = r"(popularity|recency|all|hops|labels|lookup|intersect|entity|test|accuracy|\d|[QP]\d+)"
    labels = r"(popular|unpopular|old|new|gone)"
    if isinstance(value, dict):
        # The type of a question is fixed, though a topology may be called the same.
        fields = {k: v if k == "type" else poisoned(v) for k, v in value.items()}
        # A key with a space or a hyphen is data: a reason or a snapshot.
        return {k if re.fullmatch(r"\w+", k) else k + HOSTILE: v for k, v in fields.items()}
    if isinstance(value, list):
        return [poisoned(v) for v in value]
    if isinstance(value, str) and not re.fullmatch(f"{fixed}|{labels}(-{labels})*", value):
        return value + HOSTILE
    return value


def test_the_same_data_make_the_same_report(data: ReportData, tmp_path: Path) -> None:
    write_report(data, tmp_path / "a.html")
    again = ReportData.model_validate_json(data.model_dump_json())
    assert again == data
    write_report(again, tmp_path / "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == render_report(data)


def test_nothing_is_loaded_from_elsewhere(data: ReportData) -> None:
    html = render_report(data)
    page = Page(html)
    for tag, attributes in page.elements:
        for name in ("src", "srcset", "action", "data", "poster", "xlink:href", "style"):
            assert name not in attributes
        href = attributes.get("href")
        if href is not None and tag == "a":
            assert re.fullmatch(r"#[a-z]+|https://www\.wikidata\.org/wiki/Q\d+", href)
        elif href is not None:
            assert (tag, href) == ("link", "data:,")
    without_links = html.replace('href="https://www.wikidata.org/wiki/', "")
    assert "//" not in re.sub(r"^ *//.*$", "", without_links, flags=re.MULTILINE)
    style = page.content["style"]
    assert "url(" not in style
    assert "@import" not in style
    assert "@font-face" not in style


def test_the_policy_allows_the_own_style_and_script_alone(data: ReportData) -> None:
    page = Page(render_report(data))
    (policy,) = [m["content"] for m in page.all("meta") if "http-equiv" in m]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    for tag in ("style", "script"):
        assert len(page.all(tag)) == 1
        digest = base64.b64encode(hashlib.sha256(page.content[tag].encode()).digest()).decode()
        assert rules[f"{tag}-src"] == f"'sha256-{digest}'"


def test_hostile_text_stays_text(data: ReportData) -> None:
    hostile = ReportData.model_validate(poisoned(data.model_dump(mode="json")))
    first, *others = hostile.questions
    answer = first.answer.model_copy(update={"id": "Q1" + HOSTILE})
    first = first.model_copy(update={"answer": answer})
    hostile = hostile.model_copy(update={"questions": (first, *others)})
    page, plain = Page(render_report(hostile)), Page(render_report(data))
    assert {tag for tag, _ in page.elements} <= {tag for tag, _ in plain.elements}
    assert len(page.all("script")) == 1
    assert not page.all("img")
    assert not any(name.startswith("on") for _, a in page.elements for name in a)
    assert "".join(page.words).count(HOSTILE) > 50


def test_every_drawing_has_a_role_and_a_text_alternative(data: ReportData) -> None:
    page = Page(render_report(data))
    ids = [a["id"] for _, a in page.elements if "id" in a]
    assert len(ids) == len(set(ids))
    drawings = [i for i, (tag, _) in enumerate(page.elements) if tag == "svg"]
    # 2 axes, popularity, entities, properties, classes; 2 degrees, coverage, class sizes; 6 graphs;
    # scores of 4 figures; 3 settings by hops, 1 model by retriever, 1 recall
    assert len(drawings) == 6 + 4 + 6 + 4 * 3 + 3 + 1 + 1
    for i in drawings:
        attributes = page.elements[i][1]
        assert attributes["role"] == "img"
        assert page.children[i][:2] == ["title", "desc"]
        assert {attributes["aria-labelledby"], attributes["aria-describedby"]} <= set(ids)


def test_every_figure_has_its_values_in_a_table(data: ReportData) -> None:
    html = render_report(data)
    figures = re.findall(r"<figure.*?</figure>", html, flags=re.DOTALL)
    assert len(figures) == 5 + 3 + 4 + 1 + 1 + 1
    assert all(figure.count("<table>") == 1 for figure in figures)
    graphs = re.findall(r"<article.*?</article>", html, flags=re.DOTALL)
    assert len(graphs) == 6
    assert all(graph.count("<table>") == 1 for graph in graphs)


def test_what_can_scroll_can_be_reached_with_the_keyboard(data: ReportData) -> None:
    page = Page(render_report(data))
    regions = [a for _, a in page.elements if a.get("role") == "region"]
    assert regions
    assert all(a["tabindex"] == "0" and a["aria-label"] for a in regions)


def words(html: str) -> str:
    return " ".join(" ".join(Page(html).words).split())


def test_the_report_says_how_it_was_made(data: ReportData) -> None:
    said = words(render_report(data))
    assert "The questions were made by templates." in said
    assert "factchain/lexical is a lexical reader, not a language model." in said
    assert "factchain 0.1.0 · seed 7" in said
    assert "Entities 842 58 properties" in said
    assert "Facts in snapshot 3,312 2024-06-05" in said
    assert "kg malformed line a line of a dump that is no entity 3 100.0" in said
    assert "factchain/lexical A lexical reader, not a language model" in said
    assert "old.json.gz 12.3 kB " + "ab" * 32 in said
    said = said.replace(" ,", ",")
    assert "unpopular is 1 to 2, popular is 5 or more" in said


def test_every_model_has_its_scores(data: ReportData) -> None:
    rows = data.results.scores
    asked = tuple(s.model_copy(update={"model": "vendor/model"}) for s in rows)
    both = data.model_copy(update={"results": Results(scores=(*rows, *asked))})
    said = words(render_report(both))
    assert "factchain/lexical is a lexical reader, not a language model." in said
    assert "The scores are those of vendor/model" in said
    alone = words(render_report(data.model_copy(update={"results": Results(scores=asked)})))
    assert "lexical reader" not in alone
    assert alone.count("Scores in per cent, by setting.") == said.count("by setting.") / 2


def test_where_models_were_asked_questions_have_pages(data: ReportData) -> None:
    overview = Table(("Setting", "m"), (("No passages", "25.0 (0.0–75.0)"),), frozenset({"m"}))
    asked = Asked(overview, frozenset({"q-a", "q-b"}), "packed", {"q-a": "1 of 3"})
    html = render_report(data, asked)
    assert re.findall(r'href="#question=([^"]*)"', html) == ["q-a", "q-b"]
    assert '<template id="pages">packed</template>' in html
    assert html.count("<dialog") == 1
    said = words(html)
    assert "No passages 25.0 (0.0–75.0)" in said
    assert "2 of them have a page." in said
    assert "1 of 3" in said
    assert "<dialog" not in render_report(data)


def test_floors_are_no_models(data: ReportData) -> None:
    rows = data.results.scores
    floors = tuple(s.model_copy(update={"model": "floor/random"}) for s in rows)
    overview = Table(("Setting", "m"), (), frozenset())
    asked = Asked(overview, frozenset(), "", {})
    both = data.model_copy(update={"results": Results(scores=(*rows, *floors))})
    html = render_report(both, asked)
    assert "A dashed line is the floor" in html
    assert "The scores are those of" not in html
    assert re.findall(r"<h3>(f[^<]*)</h3>", html) == ["factchain/lexical"]
    assert 'class="floor"' in html
    alone = render_report(data, asked)
    assert "A dashed line" not in alone
    assert 'class="floor"' not in alone


def test_parts_that_are_missing_are_said_to_be(data: ReportData) -> None:
    build = data.build.model_copy(update={"stages": data.build.stages[2:]})
    store = data.store.model_copy(update={"popularity": {}, "bounds": None, "recency": {}})
    empty = ReportData(
        build=build, store=store, corpus_passages=0, chains=(), questions=(), gold=()
    )
    said = words(render_report(empty))
    assert "No question was made" in said
    assert "No task has been run on these questions." in said
    assert "No stage left anything out." in said


def test_an_id_that_is_no_item_gets_no_link(data: ReportData) -> None:
    question = data.questions[0]
    answer = question.answer.model_copy(update={"id": "Q1/../x"})
    changed = question.model_copy(update={"answer": answer})
    html = render_report(data.model_copy(update={"questions": (changed, *data.questions[1:])}))
    assert "Q1/../x" not in html


def test_a_place_that_cannot_be_written(data: ReportData, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"report\.html: cannot be written"):
        write_report(data, tmp_path / "file" / "report.html")


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("front", "back", "least"),
    [
        *((text, back, 4.5) for text in ("ink", "muted") for back in ("paper", "surface", "third")),
        *((text, "surface", 4.5) for text in ("accent", "warm")),
        *((shape, "paper", 3.0) for shape in ("accent", "warm")),
        ("surface", "ink", 7.0),
        ("ink", "second", 3.0),
    ],
)
def test_contrast_is_enough_to_read(scheme: int, front: str, back: str, least: float) -> None:
    """WCAG 2.1: 4.5 for text, 3 for shapes."""
    css = (files("factchain.eval.report") / "style.css").read_text(encoding="utf-8")
    blocks = re.findall(r":root \{(.*?)\}", css, flags=re.DOTALL)
    colours = dict(re.findall(r"--(\w+): (#\w{6});", blocks[scheme]))
    lighter, darker = sorted((luminance(colours[front]), luminance(colours[back])), reverse=True)
    assert (lighter + 0.05) / (darker + 0.05) >= least
