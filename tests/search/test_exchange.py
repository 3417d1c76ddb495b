"""JSON over HTTP: delays, and secrets that are never shown."""

import socket
import ssl
import threading
import urllib.error
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

import pytest

from berryeval.errors import ArgumentError, SystemUnderTestError
from berryeval.search import exchange
from berryeval.search.exchange import Exchange, StatusError
from search.json_server import serving


def refusal(*headers, sent=None, body=b""):
    with (
        serving(lambda _request: (429, body, *headers)) as url,
        pytest.raises(StatusError) as caught,
    ):
        Exchange("mine", sent or {}, 5).ask(url)
    return caught.value


def test_retry_after_is_parsed():
    """It is a number of seconds or a date; anything else is ignored."""
    soon = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=100), usegmt=True)
    assert refusal(("Retry-After", "2.5")).retry_after == 2.5
    assert 90 < refusal(("Retry-After", soon)).retry_after <= 100
    assert refusal(("Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT")).retry_after == 0.0
    assert refusal(("Retry-After", "Wed, 21 Oct 2015 07:28:00 -0000")).retry_after == 0.0
    for odd in ("soon", "nan", "inf"):
        assert refusal(("Retry-After", odd)).retry_after is None
    assert refusal().retry_after is None


def test_secrets_that_a_server_repeats_are_hidden():
    """Keys, passwords and their encodings are replaced, and short words are kept."""
    body = b"key sk-12345, password p@ssword, bWU6cEBzc3dvcmQ=, token my"
    sent = {"Authorization": "Basic bWU6cEBzc3dvcmQ=", "X-Api-Key": "sk-12345", "X-Who": "my"}
    error = refusal(sent=sent, body=body)
    assert str(error).endswith("key ***, password ***, ***, token my")
    assert error.content == b"key ***, password ***, ***, token my"
    odd = refusal(sent={"Authorization": "Basic not-base64!"}, body=b"not-base64!")
    assert str(odd).endswith("***")


def test_the_target_of_a_redirect_is_shown_without_secrets():
    """A server may repeat a key in it."""
    error = refusal(("Location", "/?key=sk-12345"), sent={"X-Api-Key": "sk-12345"})
    assert str(error).endswith("; ask /?key=*** instead")


@pytest.mark.parametrize("odd", ["sk-1\n2345", "sk-1\x002345", "sk-1\u20ac2345"])
def test_a_key_that_cannot_be_sent_is_not_shown(odd):
    """Python's own message would show it."""
    with pytest.raises(ArgumentError, match="header X-Api-Key: expected one line") as caught:
        Exchange("mine", {"X-Api-Key": odd}, 5)
    assert "2345" not in str(caught.value)


def test_space_around_a_key_is_not_sent():
    """A line break at the end of a file is not part of the key."""
    assert Exchange("mine", {"Authorization": "Bearer sk-12345\n"}, 5).headers == {
        "Authorization": "Bearer sk-12345"
    }


@pytest.mark.parametrize("url", ["http://me:p/w0rd@host/", "htp://me:p@ss/w0rd@host/"])
def test_an_invalid_address_is_shown_without_its_password(url):
    """This holds even if the password makes it invalid."""
    with pytest.raises(ArgumentError, match=r"url: expected an address .*//host/'") as caught:
        exchange.check_address(url)
    assert "w0rd" not in str(caught.value)


def test_a_response_that_is_not_json_is_shown_without_secrets():
    """An example is the page of a proxy."""
    with (
        serving(lambda _request: (200, b"<p>sk-12345")) as url,
        pytest.raises(SystemUnderTestError, match=r"expected JSON, got '<p>\*\*\*'"),
    ):
        Exchange("mine", {"X-Api-Key": "sk-12345"}, 5).ask(url)


def test_an_address_may_contain_any_characters():
    """They are percent-encoded, and encoded ones are kept."""
    with serving(lambda request: (200, request["path"])) as url:
        assert Exchange("mine", {}, 5).ask(f"{url}/ü b%20c") == "/%C3%BC%20b%20c"


def test_a_private_certificate_can_be_named(monkeypatch):
    """The message explains how."""

    class Opener:
        def open(self, *_arguments, **_more):
            raise urllib.error.URLError(ssl.SSLCertVerificationError("self-signed certificate"))

    monkeypatch.setattr(exchange, "_OPENER", Opener())
    with pytest.raises(
        SystemUnderTestError, match=r"self-signed.*; set SSL_CERT_FILE to"
    ) as caught:
        Exchange("mine", {}, 5).ask("https://h/")
    assert not caught.value.transient


def test_an_error_response_may_be_incomplete():
    """The status is reported anyway."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        is_over = threading.Event()

        def answer():
            with server.accept()[0] as connection:
                connection.recv(4096)
                connection.sendall(b"HTTP/1.1 503 Busy\r\nContent-Length: 99\r\n\r\nhalf")
                is_over.wait(10)

        thread = threading.Thread(target=answer)
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(StatusError, match="answered 503 Busy") as caught:
            Exchange("mine", {}, 0.2).ask(url)
        is_over.set()
        thread.join()
    assert caught.value.transient
