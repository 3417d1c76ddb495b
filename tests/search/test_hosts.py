"""Requests to allowed hosts only: hostile addresses, names that change, slow and long answers."""

import socket
import threading
import time
from contextlib import contextmanager, suppress

import pytest

from berryeval.errors import AnswerError, ArgumentError, SystemUnderTestError
from berryeval.search.exchange import Exchange
from berryeval.search.hosts import AllowedHosts, HostError
from berryeval.search.opening import open_system
from search.json_server import serving


def port_of(url):
    return int(url.rpartition(":")[2])


def resolved_to(monkeypatch, *answers):
    """Make each resolution of a name give the next list of addresses; the last one stays."""
    left = list(answers)

    def getaddrinfo(_host, port, **_kinds):
        found = left.pop(0) if len(left) > 1 else left[0]
        family = {True: socket.AF_INET6, False: socket.AF_INET}
        return [(family[":" in one], socket.SOCK_STREAM, 6, "", (one, port)) for one in found]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0.0.0.0", "::1", "[::1]",  # noqa: S104
        "::ffff:127.0.0.1", "::ffff:7f00:1", "64:ff9b::7f00:1", "2002:7f00:1::", "169.254.169.254",
        "fe80::1%eth0", "fd00:ec2::254", "localhost", "LOCALHOST.", "other.example",
        "search.example.evil.example", "xsearch.example", "search.example@evil.example",
    ],
)  # fmt: skip
def test_hosts_that_are_not_listed_are_refused(host):
    """Loopback in every notation, metadata services, and names that only look alike."""
    with pytest.raises(HostError, match="are not allowed"):
        AllowedHosts(["search.example", "10.0.0.0/8"]).check(host, 80)


def test_a_name_may_be_limited_to_a_port():
    """Case and a trailing dot do not matter; another port does."""
    hosts = AllowedHosts(["search.example:9200", "[::1]:80", "10.1.0.0/16"])
    hosts.check("Search.Example.", 9200)
    hosts.check("::1", 80)
    hosts.check("10.1.2.3", 5000)
    for host, port in [("search.example", 22), ("::1", 81), ("10.2.0.1", 80)]:
        with pytest.raises(HostError):
            hosts.check(host, port)


@pytest.mark.parametrize("entry", ["", "http://a", "a/b", "a:0", "a:99999", "1.2.3.4:0", "a b"])
def test_an_entry_that_is_no_host_is_rejected(entry):
    """The message names the setting."""
    with pytest.raises(ArgumentError, match="search_hosts"):
        AllowedHosts([entry])


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "::1", "::ffff:127.0.0.1", "169.254.169.254", "0.0.0.0", "224.0.0.1",  # noqa: S104
     "168.63.129.16", "100.100.100.200", "fd00:ec2::254", "64:ff9b::a9fe:a9fe"],
)  # fmt: skip
def test_an_allowed_name_does_not_lead_to_a_special_address(monkeypatch, address):
    """A name whose owner points it at this machine, or at a metadata service, is refused."""
    resolved_to(monkeypatch, [address])
    with pytest.raises(HostError, match="since it is at"):
        AllowedHosts(["search.example"]).connect("search.example", 80, 1.0)


def test_a_special_address_that_is_listed_is_allowed(monkeypatch):
    """An operator may allow a search engine on the same machine."""
    with serving(lambda _request: (200, {"hits": []})) as url:
        port = port_of(url)
        AllowedHosts([f"127.0.0.1:{port}"]).connect("127.0.0.1", port, 1.0).close()
        AllowedHosts(["localhost"]).connect("localhost", port, 1.0).close()
        resolved_to(monkeypatch, ["127.0.0.1"])
        AllowedHosts(["mine.example", "127.0.0.0/8"]).connect("mine.example", port, 1.0).close()


def test_a_name_that_changes_after_the_check_is_not_resolved_again(monkeypatch):
    """The connection goes to the address that was checked: DNS rebinding has no effect."""
    asked = []

    def answer(request):
        asked.append(request)
        return 200, {"hits": []}

    with serving(answer) as url:
        port = port_of(url)
        resolved_to(monkeypatch, ["192.0.2.1"], ["127.0.0.1"])
        exchange = Exchange("mine", {}, 0.2, AllowedHosts(["search.example"]))
        with pytest.raises(SystemUnderTestError):
            exchange.ask(f"http://search.example:{port}/")
        with pytest.raises(SystemUnderTestError, match="not allowed, since it is at 127"):
            exchange.ask(f"http://search.example:{port}/")
    assert not asked


def test_addresses_that_are_not_allowed_are_left_out(monkeypatch):
    """If a name has several addresses, only allowed ones are tried."""
    with serving(lambda _request: (200, {"hits": []})) as url:
        port = port_of(url)
        resolved_to(monkeypatch, ["169.254.169.254", "127.0.0.1"])
        hosts = AllowedHosts(["mine.example", "127.0.0.1"])
        connection = hosts.connect("mine.example", port, 1.0)
        assert connection.getpeername()[0] == "127.0.0.1"
        connection.close()


def test_a_redirect_to_another_host_is_not_followed():
    """The answer is an error, and the other server receives nothing."""
    asked = []

    def secret(request):
        asked.append(request)
        return 200, {"hits": [{"id": "secret"}]}

    with serving(secret) as other:
        moved = ("Location", f"{other}/secret")
        with serving(lambda _request: (302, {}, moved)) as url:
            hosts = AllowedHosts([f"127.0.0.1:{port_of(url)}"])
            system = open_system(f"{url}/?q={{query}}", hosts=hosts)
            with pytest.raises(SystemUnderTestError, match="302"):
                system.search("x", 3)
    assert not asked


def test_a_proxy_of_the_environment_is_not_used(monkeypatch):
    """It would resolve names itself, after they were checked."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with serving(lambda _request: (200, {"hits": [{"id": "d1"}]})) as url:
        hosts = AllowedHosts(["127.0.0.1"])
        assert open_system(f"{url}/?q={{query}}", hosts=hosts).search("x", 3)


@contextmanager
def dripping(piece):
    """Serve a response that never ends, a piece at a time."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        is_over = threading.Event()

        def serve():
            client, _ = server.accept()
            with client:
                client.recv(4096)
                with suppress(OSError):
                    while not is_over.wait(0.02):
                        client.sendall(piece)

        thread = threading.Thread(target=serve)
        thread.start()
        yield server.getsockname()[1]
        is_over.set()
        thread.join()


@pytest.mark.parametrize(
    "piece", [b"H", b"HTTP/1.1 100 Continue\r\n\r\n"], ids=["status line", "informational"]
)
def test_an_answer_that_drips_ends_with_its_time(piece):
    """Each piece comes within the timeout, but the whole does not."""
    with dripping(piece) as port:
        began = time.monotonic()
        with pytest.raises(SystemUnderTestError, match=r"no answer within 0\.3 s"):
            Exchange("slow", {}, 0.3, AllowedHosts(["127.0.0.1"])).ask(f"http://127.0.0.1:{port}/")
        assert time.monotonic() - began < 5


def test_a_long_answer_is_rejected():
    """Its JSON is not even parsed."""
    with serving(lambda _request: (200, b"[" + b" " * 3_000_000 + b"]")) as url:
        hosts = AllowedHosts(["127.0.0.1"], longest_answer=1 << 20)
        with pytest.raises(AnswerError, match="at most 1 MB"):
            Exchange("long", {}, 5, hosts).ask(url)


def test_a_certificate_must_be_for_the_name():
    """The connection goes to the checked address, but TLS verifies the host that was named."""
    with serving(lambda _request: (200, {})) as url:
        exchange = Exchange("tls", {}, 2, AllowedHosts(["127.0.0.1"]))
        with pytest.raises(SystemUnderTestError, match="cannot be reached"):
            exchange.ask(url.replace("http:", "https:"))
