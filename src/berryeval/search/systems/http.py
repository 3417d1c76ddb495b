"""Any search API that returns JSON over HTTP."""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Mapping
from typing import Any

from berryeval.errors import AnswerError, ArgumentError
from berryeval.search.exchange import (
    Exchange,
    basic_authorization,
    check_address,
    shown_address,
    without_keys,
)
from berryeval.search.hits import Hit, check_k, to_hits
from berryeval.search.hosts import AllowedHosts
from berryeval.search.system import System
from berryeval.search.systems.json_path import JsonPath, find_values, parse_path

__all__ = ["Http"]


class Http(System):
    """A search API, given by its address, the request, and the paths to ids and scores.

    ``{query}`` and ``{k}`` are filled in: percent-encoded in the address, and as text in strings
    of the body. A string ``"{k}"`` in the body becomes a number.

    Parameters
    ----------
    url : str
        An http or https address, such as ``"https://search.example/find?q={query}&n={k}"``. A
        user name and password before the host are sent as ``Authorization``. Redirects are not
        followed.
    body : object, optional
        Request body as JSON: objects, lists, or a string of JSON. With a body the request is a
        POST, otherwise a GET.
    ids : str
        The path to the document ids, such as ``"hits.hits[*]._id"``. Numbers become text.
    scores : str, optional
        The path to the scores, one per id. Without it, the order is used.
    headers : mapping, optional
        Additional headers, such as ``Authorization``. Fingerprints do not contain their values.
    timeout : float
        Seconds to wait for each response.
    name : str, optional
        Name of the system in messages. Default: the host.
    hosts : AllowedHosts, optional
        Requests go only to these hosts. If omitted, any address is allowed.

    Raises
    ------
    ArgumentError
        For an invalid address, body or path.

    Examples
    --------
    >>> system = Http(
    ...     "http://127.0.0.1:9200/docs/_search",
    ...     body={"size": "{k}", "query": {"match": {"text": "{query}"}}},
    ...     ids="hits.hits[*]._id",
    ...     scores="hits.hits[*]._score",
    ... )
    >>> system.fingerprint()["ids"]
    'hits.hits[*]._id'
    """

    def __init__(
        self,
        url: str,
        *,
        body: object = None,
        ids: str = "hits[*].id",
        scores: str | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = 30.0,
        name: str | None = None,
        hosts: AllowedHosts | None = None,
    ) -> None:
        parts = check_address(url)
        self.name = name or parts.hostname or ""
        self.url = urllib.parse.urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
        self.body = _parsed(body)
        self.ids = ids
        self.scores = scores
        self.headers = {**basic_authorization(parts), **(headers or {})}
        self.timeout = timeout
        self._exchange = Exchange(self.name, self.headers, timeout, hosts)
        self._id_path = parse_path(ids, "ids")
        self._score_path = None if scores is None else parse_path(scores, "scores")
        if "{query}" not in url + json.dumps(self.body):
            raise ArgumentError("url or body", "a placeholder {query}", shown_address(url))

    def search(self, query: str, k: int) -> list[Hit]:
        """Return the hits of the server. More than k are an error, unless {k} was not sent."""
        check_k(k)
        answer = self._ask(query, k)
        ids = [_as_id(value) for value in self._find(answer, self._id_path, f"ids={self.ids}")]
        if self._score_path is None:
            return to_hits(self._cut(ids, k), k, self.name)
        scores = self._find(answer, self._score_path, f"scores={self.scores}")
        if len(scores) != len(ids):
            raise AnswerError(self.name, f"expected {len(ids)} scores, as ids, got {len(scores)}")
        return to_hits(self._cut([*zip(ids, scores, strict=True)], k), k, self.name)

    def fingerprint(self) -> dict[str, str]:
        """Return the request and the paths, without passwords, keys and headers."""
        return {
            "system": "http",
            "url": without_keys(self.url),
            "body": json.dumps(self.body, sort_keys=True),
            "ids": self.ids,
            "scores": self.scores or "",
        }

    def _find(self, answer: object, path: JsonPath, setting: str) -> list[object]:
        try:
            return find_values(answer, path)
        except LookupError as error:
            way_out = f"set the path to what the server returns (-s {setting} does not lead there)"
            raise AnswerError(self.name, f"{error.args[0]}; {way_out}") from None

    def _cut(self, hits: list[Any], k: int) -> list[Any]:
        asked = "{k}" in self.url + json.dumps(self.body)
        return hits if asked else hits[:k]

    def _ask(self, query: str, k: int) -> object:
        data = None if self.body is None else json.dumps(_filled(self.body, query, k)).encode()
        quoted = urllib.parse.quote(query.encode("utf-8", "replace"), safe="")
        url = self.url.replace("{k}", str(k)).replace("{query}", quoted)
        return self._exchange.ask(url, data)


def _parsed(body: object) -> object:
    if not isinstance(body, str):
        return body
    try:
        return json.loads(body)
    except ValueError as error:
        raise ArgumentError("body", "JSON", f"{body[:40]!r} ({error})") from None


def _filled(template: object, query: str, k: int) -> object:
    """Fill in a template. It is already parsed, so a query cannot change its structure."""
    if isinstance(template, str):
        if template == "{k}":
            return k
        # Part by part, so that "{k}" in a query is not replaced.
        return query.join(part.replace("{k}", str(k)) for part in template.split("{query}"))
    if isinstance(template, Mapping):
        return {key: _filled(value, query, k) for key, value in template.items()}
    if isinstance(template, (list, tuple)):
        return [_filled(value, query, k) for value in template]
    return template


def _as_id(value: object) -> object:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return str(value) if is_number else value
