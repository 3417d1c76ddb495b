"""Search requests as JSON templates with placeholders.

``{{query}}`` stands for the text of a query, ``{{vector}}`` for its vector and ``{{k}}`` for the
number of hits. ``{{queryText}}``, ``{{query_string}}`` and ``%SearchText%``, which other tools
use, also stand for the text. A placeholder may be bare, ``"size": {{k}}``, or in quotes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from berryeval.core.inputs import note_input
from berryeval.errors import ArgumentError, FormatError

__all__ = ["QueryTemplate"]

_PLACE = re.compile(r"\{\{\s*(\w+)\s*\}\}|%(SearchText)%")
# A string without its end takes the rest: each of its quotes would be tried as a beginning.
_STRING_OR_PLACE = re.compile(r'("(?:[^"\\]|\\.)*"?)|' + _PLACE.pattern)
_MEANINGS = {
    "query": "query",
    "queryText": "query",
    "query_string": "query",
    "SearchText": "query",
    "vector": "vector",
    "k": "k",
}
_KNOWN = "{{query}}, {{vector}} or {{k}}"


class QueryTemplate:
    """A search request with placeholders.

    It is parsed before it is filled in, so that a query always stays text and cannot change the
    request.

    Parameters
    ----------
    template : mapping or str
        The body of a search; a string is JSON, or the name of a JSON file.

    Raises
    ------
    ArgumentError
        If it is not a JSON object, has an unknown placeholder or none for the query, or one that
        cannot be filled in: a vector within a text, or any placeholder within a key.
    FormatError
        If the file cannot be read.

    Examples
    --------
    >>> template = QueryTemplate('{"query": {"match": {"text": "{{query}}"}}, "size": {{k}}}')
    >>> template.fill("sign in", 5)
    {'size': 5, 'query': {'match': {'text': 'sign in'}}}
    """

    def __init__(self, template: Mapping[str, Any] | str) -> None:
        body = _parsed(template) if isinstance(template, str) else template
        if not isinstance(body, Mapping):
            raise ArgumentError("template", "a JSON object", type(body).__name__)
        self.body: Mapping[str, Any] = body
        self._places = set(_places(body))
        if not self._places & {"query", "vector"}:
            raise ArgumentError("template", "a placeholder {{query}} or {{vector}}", "none")

    @property
    def needs_vector(self) -> bool:
        """Whether it contains the query's vector."""
        return "vector" in self._places

    @property
    def needs_words(self) -> bool:
        """Whether it contains the query's text."""
        return "query" in self._places

    def fill(self, query: str, k: int, vector: Sequence[float] = ()) -> dict[str, Any]:
        """Return the body of a search. If it has no ``size``, that is k."""
        values = {"query": query, "k": k, "vector": list(vector)}
        return {"size": k, **_filled(self.body, values)}

    def __str__(self) -> str:
        return json.dumps(self.body, sort_keys=True)


def _parsed(text: str) -> object:
    where = None
    if not text.lstrip().startswith("{"):
        where = text
        note_input(where)
        try:
            text = Path(text).read_text(encoding="utf-8")
        except OSError as error:
            raise FormatError(f"cannot be read: {error.strerror}", where) from error
        except ValueError as error:
            found = f"something else ({error})"
            raise FormatError.unexpected("JSON in UTF-8", found, where) from error
    quoted = _STRING_OR_PLACE.sub(lambda found: found[1] or json.dumps(found[0]), text)
    try:
        return json.loads(quoted)
    except ValueError as error:
        if where is not None:
            raise FormatError(f"expected JSON ({error})", where) from error
        raise ArgumentError("template", "JSON", f"{text[:40]!r} ({error})") from None


def _places(template: object) -> list[str]:
    """Return the meanings of all placeholders, or raise if one cannot be filled in."""
    if isinstance(template, str):
        names = [found[1] or found[2] for found in _PLACE.finditer(template)]
        for name in names:
            if name not in _MEANINGS:
                raise ArgumentError("template", _KNOWN, f"{{{{{name}}}}}")
            if _MEANINGS[name] == "vector" and _PLACE.fullmatch(template) is None:
                raise ArgumentError("template", "{{vector}} alone", f"it within {template!r}")
        return [_MEANINGS[name] for name in names]
    if isinstance(template, Mapping):
        for key in template:
            if _PLACE.search(key):
                raise ArgumentError("template", "placeholders in values", f"one in the key {key!r}")
        return [name for value in template.values() for name in _places(value)]
    if isinstance(template, (list, tuple)):
        return [name for value in template for name in _places(value)]
    return []


def _filled(template: Any, values: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(template, str):
        alone = _PLACE.fullmatch(template)
        if alone is not None:
            return values[_MEANINGS[alone[1] or alone[2]]]
        return _PLACE.sub(lambda found: str(values[_MEANINGS[found[1] or found[2]]]), template)
    if isinstance(template, Mapping):
        return {key: _filled(value, values) for key, value in template.items()}
    if isinstance(template, (list, tuple)):
        return [_filled(value, values) for value in template]
    return template
