"""The Wikidata service: entities by id, items by a SPARQL query; polite, patient, cached.

`qwikidata.linked_data_interface` and `qwikidata.sparql` ask the same service, but one entity at a
time, with no user agent (which Wikimedia's policy asks for), no time-out and no second try: so
requests are made here with `requests` and `stamina`, fifty entities each. Its addresses are used.
"""

from __future__ import annotations

import json
import logging
import re
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import requests
import stamina
from qwikidata.sparql import WIKIDATA_SPARQL_URL

from factchain import __version__
from factchain.errors import ConfigError, InputError
from factchain.kg.wikidata.response_cache import ResponseCache
from factchain.progress import say
from factchain.retry_after import seconds_to_wait

WIKIDATA_API_URL = "https://www.wikidata.org/w/api.php"
IDS_PER_REQUEST = 50
"""As many as the service answers for those without special rights."""
MAX_LAG = 5
"""Seconds that the service's copies may lag behind before it asks us to wait."""
LONGEST_WAIT = 300.0
"""Seconds that a service may ask us to wait; one that asks for more is given up."""
LONGEST_ADDRESS = 2_000
"""Characters that are asked for in an address, which caches see; more are posted."""
SHOWN = 200

FULL = "info|labels|descriptions|aliases|claims|sitelinks|datatype"
NAMES = "info|labels|descriptions|aliases|sitelinks|datatype"
"""What is asked of an entity: all, or all but its statements."""
_ITEM = re.compile(r"https?://[^/]+/entity/(Q[1-9][0-9]{0,9})")
_BUSY = frozenset({"maxlag", "ratelimited", "readonly"})

# Waits are told by `say`; without a handler, Python would print stamina's own warnings too.
logging.getLogger("stamina").addHandler(logging.NullHandler())


@dataclass(frozen=True)
class ApiSettings:
    """How the service is asked."""

    contact: str
    """An address at which who asks can be reached: Wikimedia's policy wants it."""
    api_url: str = WIKIDATA_API_URL
    sparql_url: str = WIKIDATA_SPARQL_URL
    languages: tuple[str, ...] = ("en", "mul")
    in_flight: int = 2
    """Requests at a time."""
    timeout: float = 60.0
    """Seconds without a byte after which a request is given up."""
    attempts: int = 6
    first_wait: float = 1.0
    """Seconds before the second attempt; doubled for each further one, with jitter."""
    longest_wait: float = 60.0

    def __post_init__(self) -> None:
        if not self.contact.strip():
            raise ConfigError(
                "the service wants to know who asks: give an e-mail or web address as --contact, "
                "or in the environment as FACTCHAIN_CONTACT"
            )


class Answer(NamedTuple):
    """What the service says of an id."""

    id: str
    entity: dict[str, Any] | None
    """None where there is no such entity."""


class _BusyError(Exception):
    """A failure that may pass."""

    def __init__(self, reason: str, seconds: float | None = None) -> None:
        super().__init__(reason)
        self.seconds = seconds
        """How long the service asked us to wait."""


class WikidataApi:
    """The service, with a cache of what it answered."""

    def __init__(self, settings: ApiSettings, cache: ResponseCache) -> None:
        self._settings = settings
        self._cache = cache
        self._sessions = threading.local()
        self._not_before = 0.0
        self.requests = 0
        """How many were sent."""

    def entities(self, ids: Sequence[str], props: str = FULL) -> Iterator[Answer]:
        """Yield what the service says of each id, in batches, in their order.

        Raises InputError where it cannot be reached or refuses; what came before is cached.
        """
        known = [ids[at : at + IDS_PER_REQUEST] for at in range(0, len(ids), IDS_PER_REQUEST)]
        with ThreadPoolExecutor(self._settings.in_flight) as pool:
            waiting = [pool.submit(self._batch, batch, props) for batch in known]
            try:
                for future in waiting:
                    yield from future.result()
            finally:
                pool.shutdown(wait=True, cancel_futures=True)

    def query(self, sparql: str) -> tuple[list[str], int]:
        """The items that the first variable of a query gives, and how many other values it had.

        Raises InputError where the query is refused, or its answer is of another shape.
        """
        url = self._settings.sparql_url
        key = f"{url} {sparql}"
        result = self._cache.get(key)
        if result is None:
            result = self._ask(url, {"query": sparql, "format": "json"})
            self._cache.put({key: result})
        try:
            variable = result["head"]["vars"][0]
            values = [row[variable] for row in result["results"]["bindings"] if variable in row]
            matches = [
                _ITEM.fullmatch(value["value"]) for value in values if value["type"] == "uri"
            ]
        except (LookupError, TypeError) as error:
            raise InputError(
                f"{url}: answered with no SPARQL results: expected a SELECT query whose first "
                "variable gives items"
            ) from error
        items = list(dict.fromkeys(match[1] for match in matches if match))
        return items, len(values) - sum(match is not None for match in matches)

    def _batch(self, ids: Sequence[str], props: str) -> list[Answer]:
        """What the service says of up to `IDS_PER_REQUEST` ids, as far as not cached, asked."""
        settings = self._settings
        params = {
            "action": "wbgetentities",
            "format": "json",
            "formatversion": "1",
            "props": props,
            "languages": "|".join(settings.languages),
            "sitefilter": "enwiki",
            "maxlag": str(MAX_LAG),
        }
        prefix = json.dumps([settings.api_url, params], sort_keys=True)
        answers = {one: self._cache.get(f"{prefix} {one}") for one in ids}
        missing = [one for one, answer in answers.items() if answer is None]
        if missing:
            result = self._ask(settings.api_url, params | {"ids": "|".join(missing)})
            fresh = _by_requested_id(settings.api_url, result, missing)
            self._cache.put({f"{prefix} {one}": answer for one, answer in fresh.items()})
            answers |= fresh
        return [
            Answer(one, None if answer is None or "missing" in answer else answer)
            for one, answer in answers.items()
        ]

    def _ask(self, url: str, params: dict[str, str]) -> dict[str, Any]:
        """The JSON object that the service answers, tried again while it is busy."""
        settings = self._settings
        try:
            for attempt in stamina.retry_context(
                on=self._wait,
                attempts=settings.attempts,
                timeout=None,
                wait_initial=settings.first_wait,
                wait_max=settings.longest_wait,
                wait_jitter=settings.first_wait,
            ):
                with attempt:
                    return self._once(url, params)
        except _BusyError as error:
            raise InputError(
                f"{url}: gave no answer: {error} (last of {settings.attempts} attempts): is there "
                "a network? What was fetched is kept: run the same command again to go on"
            ) from error
        raise AssertionError("a retry ends with a result or an error")

    def _wait(self, error: Exception) -> bool | float:
        """Whether to try again, or after how many seconds; all requests wait that long."""
        if not isinstance(error, _BusyError):
            return False
        if error.seconds is None:
            say(f"  {error}: trying again")
            return True
        if error.seconds > LONGEST_WAIT:
            return False
        say(f"  {error}: trying again in {error.seconds:.0f} s")
        self._not_before = max(self._not_before, time.monotonic() + error.seconds)
        return error.seconds

    def _once(self, url: str, params: dict[str, str]) -> dict[str, Any]:
        time.sleep(max(0.0, self._not_before - time.monotonic()))
        self.requests += 1
        try:
            session, timeout = self._session(), self._settings.timeout
            if sum(map(len, params.values())) > LONGEST_ADDRESS:
                response = session.post(url, data=params, timeout=timeout)
            else:
                response = session.get(url, params=params, timeout=timeout)
        except requests.Timeout as error:
            raise _BusyError(f"no byte within {self._settings.timeout:g} s") from error
        except (requests.ConnectionError, requests.exceptions.ChunkedEncodingError) as error:
            raise _BusyError(f"the connection failed ({_innermost(error)})") from error
        except requests.RequestException as error:
            raise InputError(f"{url}: cannot be asked: {error}") from error
        return _content(url, response)

    def _session(self) -> requests.Session:
        """The connection of this thread."""
        if not hasattr(self._sessions, "session"):
            session = requests.Session()
            session.headers["User-Agent"] = user_agent(self._settings.contact)
            session.headers["Accept"] = "application/sparql-results+json, application/json"
            self._sessions.session = session
        return self._sessions.session  # type: ignore[no-any-return]


def user_agent(contact: str) -> str:
    """Who asks, as Wikimedia's policy wants it: program, contact, library."""
    return f"factchain/{__version__} ({contact}) requests/{requests.__version__}"


def _innermost(error: BaseException) -> str:
    """The first cause of an error of `requests`, which wraps those of others."""
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    return str(error) or type(error).__name__


def _content(url: str, response: requests.Response) -> dict[str, Any]:
    """The JSON object of a response. Raises _BusyError for what may pass, else InputError."""
    status = response.status_code
    asked = seconds_to_wait(response.headers.get("Retry-After", ""))
    if status == 429 or status >= 500:
        raise _BusyError(f"status {status}", asked)
    if status != 200:
        shown = " ".join(response.text[:SHOWN].split())
        raise InputError(f"{url}: refused the request with status {status}: {shown}")
    try:
        content = response.json()
    except ValueError as error:
        kind = response.headers.get("Content-Type", "unknown")
        raise _BusyError(f"the answer is no JSON, or cut off (content type {kind})") from error
    if not isinstance(content, dict):
        raise _BusyError("the answer is no JSON object")
    failure = content.get("error")
    if isinstance(failure, dict):
        code = str(failure.get("code"))
        if code in _BUSY or code.startswith("internal_api_error"):
            raise _BusyError(f"the service is busy ({code})", asked)
        raise InputError(f"{url}: refused the request: {code}: {failure.get('info')}")
    return content


def _by_requested_id(
    url: str, result: dict[str, Any], ids: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """The entities by the ids that were asked for, of which some may be redirects."""
    entities = result.get("entities")
    if not isinstance(entities, dict) or not all(isinstance(e, dict) for e in entities.values()):
        raise InputError(f"{url}: answered without entities: is it the API of a Wikibase?")
    by_id = dict(entities)
    for entity in entities.values():
        redirects = entity.get("redirects")
        if isinstance(redirects, dict):
            by_id.setdefault(redirects.get("from"), entity)
    return {one: by_id.get(one, {"id": one, "missing": ""}) for one in ids}
