"""The page at ``/docs``: every route in plain HTML, without scripts or external files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import escape
from typing import Any

__all__ = ["reference_page"]

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
code, pre { font: 0.9em/1.45 ui-monospace, monospace; }
pre { overflow-x: auto; padding: 0.75rem; border: 1px solid color-mix(in srgb, currentColor 25%,
transparent); border-radius: 6px; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.75rem 0.25rem 0; }
code, td { overflow-wrap: anywhere; }
summary { cursor: pointer; padding: 0.25rem 0; }
.summary { display: block; margin-left: 1.1rem; opacity: 0.75; }
details[open] { margin-bottom: 1.5rem; }
nav a { margin-right: 1rem; }
.method { display: inline-block; min-width: 5rem; font-weight: 600; }
h2 { margin-top: 2.5rem; }
h3 { font-size: 1rem; margin-bottom: 0.25rem; }
"""


def reference_page(description: dict[str, Any]) -> str:
    """Return the page of an OpenAPI description."""
    info = description["info"]
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>{escape(info['title'])} API</title><style>{_STYLE}</style></head><body>",
        f"<h1>{escape(info['title'])} API {escape(info['version'])}</h1>",
        _paragraphs(info["description"]),
        "<p>Machine-readable: <a href='/openapi.json'>/openapi.json</a>.</p>",
        "<nav>",
        *(f"<a href='#{one['name']}'>{one['name']}</a> " for one in description["tags"]),
        "</nav>",
    ]
    for tag in description["tags"]:
        parts.append(f"<h2 id='{tag['name']}'>{tag['name'].capitalize()}</h2>")
        parts.append(_paragraphs(tag["description"]))
        operations = _operations(description, tag["name"])
        parts += [_section(description, *operation) for operation in operations]
    parts.append("</body></html>")
    return "".join(parts)


def _operations(description: dict[str, Any], tag: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            if tag in operation.get("tags", ()):
                yield method.upper(), path, operation


def _section(description: dict[str, Any], method: str, path: str, operation: dict[str, Any]) -> str:
    rows = [
        (f"<code>{escape(parameter['name'])}</code> ({parameter['in']})",
         _marked(parameter["description"]))
        for parameter in operation.get("parameters", ())
    ]  # fmt: skip
    answers = [
        (f"<code>{status}</code>", _marked(answer["description"]))
        for status, answer in operation["responses"].items()
    ]
    first, _, rest = operation["description"].partition("\n\n")
    return "".join(
        [
            f"<details id='{operation['operationId']}'><summary>",
            f"<span class='method'>{method}</span><code>{escape(path)}</code>",
            f"<span class='summary'>{_marked(first)}</span></summary>",
            _paragraphs(rest) if rest else "",
            _table("Parameters", rows),
            *_examples(description, "Body", operation.get("requestBody", {})),
            _table("Answers", answers),
            *_examples(description, "Answer", operation["responses"].get(_success(operation), {})),
            "</details>",
        ]
    )


def _success(operation: dict[str, Any]) -> str:
    """Return the first success status."""
    statuses: list[str] = sorted(operation["responses"])
    return next(status for status in statuses if status.startswith("2"))


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{_marked(part)}</p>" for part in text.split("\n\n"))


def _marked(text: str) -> str:
    """Escape a text, and format text between backticks as code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def _table(title: str, rows: list[tuple[str, str]]) -> str:
    if not rows:
        return ""
    cells = "".join(f"<tr><td>{name}</td><td>{text}</td></tr>" for name, text in rows)
    return f"<h3>{title}</h3><table>{cells}</table>"


def _examples(description: dict[str, Any], title: str, part: dict[str, Any]) -> Iterator[str]:
    """Iterate over bodies by media type, each with an example."""
    for media_type, content in part.get("content", {}).items():
        example = content.get("example") or _example(description, content.get("schema", {}))
        shown = example if isinstance(example, str) else json.dumps(example, indent=2)
        yield f"<h3>{title}: <code>{escape(media_type)}</code></h3><pre>{escape(shown)}</pre>"


def _example(description: dict[str, Any], schema: dict[str, Any]) -> object:
    """Return the example of a schema, or of the items of a list."""
    if "items" in schema:
        return [_example(description, schema["items"])]
    name = schema.get("$ref", "").rpartition("/")[2]
    return description["components"]["schemas"][name]["examples"][0]
