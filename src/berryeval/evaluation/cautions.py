"""What is suspicious about the scores of a run, wherever it comes from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from berryeval.core.frames import iter_head
from berryeval.core.run import Run
from berryeval.core.score_order import cautions_of, rows_of_dict
from berryeval.formats import reading
from berryeval.formats._lines import can_be_read_again

if TYPE_CHECKING:
    from berryeval.evaluation.evaluate import RunSource

__all__ = ["find_cautions"]


def find_cautions(source: RunSource) -> tuple[str, ...]:
    """Return what is suspicious about the scores of a run that the engine could score.

    Parameters
    ----------
    source : RunSource
        A run, or what the engine scores without making one: the path of a TREC file, whose
        ranks are checked too, a dict of dicts or a data frame. A pipe, which cannot be read
        twice, is not checked.

    Returns
    -------
    tuple of str
        Sentences without their full stops; see `berryeval.core.score_order`.
    """
    if isinstance(source, Run):
        return source.find_cautions()
    if isinstance(source, (str, os.PathLike)):
        found = reading.find_cautions(source, "trec") if can_be_read_again(source) else None
        return found or ()
    if isinstance(source, Mapping):
        scores: Any = source
        return cautions_of(lambda _limit: rows_of_dict(scores))
    return cautions_of(lambda limit: iter_head(source, limit))
