"""Judgments, a run and measures in; scores out."""

from berryeval.engine._selection import MissingQueries, NoRelevant
from berryeval.engine.score import check_needs, check_sized, score, score_at_once

__all__ = ["MissingQueries", "NoRelevant", "check_needs", "check_sized", "score", "score_at_once"]
