"""Upload a published folder to the Hugging Face hub."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from factchain.errors import ConfigError, InputError, MissingExtraError, OutputError
from factchain.publish.croissant import CROISSANT

TOKEN = "HF_TOKEN"
"""The environment variable that holds the token; no other place is read."""
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")


def check_push(repository: str) -> None:
    """Refuse, before any work, what cannot be uploaded.

    Raises ConfigError for a name that is no OWNER/NAME or where no token is set.
    """
    try:
        import huggingface_hub  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("publishing to the hub", "publish") from error
    if not _REPOSITORY.fullmatch(repository):
        raise ConfigError(f"{repository!r} is no repository: write OWNER/NAME")
    if not os.environ.get(TOKEN):
        raise ConfigError(f"no token: set the environment variable {TOKEN}")


def push(folder: Path, repository: str, *, private: bool = False, update: bool = False) -> str:
    """Upload `folder` as the dataset OWNER/NAME; its address.

    Raises InputError for a folder that was not published, OutputError, with the remedy, where the
    hub refuses or cannot be reached, and where the repository exists and `update` is not set.
    """
    check_push(repository)
    if not (folder / CROISSANT).is_file():
        raise InputError(f"{folder}: was not published: it has no {CROISSANT}")
    from huggingface_hub import HfApi

    hub = HfApi(token=os.environ[TOKEN])
    with _messages(repository):
        hub.create_repo(repository, repo_type="dataset", private=private, exist_ok=update)
        hub.upload_folder(
            folder_path=folder,
            repo_id=repository,
            repo_type="dataset",
            commit_message="Published with factchain",
            # Files of an earlier version that this one has not.
            delete_patterns=["data/*", "tasks/*"] if update else None,
        )
    return f"{hub.endpoint}/datasets/{repository}"


@contextmanager
def _messages(repository: str) -> Iterator[None]:
    """Turn what the hub answers into messages that hold no token."""
    from huggingface_hub.errors import HfHubHTTPError

    # OSError and the HTTP client's error; which client it is depends on the version.
    unreachable: tuple[type[BaseException], ...] = HfHubHTTPError.__bases__
    try:
        yield
    except HfHubHTTPError as error:
        raise OutputError(f"{repository}: {_why(error.response.status_code)}") from None
    except unreachable as error:
        raise OutputError(
            f"{repository}: the hub cannot be reached ({type(error).__name__}): what was written "
            "stays; run the same command again when there is a network"
        ) from None
    except RuntimeError:
        # So it reports a large file that it could not send, with the file's address in the cause.
        raise OutputError(
            f"{repository}: a large file could not be sent: run the same command again, with "
            "--update"
        ) from None


def _why(status: int) -> str:
    known = {
        401: f"the hub does not know the token: set a valid one in {TOKEN}",
        403: f"the token in {TOKEN} may not write there: it needs write access to this owner",
        404: "the hub has no such owner or repository, or the token may not see it",
        409: "exists already: choose another name, or renew it with --update",
        429: "the hub asks to wait: run the same command again later",
    }
    return known.get(status, f"the hub answered with status {status}: try again later")
