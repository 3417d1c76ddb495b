"""Judging projects: which pairs are judged, by whom and how often, and their progress."""

from berryeval.archive.projects.projects import ArchivedProjects

__all__ = ["ArchivedProjects"]
