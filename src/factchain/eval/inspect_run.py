"""Running tasks with Inspect: quietly, resumably, into the workspace's log folder."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from inspect_ai import Task, eval_set
from inspect_ai.hooks import Hooks, SampleEnd, hooks
from inspect_ai.model import Model, get_model

from factchain.errors import ConfigError, FactchainError
from factchain.garbage import rare_collections
from factchain.progress import counting

_TRACES = 13
"""The level of Inspect's traces, between DEBUG and INFO."""
_STYLE = re.compile(r"\[/?\w+\]")  # as in "[bold]ERROR[/bold]"


def find_model(name: str | Model) -> Model:
    """Inspect's model of that name. Raises ConfigError where there is none, or its key lacks."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # Inspect tells which hooks there are
            return get_model(name)
    except FactchainError:
        raise
    except Exception as error:  # every provider has its own for a missing key or package
        reason = " ".join(_STYLE.sub("", str(error)).removeprefix("ERROR: ").split())
        raise ConfigError(
            f"model {name}: {reason.rstrip('.')}: name a model with its provider, such as "
            "openai/gpt-4o-mini, install the provider's package, and put its key into the "
            "environment"
        ) from error


def run_tasks(
    tasks: Sequence[Task],
    model: Model,
    logs: Path,
    judge: Model | None = None,
) -> None:
    """Ask what no log in `logs` has answered yet; `judge` plays the role of that name.

    A question that fails stops nothing; it is asked again by the next run. A process that is
    killed outright loses at most the last ten answers of a task, which Inspect had not written.
    Raises KeyboardInterrupt where the run was stopped.
    """
    samples = sum(len(task.dataset) for task in tasks)
    with counting("asking questions", samples) as advance, _quiet_inspect(), _telling(advance):
        _, ran = eval_set(
            list(tasks),
            log_dir=str(logs),
            log_dir_allow_dirty=True,  # logs of other models and of earlier datasets
            model=model,
            model_roles={"judge": judge} if judge else None,
            fail_on_error=True,
            continue_on_fail=True,
            retry_attempts=1,
            retry_immediate=False,
            display="log",
            log_level="error",
            log_realtime=False,
            log_model_api=False,
            score_display=False,
            ctl_server=False,
        )
    if len(ran) < len(tasks):  # Inspect keeps Ctrl-C to itself, and gives no log of what it stopped
        raise KeyboardInterrupt


_told: list[Callable[[], None]] = []
"""Who is told of each question that is answered."""


@hooks("factchain_progress", "Tells the progress bar of each question that is answered.")
class _Answered(Hooks):
    """Inspect makes one of it, which lives as long as the process."""

    def enabled(self) -> bool:
        return bool(_told)

    async def on_sample_end(self, data: SampleEnd) -> None:
        for advance in _told:
            advance()


@contextlib.contextmanager
def _telling(advance: Callable[[], None]) -> Iterator[None]:
    """Call `advance` for each question that is answered in the block."""
    _told.append(advance)
    try:
        yield
    finally:
        _told.remove(advance)


@contextlib.contextmanager
def _quiet_inspect() -> Iterator[None]:
    """Keep Inspect off the terminal, the user's data folder and the root logger.

    Besides its logs it writes notes for its viewer into that folder, and would write traces.
    """
    root = logging.getLogger()
    disabled = logging.root.manager.disable
    level, handlers, home = root.level, root.handlers[:], os.environ.get("XDG_DATA_HOME")
    with (
        tempfile.TemporaryDirectory(prefix="factchain-", ignore_cleanup_errors=True) as folder,
        contextlib.redirect_stdout(io.StringIO()),
        rare_collections(),
    ):
        os.environ["XDG_DATA_HOME"] = folder
        logging.disable(max(disabled, _TRACES))
        try:
            yield
        finally:
            logging.disable(disabled)
            root.setLevel(level)
            root.handlers[:] = handlers
            if home is None:
                del os.environ["XDG_DATA_HOME"]
            else:
                os.environ["XDG_DATA_HOME"] = home
