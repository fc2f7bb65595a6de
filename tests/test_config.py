"""The config: every mistake is named, every setting is documented."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from factchain.config import BuildConfig, Settings, commented_config, read_config, write_example
from factchain.errors import ConfigError, OutputError

SNAPSHOTS = """
snapshots:
  - {dump: a.json.gz, date: 2021-06-21}
  - {dump: b.json.gz, date: 2024-06-05, name: later}
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "config.yaml"
    path.write_text(text)
    return path


def test_paths_are_relative_to_the_config(tmp_path: Path) -> None:
    config = read_config(write(tmp_path, SNAPSHOTS + "passages: text/p.jsonl\n"))
    assert [s.dump for s in config.snapshots] == [tmp_path / "a.json.gz", tmp_path / "b.json.gz"]
    assert [s.title for s in config.snapshots] == ["2021-06-21", "later"]
    assert config.passages == tmp_path / "text/p.jsonl"
    assert config.chains.hops == (1, 2, 3, 4)
    assert config.eval.model == "factchain/lexical"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SNAPSHOTS + "passage: x", "config.yaml: passage: there is no such setting"),
        (SNAPSHOTS + "chains: {hop: [1]}", "chains.hop: there is no such setting"),
        (SNAPSHOTS + "chains: {hops: [9]}", "chains.hops: numbers of hops from 1 to 8"),
        (SNAPSHOTS + "chains: {per_stratum: many}", "chains.per_stratum: Input should be"),
        (SNAPSHOTS + "chains: {exclude_properties: [Q5]}", "'Q5' is not a property id"),
        (SNAPSHOTS, "the axis popularity needs passages"),
        ("snapshots: [{dump: a, date: 2021-06-21}]\npassages: p", "recency needs two snapshots"),
        (SNAPSHOTS.replace("2021-06-21", "2024-06-05"), "two snapshots have the same date"),
        (SNAPSHOTS.replace("name: later", "name: in spring"), "snapshots.1.name: String should"),
        (SNAPSHOTS.replace("2021-06-21", "in spring"), "snapshots.0.date"),
        ("passages: p", "snapshots: Field required"),
        (SNAPSHOTS + "popularity: {unpopular_max: 60}\npassages: p", "the bounds must rise"),
        ("snapshots: [", "is no YAML"),
        ("", "holds no settings"),
        ("just text", "holds no settings"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_config(write(tmp_path, text))
    assert message in str(caught.value)
    assert str(tmp_path / "config.yaml") in str(caught.value)


def test_a_missing_config_says_what_writes_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="factchain init"):
        read_config(tmp_path / "absent.yaml")


def test_the_example_holds_every_setting_with_its_default(tmp_path: Path) -> None:
    path = write_example(tmp_path / "new")
    config = read_config(path)
    for name, field in BuildConfig.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, Settings):
            assert getattr(config, name) == field.default
            written = yaml.safe_load(commented_config())[name]
            assert set(written) == set(field.annotation.model_fields)
            for setting in field.annotation.model_fields.values():
                assert setting.description
                assert setting.description.splitlines()[0] in path.read_text()


def test_an_example_overwrites_nothing(tmp_path: Path) -> None:
    path = write_example(tmp_path)
    path.write_text("mine")
    with pytest.raises(OutputError, match="exists already"):
        write_example(tmp_path)
    assert path.read_text() == "mine"
