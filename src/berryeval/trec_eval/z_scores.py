"""Z-scores: values as deviations from the mean of other runs, in standard deviations.

The file of ``-Z`` has a line ``query_id measure mean deviation`` for each value. Mean and deviation
may be NaN, as in trec_eval's own test file; so is the z-score then.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from berryeval.core.id_column import decode_id
from berryeval.errors import FormatError, TrecEvalError
from berryeval.trec_eval.lines import atof, content, lines

__all__ = ["MISSING", "ZScores", "read_z_scores"]

MISSING = -1000000.0
"""Stands for the z-score of a value that is missing from the file."""

_COLUMNS = 4
_Entry = tuple[bytes, float, float]


@dataclass(frozen=True)
class ZScores:
    """The measures of each query, sorted by name, and the queries in the order of their ids."""

    entries: list[_Entry]
    bounds: dict[bytes, tuple[int, int]]

    def convert(self, query_id: bytes, name: bytes, value: float) -> float:
        """Return the z-score of a value, or `MISSING`.

        Raises `TrecEvalError` if an infinite mean and deviation leave it undefined.
        """
        entry = self._entry(query_id, name)
        if entry is None:
            return MISSING
        _, mean, deviation = entry
        if deviation == 0.0:
            return 0.0 if value == mean else MISSING
        if math.isnan(mean) or math.isnan(deviation):
            # Not computed: processors differ in the sign, which trec_eval prints.
            return mean if math.isnan(mean) else deviation
        score = (value - mean) / deviation
        if math.isnan(score):
            message = (
                f"query {decode_id(query_id)!r}: the z-score of {decode_id(name)} is undefined"
            )
            raise TrecEvalError(message, 4)
        return score

    def _entry(self, query_id: bytes, name: bytes) -> _Entry | None:
        """Find an entry by binary search.

        Like trec_eval's, the search ends one place too late, at the next query's first measure.
        """
        if query_id not in self.bounds:
            return None
        first, end = self.bounds[query_id]
        low, high = 0, end - first
        while low <= high:
            middle = (low + high) // 2
            if first + middle == len(self.entries):
                return None
            entry = self.entries[first + middle]
            if name == entry[0]:
                return entry
            low, high = (low, middle - 1) if name < entry[0] else (middle + 1, high)
        return None


def read_z_scores(path: str) -> ZScores:
    """Read the file of ``-Z``; raise `TrecEvalError`, with exit code 255, if it is invalid."""
    try:
        return _read(path)
    except FormatError as error:
        raise TrecEvalError(str(error), 255) from error


def _read(path: str) -> ZScores:
    by_query: dict[bytes, list[_Entry]] = {}
    for number, columns in lines(path, content(path)):
        if len(columns) != _COLUMNS:
            raise FormatError.unexpected(
                "4 columns (query, measure, mean, deviation)", str(len(columns)), path, number
            )
        query_id, name, *numbers = columns
        mean, deviation = map(atof, numbers)
        by_query.setdefault(query_id, []).append((name, mean, deviation))
    entries: list[_Entry] = []
    bounds = {}
    for query_id in sorted(by_query):
        first = len(entries)
        entries += sorted(by_query[query_id], key=lambda entry: entry[0])
        bounds[query_id] = (first, len(entries))
    return ZScores(entries, bounds)
