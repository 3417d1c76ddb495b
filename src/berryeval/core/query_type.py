"""The kinds of question people put to a search."""

from __future__ import annotations

from enum import Enum

__all__ = ["QueryType"]


class QueryType(str, Enum):
    """The usual categories of a query. Any other label may serve as one, too.

    Examples
    --------
    >>> QueryType("procedural")
    <QueryType.PROCEDURAL: 'procedural'>
    >>> QueryType("troubleshooting") is QueryType.TROUBLESHOOT
    True
    >>> QueryType.of("billing")
    'billing'
    """

    FACTUAL = "factual"
    CONCEPTUAL = "conceptual"
    PROCEDURAL = "procedural"
    COMPARATIVE = "comparative"
    TROUBLESHOOT = "troubleshoot"
    TROUBLESHOOTING = "troubleshoot"  # noqa: PIE796 - an alias
    CODE_LOOKUP = "code_lookup"

    def __str__(self) -> str:
        # Python versions disagree on what an enumeration of strings looks like in an f-string.
        return self.value

    def __format__(self, format_spec: str) -> str:
        return format(self.value, format_spec)

    @classmethod
    def _missing_(cls, value: object) -> QueryType | None:
        return cls.TROUBLESHOOT if value == "troubleshooting" else None

    @classmethod
    def of(cls, label: str) -> QueryType | str:
        """Return the type that goes by this label, or the label itself where none does."""
        try:
            return cls(label)
        except ValueError:
            return label

    @classmethod
    def name_of(cls, label: str) -> str:
        """Return the name that a category is counted under: aliases are replaced.

        Examples
        --------
        >>> QueryType.name_of("troubleshooting"), QueryType.name_of("billing")
        ('troubleshoot', 'billing')
        """
        return str(cls.of(label))
