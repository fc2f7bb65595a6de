"""A slice of Wikidata, from a service on this machine that speaks its protocol, faults included."""

from __future__ import annotations

import gzip
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from qwikidata.linked_data_interface import get_entity_dict_from_api
from qwikidata.sparql import return_sparql_query_results

from conftest import claim, item, item_snak, property_entity, write_dump
from factchain.cli import main
from factchain.errors import ConfigError, InputError, OutputError
from factchain.kg.dumps.ingest import ingest
from factchain.kg.store import Store
from factchain.kg.wikidata.fetch import FetchSummary, Wanted, class_query, fetch, parse_ids
from factchain.kg.wikidata.response_cache import ResponseCache
from factchain.kg.wikidata.wikidata_api import FULL, ApiSettings, WikidataApi, user_agent

DAY = "2024-06-05"
CONTACT = "tests@example.org"


class Service(ThreadingHTTPServer):
    """The API, the linked data interface and the query service of a small Wikidata."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.entities: dict[str, dict[str, Any]] = {}
        self.redirects: dict[str, str] = {}
        self.query_answer: Any = None
        self.posted = 0
        self.faults: list[str] = []
        """What the next requests meet, in this order."""
        self.asked: list[dict[str, str]] = []
        self.agents: set[str] = set()
        self.times: list[float] = []
        self.at_once = self.most_at_once = 0
        self.lock = threading.Lock()
        self.released = threading.Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def add(self, *entities: dict[str, Any]) -> None:
        self.entities |= {entity["id"]: entity for entity in entities}

    def ids_asked(self) -> list[list[str]]:
        return [params["ids"].split("|") for params in self.asked if "ids" in params]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is part of the test."""


class Handler(BaseHTTPRequestHandler):
    server: Service

    def log_message(self, format: str, *args: Any) -> None:
        """Be silent."""

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        self.do(url.path, url.query)

    def do_POST(self) -> None:
        self.server.posted += 1
        length = int(self.headers["Content-Length"])
        self.do(self.path, self.rfile.read(length).decode())

    def do(self, path: str, query: str) -> None:
        service = self.server
        params = {name: values[0] for name, values in parse_qs(query).items()}
        with service.lock:
            service.asked.append(params)
            service.agents.add(self.headers["User-Agent"])
            service.times.append(time.monotonic())
            service.at_once += 1
            service.most_at_once = max(service.most_at_once, service.at_once)
            fault = service.faults.pop(0) if service.faults else None
        try:
            if fault is not None:
                getattr(self, f"fault_{fault}")(path, params)
            else:
                self.send(200, self.answer(path, params))
        finally:
            with service.lock:
                service.at_once -= 1

    def answer(self, path: str, params: dict[str, str]) -> Any:
        if path == "/sparql":
            return self.server.query_answer
        if path.startswith("/wiki/Special:EntityData/"):
            one = path.rpartition("/")[2].removesuffix(".json")
            return {"entities": {one: self.server.entities[one]}}
        assert (path, params["action"]) == ("/w/api.php", "wbgetentities")
        return {"entities": {one: self.entity(one, params) for one in params["ids"].split("|")}}

    def entity(self, one: str, params: dict[str, str]) -> dict[str, Any]:
        target = self.server.redirects.get(one, one)
        if target not in self.server.entities:
            return {"id": one, "missing": ""}
        found = dict(self.server.entities[target])
        if "claims" not in params["props"]:
            found.pop("claims", None)
        if target != one:
            found["redirects"] = {"from": one, "to": target}
        return found

    def send(self, status: int, content: Any, **headers: str) -> None:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def fault_nothing(self, path: str, params: dict[str, str]) -> None:
        self.send(200, self.answer(path, params))

    def fault_busy(self, path: str, params: dict[str, str]) -> None:
        self.send(429, b"slow down", Retry_After="1")

    def fault_busy_for_long(self, path: str, params: dict[str, str]) -> None:
        self.send(503, b"come back tomorrow", Retry_After="86400")

    def fault_broken(self, path: str, params: dict[str, str]) -> None:
        self.send(500, b"<html>broken</html>")

    def fault_lagging(self, path: str, params: dict[str, str]) -> None:
        self.send(200, {"error": {"code": "maxlag", "info": "Waiting for 10.0.0.1: 7 seconds"}})

    def fault_stalled(self, path: str, params: dict[str, str]) -> None:
        self.server.released.wait(60)

    def fault_dropped(self, path: str, params: dict[str, str]) -> None:
        self.connection.shutdown(socket.SHUT_RDWR)

    def fault_cut(self, path: str, params: dict[str, str]) -> None:
        whole = json.dumps(self.answer(path, params)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(whole)))
        self.end_headers()
        self.wfile.write(whole[: len(whole) // 2])

    def fault_half_json(self, path: str, params: dict[str, str]) -> None:
        whole = json.dumps(self.answer(path, params)).encode()
        self.send(200, whole[: len(whole) // 2])

    def fault_html(self, path: str, params: dict[str, str]) -> None:
        self.send(200, b"<html>a page of a proxy</html>", Content_Type="text/html")

    def fault_list(self, path: str, params: dict[str, str]) -> None:
        self.send(200, [])

    def fault_refused(self, path: str, params: dict[str, str]) -> None:
        self.send(400, b"MalformedQueryException: line 1")

    def fault_unknown(self, path: str, params: dict[str, str]) -> None:
        self.send(200, {"error": {"code": "unknown_action", "info": "Unrecognized value"}})

    def fault_other(self, path: str, params: dict[str, str]) -> None:
        self.send(200, {"batchcomplete": ""})


@pytest.fixture
def service() -> Iterator[Service]:
    with Service() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.released.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[ResponseCache]:
    with ResponseCache(tmp_path / "cache.sqlite", 3600) as made:
        yield made


def settings(service: Service, **changes: Any) -> ApiSettings:
    given = {
        "contact": CONTACT,
        "api_url": f"{service.address}/w/api.php",
        "sparql_url": f"{service.address}/sparql",
        "timeout": 30.0,
        "attempts": 3,
        "first_wait": 0.01,
        "longest_wait": 0.02,
    }
    return ApiSettings(**(given | changes))


def linked(qid: str, label: str, *links: tuple[str, str]) -> dict[str, Any]:
    """An item with statements, which have ids as the service's do."""
    claims = [
        claim(item_snak(p, o)) | {"id": f"{qid}${n}"} for n, (p, o) in enumerate(links, start=1)
    ]
    return item(qid, label, claims)


@pytest.fixture
def world(service: Service) -> Service:
    """A chain of items: Q1 -> Q2 -> Q3 -> Q4."""
    service.add(
        property_entity("P1", "leads to"),
        property_entity("P31", "instance of"),
        linked("Q1", "one", ("P1", "Q2"), ("P31", "Q5")),
        linked("Q2", "two", ("P1", "Q3")),
        linked("Q3", "three", ("P1", "Q4")),
        linked("Q4", "four"),
        linked("Q5", "class"),
    )
    return service


def fetched(
    folder: Path, service: Service, cache: ResponseCache, wanted: Wanted, **changes: Any
) -> tuple[FetchSummary, dict[str, list[tuple[Any, ...]]]]:
    path = folder / f"{len(list(folder.glob('*.duckdb')))}.duckdb"
    with Store.create(path) as store:
        summary = fetch(store, WikidataApi(settings(service, **changes), cache), wanted, "a", DAY)
        return summary, store.dump()


def facts(content: dict[str, list[tuple[Any, ...]]]) -> set[tuple[int, int, int]]:
    return {(row[1], row[2], row[3]) for row in content["fact"]}


def labels(content: dict[str, list[tuple[Any, ...]]]) -> dict[int, str]:
    return {row[0]: row[1] for row in content["entity"] + content["property"]}


def test_hops(tmp_path: Path, world: Service, cache: ResponseCache) -> None:
    summary, content = fetched(tmp_path, world, cache, Wanted(entities=("Q1",)))
    assert facts(content) == {(1, 1, 2), (1, 31, 5)}
    assert labels(content) == {1: "leads to", 31: "instance of", 2: "two", 5: "class"} | {
        1: "leads to"
    }
    assert {row[0] for row in content["entity"]} == {1, 2, 5}
    assert (summary.items, summary.named, summary.requests) == (1, 4, 2)
    summary, content = fetched(tmp_path, world, cache, Wanted(entities=("Q1",), hops=2))
    assert facts(content) == {(1, 1, 2), (1, 31, 5), (2, 1, 3), (3, 1, 4)}
    assert (summary.items, summary.named) == (4, 3)
    summary, content = fetched(tmp_path, world, cache, Wanted(entities=("Q1",), hops=9, limit=2))
    assert facts(content) == {(1, 1, 2), (1, 31, 5), (2, 1, 3)}
    assert (summary.items, summary.beyond_limit) == (2, 2)


def test_the_service_is_asked_politely(
    tmp_path: Path, world: Service, cache: ResponseCache
) -> None:
    world.add(*(linked(f"Q{n}", f"item {n}") for n in range(100, 400)))
    wanted = Wanted(entities=tuple(f"Q{n}" for n in range(100, 400)))
    summary, content = fetched(tmp_path, world, cache, wanted, in_flight=2)
    assert world.agents == {user_agent(CONTACT)}
    assert CONTACT in user_agent(CONTACT)
    assert {params["maxlag"] for params in world.asked} == {"5"}
    assert world.most_at_once <= 2
    assert sorted(map(len, world.ids_asked())) == [50] * 6
    assert (summary.items, summary.requests) == (300, 6)
    assert len(content["entity"]) == 300


def patience(fault: str) -> dict[str, float]:
    """Only what stalls is given up soon."""
    return {"timeout": 1.0} if fault == "stalled" else {}


PASSING = ["broken", "lagging", "stalled", "dropped", "cut", "half_json", "html", "list"]


@pytest.mark.parametrize("fault", PASSING)
def test_a_fault_that_passes_changes_nothing(
    tmp_path: Path, world: Service, cache: ResponseCache, fault: str
) -> None:
    wanted = Wanted(entities=("Q1", "Q2"))
    world.faults = [fault, fault]
    summary, content = fetched(tmp_path, world, cache, wanted, **patience(fault))
    assert summary.requests == 4
    with ResponseCache(tmp_path / "other.sqlite", 3600) as other:
        assert fetched(tmp_path, world, other, wanted)[1] == content


LASTING = {
    "broken": "gave no answer: status 500",
    "lagging": r"the service is busy \(maxlag\)",
    "stalled": r"no byte within 1 s",
    "dropped": "the connection failed",
    "cut": "the connection failed",
    "half_json": "the answer is no JSON, or cut off",
    "html": r"the answer is no JSON, or cut off \(content type text/html\)",
    "busy_for_long": "status 503",
    "refused": "refused the request with status 400: MalformedQueryException: line 1",
    "unknown": "refused the request: unknown_action: Unrecognized value",
    "other": "answered without entities",
}


@pytest.mark.parametrize("fault", LASTING)
def test_a_fault_that_lasts_is_one_error_and_no_store(
    tmp_path: Path, world: Service, cache: ResponseCache, fault: str
) -> None:
    world.faults = [fault] * 3
    with pytest.raises(InputError, match=LASTING[fault]):
        fetched(tmp_path, world, cache, Wanted(entities=("Q1",)), **patience(fault))
    once = {"busy_for_long", "refused", "unknown", "other"}
    assert len(world.asked) == (1 if fault in once else 3)
    with Store.open(tmp_path / "0.duckdb") as store:
        assert store.snapshots() == []


def test_the_service_is_given_the_time_it_asks_for(
    tmp_path: Path, world: Service, cache: ResponseCache
) -> None:
    world.faults = ["busy"]
    fetched(tmp_path, world, cache, Wanted(entities=("Q1",)))
    assert world.times[1] - world.times[0] >= 1.0


def test_missing_and_redirected_items(tmp_path: Path, world: Service, cache: ResponseCache) -> None:
    world.redirects = {"Q99": "Q1"}
    wanted = Wanted(entities=("Q99", "Q1", "Q404"))
    summary, content = fetched(tmp_path, world, cache, wanted)
    assert (summary.items, summary.missing, summary.redirects) == (1, 1, 1)
    assert content["redirect"] == [(99, 1, 1)]
    assert facts(content) == {(1, 1, 2), (1, 31, 5)}
    with pytest.raises(InputError, match="the service has no such item as Q404"):
        fetched(tmp_path, world, cache, Wanted(entities=("Q404",)))


def test_a_fetch_that_was_stopped_goes_on(
    tmp_path: Path, world: Service, cache: ResponseCache
) -> None:
    world.add(*(linked(f"Q{n}", f"item {n}") for n in range(100, 200)))
    wanted = Wanted(entities=tuple(f"Q{n}" for n in range(100, 200)))
    api = WikidataApi(settings(world, in_flight=1), cache)
    answers = api.entities(wanted.entities, FULL)
    next(answers)
    answers.close()
    _, content = fetched(tmp_path, world, cache, wanted, in_flight=1)
    assert sum(len(ids) for ids in world.ids_asked()) == 100
    assert len(content["entity"]) == 100


def test_a_fetch_that_was_killed_goes_on(tmp_path: Path, world: Service) -> None:
    world.add(*(linked(f"Q{n}", f"item {n}") for n in range(100, 200)))
    ids = [f"Q{n}" for n in range(100, 200)]
    (tmp_path / "ids.txt").write_text("\n".join(ids))
    arguments = [
        *("kg", "fetch", "--entities", str(tmp_path / "ids.txt"), "--kg", str(tmp_path / "kg")),
        *("--contact", CONTACT, "--api-url", f"{world.address}/w/api.php", "--in-flight", "1"),
    ]
    world.faults = ["nothing", "stalled"]
    process = subprocess.Popen(
        [sys.executable, "-m", "factchain", *arguments], stderr=subprocess.DEVNULL
    )
    while len(world.asked) < 2:
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    world.released.set()
    assert not (tmp_path / "kg").exists()
    result = call(*arguments, "--json", "--quiet")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["items"] == 100
    assert world.ids_asked() == [ids[:50], ids[50:], ids[50:]]


def test_answers_grow_old(tmp_path: Path, world: Service) -> None:
    for max_age, requests in ((3600, 2), (3600, 0), (0, 2)):
        with ResponseCache(tmp_path / "cache.sqlite", max_age) as cache:
            summary, _ = fetched(tmp_path, world, cache, Wanted(entities=("Q1",)))
        assert summary.requests == requests


def results(*values: Any) -> dict[str, Any]:
    """SPARQL results of two variables."""
    rows = [{"x": value, "y": {"type": "literal", "value": "no"}} for value in values]
    return {"head": {"vars": ["x", "y"]}, "results": {"bindings": rows}}


def uri(name: str) -> dict[str, str]:
    return {"type": "uri", "value": f"http://www.wikidata.org/entity/{name}"}


def test_a_query_gives_the_items(tmp_path: Path, world: Service, cache: ResponseCache) -> None:
    others = [{"type": "literal", "value": "Q4"}, uri("P1"), uri("Q2")]
    world.query_answer = results(uri("Q2"), uri("Q3"), *others)
    query = "SELECT ?x ?y WHERE { ?x ?y ?z }"
    _, content = fetched(tmp_path, world, cache, Wanted(sparql=query))
    assert facts(content) == {(2, 1, 3), (3, 1, 4)}
    assert world.asked[0] == {"query": query, "format": "json"}
    fetched(tmp_path, world, cache, Wanted(classes=("Q5", "Q6"), limit=7))
    assert "{ wd:Q5 wd:Q6 } ?item wdt:P31/wdt:P279* ?class . } LIMIT 7" in world.asked[-1]["query"]


def test_a_query_too_long_for_an_address_is_posted(
    tmp_path: Path, world: Service, cache: ResponseCache
) -> None:
    world.query_answer = results(uri("Q3"))
    query = f"SELECT ?x WHERE {{ VALUES ?x {{ {'wd:Q3 ' * 2_000} }} }} # é&=+"
    world.faults = ["broken"]
    _, content = fetched(tmp_path, world, cache, Wanted(sparql=query))
    assert facts(content) == {(3, 1, 4)}
    assert world.asked[1] == {"query": query, "format": "json"}
    assert world.posted == 2


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (results(), "the query gives no item"),
        ({"head": {}, "boolean": True}, "answered with no SPARQL results"),
        ({"head": {"vars": ["x"]}, "results": {"bindings": [{"x": 1}]}}, "no SPARQL results"),
        ({"head": {"vars": []}, "results": {"bindings": []}}, "no SPARQL results"),
    ],
)
def test_a_query_that_gives_no_items(
    tmp_path: Path, world: Service, cache: ResponseCache, answer: Any, message: str
) -> None:
    world.query_answer = answer
    with pytest.raises(InputError, match=message):
        fetched(tmp_path, world, cache, Wanted(sparql="ASK {}"))


def test_qwikidata_reads_the_same_from_the_same_service(
    tmp_path: Path, world: Service, cache: ResponseCache
) -> None:
    api = WikidataApi(settings(world), cache)
    ((_, ours),) = api.entities(["Q1"])
    assert ours == get_entity_dict_from_api("Q1", f"{world.address}/wiki/Special:EntityData")
    world.query_answer = results(uri("Q2"), uri("Q3"))
    query = class_query(["Q5"], 10)
    theirs = return_sparql_query_results(query, f"{world.address}/sparql")
    assert api.query(query)[0] == [
        row["x"]["value"].rpartition("/")[2] for row in theirs["results"]["bindings"]
    ]


def test_real_entities_are_read_as_from_a_dump(
    reference: Callable[[str], Path], tmp_path: Path, service: Service, cache: ResponseCache
) -> None:
    with gzip.open(reference("wikidata_real_sample.json.gz"), "rt", encoding="utf-8") as lines:
        entities = [json.loads(line.rstrip(",\n")) for line in lines if line.startswith("{")]
    items = [entity for entity in entities if entity["type"] == "item"]
    service.add(*items)
    wanted = Wanted(entities=tuple(entity["id"] for entity in items))
    summary, content = fetched(tmp_path, service, cache, wanted)
    assert summary.items == len(items) == 707
    with Store.create(tmp_path / "dump.duckdb") as store:
        ingest(store, write_dump(tmp_path / "dump.json", items), "a", DAY)
        expected = store.dump()
    for table in ("entity", "fact", "fact_snapshot"):
        assert content[table] == expected[table]
    assert len(content["fact"]) > 5_000


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_the_command(tmp_path: Path, world: Service) -> None:
    kg, dump = tmp_path / "kg.duckdb", tmp_path / "slice.json.gz"
    (tmp_path / "q.rq").write_text("SELECT ?x {}")
    world.query_answer = results(uri("Q3"))
    arguments = [
        *("kg", "fetch", "--entities", "Q1,Q2", "--sparql", tmp_path / "q.rq", "--kg", kg),
        *("--contact", CONTACT, "--api-url", f"{world.address}/w/api.php", "--date", DAY),
        *("--sparql-url", f"{world.address}/sparql", "--quiet", "--json", "--dump", dump),
    ]
    result = call(*arguments)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["facts"] == 4
    with Store.open(kg) as store:
        before = store.dump()
        assert [(one.name, str(one.date)) for one in store.snapshots()] == [(DAY, DAY)]
    result = call(*arguments)
    assert result.exit_code == 1
    assert "already" in result.stderr
    with Store.open(kg) as store:
        assert store.dump() == before
    with Store.create(tmp_path / "again.duckdb") as store:
        ingest(store, dump, DAY, DAY)
        assert store.dump()["fact"] == before["fact"]


def test_without_a_network(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{closed.getsockname()[1]}/w/api.php"
    result = call(
        *("kg", "fetch", "--entities", "Q1", "--kg", tmp_path / "kg", "--attempts", 1),
        *("--contact", CONTACT, "--api-url", address),
    )
    assert result.exit_code == 1
    assert "gave no answer: the connection failed" in result.stderr
    assert "is there a network? What was fetched is kept" in result.stderr.replace("\n", " ")
    assert not (tmp_path / "kg").exists()


MISTAKES: dict[str, tuple[list[str], str]] = {
    "no contact": (["--entities", "Q1"], "give an e-mail or web address as --contact"),
    "no item": (["--entities", "P1", "--contact", "x"], "'P1' is no item"),
    "no id": (["--entities", "Q1;DROP", "--contact", "x"], "'Q1;DROP' is no item"),
    "a class that is none": (["--classes", "Q5 } ?x", "--contact", "x"], "'}' is no item"),
    "no query": (["--sparql", "absent.rq", "--contact", "x"], "absent.rq: cannot be read"),
    "no address": (
        ["--entities", "Q1", "--contact", "x", "--api-url", "nowhere"],
        "nowhere: cannot be asked",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_message(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FACTCHAIN_CONTACT", raising=False)
    arguments, message = MISTAKES[name]
    result = call("kg", "fetch", *arguments, "--kg", tmp_path / "kg")
    assert result.exit_code == 1
    assert message in result.stderr
    assert not (tmp_path / "kg").exists()


def test_nothing_to_fetch_is_wrong_usage(tmp_path: Path) -> None:
    result = call("kg", "fetch", "--kg", tmp_path / "kg")
    assert result.exit_code == 2
    assert "Give --entities, --classes or --sparql" in result.stderr


@given(st.text(max_size=20))
def test_only_ids_of_items_are_ids(text: str) -> None:
    try:
        ids = parse_ids(text)
    except InputError:
        return
    assert ids
    assert all(one.isascii() and one[0] == "Q" and one[1:].isdigit() for one in ids)


def test_a_cache_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database, but long enough to be looked at" * 99)
    with pytest.raises(OutputError, match="cannot be used as a cache"):
        ResponseCache(tmp_path / "text", 1)


def test_who_asks_has_to_be_said() -> None:
    with pytest.raises(ConfigError, match="FACTCHAIN_CONTACT"):
        ApiSettings(contact=" ")
