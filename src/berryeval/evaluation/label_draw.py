"""Queries that were drawn at random for people to label, so that they can correct a model's grades.

The draw decides which queries people label, not the people: a sample that was chosen would say
nothing about the others. The file is JSON with one line per query::

    {
     "kind": "label draw", "version": 1,
     "why": "In proportion to the number of queries, as requested.",
     "queries": {
      "q1": {"stratum": "easy", "probability": 0.25, "is_labelled": true, "spread": 0.1},
      "q2": {"stratum": "easy", "probability": 0.25, "is_labelled": false, "spread": 0.1}
     }
    }

The spread of a stratum is there if it determined how many of its queries were drawn, and `why` if
it is known how that number was determined.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from berryeval.core.files import write_whole
from berryeval.errors import ArgumentError, FormatError
from berryeval.formats.lines import iter_pieces
from berryeval.stats import allocate_labels
from berryeval.stats.validation import check_resampling

__all__ = ["CHOSEN", "LabelDraw", "draw_labels"]

CHOSEN = "chosen"
"""The stratum of queries that were labelled on purpose: they decide, or they tuned the prompt."""

_VERSION = 1


@dataclass(frozen=True)
class LabelDraw:
    """All queries of a set, the stratum of each, and which of them people label.

    Within a stratum every query was drawn with the same probability. A stratum of which all queries
    are labelled counts for itself, and does not correct the model elsewhere.

    Parameters
    ----------
    strata : mapping of str to str
        The stratum of each query.
    labelled : collection of str
        The queries that people label.
    spreads : mapping of str to float, optional
        The spread of each stratum, if it determined how many of its queries are labelled.
    why : str, optional
        How the number of queries of each stratum was determined, as a sentence. Draws of the same
        queries are equal whatever it says.

    Raises
    ------
    ArgumentError
        If there is no query, or a labelled one has no stratum.
    """

    strata: Mapping[str, str]
    labelled: frozenset[str]
    spreads: Mapping[str, float] = field(default_factory=dict)
    why: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "labelled", frozenset(self.labelled))
        if not self.strata:
            raise ArgumentError("strata", "at least one query", "none")
        unknown = self.labelled - self.strata.keys()
        if unknown:
            raise ArgumentError("labelled", "queries that have a stratum", repr(min(unknown)))

    @property
    def counts(self) -> dict[str, tuple[int, int]]:
        """By stratum, the number of drawn queries and of all queries."""
        found: dict[str, tuple[int, int]] = {}
        for query_id, stratum in self.strata.items():
            n_drawn, n_queries = found.get(stratum, (0, 0))
            found[stratum] = n_drawn + (query_id in self.labelled), n_queries + 1
        return found

    @property
    def probabilities(self) -> dict[str, float]:
        """The probability with which each query was drawn."""
        chances = {stratum: n_drawn / n for stratum, (n_drawn, n) in self.counts.items()}
        return {query_id: chances[stratum] for query_id, stratum in self.strata.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return the content of the file."""
        chances = self.probabilities
        return {
            "kind": "label draw",
            "version": _VERSION,
            **({"why": self.why} if self.why else {}),
            "queries": {
                query_id: {
                    "stratum": stratum,
                    "probability": chances[query_id],
                    "is_labelled": query_id in self.labelled,
                    **({"spread": self.spreads[stratum]} if stratum in self.spreads else {}),
                }
                for query_id, stratum in self.strata.items()
            },
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file, completely or not at all."""
        content = self.to_dict()
        rows = [
            f"  {_json(query_id)}: {_json(row)}" for query_id, row in content["queries"].items()
        ]
        why = [f' "why": {_json(self.why)},'] if self.why else []
        lines = ["{", f' "kind": "label draw", "version": {_VERSION},', *why, ' "queries": {']
        text = "\n".join([*lines, ",\n".join(rows), " }", "}", ""])
        write_whole(path, [text.encode("utf-8", "surrogateescape")])

    @classmethod
    def from_dict(
        cls, queries: Mapping[str, Any], where: str | os.PathLike[str], why: str = ""
    ) -> LabelDraw:
        """Read the queries of `to_dict`; `where` names them in errors.

        Raises
        ------
        FormatError
            If they are not those of a draw.
        """
        strata: dict[str, str] = {}
        labelled = set()
        spreads: dict[str, float | None] = {}
        for query_id, row in queries.items():
            stratum = strata[query_id] = _field(row, "stratum", str, query_id, where)
            spread = _spread(row, query_id, where)
            if spreads.setdefault(stratum, spread) != spread:
                expected = f"one spread for all queries of stratum {stratum!r}"
                found = f"{spreads[stratum]} and {spread}"
                raise FormatError(f"expected {expected}, found {found}", str(where))
            if _field(row, "is_labelled", bool, query_id, where):
                labelled.add(query_id)
        if not strata:
            raise FormatError("expected at least one query, found none", str(where))
        known = {stratum: spread for stratum, spread in spreads.items() if spread is not None}
        return cls(strata, frozenset(labelled), known, why)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> LabelDraw:
        """Read what `save` wrote.

        Raises
        ------
        FormatError
            If it is no such file.
        """
        text = b"".join(iter_pieces(path)).decode("utf-8", "surrogateescape")
        try:
            content = json.loads(text)
        except (ValueError, RecursionError):
            raise FormatError("expected a label draw, found other content", str(path)) from None
        is_draw = isinstance(content, dict) and content.get("kind") == "label draw"
        if not is_draw or not isinstance(content.get("queries"), dict):
            raise FormatError("expected a label draw, found other content", str(path))
        if content.get("version") != _VERSION:
            got = repr(content.get("version"))[:40]
            raise FormatError(
                f"expected version {_VERSION} of a label draw, found {got}", str(path)
            )
        why = content.get("why", "")
        if not isinstance(why, str):
            raise FormatError(f"expected text as why, found {why!r:.40}", str(path))
        return cls.from_dict(content["queries"], path, why)


def draw_labels(
    query_ids: Iterable[str],
    n_labels: int,
    *,
    strata: Mapping[str, str] | None = None,
    spreads: Mapping[str, float] | None = None,
    chosen: Collection[str] = (),
    seed: int = 0,
) -> LabelDraw:
    """Draw the queries that people label, stratum by stratum.

    Parameters
    ----------
    query_ids : iterable of str
        All queries that the model judges.
    n_labels : int
        Queries that people can label, without the chosen ones.
    strata : mapping of str to str, optional
        The stratum of each query, such as its category. Default: one stratum.
    spreads : mapping of str to float, optional
        How much scores vary in each stratum, as far as it is known before the draw: then Neyman's
        allocation draws more queries where they vary more (`berryeval.stats.allocate_labels`).
        `berryeval.evaluation.label_spreads` estimates it from a model's grades. Default: the same
        everywhere, so that queries are drawn in proportion to the size of a stratum.
    chosen : collection of str
        Queries that are labelled regardless of the draw: deciding ones, and those whose labels
        were used to tune the model's prompt. They correct no other query.
    seed : int
        Random seed. With the same seed, a larger draw contains a smaller one if it has at least as
        many labels in each stratum.

    Returns
    -------
    LabelDraw

    Raises
    ------
    ArgumentError
        If a chosen query or a stratum is unknown, or there are too few labels for each stratum.

    Examples
    --------
    >>> draw = draw_labels([f"q{i}" for i in range(200)], 50)
    >>> len(draw.labelled), draw.probabilities["q0"]
    (50, 0.25)
    """
    check_resampling(1, seed)
    ids = sorted(dict.fromkeys(query_ids))
    unknown = {*chosen}.difference(ids)
    if unknown:
        raise ArgumentError("chosen", "known queries", repr(min(unknown)))
    members: dict[str, list[str]] = {}
    found: dict[str, str] = {}
    for query_id in ids:
        stratum = "all" if strata is None else strata.get(query_id)
        if query_id in chosen:
            stratum = CHOSEN
        elif stratum is None or stratum == CHOSEN:
            expected = f"a stratum of {query_id!r}"
            raise ArgumentError("strata", expected, "none" if stratum is None else repr(CHOSEN))
        else:
            members.setdefault(stratum, []).append(query_id)
        found[query_id] = stratum
    labelled = {*chosen}
    if members:
        sizes = {stratum: len(own) for stratum, own in members.items()}
        counts = allocate_labels(sizes, n_labels, spreads=spreads)
        for place, (stratum, own) in enumerate(sorted(members.items())):
            order = np.random.default_rng([seed, place]).permutation(len(own))
            labelled.update(own[row] for row in order[: counts[stratum]].tolist())
    given = spreads or {}
    known = {stratum: float(given[stratum]) for stratum in members if stratum in given}
    return LabelDraw(found, frozenset(labelled), known)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _spread(row: Any, query_id: str, path: object) -> float | None:  # noqa: ANN401
    value = row.get("spread")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise FormatError(f"expected a spread of {query_id!r}, found {value!r:.40}", str(path))
    return float(value)


def _field(row: Any, key: str, kind: type, query_id: str, path: object) -> Any:  # noqa: ANN401
    value = row.get(key) if isinstance(row, dict) else None
    if not isinstance(value, kind):
        raise FormatError(f"expected {key} of {query_id!r}, found {value!r:.40}", str(path))
    return value
