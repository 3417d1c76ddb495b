"""What grades mean: a scale from 0 up, with a label for each grade."""

from __future__ import annotations

from berryeval.errors import ArgumentError, InputTypeError

__all__ = ["HIGHEST", "check_labels", "default_labels"]

HIGHEST = 9
"""The highest grade that a scale may have: every grade is given by one key."""

_LONGEST = 60

_LABELS = {
    1: ("Not relevant", "Relevant"),
    2: ("Not relevant", "Partly relevant", "Relevant"),
    3: ("Does not serve it", "Marginal", "Answers a part", "Answers it"),
}


def default_labels(highest: int) -> tuple[str, ...]:
    """Return the labels of the grades from 0 to the highest, where none are declared.

    Examples
    --------
    >>> default_labels(1)
    ('Not relevant', 'Relevant')
    >>> default_labels(4)
    ('Grade 0', 'Grade 1', 'Grade 2', 'Grade 3', 'Grade 4')
    """
    return _LABELS.get(highest) or tuple(f"Grade {grade}" for grade in range(highest + 1))


def check_labels(labels: object, argument: str = "labels") -> tuple[str, ...]:
    """Return the labels of a scale; raise unless there are 2 to 10 of them, each a short text."""
    if isinstance(labels, str) or not isinstance(labels, (list, tuple)):
        raise InputTypeError(argument, "a list of texts", type(labels).__name__)
    if not 1 < len(labels) <= HIGHEST + 1:
        expected = f"2 to {HIGHEST + 1} labels, from grade 0 up"
        raise ArgumentError(argument, expected, f"{len(labels)}")
    for grade, label in enumerate(labels):
        where = f"{argument}[{grade}]"
        if not isinstance(label, str):
            raise InputTypeError(where, "a text", type(label).__name__)
        if not 0 < len(label.strip()) <= _LONGEST:
            raise ArgumentError(where, f"1 to {_LONGEST} characters", f"{len(label.strip())}")
    return tuple(label.strip() for label in labels)
