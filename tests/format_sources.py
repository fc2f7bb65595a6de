"""Made-up records of published formats, as hypothesis strategies, and files of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

Json = dict[str, Any]

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)
IDS = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=6)
ITEMS = st.integers(1, 2**31).map(lambda n: f"Q{n}")
EXTRA = st.dictionaries(st.sampled_from(["note", "source"]), TEXT | st.none(), max_size=1)


@st.composite
def musique(draw: st.DrawFn, key: str) -> Json:
    size = draw(st.integers(1, 4))
    hops = draw(st.integers(1, 4))
    answerable = draw(st.booleans())
    supports = st.integers(0, size - 1) if answerable else st.none() | st.integers(0, size - 1)
    return {
        "id": key,
        "paragraphs": [
            {
                "idx": place,
                "title": draw(TEXT),
                "paragraph_text": draw(TEXT),
                "is_supporting": draw(st.booleans()),
            }
            for place in range(size)
        ],
        "question": draw(TEXT),
        "question_decomposition": [
            {
                "id": draw(st.integers(0, 2**31)),
                "question": draw(TEXT) + draw(st.sampled_from(["", "#1", "#2 of #1", "#9"])),
                "answer": draw(TEXT),
                "paragraph_support_idx": draw(supports),
            }
            for _ in range(hops)
        ],
        "answer": draw(TEXT),
        "answer_aliases": draw(st.lists(TEXT, max_size=3)),
        "answerable": answerable,
        **draw(EXTRA),
    }


@st.composite
def hotpotqa(draw: st.DrawFn, key: str) -> Json:
    titles = draw(st.lists(TEXT, min_size=1, max_size=4, unique=True))
    facts = st.tuples(st.sampled_from(titles), st.integers(0, 3)).map(list)
    return {
        "_id": key,
        "question": draw(TEXT),
        "answer": draw(TEXT),
        "type": draw(st.sampled_from(["bridge", "comparison"])),
        "level": draw(st.sampled_from(["easy", "medium", "hard"])),
        "supporting_facts": draw(st.lists(facts, max_size=4)),
        "context": [[title, draw(st.lists(TEXT, max_size=4))] for title in titles],
        **draw(EXTRA),
    }


@st.composite
def two_wiki(draw: st.DrawFn, key: str) -> Json:
    made: Json = draw(hotpotqa(key))
    del made["level"]
    words = st.sampled_from(["Ann", "Bob", "York"]) | TEXT
    triples = draw(st.lists(st.tuples(words, TEXT, words).map(list), max_size=4))
    kinds = ["comparison", "inference", "compositional", "bridge_comparison", "bridge-comparison"]
    made |= {
        "type": draw(st.sampled_from(kinds)),
        "evidences": triples,
        "entity_ids": draw(st.lists(ITEMS, max_size=4).map("_".join)),
    }
    if draw(st.booleans()):  # the extended release
        ids = [[draw(ITEMS), triple[1], draw(ITEMS | TEXT)] for triple in triples]
        made |= {
            "evidences_id": draw(st.sampled_from([ids, []])),
            "answer_id": draw(ITEMS | st.none()),
        }
    return made


@st.composite
def mintqa(draw: st.DrawFn, key: str) -> Json:
    hops = draw(st.integers(1, 4))
    labels = draw(st.sampled_from([["Old", "New"], ["Popular", "Unpopular"], ["old", "new"]]))

    def lists(of: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(of, min_size=hops, max_size=hops))

    made: Json = {
        "question": draw(TEXT),
        "answer": draw(TEXT | st.lists(TEXT, min_size=1, max_size=3)),
        "type": lists(st.sampled_from(labels)),
        "num_hops": hops,
        "subquestion": lists(TEXT) if hops > 1 else draw(st.sampled_from([[], None])),
        "subanswer": lists(TEXT) if hops > 1 else [],
        "triple": lists(st.lists(TEXT, min_size=3, max_size=3)),
        "facts": draw(st.none() | TEXT | st.lists(TEXT, max_size=2)),
        **draw(EXTRA),
    }
    if draw(st.booleans()):
        del made["num_hops"]
    if draw(st.booleans()):
        made["id"] = key
    return made


@st.composite
def options(draw: st.DrawFn) -> Json:
    if draw(st.booleans()):
        return {}
    return {
        "multiple_choice_options": {letter: draw(TEXT) for letter in "ABCD"},
        "correct_answer_label": draw(st.sampled_from("ABCD")),
    }


@st.composite
def omanic(draw: st.DrawFn, key: str) -> Json:
    names = draw(st.sampled_from([("question", "answer"), ("hop_question", "hop_answer")]))
    return {
        **({"id": key} if draw(st.booleans()) else {}),
        "multi_hop_question": draw(TEXT),
        "multi_hop_answer": draw(TEXT),
        draw(st.sampled_from(["single_hop", "repaired_single_hop"])): [
            {names[0]: draw(TEXT), names[1]: draw(TEXT), "domain": draw(TEXT), **draw(options())}
            for _ in range(4)
        ],
        **draw(options()),
        **draw(EXTRA),
    }


@st.composite
def flashrag(draw: st.DrawFn, key: str) -> Json:
    choices = draw(st.none() | st.lists(TEXT, min_size=1, max_size=30))
    golds = TEXT if choices is None else st.integers(0, len(choices) - 1)
    return {
        "id": key,
        "question": draw(TEXT),
        "golden_answers": draw(st.lists(golds, max_size=3)),
        **({} if choices is None else {"choices": choices}),
        **({"metadata": draw(EXTRA)} if draw(st.booleans()) else {}),
        **draw(EXTRA),
    }


@st.composite
def flashrag_passage(draw: st.DrawFn, key: str) -> Json:
    contents = draw(TEXT) + draw(st.sampled_from(["", "\n", "title\n"])) + draw(TEXT)
    return {"id": key, "contents": contents, **draw(EXTRA)}


@st.composite
def beir_passage(draw: st.DrawFn, key: str) -> Json:
    metadata = draw(EXTRA | st.just({"entity": "Q1"}) | st.just({"extra": {"a": 1}}))
    return {
        "_id": key,
        "title": draw(TEXT),
        "text": draw(TEXT),
        **({"metadata": metadata} if metadata else {}),
    }


@st.composite
def beir_query(draw: st.DrawFn, key: str) -> Json:
    metadata = draw(st.none() | st.just({}) | EXTRA | st.just({"answer": "x"}))
    return {"_id": key, "text": draw(TEXT), **({} if metadata is None else {"metadata": metadata})}


@st.composite
def article(draw: st.DrawFn, key: str) -> Json:
    return {
        "title": draw(TEXT),
        "author": draw(TEXT | st.none()),
        "url": f"https://news.example/{key}",
        "source": draw(TEXT),
        "category": draw(TEXT),
        "published_at": "2023-10-01T14:00:29+00:00",
        "body": draw(TEXT) + key,
    }


@st.composite
def multihop_rag(draw: st.DrawFn, articles: list[Json]) -> Json:
    kind = draw(st.sampled_from(["inference", "comparison", "temporal", "null"]))
    cited = [] if kind == "null" else draw(st.lists(st.sampled_from(articles), max_size=3))
    return {
        "query": draw(TEXT),
        "answer": draw(TEXT),
        "question_type": f"{kind}_query",
        "evidence_list": [
            {**{k: v for k, v in one.items() if k != "body"}, "fact": one["body"][:4]}
            for one in cited
        ],
    }


def write_lines(path: Path, objects: list[Json]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in objects), "utf-8")
    return path


def write_array(path: Path, objects: list[Json]) -> Path:
    path.write_text(json.dumps(objects), "utf-8")
    return path


def read_lines(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def read_array(path: Path) -> list[Json]:
    values: list[Json] = json.loads(path.read_bytes())
    return values
