"""Measure the quality of search and RAG retrieval.

Everything public is reached from here and loaded when it is first used:
``import berryeval`` itself imports neither NumPy nor Rich.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from berryeval import measures, metrics, ranking
    from berryeval.core import QueryType, RelevanceJudgment
    from berryeval.errors import (
        ArgumentError,
        BackendWarning,
        BerryEvalError,
        FormatError,
        InputError,
        InputTypeError,
        MeasureSyntaxError,
        MismatchError,
        UnknownMeasureError,
    )

__version__ = "0.1.0"

__all__ = [
    "ArgumentError",
    "BackendWarning",
    "BerryEvalError",
    "FormatError",
    "InputError",
    "InputTypeError",
    "MeasureSyntaxError",
    "MismatchError",
    "QueryType",
    "RelevanceJudgment",
    "UnknownMeasureError",
    "__version__",
    "measures",
    "metrics",
    "ranking",
]

_HOME = {
    "ArgumentError": "berryeval.errors",
    "BackendWarning": "berryeval.errors",
    "BerryEvalError": "berryeval.errors",
    "FormatError": "berryeval.errors",
    "InputError": "berryeval.errors",
    "InputTypeError": "berryeval.errors",
    "MeasureSyntaxError": "berryeval.errors",
    "MismatchError": "berryeval.errors",
    "QueryType": "berryeval.core",
    "RelevanceJudgment": "berryeval.core",
    "UnknownMeasureError": "berryeval.errors",
}
_MODULES = frozenset({"measures", "metrics", "ranking"})


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return importlib.import_module(f"berryeval.{name}")
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'berryeval' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
