"""What a format can represent of judgments, runs, scores and queries."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

__all__ = ["Capabilities", "FileKind", "with_every_column"]

FileKind: TypeAlias = Literal["judgments", "run", "scores", "queries"]
"""The kind of data in a file."""


class Capabilities(NamedTuple):
    """What one format can read, write and represent.

    `berryeval convert` reports whatever else the data has as left out.
    """

    reads: tuple[FileKind, ...]
    """Kinds that can be read; the first is assumed if none is named."""
    writes: tuple[FileKind, ...]
    judges: bool = False
    """Grades of several judges, with their names."""
    sources: bool = False
    times: bool = False
    notes: bool = False
    subtopic_weights: bool = False
    """Weights of subtopics. Writers that cannot represent subtopics reject them."""
    strata: bool = False
    """Strata of the pool that documents were sampled from."""
    scale: bool = False
    """The highest grade, and labels of grades."""
    negative: bool = True
    """Grades below 0, which mean that a document was pooled but not judged."""
    fractions: bool = True
    """Grades that are not whole numbers."""
    scores: bool = True
    """Scores of a run; without them it has ranks only."""
    tags: bool = False
    empty_queries: bool = False
    """Queries without documents."""
    by_text: bool = False
    """Whether queries are identified by their text, which is then their id."""


def with_every_column(*kinds: FileKind) -> Capabilities:
    """Return what our own tables hold: judge, source, time and note of each grade, and tags."""
    return Capabilities(
        kinds,
        kinds,
        judges=True,
        sources=True,
        times=True,
        notes=True,
        subtopic_weights=True,
        strata=True,
        tags=True,
    )
