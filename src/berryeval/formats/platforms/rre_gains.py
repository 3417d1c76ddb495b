"""RRE's ratings in the older form: documents by gain, ``{"3": ["d7"], "0": ["d9"]}``.

Quepid exports the newer form and imports only this one, with ``queries`` at the top: see
`berryeval.formats.platforms.rre`, which reads both. Written files have no topics and no groups.
"""

from __future__ import annotations

from collections.abc import Iterator

from berryeval.core.grouped import Grouped
from berryeval.formats.beginning import Beginning
from berryeval.formats.platforms import rre
from berryeval.formats.platforms._grades import judged_queries
from berryeval.formats.platforms._json import write_list

__all__ = ["HOLDS", "iter_judged", "sniff", "to_lines"]

HOLDS = rre.HOLDS._replace(fractions=False)
iter_judged = rre.iter_judged


def sniff(beginning: Beginning) -> bool:  # noqa: ARG001 - `rre` comes first, and reads both
    """Return False: a file is detected as `rre`."""
    return False


def to_lines(data: Grouped) -> Iterator[bytes]:
    """Iterate over the lines of a file.

    Raises `InputError` for a run, for subtopics, and for grades that are not whole.
    """
    facts = {"index": "index", "id_field": "id", "template": "query.json"}
    return write_list(facts, "queries", _queries(data))


def _queries(data: Grouped) -> Iterator[dict[str, object]]:
    for query, rated in judged_queries(data, "RRE's ratings", whole=True):
        by_gain: dict[str, list[str]] = {}
        for doc_id, grade in rated:
            by_gain.setdefault(str(int(grade)), []).append(doc_id)
        yield {"placeholders": {"$query": query}, "relevant_documents": by_gain}
