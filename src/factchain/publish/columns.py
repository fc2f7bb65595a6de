"""The tables of a published dataset: their columns, and a row of each from a record.

Columns are flat (texts, whole numbers, lists of them), so that every reader of Parquet and of
Croissant takes them; `record` holds the whole record as JSON, so that nothing is lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa

from factchain.chains.records import FactChain
from factchain.questions.records import Question, SubQuestion
from factchain.retrieval_corpus.records import HopGold, Passage

ColumnType = Literal["text", "texts", "integer", "integers", "boolean"]
Row = dict[str, Any]

ARROW: dict[ColumnType, pa.DataType] = {
    "text": pa.string(),
    "texts": pa.list_(pa.string()),
    "integer": pa.int64(),
    "integers": pa.list_(pa.int64()),
    "boolean": pa.bool_(),
}


@dataclass(frozen=True)
class Column:
    """One column of a table."""

    name: str
    type: ColumnType
    about: str
    """What it holds, in one sentence."""


@dataclass(frozen=True)
class Table:
    """One configuration of the dataset."""

    name: str
    about: str
    """What a row is."""
    columns: tuple[Column, ...]

    @property
    def schema(self) -> pa.Schema:
        """The columns for Arrow."""
        return pa.schema([(column.name, ARROW[column.type]) for column in self.columns])


_RECORD = Column("record", "text", "The whole record as JSON.")

QUESTIONS = Table(
    "questions",
    "A question with its answer and its reasoning.",
    (
        Column("id", "text", "Id of the question."),
        Column("type", "text", "chain, comparison, temporal, inference or null."),
        Column("axis", "text", "Along which axis the hops are labelled: popularity, recency."),
        Column("topology", "text", "Shape of the reasoning graph."),
        Column("hops", "integer", "Number of hops."),
        Column("question", "text", "The question."),
        Column("answer", "text", "The gold answer."),
        Column("answers", "texts", "Every name of every gold answer, the gold answer first."),
        Column(
            "answer_kind", "text", "entity, number, quantity, date, yes/no, text, insufficient."
        ),
        Column("answer_id", "text", "Wikidata id of the answer, where it is an entity."),
        Column("sub_questions", "texts", "The question of every hop, earlier answers put in."),
        Column("sub_answers", "texts", "The answer of every hop."),
        Column("labels", "texts", "The label of every hop that has one."),
        Column("option_letters", "texts", "Letters of the options, where there are options."),
        Column("options", "texts", "Texts of the options, in the order of their letters."),
        Column("correct_option", "text", "Letter of the gold answer among the options."),
        Column("answerable", "boolean", "Whether the passages hold the evidence."),
        Column("withheld", "integers", "Hops whose facts are in no passage."),
        Column("full_answer", "text", "The answer that the withheld facts would give."),
        Column("closed_book_asked", "integer", "How often models were asked it without context."),
        Column("closed_book_correct", "integer", "How many of those replies were right."),
        Column("sparql", "text", "A query that proves the answer."),
        Column("snapshot", "text", "The state of the graph in which the answer holds."),
        Column("verbalizer", "text", "What put the question into words."),
        Column("model", "text", "The language model that did, if any."),
        _RECORD,
    ),
)
HOPS = Table(
    "hops",
    "One hop of a question.",
    (
        Column("question_id", "text", "Id of the question."),
        Column("hop", "integer", "Number of the hop, from 1."),
        Column("question", "text", "The question of the hop, earlier answers put in."),
        Column("template", "text", "The same with #k in place of the answer of hop k."),
        Column("inputs", "integers", "Hops whose answers it needs."),
        Column("kind", "text", "What is done with the inputs: lookup, intersect, count, ..."),
        Column("answer", "text", "The answer of the hop."),
        Column("answers", "texts", "Every name of every right answer, the answer first."),
        Column("answer_kind", "text", "entity, number, quantity, date, yes/no or text."),
        Column("answer_id", "text", "Wikidata id of the answer, where it is an entity."),
        Column("label", "text", "Label of the hop on the question's axis."),
        Column("facts", "texts", "Subject, property and object in words, with tabs between."),
        Column("fact_ids", "texts", "The same by Wikidata ids; a literal stands as its value."),
        Column("option_letters", "texts", "Letters of the options, where there are options."),
        Column("options", "texts", "Texts of the options, in the order of their letters."),
        Column("correct_option", "text", "Letter of the answer among the options."),
    ),
)
CORPUS = Table(
    "corpus",
    "A passage to retrieve from.",
    (
        Column("_id", "text", "Id of the passage."),
        Column("title", "text", "Title: the label of the entity that it is about."),
        Column("text", "text", "The passage."),
        Column("entity", "text", "Wikidata id of the entity, where known."),
        Column("snapshot", "text", "The state of the graph that says so and another contradicts."),
        _RECORD,
    ),
)
QRELS = Table(
    "qrels",
    "A gold passage of a question.",
    (
        Column("query-id", "text", "Id of the question."),
        Column("corpus-id", "text", "Id of the passage."),
        Column("score", "integer", "Relevance; above 0 is gold."),
    ),
)
HOP_QRELS = Table(
    "hop_qrels",
    "A gold passage of a hop.",
    (
        Column("query-id", "text", "Id of the question."),
        Column("hop", "integer", "Number of the hop, from 1."),
        Column("corpus-id", "text", "Id of the passage."),
    ),
)
CANDIDATES = Table(
    "candidates",
    "A passage that the dataset shows with a question, gold or not.",
    (
        Column("query-id", "text", "Id of the question."),
        Column("rank", "integer", "Place in the question's context, from 1."),
        Column("corpus-id", "text", "Id of the passage."),
    ),
)
CHAINS = Table(
    "chains",
    "A fact chain: the reasoning graph behind a question.",
    (
        Column("id", "text", "Id of the chain."),
        Column("axis", "text", "Along which axis the hops are labelled."),
        Column("topology", "text", "Shape of the graph."),
        Column("hops", "integer", "Number of hops."),
        Column("topics", "texts", "Wikidata ids of the entities at which it starts."),
        Column("answer", "text", "Wikidata id or value of its answer."),
        Column("labels", "texts", "The label of every hop that has one."),
        Column("sparql", "text", "A query that proves the answer."),
        Column("snapshot", "text", "The state of the graph in which it holds."),
        _RECORD,
    ),
)


def question_row(question: Question) -> Row:
    """A row of `questions`."""
    options = _options(question)
    closed_book = question.closed_book
    golds = (question.answer, *question.other_answers)
    return {
        "id": question.id,
        "type": question.type,
        "axis": question.axis,
        "topology": question.topology,
        "hops": question.hops,
        "question": question.question,
        "answer": question.answer.label,
        "answers": list(dict.fromkeys(name for gold in golds for name in gold.names)),
        "answer_kind": question.answer.kind,
        "answer_id": question.answer.id,
        "sub_questions": [hop.question for hop in question.sub_questions],
        "sub_answers": [hop.answer.label for hop in question.sub_questions],
        "labels": list(question.labels),
        **options,
        "answerable": question.answerable,
        "withheld": list(question.withheld),
        "full_answer": question.full_answer.label if question.full_answer else None,
        "closed_book_asked": closed_book.asked if closed_book else None,
        "closed_book_correct": closed_book.correct if closed_book else None,
        "sparql": question.query.sparql if question.query else None,
        "snapshot": question.provenance.snapshot,
        "verbalizer": question.provenance.verbalizer,
        "model": question.provenance.model,
        "record": question.model_dump_json(),
    }


def hop_rows(question: Question) -> list[Row]:
    """The rows of `hops` of one question."""
    return [
        {
            "question_id": question.id,
            "hop": hop.index,
            "question": hop.question,
            "template": hop.template,
            "inputs": list(hop.inputs),
            "kind": hop.kind,
            "answer": hop.answer.label,
            "answers": list(
                dict.fromkeys(n for gold in (hop.answer, *hop.other_answers) for n in gold.names)
            ),
            "answer_kind": hop.answer.kind,
            "answer_id": hop.answer.id,
            "label": hop.label,
            "facts": [
                *(_cells(fact.s_label, fact.p_label, fact.o_label) for fact in hop.facts),
                *(_cells(*triple) for triple in hop.triples),
            ],
            "fact_ids": [_cells(*fact.key) for fact in hop.facts],
            **_options(hop),
        }
        for hop in question.sub_questions
    ]


def passage_row(passage: Passage) -> Row:
    """A row of `corpus`."""
    return {
        "_id": passage.id,
        "title": passage.title,
        "text": passage.text,
        "entity": passage.metadata.entity,
        "snapshot": passage.metadata.snapshot,
        "record": passage.model_dump_json(),
    }


def gold_row(question: str, passage: str, score: int) -> Row:
    """A row of `qrels`."""
    return {"query-id": question, "corpus-id": passage, "score": score}


def hop_gold_row(gold: HopGold) -> Row:
    """A row of `hop_qrels`."""
    return {"query-id": gold.question, "hop": gold.hop, "corpus-id": gold.passage}


def candidate_row(question: str, rank: int, passage: str) -> Row:
    """A row of `candidates`."""
    return {"query-id": question, "rank": rank, "corpus-id": passage}


def chain_row(chain: FactChain) -> Row:
    """A row of `chains`."""
    return {
        "id": chain.id,
        "axis": chain.axis,
        "topology": chain.topology,
        "hops": len(chain.hops),
        "topics": list(chain.topics),
        "answer": chain.answer,
        "labels": list(chain.labels),
        "sparql": chain.query.sparql,
        "snapshot": chain.snapshot,
        "record": chain.model_dump_json(),
    }


def _options(asked: Question | SubQuestion) -> Row:
    options = sorted((asked.options or {}).items())
    return {
        "option_letters": [letter for letter, _ in options],
        "options": [text for _, text in options],
        "correct_option": asked.correct_option,
    }


def _cells(*texts: str) -> str:
    return "\t".join(" ".join(text.split()) for text in texts)
