"""REBEL's output: what the plain state machine makes of it, and the way there and back."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factchain.kg.extraction.protocol import Statement
from factchain.kg.extraction.rebel_format import (
    AROUND,
    MARKERS,
    parse_triples,
    without_markers,
    write_triples,
)
from factchain.kg.extraction.windows import sentence_windows

A, B, C = Statement("H", "R", "T"), Statement("H", "R2", "T2"), Statement("H2", "R3", "T3")


@pytest.mark.parametrize(
    ("reply", "triples"),
    [
        ("<s><triplet> H <subj> T <obj> R</s><pad><pad>", [A]),
        ("<s><triplet> H <subj> T <obj> R <subj> T2 <obj> R2</s>", [A, B]),
        ("<triplet> H <subj> T <obj> R <triplet> H2 <subj> T3 <obj> R3", [A, C]),
        # The markers' names mislead: the text after <subj> is the tail.
        (
            "<s><triplet> Punta Cana <subj> Dominican Republic <obj> country </s>",
            [Statement("Punta Cana", "country", "Dominican Republic")],
        ),
        # A tail without relation before the next tail or head: nothing, not (H, R, T2).
        ("<triplet> H <subj> T <obj> R <subj> Tx <subj> T2 <obj> R2", [A, B]),
        ("<triplet> H <subj> T <obj> R <subj> Tx <triplet> H2 <subj> T3 <obj> R3", [A, C]),
        # An empty head or tail.
        ("<triplet> <subj> T <obj> R <subj> T2 <obj> R2", []),
        ("<triplet> H <subj> <obj> R <subj> T <obj> R", [A]),
        ("<triplet> <triplet> H <subj> T <obj> R", [A]),
        # A second relation has no tail of its own.
        ("<triplet> H <subj> T <obj> R <obj> R2", [A]),
        ("<triplet> H <subj> T <obj> <obj> R", [A]),
        # What is cut off is dropped.
        ("<triplet> H <subj> T <obj> R <subj> T2 <obj>", [A]),
        ("<triplet> H <subj> T <obj> R <subj> T2", [A]),
        ("<triplet> H <subj> T <obj>", []),
        ("<triplet> H", []),
        # Duplicates are kept, words before the first marker are not.
        ("<triplet> H <subj> T <obj> R <subj> T <obj> R", [A, A]),
        ("once <triplet> H <subj> T <obj> R", [A]),
        # Markers that touch words, as some decoders write them.
        ("<s><triplet>H<subj>T<obj>R</s>", [A]),
        # Garbage.
        ("", []),
        ("</s><s>", []),
        ("<subj> <obj> <triplet>", []),
        ("<obj> R <subj> T <obj> R <subj>", []),
        ("I cannot find any relations in this text.", []),
        ('{"head": "H"} <triplet H <subj T <obj R', []),
        ("<TRIPLET> H <SUBJ> T <OBJ> R", []),
        ("\0\ufffd<triplet>\n\n", []),
    ],
)
def test_replies(reply: str, triples: list[Statement]) -> None:
    assert parse_triples(reply) == triples


def test_a_tokenizer_s_own_tokens_are_taken_out() -> None:
    assert parse_triples("<bos><triplet> H <subj> T <obj> R<eos>", ["<bos>", "<eos>"]) == [A]


WORD = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1).filter(
    lambda word: not any(token in word for token in (*MARKERS, *AROUND))
)
PART = (
    st.lists(WORD, min_size=1, max_size=3)
    .map(lambda words: " ".join(" ".join(words).split()))
    .filter(lambda part: part and not any(token in part for token in (*MARKERS, *AROUND)))
)
STATEMENTS = st.lists(st.builds(Statement, PART, PART, PART), max_size=6)


@given(STATEMENTS, st.sampled_from(["{}", "<s>{}</s>", "</s><s>{}</s><pad><pad>"]))
def test_what_is_written_is_read_again(triples: list[Statement], around: str) -> None:
    assert parse_triples(around.format(write_triples(triples))) == triples


PIECES = st.lists(st.sampled_from([*MARKERS, *AROUND, "word", "a b", " "]), max_size=20)


@given(PIECES.map("".join) | PIECES.map(" ".join) | st.text())
def test_any_reply_gives_whole_triples_of_its_own_words(reply: str) -> None:
    words = Counter(without_markers(reply).split())
    for triple in parse_triples(reply):
        assert all(triple)
        assert not any(marker in part for part in triple for marker in MARKERS)
        assert not Counter(" ".join(triple).split()) - words


def test_the_gold_triples_of_the_reference_data_come_back(reference) -> None:
    lines = reference("rebel_sample.jsonl").read_text().splitlines()
    total = 0
    for document in map(json.loads, lines):
        triples = [
            Statement(
                *(
                    " ".join(triple[part]["surfaceform"].split())
                    for part in ("subject", "predicate", "object")
                )
            )
            for triple in document["triples"]
        ]
        assert parse_triples(f"<s>{write_triples(triples)}</s>") == triples
        total += len(triples)
    assert total == 2868


def words(texts) -> list[int]:
    """Tokens as words, but long words take more."""
    return [sum(1 + len(word) // 10 for word in text.split()) for text in texts]


@given(
    st.lists(st.sampled_from(["Dr. ", "Go on! ", "It was 3.5 m", '"Yes." ', "x" * 25, "\n", " "])),
    st.integers(1, 8),
)
def test_windows_hold_every_word_in_order_and_no_more_than_fits(
    pieces: list[str], limit: int
) -> None:
    text = "".join(pieces)
    windows = sentence_windows(text, limit, words)
    assert " ".join(windows).split() == text.split()
    for window in windows:
        assert words([window])[0] <= limit or " " not in window


def test_windows_are_of_whole_sentences() -> None:
    text = "One two three. Four five! Six seven eight nine ten eleven. Twelve."
    assert sentence_windows(text, 5, words) == [
        "One two three. Four five!",
        "Six seven eight nine ten",
        "eleven.",
        "Twelve.",
    ]
    assert sentence_windows(text, 100, words) == [text]
    assert sentence_windows(" \n ", 5, words) == []
