"""Code that the interfaces share: reading dicts of dicts as trec_eval 9.0.8 does."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any

from berryeval.core.id_column import as_id, encode_id
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import InputTypeError

__all__ = ["read_judgments", "read_run", "without_unjudged"]


def read_judgments(judgments: object, argument: str) -> Judgments:
    """Read judgments for scoring many runs; queries without any are left out."""
    if not isinstance(judgments, Mapping):
        raise InputTypeError(argument, "a dict of dicts", type(judgments).__name__)
    judged = {query: grades for query, grades in judgments.items() if grades != {}}
    found = Judgments.from_dict(judged)
    found.is_kept_ready = True
    return found


def read_run(run: object, argument: str) -> Run:
    """Read a run, with scores in 32 bits as in trec_eval 9.0.8; equal ones are tied."""
    import numpy as np

    if not isinstance(run, Mapping):
        raise InputTypeError(argument, "a dict of dicts", type(run).__name__)
    found = Run.from_dict(run)
    with np.errstate(over="ignore"):  # larger scores are infinite in 32 bits
        rounded = np.asarray(found.scores).astype(np.float32).astype(np.float64)
    found.values = array("d", rounded.tobytes())
    return found


def without_unjudged(run: object, judgments: Judgments) -> object:
    """Return rankings without the documents that have no grade of 0 or more."""
    if not isinstance(run, Mapping):
        return run
    return {query: _judged(query, documents, judgments) for query, documents in run.items()}


def _judged(query: object, documents: Any, judgments: Judgments) -> object:  # noqa: ANN401
    if not isinstance(documents, Mapping):
        return documents
    grades = judgments.grades_of(_bytes_of(query))
    return {
        document: number
        for document, number in documents.items()
        if grades.get(_bytes_of(document), -1.0) >= 0
    }


def _bytes_of(one: object) -> bytes:
    return encode_id(as_id(one, "run: an id"))
