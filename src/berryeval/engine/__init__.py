"""Judgments, a run and measures in; scores out."""

from berryeval.engine._python import score

__all__ = ["score"]
