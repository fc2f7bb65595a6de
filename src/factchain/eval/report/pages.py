"""Every question's page: its graph, its passages, and what each model said on the way.

The pages are one compressed block of JSON in the report, unpacked and drawn when one is opened.
"""

from __future__ import annotations

import base64
import gzip
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.compute as pc

from factchain.eval.asking import StepTaken
from factchain.eval.report.graph_drawing import draw_chain
from factchain.eval.report.operations import operation_in_words
from factchain.eval.report.tables import hops_in_words
from factchain.eval.scores import SETTING
from factchain.eval.setting_names import setting_name, setting_order
from factchain.questions.chain_of import chain_of
from factchain.questions.records import Question
from factchain.retrieval_corpus.records import HopGold, Passage

MOST_PAGES = 1_500
"""Questions that have a page, where nothing else is asked for."""

LONGEST = 600
"""Characters that are shown of a passage, and of a reply."""

Setting = tuple[str, ...]
Notes = Mapping[tuple[Setting, str], tuple[Sequence[StepTaken], Sequence[str]]]
"""By setting and question: the steps taken, and the passages before the question itself."""


def pages(
    questions: Sequence[Question],
    scores: pa.Table,
    notes: Notes,
    passages: Mapping[str, Passage],
    gold: Iterable[HopGold],
) -> dict[str, Any]:
    """What the pages of these questions are drawn from: `settings`, `passages`, `questions`."""
    ids = pa.array([question.id for question in questions], pa.string())
    rows = scores.filter(pc.is_in(scores["question"], value_set=ids)).to_pylist()
    settings = sorted({tuple(row[name] for name in SETTING) for row in rows}, key=_order)
    number = {setting: i for i, setting in enumerate(settings)}
    asked: defaultdict[str, list[list[Any]]] = defaultdict(list)
    for row in rows:
        place = number[tuple(row[name] for name in SETTING)]
        asked[row["question"]].append(_reply(place, row))
    of_hop: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    for one in gold:
        of_hop[one.question, one.hop].append(one.passage)
    written = {}
    for question in questions:
        taken = {
            str(number[setting]): _notes(*notes[setting, question.id])
            for setting in settings
            if (setting, question.id) in notes
        }
        page = _page(question, of_hop)
        written[question.id] = page | {"asked": sorted(asked[question.id]), "notes": taken}
    named = {passage for page in written.values() for passage in _named(page)}
    return {
        "settings": [[setting[3], setting_name(*setting[:3])] for setting in settings],
        "passages": {
            key: [passages[key].title, _cut(passages[key].text)]
            for key in sorted(named & passages.keys())
        },
        "questions": written,
    }


def packed(content: Mapping[str, Any]) -> str:
    """The pages as text: JSON, compressed, in base64; the same for the same pages."""
    return base64.b64encode(gzip.compress(orjson.dumps(content), mtime=0)).decode()


def _page(question: Question, gold: Mapping[tuple[str, int], list[str]]) -> dict[str, Any]:
    chain = chain_of(question)
    parts = (question.split, question.axis, hops_in_words(question.hops), question.topology)
    return {
        "question": question.question,
        "told": " · ".join((*parts, *filter(None, [", ".join(question.labels)]))),
        "answer": question.answer.label,
        "names": [
            *question.answer.aliases,
            *(name for other in question.other_answers for name in other.names),
        ],
        "graph": str(draw_chain(chain, "page")) if chain else "",
        "hops": [
            {
                "hop": sub.index,
                "question": sub.question,
                "template": sub.template if sub.template != sub.question else "",
                "label": sub.label or "",
                "stated": [
                    *(f"{f.s_label} — {f.p_label} → {f.o_label}" for f in sub.facts[:12]),
                    *(" — ".join(triple) for triple in sub.triples[:12]),
                    *([operation_in_words(sub.operation)] if sub.operation else []),
                ],
                "gold": sorted(gold.get((question.id, sub.index), ())),
                "answer": "; ".join(one.label for one in (sub.answer, *sub.other_answers)),
            }
            for sub in question.sub_questions
        ],
        "checks": [[v.check, v.passed, v.evidence] for v in question.provenance.verdicts],
    }


def _reply(setting: int, row: Mapping[str, Any]) -> list[Any]:
    """Setting, hop, what was said, what is right, whether it is (none where there is no score), the
    error of a question that could not be asked. Of one without an answer, an acceptable reply is
    right."""
    score = row["acceptable"] if row["accuracy"] is None else row["accuracy"]
    right = None if score is None else score == 1
    said = _cut(row["prediction"] or "")
    return [setting, row["hop"], said, row["gold"] or "", right, row["error"] or ""]


def _notes(steps: Sequence[StepTaken], passages: Sequence[str]) -> dict[str, Any]:
    return {
        "passages": list(passages),
        "steps": [
            {
                "question": _cut(step.question),
                "answer": _cut(step.answer),
                "certain": step.certain,
                "retrieved": step.retrieved,
                "passages": list(step.passages),
            }
            for step in steps
        ],
    }


def _named(page: Mapping[str, Any]) -> Iterable[str]:
    for hop in page["hops"]:
        yield from hop["gold"]
    for notes in page["notes"].values():
        yield from notes["passages"]
        for step in notes["steps"]:
            yield from step["passages"]


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"


def _order(setting: Setting) -> tuple[object, ...]:
    return setting[3], *setting_order(setting[:3])
