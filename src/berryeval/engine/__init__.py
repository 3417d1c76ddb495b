"""Judgments, a run and measures in; scores out."""

from berryeval.engine._selection import AllScores, MissingQueries, NoRelevant
from berryeval.engine.score import (
    check_needs,
    check_sized,
    score,
    score_at_once,
    score_every_query,
)

__all__ = [
    "AllScores",
    "MissingQueries",
    "NoRelevant",
    "check_needs",
    "check_sized",
    "score",
    "score_at_once",
    "score_every_query",
]
