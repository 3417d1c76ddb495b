"""A limit on requests per caller."""

import asyncio

import pytest

from berryeval.service.dependencies import LOCAL, Caller
from berryeval.service.middleware.rates import Rates
from berryeval.service.problems import Problem

ADA = Caller("ada", "read", has_token=True)


class Clock:
    """A clock that tests advance."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock():
    """A clock that stands still."""
    return Clock()


@pytest.fixture
def limited(clock):
    """Return a function that sends a request, and returns 200 or the problem's status."""

    def start(rate):
        async def app(scope, _receive, _send):
            scope["passed"] = True

        rates = Rates(app, rate=rate, clock=clock)

        def send(caller=ADA, path="/v1/runs", client=("192.0.2.1", 5000)):
            scope = {"type": "http", "path": path, "client": client, "state": {"caller": caller}}
            try:
                asyncio.run(rates(scope, None, None))
            except Problem as problem:
                assert "passed" not in scope
                return problem
            assert scope["passed"]
            return None

        return send

    return start


def n_accepted(send, n_sent, **request):
    return sum(send(**request) is None for _ in range(n_sent))


def test_a_caller_may_send_ten_seconds_of_requests_at_once(limited):
    """Further requests are rejected until time has passed."""
    assert n_accepted(limited(3.0), 50) == 30


def test_a_rejected_caller_learns_when_to_try_again(limited, clock):
    """After that time, exactly the next request is accepted."""
    send = limited(0.25)
    assert n_accepted(send, 2) == 2
    problem = send()
    assert (problem.status_code, problem.headers["Retry-After"]) == (429, "2")
    assert problem.detail == "too many requests: expected at most 0.25 per second; try again in 2 s"
    clock.seconds += 1.9
    assert send().headers["Retry-After"] == "1"
    clock.seconds += 0.1
    assert n_accepted(send, 5) == 1


def test_the_rate_is_kept_over_time(limited, clock):
    """A caller that never pauses gets its rate, and one that pauses at most ten seconds of it."""
    send = limited(2.0)
    n_accepted(send, 100)
    accepted = 0
    for _ in range(100):
        clock.seconds += 0.125
        accepted += n_accepted(send, 3)
    assert accepted == 25
    clock.seconds += 3600
    assert n_accepted(send, 100) == 20


def test_a_slow_rate_still_allows_one_request(limited, clock):
    """One request per minute is accepted at once, and then again a minute later."""
    send = limited(1 / 60)
    assert send() is None
    assert send().headers["Retry-After"] == "60"
    clock.seconds += 61
    assert send() is None


def test_a_token_has_one_limit_at_all_addresses(limited):
    """Sending from another address does not help, and other tokens are not affected."""
    send = limited(0.1)
    assert send() is None
    assert send(client=("192.0.2.2", 5000)).status_code == 429
    assert send(Caller("bob", "read", has_token=True)) is None


@pytest.mark.parametrize("caller", [LOCAL, Caller("anonymous", "read")])
def test_clients_without_a_token_are_counted_by_address(limited, caller):
    """Each address has its own limit, whatever the port."""
    send = limited(0.1)
    assert send(caller) is None
    assert send(caller, client=("192.0.2.1", 5001)).status_code == 429
    assert send(caller, client=("192.0.2.2", 5000)) is None
    assert send(caller, client=None) is None
    assert send(caller, client=None).status_code == 429


def test_a_token_named_like_an_address_is_not_that_address(limited):
    """Likewise, a token named local is not the caller without a token."""
    send = limited(0.1)
    assert send(LOCAL) is None
    for name in ("192.0.2.1", "local"):
        assert send(Caller(name, "read", has_token=True)) is None


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/assets/base.css"])
def test_health_checks_and_assets_are_not_counted(limited, path):
    """They are accepted even after the limit, and do not count towards it."""
    send = limited(0.1)
    assert n_accepted(send, 100, path=path) == 100
    assert send() is None
    assert send().status_code == 429
    assert send(path=path) is None


@pytest.mark.parametrize("path", ["/healthzz", "/readyz/", "/assets", "/v1/assets/base.css"])
def test_similar_paths_are_counted(limited, path):
    """Only the exact paths are excepted."""
    send = limited(0.1)
    assert n_accepted(send, 5, path=path) == 1


def test_without_a_rate_nothing_is_rejected(limited):
    """This is the default on loopback."""
    assert n_accepted(limited(None), 1000) == 1000


def test_a_thousand_callers_are_remembered(limited, monkeypatch):
    """Memory is bounded; a caller that sends all the time is never forgotten."""
    monkeypatch.setattr("berryeval.service.middleware.rates._MAX_CALLERS", 10)
    send = limited(0.1)
    assert send() is None
    for number in range(100):
        send(LOCAL, client=(f"192.0.2.{number}", 5000))
        assert send().status_code == 429
