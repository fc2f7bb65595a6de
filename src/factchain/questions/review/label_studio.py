"""A Label Studio project: tasks to import and the labelling config that shows them.

What is shown is untrusted text: it stands in the tasks alone, as plain text, and never in the
config. Hops differ in number, so those of a task are drawn by a `Repeater`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree as Xml

import orjson

from factchain.errors import InputError
from factchain.files import write_atomically, write_text
from factchain.questions.records import Question, SubQuestion
from factchain.questions.review.chain_text import draw_chain, one_line
from factchain.questions.review.rubric import HIGHEST, OF_HOP, OF_QUESTION, Criterion

TASKS, CONFIG, GUIDE = "tasks.json", "labelling.xml", "README.md"
CORRECTED, COMMENT = "corrected_question", "comment"
CORRECTED_HOP = "corrected_hop"
"""Names of the fields for corrections; those of hops, from 0, end in `_0`, `_1`..."""
_NO_OPTIONS = "none"


def write_project(
    questions: Sequence[Question], out: Path, *, sample: int | None = None, seed: int = 1
) -> int:
    """Write tasks, config and a guide into `out`; how many tasks there are.

    `sample` questions are drawn by `seed`, in the order of the file. Raises InputError where there
    is nothing to review, or two questions have one id.
    """
    if len({question.id for question in questions}) < len(questions):
        raise InputError("two questions have one id: what reviewers say could not be told apart")
    chosen = list(questions)
    if sample is not None and sample < len(chosen):
        picked = set(Random(seed).sample(range(len(chosen)), sample))
        chosen = [question for place, question in enumerate(chosen) if place in picked]
    if not chosen:
        raise InputError("there is no question to review")
    with write_atomically(out / TASKS) as file:
        file.write(orjson.dumps([task(one) for one in chosen], option=orjson.OPT_INDENT_2) + b"\n")
    write_text(out / CONFIG, labelling_config())
    write_text(out / GUIDE, guide())
    return len(chosen)


def task(question: Question) -> dict[str, Any]:
    """The task of one question, as Label Studio imports it."""
    return {
        "data": {
            "question_id": question.id,
            "checksum": checksum(question),
            "question": question.question,
            "answer": _names(question),
            "chain": draw_chain(question),
            "options": _options(question),
            "hops": [
                {
                    "question": f"{hop.index}. {hop.question}",
                    "answer": _names(hop),
                    "options": _options(hop),
                }
                for hop in question.sub_questions
            ],
        }
    }


def checksum(question: Question) -> str:
    """Of what a reviewer saw: the wording, answers and options of a question and its hops."""
    all_asked: list[Question | SubQuestion] = [question, *question.sub_questions]
    seen = [
        [asked.question, asked.answer.label, sorted((asked.options or {}).items())]
        for asked in all_asked
    ]
    return hashlib.sha256(orjson.dumps(seen)).hexdigest()[:16]


def labelling_config() -> str:
    """The labelling config: one for all tasks."""
    view = Xml.Element("View")
    _text(view, "Question", "question", "$question")
    _text(view, "Gold answer", "answer", "$answer")
    _text(view, "Options", "options", "$options")
    _text(view, "Chain", "chain", "$chain")
    for criterion in OF_QUESTION:
        _rating(view, criterion, criterion.key, "question")
    _correction(view, CORRECTED, "question", "The whole question in better words")
    hops = Xml.SubElement(view, "Repeater", on="$hops", indexFlag="{{idx}}")
    box = Xml.SubElement(hops, "View")
    _text(box, "Hop", "hop_{{idx}}", "$hops[{{idx}}].question")
    _text(box, "Answer of the hop", "hop_answer_{{idx}}", "$hops[{{idx}}].answer")
    _text(box, "Options of the hop", "hop_options_{{idx}}", "$hops[{{idx}}].options")
    for criterion in OF_HOP:
        _rating(box, criterion, f"{criterion.key}_{{{{idx}}}}", "hop_{{idx}}")
    _correction(box, f"{CORRECTED_HOP}_{{{{idx}}}}", "hop_{{idx}}", "The hop in better words")
    _correction(view, COMMENT, "question", "Anything else, such as a wrong fact")
    Xml.indent(view)
    return Xml.tostring(view, encoding="unicode") + "\n"


def guide() -> str:
    """How the project is set up, and the rubric."""
    criteria = [
        f"- **{one.title}** ({part}). {one.about}"
        for part, group in (("whole question", OF_QUESTION), ("every hop", OF_HOP))
        for one in group
    ]
    return "\n".join(
        [
            "# Review",
            "",
            f"1. Create a project in Label Studio and paste `{CONFIG}` into its labelling setup.",
            f"2. Import `{TASKS}`. Let at least two people annotate the same tasks: agreement is",
            "   measured on those.",
            "3. Export as JSON (or JSON-MIN) and read it back with",
            "   `factchain questions review import EXPORT --questions FILE --out FILE`.",
            "",
            "Scores run from 1 to 5. A question of one hop needs the scores of its hop alone.",
            "Leave corrections empty where the wording is good. An answer cannot be changed: it",
            "follows from the facts; where it is wrong, give factuality 1 and say why.",
            "",
            *criteria,
            "",
        ]
    )


def _text(parent: Xml.Element, title: str, name: str, value: str) -> None:
    Xml.SubElement(parent, "Header", value=title, size="5")
    Xml.SubElement(parent, "Text", name=name, value=value, valueType="text")


def _rating(parent: Xml.Element, criterion: Criterion, name: str, of: str) -> None:
    Xml.SubElement(parent, "Header", value=f"{criterion.title}. {criterion.about}", size="6")
    Xml.SubElement(parent, "Rating", name=name, toName=of, maxRating=str(HIGHEST), icon="star")


def _correction(parent: Xml.Element, name: str, of: str, hint: str) -> None:
    Xml.SubElement(
        parent,
        "TextArea",
        name=name,
        toName=of,
        placeholder=hint,
        rows="2",
        maxSubmissions="1",
        editable="true",
    )


def _names(asked: Question | SubQuestion) -> str:
    return " | ".join(
        one_line(name)
        for gold in (asked.answer, *asked.other_answers)
        for name in dict.fromkeys(gold.names)
    )


def _options(asked: Question | SubQuestion) -> str:
    options = sorted((asked.options or {}).items())
    lines = [f"{letter}. {one_line(text)}" for letter, text in options]
    return "\n".join(lines) or _NO_OPTIONS
