"""The sample's SQL dumps make a wikimapper index."""

from __future__ import annotations

import pytest
from wikimapper import WikiMapper, create_index

from factchain.data.render import sample_folder
from factchain.data.tables import SampleTables, read_tables
from factchain.data.wiki_tables import DUMP, render_wiki_tables


@pytest.fixture(scope="module")
def tables() -> SampleTables:
    return read_tables(sample_folder() / "tables")


@pytest.fixture(scope="module")
def mapper(tables: SampleTables, tmp_path_factory: pytest.TempPathFactory) -> WikiMapper:
    folder = tmp_path_factory.mktemp("wiki")
    files = render_wiki_tables(tables, folder)
    assert [file.name for file in files] == [
        f"{DUMP}-{table}.sql.gz" for table in ("page", "page_props", "redirect")
    ]
    return WikiMapper(create_index(DUMP, str(folder), str(folder / "index.db")))


def test_every_page_leads_to_its_item_and_back(tables: SampleTables, mapper: WikiMapper) -> None:
    for entity in tables.entities.values():
        title = entity.wikipedia.replace(" ", "_")
        assert mapper.title_to_id(title) == entity.id
        assert title in mapper.id_to_titles(entity.id)


def test_redirects_lead_to_the_item_of_their_target(mapper: WikiMapper) -> None:
    assert mapper.title_to_id("Bombay") == mapper.title_to_id("Mumbai") == "Q1156"
    assert mapper.title_to_id("USA") == "Q30"
    assert sorted(mapper.id_to_titles("Q145")) == ["UK", "United_Kingdom"]
    assert mapper.title_to_id("Atlantis_of_the_sands") is None
