"""The page Try under attack: no input of a caller or a search system blocks the others."""

import gc
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from berryeval.core.documents import Document
from berryeval.core.query import Query
from berryeval.service.middleware.turns import TRIES
from berryeval.service.stores import trying
from berryeval.service.workbench.pages.try_out import searching
from search.json_server import serving
from service.workbench.html import HTML
from waiting import wait_until

DOCUMENTS = [Document("d1", "Renew tokens hourly.", "OAuth"), Document("d2", "Bananas.", "Fruit")]
HITS = {"hits": [{"id": "d1"}]}


@pytest.fixture
def patience(monkeypatch):
    """Queries have a second instead of fifteen."""
    for module in (trying, searching):
        monkeypatch.setattr(module, "SECONDS", 1.0)


def registered(service, url, name="shop"):
    """Return a service with a registered system at an address."""
    client = service(search_hosts=(url.removeprefix("http://"),))
    body = {"place": f"{url}/?q={{query}}"}
    assert client.put(f"/v1/systems/{name}", json=body).status_code == 201
    return client


@contextmanager
def hanging():
    """Serve a search API that does not respond within the block; yield its address."""
    asked, is_over = [], threading.Event()

    def answer(request):
        asked.append(request)
        is_over.wait(60)
        return 200, HITS

    with serving(answer) as url:
        try:
            yield url, asked
        finally:
            is_over.set()


def test_a_system_that_hangs_stops_no_other_page(service, archive):
    """However many searches one caller sends, pages and judgments continue to work."""
    archive.queries.put([Query("q1", "oauth")])
    with ThreadPoolExecutor(60) as threads, hanging() as (url, asked):
        client = registered(service, url)
        tries = [threads.submit(client.get, "/try?q=a&a=shop&b=-") for _ in range(12)]
        searches = [
            threads.submit(client.get, "/v1/stores/shop/search", params={"q": "a"})
            for _ in range(40)
        ]
        wait_until(lambda: len(asked) >= TRIES.per_caller + 8)
        for path in ("/", "/runs", "/queries", "/judgments", "/v1/runs", "/v1/queries/q1"):
            assert client.get(path).status_code == 200, path
        entries = [{"query_id": "q1", "doc_id": "d1", "grade": 1}]
        assert client.post("/v1/judgments", json={"judgments": entries}).status_code == 200
        assert not any(one.done() for one in (*tries, *searches))
        for one in (*tries[TRIES.per_caller :], *searches):
            one.cancel()


@pytest.mark.usefixtures("patience")
def test_a_system_that_never_responds_ends_with_its_time(service):
    """The page says so next to the system, and shows the other side."""
    with hanging() as (url, _):
        client = registered(service, url)
        client.put("/v1/stores/docs", json={"kind": "bm25"})
        documents = [{"doc_id": "d1", "text": "oauth"}]
        client.post("/v1/stores/docs/documents", json={"documents": documents})
        page = client.get("/try?q=oauth&a=docs&b=shop", headers=HTML)
        assert page.status_code == 200
        assert "shop" in page.text
        assert "timeout" in page.text or "no answer within" in page.text


@contextmanager
def endless():
    """Serve gigabytes, as quickly as they are read; yield the address and the bytes sent."""
    sent = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            client, _ = server.accept()
            with client:
                client.recv(65536)
                client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9000000000\r\n\r\n[")
                try:
                    while True:
                        sent.append(client.send(b" " * 65536))
                except OSError:
                    return

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}", sent
        thread.join(60)


def test_gigabytes_of_a_system_are_not_read(service):
    """Reading ends at the limit."""
    with endless() as (url, sent):
        client = registered(service, url)
        page = client.get("/try?q=a&a=shop&b=-", headers=HTML)
        assert page.status_code == 200
        assert "at most 8 MB" in page.text
    assert sum(sent) < 64 << 20  # including what the kernel buffered


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[" + b"{}," * 1_000_000 + b"{}]", "at most 1,000,000 values"),
        (b"[" * 900_000, "expected JSON"),
        (b'{"hits": [{"id": "' + b"x" * 70_000 + b'"}]}', "at most 1,024 bytes"),
        (b'{"hits": ' + b'{"hits": ' * 200 + b"1" + b"}" * 201, "shop"),
    ],
    ids=["many objects", "deep", "a long id", "other nesting"],
)
def test_a_hostile_response_is_an_error_of_its_system(service, content, message):
    """It is rejected before it takes memory, and the page is shown."""
    with serving(lambda _request: (200, content)) as url:
        client = registered(service, url)
        page = client.get("/try?q=a&a=shop&b=-", headers=HTML)
        assert page.status_code == 200
        assert message in page.text
        assert len(page.text) < 200_000


def test_a_redirect_leads_nowhere(service):
    """It leads neither to a host that is not allowed, nor passes on the system's credentials."""
    asked = []
    with serving(lambda request: (asked.append(request), (200, HITS))[1]) as other:
        moved = ("Location", f"{other}/secret")
        with serving(lambda _request: (302, {}, moved)) as url:
            client = registered(service, url)
            page = client.get("/try?q=a&a=shop&b=-", headers=HTML)
            assert "302" in page.text
    assert not asked


@pytest.mark.parametrize(
    "host",
    ["mine.example.127.0.0.1.nip.io", "127.0.0.1.", "127.1", "0x7f000001", "2130706433",
     "①27.0.0.1", "localhost.", "[::1]", "[::ffff:7f00:1]"],
)  # fmt: skip
def test_other_spellings_of_a_host_are_not_allowed(service, host):
    """Only listed names are, not those that an attacker's DNS resolves to this machine."""
    client = service(search_hosts=("mine.example",))
    body = {"place": f"http://{host}/?q={{query}}"}
    answer = client.put("/v1/systems/shop", json=body)
    assert answer.status_code == 422, answer.text


def test_an_allowed_name_that_resolves_to_this_machine_is_not_asked(service, monkeypatch):
    """An attacker's DNS may return another address after the name was allowed."""
    asked = []
    with serving(lambda request: (asked.append(request), (200, HITS))[1]) as url:
        port = int(url.rpartition(":")[2])
        client = service(search_hosts=("mine.example",))
        place = f"http://mine.example:{port}/?q={{query}}"
        assert client.put("/v1/systems/shop", json={"place": place}).status_code == 201
        found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]
        monkeypatch.setattr("berryeval.search.hosts.socket.getaddrinfo", lambda *_a, **_b: found)
        page = client.get("/try?q=a&a=shop&b=-", headers=HTML)
        assert "not allowed" in page.text
    assert not asked


@pytest.fixture
def store(client, archive):
    """A service with a hybrid store."""
    archive.stores.create("docs", "hybrid", {})
    archive.stores.put_documents("docs", DOCUMENTS)
    return client


@pytest.mark.parametrize(
    "setting",
    [
        {"a.weights": "nan,1"}, {"a.weights": "inf,1"}, {"a.weights": "1e400,1"},
        {"a.weights": "1," * 5000}, {"a.weights": "-1,1"},
        {"a.depth": "1" + "0" * 400}, {"a.depth": "1000000000"}, {"a.depth": "1e9"},
        {"a.feedback": "101"}, {"a.constant": "nan"}, {"a.late": "9" * 5000},
        {"a.mode": "x" * 20_001}, {"a.fusion": "__class__"},
    ],
)  # fmt: skip
def test_a_hostile_setting_is_reported_next_to_its_side(store, setting):
    """Values that the system does not support are never used in a search."""
    answer = store.post("/try/score", data={"q": "oauth", "a": "docs", "b": "-", **setting},
                        headers=HTML)  # fmt: skip
    assert answer.status_code == 422, answer.text[:500]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("body", '{"q": ' + "[" * 300 + '"{query}"' + "]" * 300 + "}"),
        ("body", '"' + "{query}" * 3_000 + '"'),
        ("body", '"{query}' + "x" * 20_000 + '"'),
        ("body", "/etc/passwd"),
        ("ids", "hits" + "[*]" * 10_000),
    ],
    ids=["deep", "a query many times", "long", "a file", "many steps"],
)
def test_a_hostile_template_is_refused(service, name, value):
    """It can neither nest deeply, nor multiply a query, nor name a file of the server."""
    with serving(lambda _request: (200, HITS)) as url:
        client = registered(service, url)
        answer = client.post(
            "/v1/stores/shop/search", json={"query": "x" * 9_000, "settings": {name: value}}
        )
        assert answer.status_code == 422, answer.text[:500]


def test_a_query_of_a_megabyte_is_rejected(store):
    """This holds in a form, in JSON, and in an address."""
    long = "x" * 1_000_000
    form = {"q": long, "a": "docs", "b": "-"}
    for path in ("/try/queries", "/try/score"):
        assert store.post(path, data=form, headers=HTML).status_code in (413, 422), path
    body = {"query": long}
    assert store.post("/v1/stores/docs/search", json=body).status_code == 422
    for path in ("/try", "/try/scores", "/try/ranks"):
        address = f"{path}?q={'y' * 60_000}&a=docs"
        assert store.get(address, headers=HTML).status_code == 422, path


@pytest.mark.parametrize("k", ["999999999", "1" * 500, "-5", "nan", "0"])
def test_the_number_of_results_is_limited(store, k):
    """A page has only a few of them, whatever the address requests."""
    answer = store.get(f"/try?q=oauth&a=docs&b=-&k={k}&from={k}", headers=HTML)
    assert answer.status_code == 200
    assert len(answer.text) < 200_000


def noting(found):
    """Return a method that adds its object to a list."""

    def note(self):
        found.append(self)

    return note


def test_a_replaced_system_is_closed_after_its_last_query(service, monkeypatch):
    """It stays open for a running query, and is closed as soon as that ends."""
    closed = []
    with ThreadPoolExecutor(1) as threads, hanging() as (url, asked):
        client = registered(service, url)
        system = client.app.state.stores.find("shop")._opened()
        monkeypatch.setattr(type(system), "close", noting(closed))
        search = threads.submit(client.get, "/v1/stores/shop/search", params={"q": "a"})
        wait_until(lambda: asked)
        client.put("/v1/systems/shop", json={"place": f"{url}/other?q={{query}}"})
        gc.collect()
        assert system not in closed
    assert search.result().status_code == 200
    wait_until(lambda: gc.collect() or system in closed)


def test_a_system_that_another_process_changed_is_dropped(service, archive, monkeypatch):
    """Its connections are closed; the same holds for removed systems and stores."""
    closed = []
    with serving(lambda _request: (200, HITS)) as url:
        client = registered(service, url)
        registered_too = client.put("/v1/systems/other", json={"place": f"{url}/?q={{query}}"})
        assert registered_too.status_code == 201
        archive.stores.create("docs", "bm25", {})
        archive.stores.put_documents("docs", DOCUMENTS)
        stores = client.app.state.stores
        for name in ("shop", "other", "docs"):
            assert client.get(f"/v1/stores/{name}/search?q=oauth").status_code == 200
        systems = [stores.find(name)._opened() for name in ("shop", "other")]
        monkeypatch.setattr(type(systems[0]), "close", noting(closed))
        client.app.state.collections._close_outdated()
        assert not closed, "nothing has changed"
        archive.systems.put("shop", f"{url}/new?q={{query}}", {}, {}, author="ada")
        archive.systems.remove("other")
        archive.stores.remove("docs")
        client.app.state.collections._close_outdated()
        gc.collect()
        assert {*map(id, systems)} == {*map(id, closed)}
        assert not stores._indexes
