"""What every page of a report shares: the template's environment, its style, script and policy."""

from __future__ import annotations

import base64
import hashlib
import re
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from factchain.eval.report.reasons import in_words
from factchain.eval.report.score_figures import BASELINE
from factchain.eval.report.tables import glyphs, hops_in_words, percent, tone


def render_page(template: str, values: dict[str, object]) -> str:
    """A page that loads nothing and runs no script but the one written in it."""
    environment = Environment(
        loader=PackageLoader("factchain.eval.report", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "glyphs": glyphs,
        "hops": hops_in_words,
        "percent": percent,
        "item": _item,
    }
    environment.globals |= {"tone": tone, "zip": zip, "BASELINE": BASELINE, "in_words": in_words}
    style = _own("style.css")
    scripts = ("table.js", "pages.js") if values["asked"] else ("table.js",)
    script = Markup("").join(map(_own, scripts))
    return environment.get_template(template).render(
        **values,
        style=style,
        script=script,
        style_hash=_policy_hash(style),
        script_hash=_policy_hash(script),
    )


def _own(name: str) -> Markup:
    """A file of this package, which is trusted."""
    return Markup((files("factchain.eval.report") / name).read_text(encoding="utf-8"))


def _policy_hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _item(entity_id: str | None, text: str) -> Markup:
    """A text with a link to the Wikidata page of an item; without one where it has no Q-id."""
    if not re.fullmatch(r"Q[1-9][0-9]*", entity_id or ""):
        return Markup("{}").format(text)
    return Markup('<a href="https://www.wikidata.org/wiki/{}" rel="noreferrer">{}</a>').format(
        entity_id, text
    )
