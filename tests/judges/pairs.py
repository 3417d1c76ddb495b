"""Small pairs for tests of judges."""

from __future__ import annotations

from berryeval.core.documents import Document
from berryeval.core.query import Query
from berryeval.judges.protocol import Guideline, Pair, Scale

GUIDELINE = Guideline("Judge from the text.", Scale(3))


def pair(query="sign in", text="Use a token.", *, query_id=None, doc_id=None):
    """Return a pair; its ids are its texts if they are not given."""
    asked = Query(query_id or query, query, description=f"How to {query}.")
    return Pair(asked, Document(doc_id or text, text))
