"""The dataset card: `README.md` with the header that the hub reads.

Labels and questions are untrusted text: in Markdown they are escaped, in the header they do not
stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import yaml

from factchain.publish.made_from import Making
from factchain.publish.parquet import Part
from factchain.publish.responsible_ai import Statements
from factchain.publish.settings import DEFAULT_LICENCE, LICENCES, PublishSettings
from factchain.publish.statistics import Statistics
from factchain.questions.records import Question

CARD = "README.md"
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (10**6, "100K<n<1M"))
_MARKDOWN = re.compile(r"([\\`*_{}\[\]|~&$])")
_HTML = {"<": "&lt;", ">": "&gt;", "@": "&#64;", "://": ":&#47;&#47;", "www.": "www&#46;"}
"""What would begin a tag, a mention or a link."""


def escape(text: str) -> str:
    """`text` as Markdown that shows it within a line, with no markup of its own."""
    text = _MARKDOWN.sub(r"\\\1", " ".join(text.split()))
    for shown, entity in _HTML.items():
        text = text.replace(shown, entity)
    return text


def describe(seen: Statistics, settings: PublishSettings) -> str:
    """One paragraph on the dataset, in plain text."""
    hops = (
        f"{seen.shortest}"
        if seen.shortest == seen.longest
        else f"{seen.shortest} to {seen.longest}"
    )
    sources = f" on {len(seen.properties)} properties of Wikidata" if seen.properties else ""
    return (
        f"{settings.name}: {seen.questions:,} questions of {hops} hops{sources}, each with its "
        "sub-questions, answers and reasoning, the passages to retrieve from and the gold "
        "passages of every hop, as far as the dataset has them. Made with factchain."
    )


def card(
    settings: PublishSettings,
    parts: Sequence[Part],
    folder: Path,
    seen: Statistics,
    making: Making | None,
    told: Statements,
    tasks: Sequence[str],
) -> str:
    """The whole card; the files of `parts` lie in `folder`, `tasks` go with them."""
    header = yaml.safe_dump(
        _header(settings, parts, folder, seen), sort_keys=False, allow_unicode=True
    )
    sections = [
        f"# {escape(settings.name)}",
        describe(seen, settings).replace("_", "\\_"),
        _loading(parts, tasks),
        _contents(parts),
        _statistics(seen),
        _examples(seen.examples.values()),
        _making(making, seen),
        _statements("Known limits", told, "dataLimitations"),
        _statements("Biases", told, "dataBiases"),
        _statements("Personal and sensitive information", told, "personalSensitiveInformation"),
        _statements("Intended use", told, "dataUseCases"),
        _statements("Social impact", told, "dataSocialImpact"),
        _licence(settings, seen),
        f"## Citation\n\n{_fenced(settings.cited)}",
        _columns(parts),
    ]
    return f"---\n{header}---\n\n" + "\n\n".join(sections) + "\n"


def _header(
    settings: PublishSettings, parts: Sequence[Part], folder: Path, seen: Statistics
) -> dict[str, Any]:
    configurations = list(dict.fromkeys(part.table.name for part in parts))
    by_name = {name: [p for p in parts if p.table.name == name] for name in configurations}
    size = next((name for limit, name in _SIZES if seen.questions < limit), "n>1M")
    made_from = ["knowledge-graph", "wikidata"] if seen.imported < seen.questions else []
    tasks = ["question-answering"] + (["text-retrieval"] if "corpus" in by_name else [])
    return {
        "license": settings.licence or DEFAULT_LICENCE,
        "language": [settings.language],
        "pretty_name": settings.name,
        "task_categories": tasks,
        "size_categories": [size],
        "annotations_creators": ["machine-generated"],
        "source_datasets": ["original"] if seen.imported < seen.questions else ["extended"],
        "tags": ["multi-hop", *made_from, "croissant", "factchain"],
        "configs": [
            {
                "config_name": name,
                **({"default": True} if name == "questions" else {}),
                "data_files": [{"split": p.split, "path": p.path.as_posix()} for p in found],
            }
            for name, found in by_name.items()
        ],
        "dataset_info": [
            {
                "config_name": name,
                "splits": [
                    {"name": p.split, "num_bytes": p.memory, "num_examples": p.rows} for p in found
                ],
                "download_size": sum((folder / p.path).stat().st_size for p in found),
                "dataset_size": sum(p.memory for p in found),
            }
            for name, found in by_name.items()
        ],
    }


def _loading(parts: Sequence[Part], tasks: Sequence[str]) -> str:
    split = next(part.split for part in parts)
    return f"""## How to load it

```python
import datasets

questions = datasets.load_dataset("PATH_OR_REPOSITORY", "questions", split="{split}")
```

`PATH_OR_REPOSITORY` is this folder on disk or its name on the hub. No script is run. Tasks for two
evaluation harnesses stand in `tasks/`:

```sh
lm_eval --model hf --model_args pretrained=MODEL --include_path tasks \\
    --tasks {",".join(tasks)}
inspect eval tasks/inspect_closed_book.py --model PROVIDER/MODEL
```

`croissant.json` describes the same files for Croissant readers, and `sha256sum -c SHA256SUMS`
checks that they are whole."""


def _contents(parts: Sequence[Part]) -> str:
    rows = ((f"`{p.table.name}`", f"`{p.split}`", f"{p.rows:,}", p.table.about) for p in parts)
    return "## What it holds\n\n" + _table(("configuration", "split", "rows", "a row is"), rows)


def _statistics(seen: Statistics) -> str:
    numbers = sorted({hops for _, hops in seen.hops})
    axes = sorted({axis for axis, _ in seen.hops})
    by_hops = _table(
        ("axis", *(f"{n} hops" if n > 1 else "1 hop" for n in numbers), "all"),
        (
            (
                axis,
                *(f"{seen.hops[axis, n]:,}" for n in numbers),
                f"{sum(seen.hops[axis, n] for n in numbers):,}",
            )
            for axis in axes
        ),
    )
    counts = [
        ("type of question", seen.types),
        ("topology", seen.topologies),
        ("kind of answer", seen.answers),
    ]
    tables = [
        _table(
            (name, "questions"),
            ((escape(key), f"{n:,}") for key, n in sorted(counter.items())),
        )
        for name, counter in counts
    ]
    rest = (
        f"{len(seen.entities):,} entities and {len(seen.properties):,} properties stand in the "
        f"facts of the questions; {seen.with_options:,} questions have options, "
        f"{seen.unanswerable:,} cannot be answered from the passages."
    )
    return "\n\n".join(["## Statistics", by_hops, *tables, rest])


def _examples(questions: Iterable[Question]) -> str:
    shown = [
        f"- **{escape(q.question)}** {escape(q.answer.label)}\n"
        + "\n".join(
            f"    {hop.index}. {escape(hop.question)} {escape(hop.answer.label)}"
            for hop in q.sub_questions
        )
        for q in questions
    ]
    return "## Examples\n\n" + "\n".join(shown)


def _making(making: Making | None, seen: Statistics) -> str:
    words = [
        f"{n:,} by `{escape(verbalizer)}`" + (f" with {escape(model)}" if model else "")
        for (verbalizer, model), n in sorted(seen.makers.items())
    ]
    lines = ["## How it was made", f"Questions put into words: {', '.join(words)}."]
    if seen.checks:
        passed = ", ".join(f"{escape(check)} {n:,}" for check, n in sorted(seen.checks.items()))
        lines.append(f"Questions that passed each check: {passed}.")
    if making is None:
        return "\n\n".join(lines)
    lines.append(f"Built with factchain {escape(making.version)}, seed {making.seed}.")
    if making.snapshots:
        dates = ", ".join(f"{escape(name)} ({escape(day)})" for name, day in making.snapshots)
        lines.append(f"Snapshots of the graph: {dates}.")
    lines.append(
        _table(
            ("input", "bytes", "SHA-256"),
            ((escape(name), f"{size:,}", f"`{digest}`") for name, size, digest in making.inputs),
        )
    )
    if not making.stages:
        return "\n\n".join(lines)
    lines.append(
        _table(
            ("stage", "read", "written", "left out"),
            (
                (
                    escape(name),
                    f"{read:,}",
                    f"{written:,}",
                    ", ".join(f"{escape(why)} {n:,}" for why, n in rejected) or "nothing",
                )
                for name, read, written, rejected in making.stages
            ),
        )
    )
    return "\n\n".join(lines)


def _statements(title: str, told: Statements, name: str) -> str:
    said = told[name]
    text = said if isinstance(said, str) else "\n".join(f"- {one}" for one in said)
    return f"## {title}\n\n{text}"


def _licence(settings: PublishSettings, seen: Statistics) -> str:
    name, address = LICENCES[settings.licence or DEFAULT_LICENCE]
    why = (
        " Facts of Wikidata are in the public domain (CC0)."
        if seen.imported < seen.questions
        else " The publisher chose it; the questions come from another dataset."
    )
    return f"## Licence\n\n[{name}]({address}).{why}"


def _columns(parts: Sequence[Part]) -> str:
    tables = {part.table.name: part.table for part in parts}
    found = [
        f"### {name}\n\n"
        + _table(
            ("column", "type", "what it holds"),
            ((f"`{c.name}`", c.type, c.about) for c in table.columns),
        )
        for name, table in tables.items()
    ]
    return "\n\n".join(["## Columns", *found])


def _table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _fenced(text: str) -> str:
    """`text` as a block of code that it cannot close."""
    fence = "`" * (max((len(run) for run in re.findall(r"`+", text)), default=0) + 3)
    return f"{fence}\n{text}\n{fence}"
