"""What the body of a request may contain, by method and route.

A body of JSON takes far more memory when it is parsed: thirty megabytes of ``{}`` become ten
million objects. Its values are therefore counted before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from berryeval.service.paths import pattern_of
from berryeval.service.problems import Problem
from berryeval.service.settings import SMALL_BODY, ServiceSettings

__all__ = ["BULK", "UPLOADS", "JsonLimit", "count_values", "json_limit", "most_bytes"]


@dataclass(frozen=True)
class JsonLimit:
    """What a body of JSON may contain.

    Parameters
    ----------
    values : int
        Largest number of values, on all levels.
    objects : int
        Largest number of objects.
    keys : int
        Largest number of keys of one object, since every unknown key is validated and reported.
    """

    values: int
    objects: int
    keys: int = 10_000


_ONE = JsonLimit(values=20_000, objects=20_000)
_MANY = JsonLimit(values=1_000_000, objects=300_000)

BULK = {
    ("POST", "/v1/judgments"): _MANY,
    ("POST", "/v1/queries"): _MANY,
    ("POST", "/v1/documents"): _MANY,
    ("POST", "/v1/judges/grades"): _MANY,
    ("POST", "/v1/judges/admissions"): _MANY,
    ("POST", "/v1/proposals"): _MANY,
    ("PUT", "/v1/label-draws/{name}"): JsonLimit(500_000, 200_000, keys=100_000),
    ("POST", "/v1/stores/{store}/documents"): _MANY,
    ("POST", "/v1/evaluation/judgments"): _MANY,
    ("POST", "/v1/evaluation/evaluate"): _MANY,
    ("POST", "/v1/gates/{name}/verdicts"): JsonLimit(200_000, 1_000, keys=100_000),  # times
    **{
        (method, path): _MANY
        for method in ("GET", "POST")
        for path in ("/_rank_eval", "/{index:id}/_rank_eval")
    },
}
"""Routes whose bodies are many records, with their limits."""

UPLOADS = frozenset({("POST", "/v1/runs"), ("POST", "/v1/judgments/file"), ("POST", "/import")})
"""Routes whose bodies are files and may be larger."""

_BULK_PATHS = [(method, pattern_of(path)) for method, path in BULK]


def most_bytes(method: str, path: str, settings: ServiceSettings) -> int:
    """Return the maximum size of the body of a request, in bytes.

    Parameters
    ----------
    method, path : str
        The method and the path of the request; ids in the path are percent-encoded.
    settings : ServiceSettings
        The limits of the operator.
    """
    if (method, path) in UPLOADS:
        return settings.max_upload
    is_bulk = any(method == other and regex.match(path) for other, regex in _BULK_PATHS)
    return settings.max_body if is_bulk else min(settings.max_body, SMALL_BODY)


def json_limit(methods: Iterable[str], path: str) -> JsonLimit:
    """Return the limits of a route, by its methods and its path with parameters in braces."""
    return next((BULK[method, path] for method in methods if (method, path) in BULK), _ONE)


def count_values(pieces: Iterable[bytes], limit: JsonLimit) -> int:
    """Return an upper bound of the number of values in JSON, which takes no memory.

    Parameters
    ----------
    pieces : iterable of bytes
        The JSON in UTF-8, in pieces of any size. Invalid JSON is left to the parser, which stops
        where the count may be wrong.
    limit : JsonLimit
        What it may contain.

    Raises
    ------
    Problem
        422 as soon as the JSON contains more.

    Examples
    --------
    >>> count_values([b'{"a": [1, "x, y", {}]}'], JsonLimit(values=10, objects=10))
    5
    """
    n_values = n_objects = n_keys = 0
    is_text, rest = False, b""
    for piece in pieces:
        escaped = rest + piece
        has_half = (len(escaped) - len(escaped.rstrip(b"\\"))) % 2
        rest = b"\\" * has_half
        plain = escaped[: len(escaped) - has_half].replace(b"\\\\", b"").replace(b'\\"', b"")
        parts = plain.split(b'"')
        outside = b"".join(parts[is_text::2])
        is_text ^= len(parts) % 2 == 0
        first, *others = outside.split(b"{")
        n_objects += len(others)
        n_values += len(others) + outside.count(b"[") + outside.count(b",")
        # Keys between two objects belong to one. Those around nested objects are counted when the
        # object is parsed; there are no more of them than objects.
        n_keys += first.count(b":")
        most_keys = max([n_keys, *(other.count(b":") for other in others)])
        n_keys = others[-1].count(b":") if others else n_keys
        for name, number, most in (
            ("objects", n_objects, limit.objects),
            ("values", n_values, limit.values),
        ):
            if number > most:
                raise _too_many(f"at most {most:,} {name}")
        if most_keys > limit.keys:
            raise too_many_keys(limit)
    return n_values


def too_many_keys(limit: JsonLimit) -> Problem:
    """Return the problem of an object with too many keys."""
    return _too_many(f"objects of at most {limit.keys:,} keys")


def _too_many(expected: str) -> Problem:
    way_out = "send less at once"
    return Problem(422, f"body: expected {expected}, found more; {way_out}", kind="shape",
                   where="body", expected=expected, found="more", way_out=way_out)  # fmt: skip
