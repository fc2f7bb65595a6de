"""Co-occurrence: which entities a passage names."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import claim, item, item_snak, write_dump
from factchain.kg.dumps.ingest import ingest
from factchain.kg.extraction.cooccurrence import AMBIGUOUS, Cooccurrence
from factchain.kg.extraction.lexicon import SHORTEST_NAME, Lexicon
from factchain.kg.extraction.spans import clear_of, longest, whole_words
from factchain.kg.records import Link, TextPassage
from factchain.kg.store import Store

ENTITIES = [
    item("Q90", "Paris", [claim(item_snak("P17", "Q142"))], aliases=["City of Light"]),
    item("Q142", "France", [claim(item_snak("P36", "Q90"))]),
    item("Q167646", "Paris", [claim(item_snak("P22", "Q3"))], description="son of Priam"),
    item("Q3", "Priam"),
    item("Q60", "New York", [claim(item_snak("P131", "Q1384"))]),
    item("Q1384", "New York State"),
]
PAGES = {90: "Paris", 167646: "Paris (mythology)"}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    with Store.create(tmp_path / "kg") as store:
        ingest(store, write_dump(tmp_path / "dump.json", ENTITIES), "now", "2024-06-05")
        for entity, title in PAGES.items():
            store.rows("UPDATE entity SET wikipedia = ? WHERE id = ?", title, entity)
        yield store


def passage(
    text: str, title: str = "", entity: str | None = None, links: tuple[Link, ...] = ()
) -> TextPassage:
    return TextPassage(id="p", title=title, entity=entity, text=text, links=links)


def lexicon(
    names: dict[str, list[int]],
    joined: list[tuple[int, int]] = (),
    degrees: dict[int, int] | None = None,
) -> Lexicon:
    degrees = degrees or {}
    return Lexicon(
        pa.table(
            {
                "name": pa.array(sorted(names), pa.string()),
                "bearers": pa.array([names[n] for n in sorted(names)], pa.list_(pa.int64())),
            }
        ),
        pa.table({"entity": sorted(degrees), "degree": [degrees[e] for e in sorted(degrees)]}),
        pa.table({"pair": sorted((x << 32) | y for a, b in joined for x, y in ((a, b), (b, a)))}),
        pa.table({"title": pa.array([], pa.string()), "entity": pa.array([], pa.int64())}),
    )


def counted(extractor: Cooccurrence, *passages: TextPassage) -> list[dict[int, int]]:
    mentions = extractor.extract(passages).mentions
    found: list[dict[int, int]] = [{} for _ in passages]
    rows = zip(mentions.passage, mentions.entity, mentions.count, strict=True)
    for at, entity, count in rows:
        found[at][int(entity)] = int(count)
    return found


def mentioned(store: Store, one: TextPassage) -> set[int]:
    return set(counted(Cooccurrence(Lexicon.of(store)), one)[0])


@pytest.mark.parametrize(
    ("text", "title", "entity", "expected"),
    [
        ("The City of Light is in France.", "", None, {90, 142}),
        ("Franceland and Frances are no country.", "", None, set()),
        ("Paris lies in France.", "France", "Q142", {90, 142}),
        ("Paris was the son of Priam.", "Priam", "Q3", {167646, 3}),
        ("Paris is all there is.", "", None, set()),
        ("Paris is the page itself.", "Paris", "Q90", {90}),
        ("Its page says what it is about.", "Paris (mythology)", None, {167646}),
        ("New York State is larger.", "", None, {1384}),
        ("In New York and New York State.", "", None, {60, 1384}),
        ("(France), “France”; France", "", None, {142}),
        ("", "", None, set()),
        ("", "Paris", "Q90", {90}),
    ],
)
def test_names_are_read_as_whole_words_the_longest_first(
    store: Store, text: str, title: str, entity: str | None, expected: set[int]
) -> None:
    assert mentioned(store, passage(text, title, entity)) == expected


def test_a_page_of_an_entity_that_no_graph_can_hold_is_of_none(store: Store) -> None:
    texts = [passage("Paris.", entity=q) for q in ("Q9999999999", "Q2147483648", "Q2147483647")]
    found = counted(Cooccurrence(Lexicon.of(store)), *texts)
    assert found[:2] == counted(Cooccurrence(Lexicon.of(store)), *[passage("Paris.")] * 2)
    assert found[2].pop(2147483647) == 1


def test_mentions_are_counted(store: Store) -> None:
    extractor = Cooccurrence(Lexicon.of(store))
    texts = [
        passage("Paris, Paris, the City of Light: Paris is in France.", "Paris", "Q90"),
        passage("It is the largest of France.", "The capital", "Q90"),
        passage("Nothing."),
        passage("France."),
    ]
    assert counted(extractor, *texts) == [{90: 5, 142: 1}, {90: 1, 142: 1}, {}, {142: 1}]
    assert counted(extractor) == []


def link(text: str, shown: str, title: str) -> Link:
    start = text.index(shown)
    return Link(start=start, end=start + len(shown), title=title)


@pytest.mark.parametrize(
    ("text", "shown", "title", "expected"),
    [
        # A link means its page, and so does the same name elsewhere in the passage.
        ("Paris and Paris again.", "Paris", "Paris (mythology)", {167646: 2}),
        # A link's text outranks the names in it.
        ("The prince of France.", "prince of France", "Paris (mythology)", {167646: 1}),
        # A title that is the name of one entity alone means that (a redirect).
        ("The City was lit.", "City", "City of Light", {90: 1}),
        # A link that leads elsewhere means nothing in the graph.
        ("France was his name.", "France", "France (surname)", {}),
        ("A link elsewhere, and France.", "elsewhere", "Elsewhere", {142: 1}),
    ],
)
def test_links_outrank_names(
    store: Store, text: str, shown: str, title: str, expected: dict[int, int]
) -> None:
    one = passage(text, links=(link(text, shown, title),))
    evidence = Cooccurrence(Lexicon.of(store)).extract([one])
    assert counted(Cooccurrence(Lexicon.of(store)), one) == [expected]
    assert not evidence.rejected


def test_of_links_that_overlap_the_first_counts(store: Store) -> None:
    first, second = Link(start=0, end=4, title="Paris"), Link(start=2, end=6, title="Priam")
    extractor = Cooccurrence(Lexicon.of(store))
    for links in ((first, second), (second, first)):
        assert counted(extractor, passage("France.", links=links)) == [{90: 1}]


SHARED = {"Springfield": [1, 2, 3], "Homer": [4]}


@pytest.mark.parametrize(
    ("page", "joined", "degrees", "expected"),
    [
        ("Q2", [], {}, 2),  # the page's own entity
        ("Q4", [(4, 3)], {1: 1000}, 3),  # a neighbour, though another is more popular
        ("Q4", [(4, 3), (4, 1)], {1: 30, 2: 1000, 3: 3}, 1),  # the more popular neighbour
        ("Q4", [(4, 3), (4, 1)], {1: 29, 2: 1000, 3: 3}, None),  # neither dominates
        (None, [], {1: 100, 2: 10, 3: 9}, 1),  # ten times as popular as the next
        (None, [], {1: 99, 2: 10}, None),
        (None, [], {1: 9}, None),  # too few facts to say
        (None, [], {1: 10}, 1),
        (None, [], {}, None),
        ("Q4", [], {2: 50, 3: 5}, 2),  # no neighbour: as without a page
    ],
)
def test_a_shared_name_is_told_apart(
    page: str | None,
    joined: list[tuple[int, int]],
    degrees: dict[int, int],
    expected: int | None,
) -> None:
    extractor = Cooccurrence(lexicon(SHARED, joined, degrees))
    one = passage("In Springfield, the Springfield.", entity=page)
    found = counted(extractor, one)[0]
    assert {e: n for e, n in found.items() if f"Q{e}" != page or e == expected} == (
        {expected: 2} if expected else {}
    )
    assert extractor.extract([one]).rejected == ({AMBIGUOUS: 1} if expected is None else {})


def test_dominance_is_a_setting() -> None:
    names = lexicon(SHARED, degrees={1: 30, 2: 10})
    assert counted(Cooccurrence(names, 3.0), passage("Springfield"))[0] == {1: 1}
    assert counted(Cooccurrence(names, 3.1), passage("Springfield"))[0] == {}


def test_a_lexicon_is_saved_and_loaded(store: Store, tmp_path: Path) -> None:
    made = Lexicon.of(store)
    digest = made.save(str(tmp_path))
    again = Lexicon.load(str(tmp_path), digest)
    assert again == made
    assert Lexicon.of(store).save(str(tmp_path)) == digest
    assert "Paris" in again.names
    assert len(again.names) == len(set(again.names)) == 6
    assert min(map(len, again.names)) >= SHORTEST_NAME
    assert lexicon(SHARED).save(str(tmp_path)) != digest


WORDS = st.lists(st.sampled_from(["Paris", "France", "New", "York", "State", "x"]), max_size=12)


@given(WORDS)
def test_no_entity_is_found_that_the_text_does_not_name(words: list[str]) -> None:
    names = lexicon({"New York": [60], "New York State": [1384], "France": [142]})
    text = " ".join(words)
    found = counted(Cooccurrence(names), passage(text))[0]
    without_longest = text.replace("New York State", "")
    expected = {
        142: words.count("France"),
        1384: text.count("New York State"),
        60: without_longest.count("New York"),
    }
    assert found == {entity: count for entity, count in expected.items() if count}


SPANS = st.lists(
    st.tuples(st.integers(0, 30), st.integers(1, 8)).map(lambda one: (one[0], one[0] + one[1])),
    max_size=20,
    unique=True,
)


@given(SPANS)
def test_the_longest_spans_are_kept_then_the_leftmost(spans: list[tuple[int, int]]) -> None:
    start, end = (pa.array([s[k] for s in spans], pa.int64()).to_numpy() for k in (0, 1))
    kept: list[tuple[int, int]] = []
    for a, b in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
        if all(b <= c or a >= d for c, d in kept):
            kept.append((a, b))
    assert [spans[position] for position in longest(start, end)] == sorted(kept)


@given(SPANS, st.lists(st.integers(0, 40), unique=True, max_size=8).map(sorted))
def test_spans_clear_of_others(spans: list[tuple[int, int]], cuts: list[int]) -> None:
    others = list(zip(cuts[::2], cuts[1::2], strict=False))
    start, end = (pa.array([s[k] for s in spans], pa.int64()).to_numpy() for k in (0, 1))
    expected = [all(b <= c or a >= d for c, d in others) for a, b in spans]
    assert clear_of(start, end, others).tolist() == expected


@given(st.text(alphabet="aé_9 .中\U00010400’", max_size=12), st.data())
def test_whole_words_are_those_of_python(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))

    def joins(at: int) -> bool:
        return 0 < at < len(text) and all(c.isalnum() or c == "_" for c in text[at - 1 : at + 1])

    positions = [pa.array([at], pa.int64()).to_numpy() for at in (start, end)]
    assert whole_words(text, *positions).tolist() == [not joins(start) and not joins(end)]


def test_a_text_of_many_overlapping_names_does_not_take_for_ever() -> None:
    names = lexicon({"a a a": [1], "a a b": [2]})
    text = "a " * 100_000
    assert counted(Cooccurrence(names), passage(text))[0] == {1: 33_333}
