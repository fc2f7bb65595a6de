"""The suite beside bare Inspect: CPU of the same prompts, replies and settings, in one run.

The peer is what one would write by hand with Inspect: prompts made beforehand, its solver
`generate` (or as many calls in a row), a scorer that looks for the gold label in the reply; samples
without metadata. Both ask a model that gives the lexical baseline's replies from a table, with the
suite's settings for Inspect. Each contestant has a process of its own, which asks a few questions
first, so that imports do not count.
Run: python benchmarks/eval.py --samples 400
"""

from __future__ import annotations

import argparse
import json
import logging
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.model import (
    ChatMessage,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver

TASKS = ("parametric", "retrieval-bm25", "decomposition-given-bm25", "probe")
WARM_UP = 20
"""Questions asked before time is taken."""

Conversation = dict[str, Any]
"""What a question was asked: `id`, `prompts`, `replies`, `gold`."""


def table_model(conversations: list[Conversation]) -> Model:
    """A model that knows the reply to every prompt by heart."""
    known = {
        prompt: reply
        for one in conversations
        for prompt, reply in zip(one["prompts"], one["replies"], strict=True)
    }

    def reply(input: list[ChatMessage], *_: object) -> ModelOutput:
        output = ModelOutput.from_content("table", known[input[-1].text])
        output.usage = ModelUsage()  # mockllm would count tokens
        return output

    return get_model("mockllm/table", custom_outputs=reply)


@solver
def ask_all(prompts: dict[str, list[str]]) -> Solver:
    """Ask a question's prompts one after the other."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        model = get_model()
        state.messages.clear()
        for prompt in prompts[str(state.sample_id)]:
            message = ChatMessageUser(content=prompt)
            state.messages.append(message)
            state.output = await model.generate([message])
            state.messages.append(state.output.message)
        return state

    return solve


@scorer(metrics=[mean()])
def contains() -> Scorer:
    """Whether the gold label stands in the last reply."""

    async def score(state: TaskState, target: Target) -> Score:
        said = state.output.completion
        return Score(value=float(target[0].casefold() in said.casefold()), answer=said)

    return score


def bare_task(conversations: list[Conversation]) -> Task:
    """The conversations in Inspect alone."""
    prompts = {one["id"]: one["prompts"] for one in conversations}
    single = all(len(said) == 1 for said in prompts.values())
    return Task(
        dataset=MemoryDataset(
            [
                Sample(
                    id=one["id"],
                    input=one["prompts"][0] if single else one["id"],
                    target=one["gold"],
                )
                for one in conversations
            ]
        ),
        solver=generate() if single else ask_all(prompts),
        scorer=contains(),
        config=GenerateConfig(temperature=0),
    )


def our_task(name: str, workspace: Path) -> Task:
    """The suite's task."""
    from factchain.eval.tasks import make_tasks

    made, _ = make_tasks(workspace, [name], ["bm25"])
    return made[name]


def record(name: str, workspace: Path, samples: int, folder: Path) -> list[Conversation]:
    """What the task asks the lexical baseline, and what that replies."""
    from factchain.eval.inspect_run import find_model, run_tasks

    task = our_task(name, workspace)
    task.dataset = task.dataset[: samples + WARM_UP]
    run_tasks([task], find_model("factchain/lexical"), folder)
    (info,) = list_eval_logs(str(folder))
    return [
        {
            "id": str(sample.id),
            "prompts": [message.text for message in sample.messages if message.role == "user"],
            "replies": [message.text for message in sample.messages if message.role != "user"],
            "gold": list(sample.target),
        }
        for sample in read_eval_log(info).samples or []
    ]


def measure(name: str, whose: str, conversations: Path, workspace: Path) -> dict[str, float]:
    """CPU seconds of one contestant, and the calls that it made."""
    from factchain.eval.inspect_run import run_tasks

    told: list[Conversation] = json.loads(conversations.read_text())
    model = table_model(told)
    task = bare_task(told) if whose == "Inspect" else our_task(name, workspace)
    every = {str(sample.id): sample for sample in task.dataset}
    order = [every[one["id"]] for one in told]
    warm_up, asked = order[:WARM_UP], order[WARM_UP:]
    with TemporaryDirectory() as folder:
        task.dataset = MemoryDataset(warm_up)
        run_tasks([task], model, Path(folder) / "warm-up")
        task.dataset = MemoryDataset(asked)
        before = time.process_time()
        run_tasks([task], model, Path(folder) / "logs")
        seconds = time.process_time() - before
        (info,) = list_eval_logs(str(Path(folder) / "logs"))
        samples = read_eval_log(info).samples or []
    calls = sum(message.role == "assistant" for sample in samples for message in sample.messages)
    return {"seconds": seconds, "samples": len(samples), "calls": calls}


def main() -> None:
    """Measure each contestant of each task in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--workspace", type=Path, help="built already, if there is one")
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    logging.basicConfig(level=logging.ERROR)
    if options.measure:
        name, whose, told = options.measure
        print(json.dumps(measure(name, whose, Path(told), options.workspace)))
        return
    with TemporaryDirectory() as folder:
        workspace = options.workspace or Path(folder) / "sample"
        if not options.workspace:
            build = [sys.executable, "-m", "factchain", "build", "--out", str(workspace)]
            subprocess.run([*build, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        print("| task | calls | Inspect | factchain | own part | ratio |")
        print("| --- | --- | --- | --- | --- | --- |")
        for name in options.tasks.split(","):
            told = Path(folder) / f"{name}.json"
            told.write_text(
                json.dumps(record(name, workspace, options.samples, Path(folder) / name))
            )
            found = {}
            for whose in ("Inspect", "factchain"):
                command = [sys.executable, __file__, "--workspace", str(workspace)]
                run = subprocess.run(
                    [*command, "--measure", name, whose, str(told)],
                    check=True,
                    capture_output=True,
                    text=True,
                )
                found[whose] = json.loads(run.stdout.splitlines()[-1])
            bare, ours = (1000 * one["seconds"] / one["samples"] for one in found.values())
            calls = {one["calls"] / one["samples"] for one in found.values()}
            assert len(calls) == 1, f"{name}: not the same calls: {calls}"
            print(
                f"| {name} | {calls.pop():.1f} | {bare:.1f} | {ours:.1f} | {ours - bare:.1f} | "
                f"{ours / bare:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
