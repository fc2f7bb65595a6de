"""A MediaWiki XML dump -> its articles, one after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from xml.etree.ElementTree import ParseError

import mwxml
from mwxml.element_iterator import ElementIterator
from mwxml.errors import MalformedXML

from factchain.errors import InputError
from factchain.kg.text.pages import Page, TitleRedirect
from factchain.kg.text.wikitext import ENGLISH, Prefixes

ARTICLES = 0
"""The namespace of a wiki's articles."""
_HIDDEN = (6, 14)
"""The namespaces of images and categories."""
_WIKITEXT = frozenset({None, "wikitext"})


def read_articles(
    path: Path, stream: BinaryIO, skipped: Counter[str]
) -> Iterator[Page | TitleRedirect]:
    """Yield the articles of a dump, and its redirects, in its order.

    Of a page with several revisions the last is taken. Adds to `skipped` how many pages were left
    out, by reason. Raises InputError where the XML is malformed, cut off or of another kind.
    """
    place = "its beginning"
    try:
        root = ElementIterator.from_file(stream)
        if root.tag != "mediawiki":
            raise InputError(
                f"{path}: its root is <{root.tag}>, not <mediawiki>: expected a dump such as "
                "`enwiki-latest-pages-articles.xml.bz2`"
            )
        dump = mwxml.Dump.from_element(root)
        prefixes = _prefixes(dump.site_info)
        for page in dump.pages:
            place = f"the page {page.id} ({page.title})"
            if page.namespace != ARTICLES:
                skipped["another namespace"] += 1
            elif page.redirect is not None:
                skipped["redirect"] += 1
                yield TitleRedirect(title=page.title, target=page.redirect)
            else:
                text = _last_text(page)
                if text:
                    yield Page(page.id, page.title, text, "wikitext", prefixes)
                else:
                    skipped["no text"] += 1
            # The parser would keep an empty element of every page.
            root.element.clear()
    except (ParseError, MalformedXML, ValueError, TypeError, AttributeError) as error:
        raise InputError(
            f"{path}: the XML is malformed or cut off after {place} ({error}): download it again "
            "and compare its checksum"
        ) from error


def _prefixes(site: mwxml.SiteInfo) -> Prefixes:
    """The names of the wiki's namespaces, beside the English ones."""
    names = {space.name.lower(): space.id for space in site.namespaces or () if space.name}
    hidden = {name for name, number in names.items() if number in _HIDDEN}
    return Prefixes(ENGLISH.elsewhere | names.keys(), ENGLISH.hidden | hidden)


def _last_text(page: mwxml.Page) -> str | None:
    """The text of the last revision; None where it is no wikitext, or hidden."""
    text = None
    for revision in page:
        text = revision.text if revision.model in _WIKITEXT else None
    return text
