"""Omanic: JSON Lines of four-hop questions with options for every hop (SPEC.md 2, 5.1).

No published script shows how a hop's question, answer, domain and graph type are called: on
reading, a hop's question is its field `question` or the first that ends so, its answer likewise;
on writing they are `question` and `answer`, beside the `template` and `inputs` that we know.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import StrictInt

from factchain.errors import InputError
from factchain.formats.contexts import final_answer
from factchain.formats.dataset_folder import DatasetFolder
from factchain.formats.json_files import Json, SourceRecord
from factchain.formats.json_output import write_by_split
from factchain.formats.protocol import Drops, Entry, Format, Items, Written
from factchain.formats.references import inputs_of, put_in, take_out, topology_of
from factchain.formats.source import answer, numbered, provenance, remember
from factchain.questions.records import Question, SubQuestion

NAME = "omanic"
HOPS = 4
_GRAPHS = ("chain", "bridge", "converging")
_HOLDS = frozenset(
    {
        *("topology", "hops", "answer", "options", "sub_questions", "sub_questions.template"),
        "sub_questions.options",
    }
)


class OmanicHop(SourceRecord):
    """One hop."""

    multiple_choice_options: dict[str, str] | None = None
    correct_answer_label: str | None = None
    template: str | None = None
    inputs: list[StrictInt] | None = None


class OmanicRecord(SourceRecord):
    """One question; the options are those of the last hop where it has none."""

    id: str | StrictInt | None = None
    multi_hop_question: str
    multi_hop_answer: str
    multiple_choice_options: dict[str, str] | None = None
    correct_answer_label: str | None = None
    repaired_single_hop: list[OmanicHop] | None = None
    single_hop: list[OmanicHop] | None = None
    graph_type: str | None = None


def read(files: Sequence[Path], split: str | None, drops: Drops) -> Items:
    """The questions of JSON Lines files (or JSON arrays)."""
    for read_one in numbered(files, split, OmanicRecord, NAME, "Omanic"):
        yield _entry(*read_one)


def _entry(record: OmanicRecord, place: str, source: Json, key: str, split: str) -> Entry:
    field = "repaired_single_hop" if record.repaired_single_hop is not None else "single_hop"
    hops = getattr(record, field)
    if hops is None:
        raise InputError(f"{place}: single_hop: Field required (or repaired_single_hop)")
    if len(hops) != HOPS:
        raise InputError(f"{place}: {field}: has {len(hops)} hops where Omanic has {HOPS}")
    for number, hop in enumerate(hops):
        _check_options(f"{place}: {field}.{number}", hop)
    _check_options(place, record)
    subs = _sub_questions(hops, f"{place}: {field}")
    last = subs[-1]
    made = topology_of([sub.inputs for sub in subs])
    said = (record.graph_type or "").strip().lower()
    question = Question(
        id=key,
        split=split,
        axis="none",
        topology=made if made in _GRAPHS or said not in _GRAPHS else said,
        hops=HOPS,
        question=record.multi_hop_question,
        answer=answer(record.multi_hop_answer),
        options=record.multiple_choice_options or last.options,
        correct_option=record.correct_answer_label or last.correct_option,
        sub_questions=subs,
        labels=(),
        provenance=provenance(),
        metadata={"format": NAME, "hops_field": field, field: source[field]}
        | ({"id": "by place"} if record.id is None else {}),
    )
    return Entry(remember(question, source, to_object(Entry(question))))


def _check_options(place: str, one: OmanicHop | OmanicRecord) -> None:
    options, label = one.multiple_choice_options, one.correct_answer_label
    if options and label is not None and label not in options:
        raise InputError(
            f"{place}: correct_answer_label: {label!r} is none of {', '.join(sorted(options))}"
        )


def _sub_questions(hops: Sequence[OmanicHop], place: str) -> tuple[SubQuestion, ...]:
    texts = [_text(hop, "question", f"{place}.{number}") for number, hop in enumerate(hops)]
    answers = [_text(hop, "answer", f"{place}.{number}") for number, hop in enumerate(hops)]
    subs = []
    for number, hop in enumerate(hops, start=1):
        template, inputs = hop.template or texts[number - 1], inputs_of(texts[number - 1], number)
        if hop.inputs is not None:
            inputs = tuple(sorted({one for one in hop.inputs if 1 <= one < number}))
        elif not inputs:
            template, inputs = take_out(texts[number - 1], number, answers)
        subs.append(
            SubQuestion(
                index=number,
                question=put_in(texts[number - 1], inputs, answers),
                template=template,
                inputs=inputs,
                answer=answer(answers[number - 1]),
                facts=(),
                options=hop.multiple_choice_options,
                correct_option=hop.correct_answer_label,
            )
        )
    return tuple(subs)


def _text(hop: OmanicHop, name: str, place: str) -> str:
    """The field of that name, or the first whose name ends so."""
    extra: dict[str, Any] = hop.model_extra or {}
    for key in [name, *extra]:
        if key.endswith(name) and isinstance(extra.get(key), str):
            return str(extra[key])
    raise InputError(f"{place}: {name}: Field required (a text; its name may end in {name!r})")


def to_object(entry: Entry) -> Json:
    """The question as Omanic has it."""
    question = entry.question
    native = question.metadata.get("format") == NAME
    field = str(question.metadata["hops_field"]) if native else "single_hop"
    made: Json = {
        "id": question.id,
        "multi_hop_question": question.question,
        "multi_hop_answer": final_answer(question),
        "graph_type": question.topology,
        field: question.metadata[field] if native else [_hop(s) for s in question.sub_questions],
    }
    if native and question.metadata.get("id") == "by place":
        del made["id"]
    return made | _options(question)


def _hop(sub: SubQuestion) -> Json:
    return {
        "question": sub.question,
        "answer": sub.answer.label,
        "template": sub.template,
        "inputs": list(sub.inputs),
        **_options(sub),
    }


def _options(one: Question | SubQuestion) -> Json:
    if one.options is None:
        return {}
    return {"multiple_choice_options": one.options, "correct_answer_label": one.correct_option}


def write(dataset: DatasetFolder, out: Path, drops: Drops) -> Written:
    """Write JSON Lines a split: the answerable questions of four hops, which is all Omanic has."""

    def build(entry: Entry) -> Json | None:
        question = entry.question
        if not question.answerable or len(question.sub_questions) != HOPS:
            fault = f"not of {HOPS} hops" if question.answerable else "unanswerable"
            drops[f"questions {fault}, left out"] += 1
            return None
        return to_object(entry)

    return write_by_split(
        dataset.entries(),
        out,
        build,
        name=NAME,
        holds=_HOLDS,
        drops=drops,
    )


FORMAT = Format(
    name=NAME,
    title="Omanic",
    files="JSON Lines of questions, such as OmanicBench.jsonl",
    read=read,
    write=write,
    holds=_HOLDS,
)
