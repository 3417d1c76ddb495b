"""Search responses of Elasticsearch and OpenSearch as a run.

A response does not name its query, so a file of several has one of these forms::

    {"q1": {"hits": {"hits": [{"_id": "d7", "_score": 1.5}]}}, "q2": {"hits": {"hits": []}}}

    {"query_id": "q1", "hits": {"hits": [{"_id": "d7", "_score": 1.5}]}}
    {"query_id": "q2", "hits": {"hits": []}}

    {"took": 3, "responses": [{"hits": {"hits": [{"_id": "d7", "_score": 1.5}]}}]}

The first is one object, by query. The second is JSON lines; the response may also stand under
``response``. The third is that of ``_msearch``, and a single response is like it: their queries
are numbered from 1. Hits that were sorted by a field have no scores: the score of rank r is 1 / r
for all hits of the query. Responses that are errors are left out, and so are the indices and the
fields of hits. Written files have the first form.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from berryeval.core.column_names import Kind
from berryeval.core.grouped import Grouped
from berryeval.formats.beginning import Beginning
from berryeval.formats.capabilities import Capabilities
from berryeval.formats.keys import QUERY
from berryeval.formats.lines import BOM, PathLike, iter_lines, read_content
from berryeval.formats.losses import Loss, note_loss
from berryeval.formats.platforms._grades import iter_rankings, score_of_rank
from berryeval.formats.platforms._json import Node, dump, parse
from berryeval.formats.rows import Row

__all__ = ["HOLDS", "are_numbered", "iter_rows", "sniff", "to_lines"]

HOLDS = Capabilities(("run",), ("run",), empty_queries=True)


def sniff(beginning: Beginning) -> bool:
    """Whether hits of hits come at the top, by query, or in responses."""
    has_hits = [beginning.has_keys("hits", depth=depth) for depth in range(5)]
    has_hits_of_hits = any(above and below for above, below in pairwise(has_hits))
    return has_hits_of_hits or beginning.has_keys("responses")


def are_numbered(path: PathLike) -> bool:
    """Whether the responses do not say which query they are of, and are numbered from 1."""
    return _is_alone(next(_iter_documents(path)))


def iter_rows(path: PathLike, kind: Kind) -> Iterator[Row]:
    """Iterate over the hits, in the order of their ranks."""
    assert kind == "run"
    for query_id, response in _iter_responses(path):
        if response.get("error") is not None:
            note_loss(Loss.FAILED)
            continue
        hits = list(response["hits"]["hits"].entries())
        are_scored = all(hit.get("_score") is not None for hit in hits)
        for rank, hit in enumerate(hits, start=1):
            note_loss(Loss.FIELDS, hit.has_any("_source", "fields"))
            score = hit["_score"].number("run") if are_scored else score_of_rank(rank)
            yield None, query_id, hit["_id"].id(), score


def _iter_documents(path: PathLike) -> Iterator[Node]:
    """Iterate over the objects of a file: one, or one per line."""
    content = read_content(path).removeprefix(BOM)
    head = content.lstrip().partition(b"\n")[0].rstrip()
    if not (head.startswith(b"{") and head.endswith(b"}")):
        yield parse(content, path)
        return
    for number, line in iter_lines(path):
        if line.strip():
            yield parse(line, path, number)


def _is_alone(document: Node) -> bool:
    """Whether it is a response, or several of ``_msearch``, without a query."""
    is_named = any(document.get(name) is not None for name in QUERY)
    return not is_named and (_is_response(document) or document.get("responses") is not None)


def _is_response(document: Node) -> bool:
    hits = document.get("hits")
    return hits is not None and hits.is_object() and hits.get("hits") is not None


def _iter_responses(path: PathLike) -> Iterator[tuple[bytes, Node]]:
    number = 0
    for document in _iter_documents(path):
        query = document.first(*QUERY)
        responses = document.get("responses")
        if query is not None and not query.is_object():
            yield query.id(), document.get("response") or document
        elif responses is not None:
            for response in responses.entries():
                number += 1
                yield b"%d" % number, response
        elif _is_response(document):
            number += 1
            yield b"%d" % number, document
        else:
            yield from document.ids()


def to_lines(data: Grouped) -> Iterator[bytes]:
    """Iterate over the lines of a file. Raises `InputError` for judgments."""
    yield b"{"
    for number, (query, ranking) in enumerate(iter_rankings(data, "a search response")):
        hits = [{"_id": doc_id, "_score": score} for doc_id, score in ranking]
        total = {"value": len(hits), "relation": "eq"}
        response = {"hits": {"total": total, "hits": hits}}
        entry = b"%s: %s" % (dump(query), dump(response))
        yield (b",\n " if number else b"\n ") + entry
    yield b"\n}\n"
