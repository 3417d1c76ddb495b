"""Search templates: the part of Mustache that requests use.

==============================  ==================================================================
``{{name}}``, ``{{a.b}}``       the parameter, escaped for a JSON string
``{{{name}}}``, ``{{&name}}``   the parameter as it is
``{{#toJson}}name{{/toJson}}``  the parameter as JSON
``{{#name}}…{{/name}}``         the content, if the parameter exists and is not false
``{{^name}}…{{/name}}``         the content otherwise
``{{! … }}``                    nothing
==============================  ==================================================================

A missing parameter is empty. Sections do not loop, so the cost of a template is limited by its
length.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from berryeval.errors import InputError

__all__ = ["fill_template"]

_TAG = re.compile(
    r"\{\{\{\s*(?P<raw>[^{}]*?)\s*\}\}\}|\{\{\s*(?P<kind>[#^/&!]?)\s*(?P<name>[^{}]*?)\s*\}\}"
)
_TO_JSON = "toJson"


def fill_template(source: str, parameters: Mapping[str, Any]) -> str:
    """Fill in parameters.

    Raises
    ------
    InputError
        For a section that is not closed, or was never opened.

    Examples
    --------
    >>> fill_template('{"query": "{{q}}", "size": {{size}}}', {"q": 'say "hi"', "size": 3})
    '{"query": "say \\\\"hi\\\\"", "size": 3}'
    >>> fill_template("{{language}}{{^language}}en{{/language}}", {})
    'en'
    """
    return "".join(_filled(source, parameters))


def _filled(source: str, parameters: Mapping[str, Any]) -> Iterator[str]:
    """Iterate over pieces, without those inside omitted sections."""
    opened: list[tuple[str, bool]] = []  # sections, and whether their content is shown
    place = 0
    for tag in _TAG.finditer(source):
        is_shown = all(shown for _, shown in opened)
        in_json = bool(opened) and opened[-1][0] == _TO_JSON
        text, place = source[place : tag.start()], tag.end()
        if is_shown:
            yield _as_json(_find(text.strip(), parameters)) if in_json else text
        kind, name = tag["kind"], tag["name"]
        if kind and kind in "#^":
            value = True if name == _TO_JSON else _find(name, parameters)
            opened.append((name, _is_given(value) == (kind == "#")))
        elif kind == "/":
            if not opened or opened.pop()[0] != name:
                raise InputError(f"template: expected {{{{#{name}}}}} before {{{{/{name}}}}}")
        elif is_shown and kind != "!":
            value = _as_text(_find(tag["raw"] if name is None else name, parameters))
            yield _escaped(value) if kind == "" else value
    if opened:
        name = opened[-1][0]
        raise InputError(f"template: expected {{{{/{name}}}}}, found the end")
    yield source[place:]


def _find(name: str, parameters: Mapping[str, Any]) -> Any:  # noqa: ANN401 - whatever JSON has
    value: Any = parameters
    for part in name.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return None
        value = value[part]
    return value


def _is_given(value: object) -> bool:
    return value is not None and value is not False and value not in ("", [])


def _as_text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else _as_json(value)


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _escaped(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]
