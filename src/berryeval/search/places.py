"""Where returned chunks come from: their documents, and their positions in them."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Place"]


@dataclass(frozen=True, slots=True)
class Place:
    """The origin of a chunk."""

    sources: dict[str, str] = field(default_factory=dict)
    """Names of its document, by the field that has them, such as ``metadata.source``."""
    start: int | None = None
    """Its first character in the document; None if unknown."""
    end: int | None = None
    """The first character after it; None if unknown."""
