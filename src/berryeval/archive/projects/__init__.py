"""Judging projects: which pairs are judged, by whom and how often, and how far they are."""

from berryeval.archive.projects.projects import ArchivedProjects

__all__ = ["ArchivedProjects"]
