"""The body of a ``_rank_eval`` request, of which the ratings are judgments.

::

    {"templates": [{"id": "query", "template": {"source": "{…}"}}],
     "requests": [{"id": "q1", "template_id": "query", "params": {"query_string": "led tv"},
                   "ratings": [{"_index": "tvs", "_id": "d7", "rating": 2}]}],
     "metric": {"dcg": {"k": 10, "normalize": true}}}

The id of a request is that of the query; a document is its ``_id``. Queries, templates and the
metric are left out, and the index is if documents come from several. Written files use one
template, a stand-in for your own, for every query; the parameter ``query_string`` is
the id of the query, or its text where that is known. Their index is called ``default``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from berryeval.core.grouped import Grouped
from berryeval.core.judging import JudgedRow
from berryeval.formats.beginning import Beginning
from berryeval.formats.capabilities import Capabilities
from berryeval.formats.lines import PathLike
from berryeval.formats.losses import Loss, note_loss
from berryeval.formats.platforms._grades import judged_queries
from berryeval.formats.platforms._json import dump, load

__all__ = ["HOLDS", "iter_judged", "sniff", "to_lines"]

HOLDS = Capabilities(
    ("judgments",), ("judgments",), negative=False, fractions=False, empty_queries=True
)

_INDEX = "default"
_TEMPLATE = dump({"query": {"simple_query_string": {"query": "{{query_string}}"}}}).decode()
_METRIC = {"dcg": {"k": 10, "normalize": True}}


def sniff(beginning: Beginning) -> bool:
    """Whether it is an object of requests with ratings."""
    return beginning.has_keys("requests") and beginning.has_keys("ratings", depth=2)


def iter_judged(path: PathLike) -> Iterator[JudgedRow]:
    """Iterate over the ratings."""
    indices: dict[bytes | None, int] = {}
    for request in load(path)["requests"].entries():
        query_id = request["id"].id()
        ratings = request.get("ratings")
        for one in [] if ratings is None else ratings.entries():
            index = one.optional("_index")
            indices[index] = indices.get(index, 0) + 1
            yield JudgedRow(None, query_id, one["_id"].id(), one["rating"].number("judgments"))
    if len(indices) > 1:
        for n in indices.values():
            note_loss(Loss.INDICES, n)


def to_lines(data: Grouped, texts: Mapping[str, str] | None = None) -> Iterator[bytes]:
    """Iterate over the lines of a file; `texts` are those of queries by id.

    Raises `InputError` for a run, for subtopics, and for grades that are not whole.
    """
    template = {"id": "query", "template": {"source": _TEMPLATE}}
    yield b'{"templates": [%s],\n "requests": [' % dump(template)
    rated = judged_queries(data, "a _rank_eval request", whole=True)
    for number, (query, documents) in enumerate(rated):
        request = {
            "id": query,
            "template_id": "query",
            "params": {"query_string": (texts or {}).get(query, query)},
            "ratings": [
                {"_index": _INDEX, "_id": doc_id, "rating": int(grade)}
                for doc_id, grade in documents
            ],
        }
        yield (b",\n  " if number else b"\n  ") + dump(request)
    yield b'\n],\n "metric": %s}\n' % dump(_METRIC)
