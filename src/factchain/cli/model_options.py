"""The options of every command that asks a language model, and what is made of them.

A command is decorated with `model_options` and gets a `ModelOptions` as `asking`:

    with model_client(asking, out) as model:
        ...model.ask_all(...)

With `--dry-run` it calls `print_estimate` with the requests of its first round, and returns.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from factchain.cli.options import FILE, print_result
from factchain.cli.tables import table

if TYPE_CHECKING:
    from factchain.questions.llm.client import ModelClient
    from factchain.questions.llm.estimate import Estimate
    from factchain.questions.llm.protocol import Ask
    from factchain.questions.llm.settings import ModelSettings

F = TypeVar("F", bound=Callable[..., Any])

JOURNAL = "model-journal.sqlite"
"""Name of the journal beside what a command writes; the commands of a folder share it."""
OPTIONS = (
    click.option(
        "--model",
        "models",
        multiple=True,
        metavar="NAME",
        help="The language model, as its server knows it; repeatable where several are asked.",
    ),
    click.option(
        "--base-url",
        metavar="URL",
        help="The server, such as http://localhost:8000/v1; without it OPENAI_BASE_URL, or "
        "OpenAI's.",
    ),
    click.option(
        "--key-env",
        default="OPENAI_API_KEY",
        show_default=True,
        metavar="NAME",
        help="The environment variable that holds the key.",
    ),
    click.option(
        "--concurrency",
        type=click.IntRange(min=1),
        default=8,
        show_default=True,
        help="Requests in flight.",
    ),
    click.option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        default=120.0,
        show_default=True,
        help="Seconds without a reply after which a request is sent again.",
    ),
    click.option(
        "--max-usd",
        type=click.FloatRange(min=0, min_open=True),
        help="Most dollars, earlier runs with the same journal among them.",
    ),
    click.option(
        "--max-tokens",
        type=click.IntRange(min=1),
        help="Most tokens, earlier runs with the same journal among them.",
    ),
    click.option(
        "--price",
        metavar="IN,OUT",
        help="Dollars for a million tokens of prompts and of replies, where the model is not on "
        "the list, or has another price.",
    ),
    click.option(
        "--thinking-tokens",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        help="More tokens for each reply, for models that think before they answer.",
    ),
    click.option(
        "--parameter",
        "parameters",
        multiple=True,
        metavar="NAME=JSON",
        help="A further parameter of each request, such as reasoning_effort=low; repeatable.",
    ),
    click.option(
        "--no-schemas",
        is_flag=True,
        help="Put the schema of a reply into the prompt, for servers that only seem to take it.",
    ),
    click.option("--batch", is_flag=True, help="Send batch jobs: half the price, within a day."),
    click.option(
        "--journal",
        type=FILE,
        help=f"Where replies are kept, so that none is paid twice; without it {JOURNAL} beside "
        "what is written.",
    ),
    click.option(
        "--dry-run",
        is_flag=True,
        help="Only say how many requests, tokens and dollars the first round will take.",
    ),
)


@dataclass(frozen=True)
class ModelOptions:
    """What a user said about language models."""

    settings: tuple[ModelSettings, ...]
    """One for each model that was named, in order."""
    journal: Path | None
    """The journal that was named."""
    dry_run: bool
    """Whether only the estimate is wanted."""

    @property
    def one(self) -> ModelSettings:
        """The settings of the one model. Raises a usage error unless just one was named."""
        if len(self.settings) != 1:
            raise click.UsageError("name one language model with --model")
        return self.settings[0]

    def journal_beside(self, out: Path) -> Path:
        """The journal that was named, or the one of the folder in which `out` is written."""
        return self.journal or out.parent / JOURNAL


def model_options(command: F) -> F:
    """`--model` and all that goes with it; the command gets them as `asking`."""

    @functools.wraps(command)
    def gathered(*arguments: Any, **options: Any) -> Any:
        return command(*arguments, asking=_gather(options), **options)

    decorated: Any = gathered
    for option in reversed(OPTIONS):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]


def _gather(options: dict[str, Any]) -> ModelOptions:
    """Take the options about models out of a command's options."""
    from factchain.questions.llm.prices import read_price
    from factchain.questions.llm.settings import ModelSettings

    price, no_schemas = options.pop("price"), options.pop("no_schemas")
    common = {name: options.pop(name) for name in ("base_url", "key_env", "concurrency")}
    common |= {name: options.pop(name) for name in ("timeout", "max_usd", "max_tokens")}
    common |= {name: options.pop(name) for name in ("thinking_tokens", "batch")}
    common["price"] = None if price is None else read_price(price)
    common["schemas"] = not no_schemas
    common["parameters"] = dict(map(_parameter, options.pop("parameters")))
    settings = tuple(ModelSettings(model, **common) for model in options.pop("models"))
    return ModelOptions(settings, options.pop("journal"), options.pop("dry_run"))


def _parameter(text: str) -> tuple[str, Any]:
    """Name and value of `NAME=JSON`; a value that is no JSON is a text."""
    name, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"--parameter: {text!r} is not NAME=JSON")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


@contextmanager
def model_client(asking: ModelOptions, out: Path) -> Iterator[ModelClient]:
    """The one model that was named, with the journal beside `out`."""
    from factchain.questions.llm.client import ModelClient

    with ModelClient(asking.one, asking.journal_beside(out)) as client:
        yield client


@contextmanager
def model_clients(asking: ModelOptions, out: Path) -> Iterator[list[ModelClient]]:
    """All models that were named, which share the journal beside `out` and their budget."""
    from contextlib import ExitStack

    from factchain.questions.llm.client import ModelClient
    from factchain.questions.llm.journal import Journal

    if not asking.settings:
        raise click.UsageError("name the language models with --model, once for each")
    with ExitStack() as stack:
        journal = stack.enter_context(Journal(asking.journal_beside(out)))
        yield [stack.enter_context(ModelClient(one, journal)) for one in asking.settings]


def print_estimate(
    asks: Sequence[Ask[Any]], asking: ModelOptions, out: Path, as_json: bool
) -> None:
    """Print what a first round of requests will take; nothing is sent, no key is needed."""
    if not asking.settings:
        raise click.UsageError("name the language model with --model")
    print_estimates([(one, asks) for one in asking.settings], asking, out, as_json)


def print_estimates(
    asked: Sequence[tuple[ModelSettings, Sequence[Ask[Any]]]],
    asking: ModelOptions,
    out: Path,
    as_json: bool,
) -> None:
    """The same where models are asked for different things."""
    from contextlib import nullcontext

    from factchain.questions.llm.estimate import estimate
    from factchain.questions.llm.journal import Journal

    path = asking.journal_beside(out)
    with Journal(path) if path.exists() else nullcontext() as journal:
        lines = [(one.model, line) for one, asks in asked for line in estimate(asks, one, journal)]
    result = [{"model": model, **asdict(line)} for model, line in lines]
    print_result(result, as_json, lambda: _estimate_table(lines))


def _estimate_table(lines: Sequence[tuple[str, Estimate]]) -> str:
    """The estimate for a reader."""
    head = ("model", "purpose", "requests", "in journal", "tokens", "at most", "usd", "at most ")
    rows: list[tuple[str | int, ...]] = [
        (
            model,
            one.purpose,
            one.requests,
            one.in_journal,
            one.expected_tokens,
            one.most_tokens,
            _dollars(one.expected_usd),
            _dollars(one.most_usd),
        )
        for model, one in lines
    ]
    note = (
        "Nothing was sent. Later rounds, which depend on the replies, and repairs are not among "
        "the requests."
    )
    return table(head, rows) + "\n\n" + note


def _dollars(usd: float | None) -> str:
    return "unknown" if usd is None else f"{usd:.4f}"
