"""Search templates: the part of Mustache that requests use.

==============================  ==================================================================
``{{name}}``, ``{{a.b}}``       the parameter, escaped for a JSON string
``{{{name}}}``, ``{{&name}}``   the parameter as it is
``{{#toJson}}name{{/toJson}}``  the parameter as JSON
``{{#name}}…{{/name}}``         the content, if the parameter exists and is not false
``{{^name}}…{{/name}}``         the content otherwise
``{{! … }}``                    nothing
==============================  ==================================================================

A missing parameter is empty. Sections do not loop, and the length of a template and of its result
is limited, so the cost of a request is known.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from berryeval.errors import InputError

__all__ = ["MAX_CHARACTERS", "fill_template"]

MAX_CHARACTERS = 1_000_000
"""The longest template, and the longest text that one may become."""

_BRACE = re.compile("[{}]")
_TO_JSON = "toJson"
_KINDS = "#^/&!"


@dataclass(frozen=True, slots=True)
class _Tag:
    start: int
    end: int
    kind: str
    name: str


def fill_template(source: str, parameters: Mapping[str, Any]) -> str:
    """Fill in parameters.

    Raises
    ------
    InputError
        For a section that is not closed, or was never opened; and for a template, or a result, of
        more than `MAX_CHARACTERS`.

    Examples
    --------
    >>> fill_template('{"query": "{{q}}", "size": {{size}}}', {"q": 'say "hi"', "size": 3})
    '{"query": "say \\\\"hi\\\\"", "size": 3}'
    >>> fill_template("{{language}}{{^language}}en{{/language}}", {})
    'en'
    """
    _check_length("template", len(source))
    pieces, n_characters = [], 0
    for piece in _filled(source, parameters):
        pieces.append(piece)
        n_characters += len(piece)
        _check_length("template with its parameters", n_characters)
    return "".join(pieces)


def _check_length(what: str, n_characters: int) -> None:
    if n_characters > MAX_CHARACTERS:
        raise InputError(f"{what}: expected at most {MAX_CHARACTERS:,} characters")


def _tags(source: str) -> Iterator[_Tag]:
    """Iterate over tags: two or three braces, text without any, and as many braces again.

    Every character is read at most a few times, for any template.
    """
    place = source.find("{{")
    while place >= 0:
        inner = place + 2
        while source.startswith("{", inner):
            inner += 1
        brace = _BRACE.search(source, inner)
        if brace is None:
            return
        end = brace.start()
        content = source[inner:end].strip()
        if inner - place >= len("{{{") and source.startswith("}}}", end):
            yield _Tag(inner - 3, end := end + 3, "&", content)
        elif source.startswith("}}", end):
            kind = content[:1] if content[:1] in _KINDS else ""
            yield _Tag(inner - 2, end := end + 2, kind, content.removeprefix(kind).strip())
        place = source.find("{{", end)


def _filled(source: str, parameters: Mapping[str, Any]) -> Iterator[str]:
    """Iterate over pieces, without those inside omitted sections."""
    opened: list[tuple[str, bool]] = []  # sections, and whether the text around them is shown
    is_shown, place = True, 0
    for tag in _tags(source):
        in_json = bool(opened) and opened[-1][0] == _TO_JSON
        text, place = source[place : tag.start], tag.end
        if is_shown:
            yield _as_json(_find(text.strip(), parameters)) if in_json else text
        kind, name = tag.kind, tag.name
        if kind and kind in "#^":
            value = True if name == _TO_JSON else _find(name, parameters)
            opened.append((name, is_shown))
            is_shown = is_shown and _is_given(value) == (kind == "#")
        elif kind == "/":
            if not opened or opened[-1][0] != name:
                raise InputError(f"template: expected {{{{#{name}}}}} before {{{{/{name}}}}}")
            is_shown = opened.pop()[1]
        elif is_shown and kind != "!":
            value = _as_text(_find(name, parameters))
            yield _escaped(value) if kind == "" else value
    if opened:
        name = opened[-1][0]
        raise InputError(f"template: expected {{{{/{name}}}}}, found the end")
    yield source[place:]


def _find(name: str, parameters: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any JSON value
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
