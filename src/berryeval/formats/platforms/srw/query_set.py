"""A query set of OpenSearch's Search Relevance Workbench.

::

    {"name": "TVs", "description": "", "sampling": "manual",
     "querySetQueries": [{"queryText": "led tv", "referenceAnswer": "…"}]}

It is the body of ``PUT /_plugins/_search_relevance/query_sets``, and what ``GET`` returns as
``hits.hits[]._source``. The text of a query is its id here, and its ``referenceAnswer`` is its
description. Other fields of a query, which are variables of a template, are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from berryeval.core.id_column import decode_id
from berryeval.core.query import Query
from berryeval.errors import FormatError
from berryeval.formats.beginning import Beginning
from berryeval.formats.capabilities import Capabilities
from berryeval.formats.lines import PathLike, path_name
from berryeval.formats.losses import Loss, note_loss
from berryeval.formats.platforms._json import load, write_list
from berryeval.formats.platforms.srw._documents import iter_documents

__all__ = ["HOLDS", "iter_queries", "queries_to_lines", "sniff"]

HOLDS = Capabilities(("queries",), ("queries",), by_text=True)

_QUERIES = "querySetQueries"
_KNOWN = {"queryText", "referenceAnswer"}


def sniff(beginning: Beginning) -> bool:
    """Whether it contains the queries of a set."""
    return beginning.has_anywhere(_QUERIES)


def iter_queries(path: PathLike) -> Iterator[Query]:
    """Iterate over the queries. Raises `FormatError` if there are several sets."""
    sets = list(iter_documents(load(path)))
    if len(sets) != 1:
        raise FormatError.unexpected(
            "one query set", str(len(sets)), path_name(path), way_out="fetch one by its id"
        )
    for entry in sets[0][_QUERIES].entries():
        text = decode_id(entry["queryText"].id())
        answer = entry.optional("referenceAnswer")
        note_loss(Loss.QUERY_FACTS, bool(entry.value.keys() - _KNOWN))
        yield Query(text, text, description=None if answer is None else decode_id(answer))


def queries_to_lines(queries: Iterable[Query]) -> Iterator[bytes]:
    """Iterate over the lines of a file, which cannot represent ids and labels."""
    entries = (
        {
            "queryText": query.text,
            **({} if query.description is None else {"referenceAnswer": query.description}),
        }
        for query in queries
    )
    facts = {"name": "BerryEval", "description": "", "sampling": "manual"}
    return write_list(facts, _QUERIES, entries)
