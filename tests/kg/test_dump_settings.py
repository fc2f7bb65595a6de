"""The config's settings of the graph: checked, and what a build keeps by them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conftest import claim, item, item_snak, property_entity, write_dump
from factchain.config import read_config
from factchain.config_kg import KgConfig
from factchain.errors import ConfigError, InputError
from factchain.kg.dumps.dump import DumpSettings
from factchain.kg.dumps.from_config import dump_settings
from factchain.kg.store import Store
from factchain.pipeline import build
from factchain.stages import make_store

CONFIG = """
snapshots: [{dump: dump.json, date: 2024-06-05}]
chains: {axes: [none]}
"""


def labelled(entity: dict[str, Any], **labels: str) -> dict[str, Any]:
    return entity | {
        "labels": {code: {"language": code, "value": text} for code, text in labels.items()}
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A dump with labels in German and English."""
    ended = {"time": "+1990-10-03T00:00:00Z", "precision": 11, "calendarmodel": "Q1985727"}
    end = {
        "snaktype": "value",
        "property": "P582",
        "datatype": "time",
        "datavalue": {"type": "time", "value": ended},
    }
    city = claim(item_snak("P31", "Q515"))
    entities = [
        labelled(property_entity("P17", "country"), en="country", de="Staat"),
        labelled(
            item(
                "Q64",
                claims=[
                    city,
                    claim(item_snak("P17", "Q183")),
                    claim(item_snak("P17", "Q16957"), P582=[end]),
                    claim(item_snak("P36", "Q64")),
                ],
            ),
            en="Berlin",
            de="Berlin",
        ),
        labelled(item("Q1726", claims=[city, claim(item_snak("P17", "Q183"))]), en="Munich"),
        labelled(item("Q183"), en="Germany", de="Deutschland"),
    ]
    write_dump(tmp_path / "dump.json", entities)
    return tmp_path


def built(folder: Path, kg: str) -> tuple[dict[int, str | None], set[tuple[int, int, int]]]:
    """Labels and facts of the store that a build makes."""
    path = folder / "config.yaml"
    path.write_text(CONFIG + kg)
    out = folder / "out"
    out.mkdir(exist_ok=True)
    make_store(read_config(path), out, 1, "local")
    with Store.open(out / "kg.duckdb") as store:
        labels = dict(store.rows("SELECT id, label FROM entity"))
        return labels, set(store.rows("SELECT s, p, o FROM fact"))


def test_a_build_keeps_what_its_config_says(folder: Path) -> None:
    labels, facts = built(folder, "")
    assert labels == {64: "Berlin", 1726: "Munich", 183: "Germany"}
    assert facts == {(64, 31, 515), (64, 17, 183), (64, 36, 64), (1726, 31, 515), (1726, 17, 183)}

    german = "questions: {language: de, verbalizer: llm, model: m}\nkg: {languages: [de, en], "
    labels, facts = built(folder, german + "drop_properties: [P36], keep_ended: true}")
    assert labels == {64: "Berlin", 1726: "Munich", 183: "Deutschland"}
    assert (64, 17, 16957) in facts
    assert 36 not in {p for _, p, _ in facts}

    (folder / "listed.txt").write_text("Q64\nQ183\n")
    labels, facts = built(folder, "kg: {entities: listed.txt, classes: [Q515], properties: [P17]}")
    assert labels == {64: "Berlin"}
    assert facts == {(64, 17, 183)}


def test_a_changed_list_of_entities_renews_the_store(folder: Path) -> None:
    (folder / "listed.txt").write_text("Q1726\n")
    path = folder / "config.yaml"
    path.write_text(CONFIG + "kg: {entities: absent.txt}")
    with pytest.raises(InputError, match=r"absent\.txt: no such file, though the config names it"):
        build(path, folder / "out")
    path.write_text(CONFIG + "kg: {entities: listed.txt}")
    for entity in (1726, 64):
        (folder / "listed.txt").write_text(f"Q{entity}\n")
        with pytest.raises(InputError, match="became a question"):  # there is no chain to draw
            build(path, folder / "out")
        with Store.open(folder / "out/kg.duckdb") as store:
            assert store.rows("SELECT id FROM entity") == [(entity,)]


@pytest.mark.parametrize(
    ("kg", "message"),
    [
        ("kg: {languages: [english]}", "kg.languages.0: 'english' is no language code such as en"),
        ("kg: {languages: []}", "kg.languages: at least one language is needed"),
        ("kg: {classes: [P5]}", "kg.classes.0: 'P5' is no Q-id such as Q5"),
        ("kg: {sitelinks: [en]}", "kg.sitelinks.0: 'en' is no wiki such as enwiki"),
        ("kg: {languages: [de]}", "questions.language is en, but the labels of the store will be"),
    ],
)
def test_mistakes_in_the_section(tmp_path: Path, kg: str, message: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(CONFIG + kg)
    with pytest.raises(ConfigError) as caught:
        read_config(path)
    assert message in str(caught.value)


def test_defaults_are_those_of_the_reader() -> None:
    assert dump_settings(KgConfig()) == DumpSettings()
    kept = dump_settings(KgConfig(datatypes=("string",), external_ids=True)).facts.datatypes
    assert kept == {"string", "external-id"}
    with pytest.raises(ConfigError, match="datatypes: strings: not among"):
        dump_settings(KgConfig(datatypes=("strings",)))
