"""Judgments, a run and measures in; scores out."""

from berryeval.engine._selection import MissingQueries, NoRelevant
from berryeval.engine.score import check_intents, score, score_at_once

__all__ = ["MissingQueries", "NoRelevant", "check_intents", "score", "score_at_once"]
