"""Write `docs/formats.md` from the records: `make docs`."""

from __future__ import annotations

import types
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel

from factchain.chains.records import FactChain
from factchain.eval.scores import SCHEMA as SCORES
from factchain.formats.conversion import Conversion
from factchain.kg.linking.statements import StatedTriple
from factchain.kg.records import TextPassage
from factchain.kg.text.pages import TitleRedirect
from factchain.questions.records import Question
from factchain.questions.review.records import Review
from factchain.retrieval_corpus.records import CorpusQuery, Passage

TARGET = Path(__file__).with_name("formats.md")
FILES: dict[str, tuple[str, type[BaseModel]]] = {
    "chains.jsonl": ("Fact chains, one a line.", FactChain),
    "questions.jsonl": ("Verified questions, one a line.", Question),
    "corpus/corpus.jsonl": ("The passages of the retrieval corpus (BEIR).", Passage),
    "corpus/queries.jsonl": ("The questions as queries (BEIR).", CorpusQuery),
    "conversion.json": ("What an import or export read, wrote and dropped.", Conversion),
    "passages.jsonl": ("A text corpus that popularity is counted in (an input).", TextPassage),
    "redirects.jsonl": ("Redirects of a wiki, from `kg text --redirects`.", TitleRedirect),
    "review.jsonl": ("What reviewers said of every question, from `questions review`.", Review),
    "triples.jsonl": ("Triples in words, for `kg link` (an input).", StatedTriple),
}
INTRO = """# File formats

Made from the records in the code by `make docs`; a test compares the two. JSON Lines files hold
one object a line, UTF-8, in the order of the build. A field that is not listed here is an error.

| file | what it is |
| --- | --- |
"""
TABLES = """
## corpus/qrels/test.tsv

Gold passages in BEIR's layout, tab separated, one header line: `query-id`, `corpus-id`, `score`.

## corpus/hop_qrels/test.tsv

Gold passages of every hop: `query-id`, `hop` (from 1), `corpus-id`, `score`.

## corpus/candidates/test.tsv

Of an imported dataset that shows every question passages of its own: `query-id`, `rank` (from 1),
`corpus-id`.

## corpus/audit.tsv

What the passage audit found: `question`, `constraint`, `passage`, `what`.

## manifest.json

`factchain` (version), `seed`, `settings`, `inputs` (file, bytes, sha256), and `stages`: for each
its `fingerprint`, `start`, `end`, `rows_in`, `rows_out`, `rejected` (counts by reason), `details`
and the checksums of its `outputs`.

## eval/scores.parquet

One row for each task, mode, context, model and question; of tasks that score hops, one for each
hop.

| column | type |
| --- | --- |
"""


def kind(annotation: Any) -> str:
    """A type in words."""
    if annotation is type(None):
        return "null"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return f"[{annotation.__name__}](#{annotation.__name__.lower()})"
    arguments = get_args(annotation)
    origin = get_origin(annotation)
    if origin is Annotated:
        return kind(arguments[0])
    if origin is tuple:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return f"list of {kind(arguments[0])}"
        return "(" + ", ".join(map(kind, arguments)) + ")"
    if origin is dict:
        return f"object of {kind(arguments[1])}"
    if origin is types.UnionType or str(origin) == "typing.Union":
        return " or ".join(map(kind, arguments))
    if arguments:
        return ", ".join(f"`{value}`" for value in arguments)
    return {str: "string", int: "integer", bool: "true or false"}.get(annotation, str(annotation))


def models_of(model: type[BaseModel]) -> list[type[BaseModel]]:
    """The model and those that its fields hold, in the order in which they are met."""
    found = [model]

    def look(annotation: Any) -> None:
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            found.extend(m for m in models_of(annotation) if m not in found)
        for argument in get_args(annotation):
            look(argument)

    for field in model.model_fields.values():
        look(field.annotation)
    return found


def section(model: type[BaseModel]) -> str:
    """A table of a model's fields."""
    lines = ["| field | type | what it is |", "| --- | --- | --- |"]
    for name, field in model.model_fields.items():
        description = (field.description or "").replace("\n", " ")
        lines.append(f"| `{field.alias or name}` | {kind(field.annotation)} | {description} |")
    return "\n".join(lines)


def formats() -> str:
    """The whole page."""
    parts = [INTRO + "".join(f"| `{file}` | {told} |\n" for file, (told, _) in FILES.items())]
    seen: list[type[BaseModel]] = []
    for file, (told, model) in FILES.items():
        parts.append(f"## {file}\n\n{told}\n\n{section(model)}\n")
        seen += [m for m in models_of(model)[1:] if m not in seen]
    parts.append("## Parts of these\n")
    for model in seen:
        doc = (model.__doc__ or "").strip()
        parts.append(f"### {model.__name__}\n\n{doc}\n\n{section(model)}\n")
    rows = "".join(f"| `{field.name}` | {field.type} |\n" for field in SCORES)
    return "\n".join(parts) + TABLES + rows


if __name__ == "__main__":
    TARGET.write_text(formats(), encoding="utf-8")
