"""What each parameter of a measure means, read from the docstrings of its classes."""

from __future__ import annotations

import inspect
import re

from berryeval.measures._base import Measure
from berryeval.measures._parameters import JUDGED_ONLY, parameter_names, written

__all__ = ["describe_parameters"]

_SECTION = re.compile(r"^Parameters\n-+\n(?P<entries>.*?)(?:\n\n\S|\Z)", re.DOTALL | re.MULTILINE)
_ENTRY = re.compile(
    r"^(?P<names>\w+(?:, \w+)*) : .*\n(?P<text>(?:[ ]{4}.*(?:\n|\Z))+)", re.MULTILINE
)
_COMMON = {
    "k": "Ranks to consider, at least 1. If omitted, the whole ranking.",
    "rel": "The lowest grade that counts as relevant.",
    "gain": "What a grade is worth: itself (linear), 2^grade - 1 (exp2), or a table: {1:3,2:9}.",
    JUDGED_ONLY: "Whether unjudged documents are removed from the ranking before it is scored.",
}


def describe_parameters(measure: type[Measure]) -> list[tuple[str, str]]:
    """Return the parameters of a measure with their defaults, and what each means.

    Parameters that share a description are listed together. Without docstrings, as with
    ``python -OO``, only those that most measures have are described.

    Examples
    --------
    >>> from berryeval.measures import NDCG
    >>> describe_parameters(NDCG)[2]
    ('rel=0', 'Lower grades gain nothing. 0, the default, lets all of them count.')
    """
    texts = dict(_COMMON)
    for kind in reversed(measure.__mro__):
        texts |= _documented(kind) if issubclass(kind, Measure) else {}
    defaults = measure.defaults()
    together: dict[str, list[str]] = {}
    for name in parameter_names(measure):
        default = "" if defaults[name] is None else f"={written(defaults[name])}"
        together.setdefault(texts.get(name, ""), []).append(f"{name}{default}")
    return [(", ".join(names), text) for text, names in together.items()]


def _documented(kind: type[Measure]) -> dict[str, str]:
    section = _SECTION.search(inspect.cleandoc(kind.__doc__ or ""))
    return {
        name: " ".join(entry["text"].split())
        for entry in _ENTRY.finditer(section["entries"] if section else "")
        for name in entry["names"].split(", ")
    }
