"""The sample's Wikipedia pages as the SQL dumps that a wikimapper index is built from.

`page`, `page_props` and `redirect`, in the layout of the English Wikipedia's dumps (SPEC.md 6.1):
page ids are counted from 1 in the order of the tables, redirects after them.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterable
from pathlib import Path

from factchain.data.render import sample_folder
from factchain.data.tables import SampleTables
from factchain.files import write_atomically

DUMP = "enwiki-20240605"
_REST_OF_A_PAGE = "0,0.5,'20240605000000','20240605000000',1,1,'wikitext',NULL"


def render_wiki_tables(tables: SampleTables, out: Path) -> list[Path]:
    """Write `<DUMP>-page.sql.gz`, `-page_props.sql.gz` and `-redirect.sql.gz` into `out`."""
    items = {e.wikipedia: e.id for e in tables.entities.values()}
    with (sample_folder() / "redirects.tsv").open("r", encoding="utf-8") as lines:
        redirects = {
            row["from"]: row["to"]
            for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        }
    ids = {title: number for number, title in enumerate([*items, *redirects], start=1)}
    rows = {
        "page": (
            f"({number},0,{_quoted(title)},{int(title in redirects)},{_REST_OF_A_PAGE})"
            for title, number in ids.items()
        ),
        "page_props": (
            f"({ids[title]},'wikibase_item','{item}',NULL)" for title, item in items.items()
        ),
        "redirect": (
            f"({ids[source]},0,{_quoted(target)},'','')" for source, target in redirects.items()
        ),
    }
    return [_write(out / f"{DUMP}-{table}.sql.gz", table, rows[table]) for table in rows]


def _quoted(title: str) -> str:
    """A page title as MySQL writes it: underscores for spaces, quotes and backslashes escaped."""
    escaped = title.replace(" ", "_").replace("\\", "\\\\").replace("'", "\\'")
    return "'" + escaped.replace('"', '\\"') + "'"


def _write(path: Path, table: str, rows: Iterable[str]) -> Path:
    with (
        write_atomically(path) as file,
        gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as archive,
    ):
        archive.write(f"INSERT INTO `{table}` VALUES {','.join(rows)};\n".encode())
    return path
