"""A judgment list of OpenSearch's Search Relevance Workbench.

::

    {"name": "TVs", "description": "", "type": "IMPORT_JUDGMENT",
     "judgmentRatings": [{"query": "led tv", "ratings": [{"docId": "d7", "rating": "3.000"}]}]}

It is the body of ``PUT /_plugins/_search_relevance/judgments``, and what ``GET`` returns as
``hits.hits[]._source``. Ratings are text or numbers. Older versions have objects in place of the
lists, ``{"led tv": {"d7": "3.000"}}``. The query is its text, which is its id here. Where a list
comes from clicks or a language model, its type is the source of the grades.
"""

from __future__ import annotations

from collections.abc import Iterator

from berryeval.core.grouped import Grouped
from berryeval.core.judging import JudgedRow
from berryeval.errors import FormatError
from berryeval.formats.beginning import Beginning
from berryeval.formats.capabilities import Capabilities
from berryeval.formats.lines import PathLike, path_name
from berryeval.formats.losses import Loss, note_loss
from berryeval.formats.platforms._grades import judged_queries
from berryeval.formats.platforms._json import Node, load, write_list
from berryeval.formats.platforms.srw._documents import iter_documents
from berryeval.formats.rows import written

__all__ = ["HOLDS", "iter_judged", "sniff", "to_lines"]

HOLDS = Capabilities(
    ("judgments",), ("judgments",), negative=False, empty_queries=True, by_text=True
)

_IMPORTED = b"IMPORT_JUDGMENT"
_RATINGS = "judgmentRatings"


def sniff(beginning: Beginning) -> bool:
    """Whether it contains the ratings of a list."""
    return beginning.has_anywhere(_RATINGS)


def iter_judged(path: PathLike) -> Iterator[JudgedRow]:
    """Iterate over the ratings of the list. Raises `FormatError` if there are several lists."""
    lists = list(iter_documents(load(path)))
    if len(lists) != 1:
        raise FormatError.unexpected(
            "one judgment list", str(len(lists)), path_name(path), way_out="fetch one by its id"
        )
    kind = lists[0].optional("type")
    source = None if kind == _IMPORTED else kind
    for query_id, ratings in _queries(lists[0][_RATINGS]):
        for doc_id, rating in _ratings(ratings):
            if rating is None:
                note_loss(Loss.UNRATED)
                continue
            grade = rating.number("judgments")
            yield JudgedRow(None, query_id, doc_id, grade, source=source)


def _queries(ratings: Node) -> Iterator[tuple[bytes, Node]]:
    if ratings.is_object():
        yield from ratings.ids()
        return
    for entry in ratings.entries():
        yield entry["query"].id(), entry["ratings"]


def _ratings(ratings: Node) -> Iterator[tuple[bytes, Node | None]]:
    if ratings.is_object():
        yield from ratings.ids()
        return
    for one in ratings.entries():
        yield one["docId"].id(), one.get("rating")


def to_lines(data: Grouped) -> Iterator[bytes]:
    """Iterate over the lines of a file. Raises `InputError` for a run, and for subtopics."""
    queries = (
        {
            "query": query,
            "ratings": [{"docId": doc_id, "rating": written(grade)} for doc_id, grade in rated],
        }
        for query, rated in judged_queries(data, "a judgment list of OpenSearch")
    )
    facts = {"name": "BerryEval", "description": "", "type": _IMPORTED.decode()}
    return write_list(facts, _RATINGS, queries)
