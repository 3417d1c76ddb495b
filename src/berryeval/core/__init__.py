"""The nouns that everything else speaks of."""

from berryeval.core.judgment import RelevanceJudgment
from berryeval.core.query_type import QueryType

__all__ = ["QueryType", "RelevanceJudgment"]
