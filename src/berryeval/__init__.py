"""Measure the quality of search and RAG retrieval.

Everything public is reached from here and loaded when it is first used:
``import berryeval`` itself imports neither NumPy nor Rich.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from berryeval import measures, metrics, ranking
    from berryeval.client import Client
    from berryeval.core import Document, Documents, Query, QueryType, RelevanceJudgment
    from berryeval.core.judgments import Judgments
    from berryeval.core.run import Run
    from berryeval.errors import (
        AnswerError,
        ArchiveError,
        ArgumentError,
        BackendError,
        BackendTimeout,
        BackendWarning,
        BerryEvalError,
        ConflictError,
        FormatError,
        InputError,
        InputTypeError,
        MeasureSyntaxError,
        MismatchError,
        MissingExtraError,
        NotFoundError,
        ServiceError,
        UnknownMeasureError,
    )
    from berryeval.evaluation import (
        Baseline,
        Comparison,
        Evaluation,
        GateResult,
        GateRules,
        compare,
        evaluate,
        gate,
    )
    from berryeval.evaluation.explain import Explanation, explain
    from berryeval.formats import (
        iter_documents,
        read_documents,
        read_judgments,
        read_queries,
        read_run,
    )
    from berryeval.suite.evaluate_system import evaluate_system

__version__ = "0.1.0"

__all__ = [
    "AnswerError",
    "ArchiveError",
    "ArgumentError",
    "BackendError",
    "BackendTimeout",
    "BackendWarning",
    "Baseline",
    "BerryEvalError",
    "Client",
    "Comparison",
    "ConflictError",
    "Document",
    "Documents",
    "Evaluation",
    "Explanation",
    "FormatError",
    "GateResult",
    "GateRules",
    "InputError",
    "InputTypeError",
    "Judgments",
    "MeasureSyntaxError",
    "MismatchError",
    "MissingExtraError",
    "NotFoundError",
    "Query",
    "QueryType",
    "RelevanceJudgment",
    "Run",
    "ServiceError",
    "UnknownMeasureError",
    "__version__",
    "compare",
    "evaluate",
    "evaluate_system",
    "explain",
    "gate",
    "iter_documents",
    "measures",
    "metrics",
    "ranking",
    "read_documents",
    "read_judgments",
    "read_queries",
    "read_run",
]

_HOME = {
    "Baseline": "berryeval.evaluation",
    "gate": "berryeval.evaluation",
    "compare": "berryeval.evaluation",
    "GateResult": "berryeval.evaluation",
    "GateRules": "berryeval.evaluation",
    "Comparison": "berryeval.evaluation",
    "AnswerError": "berryeval.errors",
    "ArchiveError": "berryeval.errors",
    "ArgumentError": "berryeval.errors",
    "BackendError": "berryeval.errors",
    "BackendTimeout": "berryeval.errors",
    "BackendWarning": "berryeval.errors",
    "BerryEvalError": "berryeval.errors",
    "Client": "berryeval.client",
    "ConflictError": "berryeval.errors",
    "Document": "berryeval.core",
    "Documents": "berryeval.core",
    "Evaluation": "berryeval.evaluation",
    "Explanation": "berryeval.evaluation.explain",
    "FormatError": "berryeval.errors",
    "InputError": "berryeval.errors",
    "InputTypeError": "berryeval.errors",
    "Judgments": "berryeval.core.judgments",
    "MeasureSyntaxError": "berryeval.errors",
    "MismatchError": "berryeval.errors",
    "MissingExtraError": "berryeval.errors",
    "NotFoundError": "berryeval.errors",
    "Query": "berryeval.core",
    "QueryType": "berryeval.core",
    "RelevanceJudgment": "berryeval.core",
    "Run": "berryeval.core.run",
    "ServiceError": "berryeval.errors",
    "UnknownMeasureError": "berryeval.errors",
    "evaluate": "berryeval.evaluation",
    "evaluate_system": "berryeval.suite.evaluate_system",
    "explain": "berryeval.evaluation.explain",
    "iter_documents": "berryeval.formats",
    "read_documents": "berryeval.formats",
    "read_judgments": "berryeval.formats",
    "read_queries": "berryeval.formats",
    "read_run": "berryeval.formats",
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
