"""Why the score of a query changed: which documents moved, and what each move was worth."""

from berryeval.evaluation.explain.explain import explain, query_that_fell_most, score_ranking
from berryeval.evaluation.explain.result import Explanation, Method, Move

__all__ = ["Explanation", "Method", "Move", "explain", "query_that_fell_most", "score_ranking"]
