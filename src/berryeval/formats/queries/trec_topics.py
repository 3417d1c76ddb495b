"""TREC topics.

::

    <top>
    <num> Number: 301
    <title> International Organized Crime
    <desc> Description:
    Identify organizations that participate in international criminal activity.
    <narr> Narrative: …
    </top>

Tags may be closed or not. The title is the query's text, the description its description; the
narrative is ignored. Any white space counts as a space.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from berryeval.core.id_column import decode_id, encode_id
from berryeval.core.query import Query
from berryeval.errors import FormatError, InputError
from berryeval.formats.lines import PathLike, iter_lines, path_name

__all__ = ["iter_queries", "sniff", "to_lines"]

_TAG = re.compile(r"<(/?)(top|num|title|desc|narr)>", re.IGNORECASE)
_PREFIX = {
    "num": re.compile(r"\A\s*(?:Number|Topic)\s*:", re.IGNORECASE),
    "title": re.compile(r"\A\s*Topic\s*:", re.IGNORECASE),
    "desc": re.compile(r"\A\s*Description\s*:", re.IGNORECASE),
}


def sniff(first_line: bytes) -> bool:
    """Whether a file with this beginning may be one."""
    return first_line.lstrip()[:5].lower() in {b"<top>", b"<num>"}


def iter_queries(
    path: PathLike,
    *,
    strict: bool = False,  # noqa: ARG001 - topics have no keys of one's own
) -> Iterator[tuple[int | None, Query]]:
    """Iterate over the queries of a file, with the lines that they begin on."""
    fields: dict[str, str] = {}
    begins: int | None = None
    tag = None
    for number, line in iter_lines(path):
        text = decode_id(line)
        end = 0
        for found in _TAG.finditer(text):
            if tag is not None:
                fields[tag] += text[end : found.start()]
            end = found.end()
            is_closing, name = bool(found[1]), found[2].lower()
            # A topic ends at its closing tag, or where the next one begins.
            if fields and (name == "top" or (name == "num" and not is_closing)):
                yield begins, _query(fields, path, begins)
                fields, begins = {}, None
            begins = number if begins is None and not is_closing else begins
            tag = None if is_closing or name == "top" else name
            if tag is not None:
                fields.setdefault(tag, "")
        if tag is not None:
            fields[tag] += text[end:]
        elif text[end:].strip():
            raise FormatError.unexpected(
                "a tag such as <num>", repr(text[end:].strip()[:40]), path_name(path), number
            )
    if fields:
        yield begins, _query(fields, path, begins)


def _query(fields: dict[str, str], path: PathLike, line: int | None) -> Query:
    query_id, title = _content(fields, "num"), _content(fields, "title")
    for name, content in (("num", query_id), ("title", title)):
        if content is None or (name == "num" and not content):
            raise FormatError.unexpected(f"a <{name}> in the topic", "none", path_name(path), line)
    assert query_id is not None
    assert title is not None
    return Query(query_id, title, description=_content(fields, "desc") or None)


def _content(fields: dict[str, str], name: str) -> str | None:
    if name not in fields:
        return None
    return " ".join(_PREFIX[name].sub("", fields[name]).split())


def to_lines(queries: Iterable[Query]) -> Iterator[bytes]:
    """Iterate over the lines of a file.

    Raises `InputError` for labels, which topics do not have, and for texts that would be read
    differently.
    """
    for query in queries:
        labels = (query.category, query.difficulty, query.weight, query.group, query.stratum,
                  query.turn)  # fmt: skip
        if query.tags or any(label is not None for label in labels):
            raise InputError(f"TREC topics cannot hold the labels of query {query.query_id!r}")
        lines = ["<top>", f"<num> Number: {_checked(query.query_id, 'num')}"]
        lines.append(f"<title> {_checked(query.text, 'title')}")
        if query.description is not None:
            lines.append(f"<desc> Description: {_checked(query.description, 'desc')}")
        yield encode_id("\n".join([*lines, "</top>", "", ""]))


def _checked(text: str, name: str) -> str:
    is_fit = " ".join(text.split()) == text and not _TAG.search(text)
    if not is_fit or (name != "title" and not text) or (_PREFIX[name].match(text)):
        raise InputError(f"TREC topics cannot hold {text[:40]!r}")
    return text
