from __future__ import annotations

from html import unescape
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factchain.eval.report.svg import coordinate, element, label, picture, shorten, text_width

# What an XML document may hold; HTML is more lenient.
texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"]))


@pytest.mark.parametrize(
    ("value", "text"), [(3, "3"), (12.5, "12.5"), (1 / 3, "0.33"), (-0.001, "0"), (100, "100")]
)
def test_coordinates_are_short(value: float, text: str) -> None:
    assert coordinate(value) == text


def test_an_element_escapes_children_and_attributes() -> None:
    written = element("text", "<b> & \"'", element("title", "x"), font_size=12, class_='a"b')
    assert written == (
        '<text font-size="12" class="a&#34;b">&lt;b&gt; &amp; &#34;&#39;<title>x</title></text>'
    )


@given(texts, texts)
def test_any_text_comes_back_from_the_drawing(content: str, attribute: str) -> None:
    parsed = ElementTree.fromstring(element("text", content, class_=attribute))
    assert (parsed.text or "") == content
    assert unescape(str(element("text", content))) == f"<text>{content}</text>"


@given(texts, st.floats(10, 300), st.floats(8, 20))
def test_a_shortened_text_fits_and_is_the_beginning(text: str, width: float, size: float) -> None:
    short = shorten(text, width, size)
    if text_width(text, size) <= width:
        assert short == text
    else:
        assert short.endswith("…")
        assert text.startswith(short[:-1])
        assert short == "…" or text_width(short, size) <= width + 1e-6


def test_wide_characters_and_marks() -> None:
    assert text_width("日本", 10) == 20
    assert text_width("e\u0301", 10) == text_width("e", 10)


def test_a_cut_label_shows_whole_on_hovering() -> None:
    assert label("abcdef", 0, 0, size=10, width=20).count("<title>abcdef</title>") == 1
    assert "<title>" not in label("abcdef", 0, 0, size=10)


def test_a_picture_has_its_text_alternative_first() -> None:
    svg = ElementTree.fromstring(picture("p", "A <title>", "What it shows", 10, 20.5))
    assert svg.attrib["role"] == "img"
    assert svg.attrib["viewBox"] == "0 0 10 20.5"
    assert [(child.tag, child.text) for child in svg] == [
        ("title", "A <title>"),
        ("desc", "What it shows"),
    ]
    assert svg.attrib["aria-labelledby"] == svg[0].attrib["id"] == "p-title"
    assert svg.attrib["aria-describedby"] == svg[1].attrib["id"] == "p-desc"
