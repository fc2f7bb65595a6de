"""Uploading: through huggingface_hub to a stand-in for the hub, and every refusal as a message."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from factchain.errors import ConfigError, InputError, OutputError
from factchain.publish.build import publish
from factchain.publish.push import push
from factchain.publish.settings import PublishSettings
from hub_stand_in import TOKEN, Hub, hub
from small_dataset import write_small_dataset

REPOSITORY = "someone/small"


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    pytest.importorskip("huggingface_hub", reason="the extra publish is not installed")
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    with hub() as server:
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", server.address)
        yield server


@pytest.fixture
def published(tmp_path: Path) -> Path:
    publish(write_small_dataset(tmp_path / "data"), tmp_path / "out", PublishSettings(name="small"))
    return tmp_path / "out"


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_command_uploads_every_file_and_the_token_reaches_none(
    stand_in: Hub, tmp_path: Path
) -> None:
    stand_in.takes_large = True
    write_small_dataset(tmp_path / "data")
    command = [
        *(sys.executable, "-m", "factchain", "publish", str(tmp_path / "data")),
        *("--out", str(tmp_path / "out"), "--push", REPOSITORY, "--private"),
    ]
    environment = os.environ | {
        "HF_ENDPOINT": stand_in.address,
        "HF_TOKEN": TOKEN,
        "HF_HOME": str(tmp_path / "home"),
        "HF_HUB_OFFLINE": "0",
        "HF_HUB_DISABLE_XET": "1",
    }
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=120, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert f"Uploaded to {stand_in.address}/datasets/{REPOSITORY}" in done.stdout
    uploaded = {name: body for name, body in stand_in.files.items() if name != ".gitattributes"}
    assert uploaded == files_of(tmp_path / "out")
    assert stand_in.repositories == {REPOSITORY: True}
    assert len(stand_in.large) == len(list((tmp_path / "out").rglob("*.parquet")))
    assert stand_in.card.startswith("---\nlicense: cc0-1.0\n")
    assert stand_in.tokens == {TOKEN}
    for name, body in files_of(tmp_path).items():
        assert TOKEN.encode() not in body, name
    assert TOKEN not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (401, "the hub does not know the token: set a valid one in HF_TOKEN"),
        (403, "may not write there"),
        (404, "no such owner or repository"),
        (500, "answered with status 500"),
    ],
)
def test_a_refusal_is_a_message(stand_in: Hub, published: Path, status: int, message: str) -> None:
    stand_in.status = status
    with pytest.raises(OutputError, match=message) as raised:
        push(published, REPOSITORY)
    assert TOKEN not in str(raised.value)
    assert raised.value.__cause__ is None
    assert stand_in.files == {}


def test_a_repository_that_exists_is_renewed_where_asked_for(
    stand_in: Hub, published: Path
) -> None:
    push(published, REPOSITORY)
    stand_in.files["data/old/test.parquet"] = b"of an earlier version"
    with pytest.raises(OutputError, match=r"someone/small: exists already: .* --update"):
        push(published, REPOSITORY)
    push(published, REPOSITORY, update=True)
    assert stand_in.deleted == ["data/old/test.parquet"]
    assert stand_in.files == files_of(published)


def test_without_a_network(stand_in: Hub, published: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(OutputError, match=r"the hub cannot be reached \(ConnectError\)"):
        push(published, REPOSITORY)


def test_what_cannot_be_pushed(
    stand_in: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match=r"was not published: it has no croissant\.json"):
        push(tmp_path, REPOSITORY)
    for name in ("small", "a/b/c", "../x", "a/", ""):
        with pytest.raises(ConfigError, match="is no repository: write OWNER/NAME"):
            push(tmp_path, name)
    monkeypatch.delenv("HF_TOKEN")
    with pytest.raises(ConfigError, match="set the environment variable HF_TOKEN"):
        push(tmp_path, REPOSITORY)
