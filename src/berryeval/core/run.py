"""Runs: what a system returned."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any

from berryeval.core.grouped import Duplicates, Grouped, Grouping
from berryeval.core.id_column import as_id, decode_id, encode_id
from berryeval.core.judged_list import iterate
from berryeval.core.origin import Origin
from berryeval.core.score_order import cautions_of, rows_of_run
from berryeval.core.timings import check_timings
from berryeval.errors import ArgumentError, InputTypeError

__all__ = ["Run", "check_score", "run_of_frame"]


def check_score(score: object, argument: str) -> float:
    """Return a score as a float; infinities are scores, NaN and text are not."""
    if isinstance(score, (str, bytes)) or not hasattr(score, "__float__"):
        raise InputTypeError(argument, "a number", f"{type(score).__name__} {score!r}")
    try:
        number = float(score)
    except OverflowError:
        raise ArgumentError(argument, "a number that fits a float", "a larger one") from None
    except (TypeError, ValueError):  # an array of several numbers
        raise InputTypeError(argument, "a number", f"{type(score).__name__} {score!r}") from None
    if math.isnan(number):
        raise ArgumentError(argument, "a number", "nan")
    return number


class Run(Grouped):
    """For each query, a ranking of documents by score.

    The order of a ranking is by score, highest first, and ties break by document id, compared
    as bytes, highest first: as in trec_eval. The order of rows does not matter.

    Examples
    --------
    >>> run = Run.from_dict({"q1": {"d1": 0.5, "d2": 0.9, "d3": 0.5}})
    >>> run
    <Run: 1 query, 3 documents>
    >>> run.ranking("q1")
    ['d2', 'd3', 'd1']
    """

    tag: str | None = None
    """The name of the run in the last column of a TREC file, if known."""

    milliseconds: Mapping[str, float] | None = None
    """How long each query took, if known."""

    cautions: tuple[str, ...] | None = None
    """Cautions about the scores, given the ranks in the file; None if it has no ranks, in
    which case `find_cautions` checks the rows."""

    def with_timings(self, timings: Mapping[Any, float]) -> Run:
        """Return the run together with the time of each query, for measures of time.

        Parameters
        ----------
        timings : mapping of str to float
            Milliseconds by query id, from 0 to 1e12.

        Raises
        ------
        ArgumentError, InputTypeError
            For an invalid time.

        Examples
        --------
        >>> Run.from_lists({"q1": ["d1"]}).with_timings({"q1": 12.5}).milliseconds
        {'q1': 12.5}
        """
        timed = copy(self)
        timed.milliseconds = check_timings(timings)
        return timed

    @classmethod
    def collect(cls, rows: Grouping) -> Run:
        """Make a run of the rows that were collected."""
        return cls(*rows.columns())

    @classmethod
    def from_dict(cls, run: Mapping[Any, Mapping[Any, float]]) -> Run:
        """Read a mapping from query id to a mapping from document id to score.

        Ids are text, or whole numbers, which mean their decimal text.
        """
        return cls.of_dict(run, "run", check_score, math.inf)

    @classmethod
    def from_lists(cls, run: Mapping[Any, Iterable[str | int]]) -> Run:
        """Read a mapping from query id to document ids, best first. The order is kept.

        The scores are -1, -2, … by rank. Ids are text or whole numbers.
        """
        rows = Grouping()
        for key, ranking in run.items():
            query_id = as_id(key, "run: an id")
            if not rows.add_query(encode_id(query_id)):
                raise ArgumentError("run", "each query once", f"{query_id!r} twice")
            argument = f"run[{query_id!r}]"
            if isinstance(ranking, Mapping):
                raise InputTypeError(argument, "document ids, as for the first query", "a mapping")
            ids = iterate(ranking, argument, "document ids, best first")
            for rank, one in enumerate(ids, start=1):
                doc_id = as_id(one, f"{argument}: an id")
                if not rows.add(encode_id(query_id), encode_id(doc_id), -float(rank)):
                    raise ArgumentError(argument, "each document once", f"{doc_id!r} twice")
        return cls.collect(rows)

    @classmethod
    def from_frame(cls, frame: object, *, duplicates: Duplicates = "error") -> Run:
        """Read a data frame with one row per retrieved document.

        Parameters
        ----------
        frame : pandas.DataFrame, polars.DataFrame, pyarrow.Table, …
            Anything with columns, or with an Arrow stream (``__arrow_c_stream__``). The columns
            are called ``query_id``, ``doc_id`` and ``score``, or by another usual name; ids are
            text, categories or whole numbers. Rows are counted from 1 in messages.
        duplicates : {"error", "keep-best"}
            What to do with a document that occurs twice for one query.
        """
        return run_of_frame(frame, duplicates, Origin("frame", is_file=False))

    @property
    def scores(self) -> array[float]:
        """The score of each row."""
        return self.values

    def find_cautions(self) -> tuple[str, ...]:
        """Return what is suspicious about the scores: distances, equal scores, other ranks.

        Each is a sentence without its full stop; almost every run has none. The first rows are
        checked, and up to 20,000 where these look wrong.
        """
        return self.cautions_by_rows() if self.cautions is None else self.cautions

    def cautions_by_rows(self) -> tuple[str, ...]:
        """Return what is suspicious about the scores if the rows are in rank order."""
        return cautions_of(lambda _limit: rows_of_run(self))

    def ranked_ids(self, query_id: bytes, depth: int | None = None) -> list[bytes]:
        """Return the documents of a query, best first; none if there is no such query.

        Only the first `depth` of them, if that is given, which is much faster if there are many.
        """
        rows = self.rows_of(query_id)
        scores = self.values[rows.start : rows.stop]
        if depth is not None and depth < len(rows):
            lowest = sorted(scores, reverse=True)[depth - 1]
            found = [
                (score, self.doc_ids.bytes_at(row))
                for row, score in zip(rows, scores, strict=True)
                if score >= lowest
            ]
        else:
            doc_ids = self.doc_ids.iter_bytes(rows.start, rows.stop)
            found = [*zip(scores, doc_ids, strict=True)]
        found.sort(reverse=True)
        return [doc_id for _, doc_id in found[:depth]]

    def ranking(self, query_id: str | int, depth: int | None = None) -> list[str]:
        """Return the documents of a query as text, best first; all, or the first `depth`."""
        key = encode_id(as_id(query_id, "query_id"))
        return [decode_id(doc_id) for doc_id in self.ranked_ids(key, depth)]


def run_of_frame(frame: object, duplicates: Duplicates, origin: Origin) -> Run:
    """Read a run from a frame."""
    from berryeval.core.frames import read_frame

    found = read_frame(frame, "run", duplicates, origin)
    if isinstance(found, tuple):
        return Run.of_native(found)
    rows = Grouping()
    for place, query_id, doc_id, score, *_ in found:
        if rows.add(query_id, doc_id, score):
            continue
        if duplicates == "error":
            raise origin.duplicate("run", query_id, doc_id, place)
        rows.keep_best(query_id, doc_id, score)
    return Run.collect(rows)
