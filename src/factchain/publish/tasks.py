"""Ready-made tasks that go with a dataset: for the LM Evaluation Harness and for Inspect AI."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from factchain.files import write_text
from factchain.publish.parquet import Part
from factchain.publish.settings import PublishSettings
from factchain.publish.statistics import Statistics

FOLDER = "tasks"
_COPIED = ("published.py", "inspect_scoring.py")
_OPEN = """\
task: {task}
custom_dataset: !function published.load_{context}
output_type: generate_until
test_split: test
doc_to_text: !function published.prompt
doc_to_target: answer
generation_kwargs:
  do_sample: false
  max_gen_toks: 64
  temperature: 0.0
  until: ["\\n\\n"]
process_results: !function published.process_results
metric_list:
  - {{metric: exact_match, aggregation: mean, higher_is_better: true}}
  - {{metric: f1, aggregation: mean, higher_is_better: true}}
  - {{metric: accuracy, aggregation: mean, higher_is_better: true}}
metadata:
  version: "{version}"
"""
_CHOICE = """\
task: {task}
custom_dataset: !function published.load_multiple_choice
output_type: multiple_choice
test_split: test
doc_to_text: !function published.prompt
doc_to_choice: option_letters
doc_to_target: gold
metric_list:
  - {{metric: acc, aggregation: mean, higher_is_better: true}}
metadata:
  version: "{version}"
"""


def write_tasks(
    folder: Path, settings: PublishSettings, parts: Sequence[Part], seen: Statistics
) -> list[str]:
    """Write the tasks that the dataset's tables allow; the names of those of the harness."""
    tables = {part.table.name for part in parts}
    contexts = {"closed_book": _OPEN}
    if {"corpus", "hop_qrels"} <= tables:
        contexts["gold_passages"] = _OPEN
    if seen.with_options:
        contexts["multiple_choice"] = _CHOICE
    names = []
    for context, text in contexts.items():
        name = f"{settings.task_name}_{context}"
        filled = text.format(task=name, context=context, version=settings.version)
        write_text(folder / FOLDER / f"{name}.yaml", filled)
        names.append(name)
    source = resources.files("factchain.publish.task_files")
    for file in (*_COPIED, *(f"inspect_{context}.py" for context in contexts)):
        write_text(folder / FOLDER / file, source.joinpath(file).read_text(encoding="utf-8"))
    return names
