"""The data types that all other packages use."""

from typing import TYPE_CHECKING

from berryeval._lazy import loader_of

if TYPE_CHECKING:
    from berryeval.core.documents import Document, Documents
    from berryeval.core.judged_list import RelevanceJudgment
    from berryeval.core.query import Query, QueryType

__all__ = ["Document", "Documents", "Query", "QueryType", "RelevanceJudgment"]

__getattr__ = loader_of(
    __name__,
    {
        "Document": "berryeval.core.documents",
        "Documents": "berryeval.core.documents",
        "Query": "berryeval.core.query",
        "QueryType": "berryeval.core.query",
        "RelevanceJudgment": "berryeval.core.judged_list",
    },
)
