"""The nouns that everything else speaks of."""

from berryeval.core.documents import Document, Documents
from berryeval.core.judgment import RelevanceJudgment
from berryeval.core.query import Query
from berryeval.core.query_type import QueryType

__all__ = ["Document", "Documents", "Query", "QueryType", "RelevanceJudgment"]
