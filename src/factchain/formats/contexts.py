"""What HotpotQA and 2WikiMultihopQA share: contexts of titled sentences, and supporting facts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic import Field, StrictInt

from factchain.formats.json_files import SourceRecord
from factchain.formats.protocol import Drops, Entry
from factchain.formats.sentences import joined, sentences_of, stating
from factchain.questions.records import Question
from factchain.retrieval_corpus.records import Passage

PARAGRAPHS = 10
"""How many paragraphs the published questions have."""

_FAMILY = ("hotpotqa", "2wikimultihopqa")
SupportingFact = tuple[str, int]


class ContextRecord(SourceRecord):
    """The fields that both formats have; test files lack some."""

    id: str = Field(alias="_id")
    question: str
    answer: str | None = None
    type: str | None = None
    supporting_facts: list[tuple[str, StrictInt]] = Field([])
    context: list[tuple[str, list[str]]]


def pool_of(record: ContextRecord) -> tuple[Passage, ...]:
    """The paragraphs of the context as passages."""
    return tuple(joined(title, sentences) for title, sentences in record.context)


def supporting_passages(
    record: ContextRecord, pool: Sequence[Passage], drops: Drops
) -> dict[str, str]:
    """The passages with supporting sentences: ids by title, in the order of the supporting facts.

    Counts the supporting facts whose paragraph or sentence the context does not have, which
    published files know.
    """
    by_title: dict[str, Passage] = {}
    for passage in pool:
        by_title.setdefault(passage.title, passage)
    found: dict[str, str] = {}
    for title, sentence in record.supporting_facts:
        paragraph = by_title.get(title)
        if paragraph is None:
            drops["supporting facts without a paragraph in the context"] += 1
            continue
        found[title] = paragraph.id
        if not 0 <= sentence < len(paragraph.metadata.sentences or ()):
            drops["supporting facts without a sentence in the paragraph"] += 1
    return found


def context_and_support(
    entry: Entry, *, spaced: bool, titles_merged: Drops
) -> tuple[list[list[object]], list[list[object]]]:
    """The `context` and the `supporting_facts` of an entry.

    Paragraphs are named by their titles, so that passages with one title become one paragraph.
    With `spaced`, sentences after the first begin with a space, as HotpotQA's do. What an import of
    either format kept stands as it was.
    """
    question = entry.question
    native = question.metadata.get("format") in _FAMILY
    paragraphs: list[tuple[str, list[str]]] = []
    place: dict[str, tuple[int, int]] = {}
    """By passage its paragraph, and where in that its sentences begin."""
    by_title: dict[str, int] = {}
    for passage in entry.pool:
        if passage.title in by_title and not native:
            titles_merged["passages of one title, merged into one paragraph"] += 1
            at = by_title[passage.title]
        else:
            at = by_title[passage.title] = len(paragraphs)
            paragraphs.append((passage.title, []))
        sentences = paragraphs[at][1]
        place[passage.id] = at, len(sentences)
        for sentence in sentences_of(passage):
            bare = passage.metadata.sentences is None and sentences
            sentences.append(f" {sentence}" if spaced and bare else sentence)
    context: list[list[object]] = [[title, sentences] for title, sentences in paragraphs]
    kept = question.metadata.get("supporting_facts") if native else None
    if isinstance(kept, list):
        return context, [list(one) for one in kept if isinstance(one, list)]
    return context, _support(entry, place, [title for title, _ in paragraphs])


def _support(
    entry: Entry, place: dict[str, tuple[int, int]], titles: Sequence[str]
) -> list[list[object]]:
    hops = {sub.index: sub for sub in entry.question.sub_questions}
    passages = {passage.id: passage for passage in entry.pool}
    facts: dict[tuple[str, int], None] = {}
    for hop, key in _by_hop(entry):
        at, offset = place[key]
        for sentence in stating(passages[key], hops.get(hop)):
            facts[titles[at], offset + sentence] = None
    return [[title, sentence] for title, sentence in facts]


def _by_hop(entry: Entry) -> Iterable[tuple[int, str]]:
    """The gold passages that are shown, hop by hop; those of no hop last."""
    shown = {passage.id for passage in entry.pool}
    of_hops = [row for row in entry.hop_gold if row[1] in shown]
    known = {passage for _, passage in of_hops}
    rest = [(0, p) for p, score in entry.gold.items() if score > 0 and p in shown - known]
    return [*of_hops, *rest]


def is_comparison(question: Question) -> bool:
    """Whether the answer is come to by a comparison."""
    subs = question.sub_questions
    return question.type in ("comparison", "temporal") or bool(subs and subs[-1].kind == "compare")


def final_answer(question: Question) -> str:
    """The gold answer; of an unanswerable question the one that the withheld facts would give."""
    return (question.full_answer or question.answer).label
