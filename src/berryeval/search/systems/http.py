"""Any search API that answers with JSON over HTTP."""

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
from berryeval.search.system import System
from berryeval.search.systems.json_path import find_values, parse_path

__all__ = ["Http"]


class Http(System):
    """A search API by its address, what to send, and where ids and scores stand in its answer.

    ``{query}`` and ``{k}`` are filled in: in the address as one part of it, in a body as a piece
    of a text. A text of the body that is ``"{k}"`` and nothing else becomes a number.

    Parameters
    ----------
    url : str
        Where to ask, http or https, such as ``"https://search.example/find?q={query}&n={k}"``. A
        name and a password before the host are sent as an ``Authorization``. Redirections are not
        followed.
    body : object, optional
        What to send, as JSON: objects, lists, or a text of JSON. With a body it is a POST,
        without one a GET.
    ids : str
        The path to the document ids, such as ``"hits.hits[*]._id"``. Numbers become text.
    scores : str, optional
        The path to the scores, as many as ids. Without it the order counts.
    headers : mapping, optional
        What else to send, such as an ``Authorization``. Their values are in no fingerprint.
    timeout : float
        Seconds to wait for the server, each time.
    name : str, optional
        What messages call it; the host unless given.

    Raises
    ------
    ArgumentError
        For an address, a body or a path that cannot be used.

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
    ) -> None:
        parts = check_address(url)
        self.name = name or parts.hostname or ""
        self.url = urllib.parse.urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
        self.body = _parsed(body)
        self.ids = ids
        self.scores = scores
        self.headers = {**basic_authorization(parts), **(headers or {})}
        self.timeout = timeout
        self._exchange = Exchange(self.name, self.headers, timeout)
        self._id_path = parse_path(ids, "ids")
        self._score_path = None if scores is None else parse_path(scores, "scores")
        if "{query}" not in url + json.dumps(self.body):
            raise ArgumentError("url or body", "a place for {query}", shown_address(url))

    def search(self, query: str, k: int) -> list[Hit]:
        """Return what the server finds. Hits beyond k are an error unless {k} was not sent."""
        check_k(k)
        answer = self._ask(query, k)
        try:
            ids = [_as_id(value) for value in find_values(answer, self._id_path)]
            if self._score_path is None:
                return to_hits(self._cut(ids, k), k, self.name)
            scores = find_values(answer, self._score_path)
        except LookupError as error:
            raise AnswerError(self.name, str(error.args[0])) from None
        if len(scores) != len(ids):
            raise AnswerError(self.name, f"expected {len(ids)} scores, as ids, got {len(scores)}")
        return to_hits(self._cut([*zip(ids, scores, strict=True)], k), k, self.name)

    def fingerprint(self) -> dict[str, str]:
        """Return what is sent and what is read, without passwords, keys and headers."""
        return {
            "system": "http",
            "url": without_keys(self.url),
            "body": json.dumps(self.body, sort_keys=True),
            "ids": self.ids,
            "scores": self.scores or "",
        }

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
    """Fill a template in. It is parsed before, so that a query cannot break out of its text."""
    if isinstance(template, str):
        if template == "{k}":
            return k
        # Part by part: a query that has "{k}" in it stays as it is.
        return query.join(part.replace("{k}", str(k)) for part in template.split("{query}"))
    if isinstance(template, Mapping):
        return {key: _filled(value, query, k) for key, value in template.items()}
    if isinstance(template, (list, tuple)):
        return [_filled(value, query, k) for value in template]
    return template


def _as_id(value: object) -> object:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return str(value) if is_number else value
