"""Ratings of the Rated Ranking Evaluator (RRE).

::

    {"index": "tvs", "id_field": "id", "topics": [{"description": "TVs", "query_groups": [
      {"name": "LED", "queries": [{"template": "q.json", "placeholders": {"$query": "led tv"}}],
       "relevant_documents": {"d7": {"gain": 3}, "d9": {"gain": 0}}}]}]}

The documents of a group are those of each of its queries, unless a query has its own. In the older
form they stand by gain, ``{"3": ["d7"]}``. Groups may stand at the top without topics, and queries
without groups, as Quepid exports them. The query is the placeholder ``$query``, or the one that
``query_placeholder`` names; it is its id here. A gain may be called ``rating``. Names of topics and
groups are left out. Written files have one group per query.
"""

from __future__ import annotations

from collections.abc import Iterator

from berryeval.core.grouped import Grouped
from berryeval.core.judging import JudgedRow
from berryeval.formats.beginning import Beginning
from berryeval.formats.capabilities import Capabilities
from berryeval.formats.lines import PathLike
from berryeval.formats.platforms._grades import judged_queries
from berryeval.formats.platforms._json import Node, as_number, dump, load

__all__ = ["HOLDS", "iter_judged", "sniff", "to_lines"]

HOLDS = Capabilities(
    ("judgments",), ("judgments",), negative=False, empty_queries=True, by_text=True
)

_DOCUMENTS = "relevant_documents"


def sniff(beginning: Beginning) -> bool:
    """Whether it is an object of topics, of groups, or of queries with placeholders."""
    is_flat = beginning.has_keys("queries") and beginning.has_anywhere("placeholders")
    is_grouped = beginning.has_keys("topics") or beginning.has_keys("query_groups")
    return is_flat or (is_grouped and beginning.has_anywhere("queries"))


def iter_judged(path: PathLike) -> Iterator[JudgedRow]:
    """Iterate over the ratings."""
    content = load(path)
    named = content.get("query_placeholder")
    placeholder = "$query" if named is None else named.text()
    for query, shared in _iter_queries(content):
        query_id = query["placeholders"][placeholder].id()
        own = query.get(_DOCUMENTS) or shared
        if own is not None:
            for doc_id, grade in _iter_documents(own):
                yield JudgedRow(None, query_id, doc_id, grade)


def _iter_queries(content: Node) -> Iterator[tuple[Node, Node | None]]:
    """Iterate over queries, with the documents that they share with their group."""
    for topic in _each(content, "topics"):
        for group in _each(topic, "query_groups"):
            shared = group.get(_DOCUMENTS)
            for query in group["queries"].entries():
                yield query, shared


def _each(content: Node, key: str) -> Iterator[Node]:
    """Iterate over the parts of a level, or over the level above if it is not there."""
    found = content.get(key)
    if found is None:
        yield content
    else:
        yield from found.entries()


def _iter_documents(documents: Node) -> Iterator[tuple[bytes, float]]:
    for name, value in documents.items():
        if isinstance(value.value, list):
            grade = documents.key(name).number("judgments")
            for document in value.entries():
                yield document.id(), grade
        else:
            gain = value.first("gain", "rating") or value["gain"]
            yield documents.key(name).id(), gain.number("judgments")


def to_lines(data: Grouped) -> Iterator[bytes]:
    """Iterate over the lines of a file. Raises `InputError` for a run, and for subtopics."""
    yield b'{"index": "index", "id_field": "id", "topics": [{"description": "BerryEval",\n'
    yield b' "query_groups": ['
    for number, (query, rated) in enumerate(judged_queries(data, "RRE's ratings")):
        group = {
            "name": query,
            "queries": [{"template": "query.json", "placeholders": {"$query": query}}],
            _DOCUMENTS: {doc_id: {"gain": as_number(grade)} for doc_id, grade in rated},
        }
        yield (b",\n  " if number else b"\n  ") + dump(group)
    yield b"\n]}]}\n"
