"""Judgments, a run and measures in; scores out."""

from berryeval.engine._python import MissingQueries, NoRelevant, score

__all__ = ["MissingQueries", "NoRelevant", "score"]
