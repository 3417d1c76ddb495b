"""A case of Quepid as JSON, as its export writes it.

::

    {"case_name": "TVs", "scorer": {"name": "nDCG@10"},
     "queries": [
      {"query_text": "led tv", "information_need": "…", "notes": "…", "options": {},
       "ratings": [{"doc_id": "d7", "rating": 2, "user_email": "ada@example.com"}]}]}

The export of ratings alone is understood, too: ``"query"`` for ``"query_text"``, and ratings as an
object, ``{"d7": 2}``. The query is its text, which is its id here. Ratings that are null are left
out, and so are notes, options, the scorer and the try. A written case names no judges, because
Quepid refuses users that it does not know.
"""

from __future__ import annotations

from collections.abc import Iterator

from berryeval.core.grouped import Grouped
from berryeval.core.id_column import decode_id
from berryeval.core.judging import JudgedRow
from berryeval.core.query import Query
from berryeval.formats.beginning import Beginning
from berryeval.formats.capabilities import Capabilities
from berryeval.formats.lines import PathLike
from berryeval.formats.losses import Loss, note_loss
from berryeval.formats.platforms._grades import judged_queries
from berryeval.formats.platforms._json import Node, as_number, load, write_list

__all__ = ["HOLDS", "iter_judged", "iter_queries", "query_of", "ratings_of", "sniff", "to_lines"]

HOLDS = Capabilities(
    ("judgments", "queries"), ("judgments",), negative=False, empty_queries=True, by_text=True
)


def sniff(beginning: Beginning) -> bool:
    """Whether it is an object of queries with ratings."""
    has_queries = beginning.has_keys("queries") and not beginning.has_keys("docs")
    return has_queries and any(
        beginning.has_keys(name, "ratings", depth=2) for name in ("query_text", "query")
    )


def iter_judged(path: PathLike) -> Iterator[JudgedRow]:
    """Iterate over the ratings."""
    for query in load(path)["queries"].entries():
        note_loss(Loss.QUERY_FACTS, query.has_any("notes", "options"))
        yield from ratings_of(query, _text(query).id())


def ratings_of(query: Node, query_id: bytes) -> Iterator[JudgedRow]:
    """Iterate over the ratings of a query, a list of them or an object."""
    ratings = query.get("ratings")
    if ratings is None:
        return
    if ratings.is_object():
        for doc_id, rating in ratings.ids():
            if rating.value is None:
                note_loss(Loss.UNRATED)
            else:
                yield JudgedRow(None, query_id, doc_id, rating.number("judgments"))
        return
    for one in ratings.entries():
        given = one.get("rating")
        if given is None:
            note_loss(Loss.UNRATED)
            continue
        grade = given.number("judgments")
        yield JudgedRow(None, query_id, one["doc_id"].id(), grade, one.optional("user_email"))


def iter_queries(path: PathLike) -> Iterator[Query]:
    """Iterate over the queries, with their information needs as descriptions."""
    for entry in load(path)["queries"].entries():
        yield query_of(entry, _text(entry))


def query_of(entry: Node, text: Node) -> Query:
    """Return a query of a case or a snapshot."""
    name = decode_id(text.id())
    need = entry.optional("information_need")
    return Query(name, name, description=None if need is None else decode_id(need))


def _text(query: Node) -> Node:
    return query.first("query_text", "query") or query["query_text"]


def to_lines(data: Grouped) -> Iterator[bytes]:
    """Iterate over the lines of a file. Raises `InputError` for a run, and for subtopics."""
    queries = (
        {
            "query_text": query,
            "ratings": [{"doc_id": doc_id, "rating": as_number(grade)} for doc_id, grade in rated],
        }
        for query, rated in judged_queries(data, "a case of Quepid")
    )
    facts = {"case_name": "BerryEval", "public": False, "archived": False}
    return write_list(facts | {"scorer": {"name": "nDCG@10"}}, "queries", queries)
