"""Baselines: the rankings that a candidate is compared with, in one small file to keep in git.

A baseline keeps document ids, not scores: it is scored with the current judgments each time it is
used. The file is JSON with one line per query::

    {
     "kind": "baseline", "version": 1, "semantics": 1,
     "name": "main", "created": "2026-11-16", "depth": 10,
     "queries": null, "corpus": null, "settings": {},
     "means": {"nDCG@10": 0.8566},
     "rankings": {
      "q1": ["d1", "d2"],
      "q2": []
     }
    }

If a measure of time is guarded, ``"milliseconds": {"q1": 12.5, "q2": 8.1}`` follows the means.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from berryeval.core.files import write_whole
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.core.timings import check_timings
from berryeval.errors import ArgumentError, FormatError, MismatchError
from berryeval.evaluation.evaluate import evaluate
from berryeval.evaluation.notes import count_queries
from berryeval.formats.lines import iter_pieces
from berryeval.measures import Measure, depth_of

__all__ = [
    "NO_ANCHOR",
    "SCORE_SEMANTICS",
    "Baseline",
    "hash_queries",
    "is_baseline",
    "release_path",
]

SCORE_SEMANTICS = 1
"""Raised only when the score of some ranking changes."""

NO_ANCHOR = "none"
"""The anchor of a gate that compares with its baseline only."""

FILE_VERSION = 1
_N_SHOWN = 3
_HEAD = 1 << 16


@dataclass(frozen=True, eq=False)
class Baseline:
    """Rankings of a system, down to the deepest rank that is considered."""

    name: str
    """Its name, such as a branch."""
    rankings: Mapping[str, Sequence[str]]
    """The documents of every judged query, best first; an empty list if the run had none."""
    depth: int | None
    """The number of documents kept of each ranking; None means all."""
    means: Mapping[str, float]
    """The means when it was saved, for information only."""
    queries: str | None = None
    """A hash of the texts of the queries, if they were known."""
    corpus: str | None = None
    """Name or hash of the searched documents."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Settings of the system, for information only."""
    created: str = ""
    """The day."""
    milliseconds: Mapping[str, float] | None = None
    """How long each query took; kept if a measure of time is among the measures."""
    release: str | None = None
    """The last release that was marked. Its own baseline is the file of that name next to this one,
    and a gate compares with it, too."""
    cautions: tuple[str, ...] = ()
    """Suspicions about the run that it was made of; files do not contain them."""

    @classmethod
    def make(
        cls,
        name: str,
        judgments: Judgments,
        run: Run,
        measures: Sequence[Measure],
        *,
        queries: Mapping[str, Query] | None = None,
        corpus: str | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> Baseline:
        """Keep the part of a run that these measures consider."""
        result = evaluate(judgments, run, measures, queries=(queries or {}).values())
        depth = depth_of(measures)
        return cls(
            name=name,
            rankings={q: run.ranking(q, depth) for q in sorted(judgments.query_ids)},
            depth=depth,
            means=result.to_dict(),
            queries=hash_queries(judgments.query_ids, queries or {}),
            corpus=corpus,
            settings=dict(settings or {}),
            milliseconds=_times(run, judgments, measures),
            created=datetime.now(timezone.utc).date().isoformat(),
            cautions=result.cautions,
        )

    def to_run(self) -> Run:
        """Return the rankings as a run, with times if they are known."""
        run = Run.from_lists(self.rankings)
        return run if self.milliseconds is None else run.with_timings(self.milliseconds)

    def check(
        self,
        judgments: Judgments,
        measures: Sequence[Measure],
        *,
        queries: Mapping[str, Query] | None = None,
        corpus: str | None = None,
        is_anchor: bool = False,
    ) -> None:
        """Raise if the baseline is not comparable.

        An anchor does not change while the set grows, so its queries may differ.

        Raises
        ------
        MismatchError
            If different queries are judged than when the baseline was saved, if they have other
            texts, if another corpus was searched, or if the rankings are not deep enough.
        """
        judged, kept = set(judgments.query_ids), set(self.rankings)
        if judged != kept and not is_anchor:
            changes = " and ".join(_shown(judged - kept, "new") + _shown(kept - judged, "gone"))
            self._refuse(f"has different queries from the judgments: {changes}")
        today = hash_queries(judgments.query_ids, queries or {})
        if judged == kept and None not in (self.queries, today) and self.queries != today:
            self._refuse("has queries with different texts")
        if None not in (self.corpus, corpus) and self.corpus != corpus:
            self._refuse(f"is from another corpus, {self.corpus!r} instead of {corpus!r}")
        deepest = depth_of(measures)
        if self.depth is not None and (deepest is None or deepest > self.depth):
            measure = next(measure for measure in measures if measure.depth == deepest)
            wanted = "whole rankings" if deepest is None else f"{deepest}"
            reason = f"keeps {self.depth} documents per query, but {measure} needs {wanted}"
            self._refuse(reason, f" -m '{measure}'")

    def _refuse(self, reason: str, flags: str = "") -> None:
        way_out = f"save its run again with `berryeval baseline update{flags}`"
        raise MismatchError(f"baseline {self.name!r} {reason}; {way_out}")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file, completely or not at all."""
        write_whole(path, [self.to_json().encode("utf-8", "surrogateescape")])

    def to_json(self) -> str:
        """Return the content of the file, with one line per query for readable diffs."""
        head = {
            "kind": "baseline",
            "version": FILE_VERSION,
            "semantics": SCORE_SEMANTICS,
            "name": self.name,
            "created": self.created,
            "depth": self.depth,
            "queries": self.queries,
            "corpus": self.corpus,
            "settings": dict(self.settings),
            **({} if self.release is None else {"release": self.release}),
            "means": dict(self.means),
            **({} if self.milliseconds is None else {"milliseconds": dict(self.milliseconds)}),
        }
        lines = [f" {_json(key)}: {_json(value)}," for key, value in head.items()]
        rows = [f"  {_json(query)}: {_json([*ids])}" for query, ids in self.rankings.items()]
        return "\n".join(["{", *lines, ' "rankings": {', ",\n".join(rows), " }", "}", ""])

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Baseline:
        """Read a file that `save` wrote.

        Raises
        ------
        FormatError
            If it is invalid.
        MismatchError
            If its scores have another meaning than ours.
        """
        name = os.fspath(path)
        content = _read_object(path)
        if content.get("kind") != "baseline" or content.get("version") != FILE_VERSION:
            got = f"kind {content.get('kind')!r}, version {content.get('version')!r}"
            raise FormatError.unexpected(f"a baseline of version {FILE_VERSION}", got, name)
        if content.get("semantics") != SCORE_SEMANTICS:
            found = content.get("semantics")
            raise MismatchError(
                f"{name}: expected scores with semantics {SCORE_SEMANTICS}, found {found!r}; "
                "save its run again with `berryeval baseline save --force`"
            )
        try:
            return cls(
                name=_of_type(content, "name", str),
                rankings=_rankings(content),
                depth=_depth(content),
                means=_means(content),
                queries=_of_type(content, "queries", str, optional=True),
                corpus=_of_type(content, "corpus", str, optional=True),
                settings=_settings(content),
                milliseconds=_milliseconds(content),
                created=_of_type(content, "created", str),
                release=_of_type(content, "release", str, optional=True),
            )
        except ArgumentError as error:
            raise FormatError(str(error), name) from None


def is_baseline(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is a baseline, and not a run."""
    first = next(iter_pieces(path), b"")
    return re.search(rb'"kind"\s*:\s*"baseline"', first[:_HEAD]) is not None


def release_path(baseline: str, name: str) -> str:
    """Return the path of a release, next to the baseline. Raises for an invalid name."""
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._+-]{0,99}", name) or name == NO_ANCHOR:
        expected = "letters, digits, dots, dashes and underscores"
        raise ArgumentError("release", expected, repr(name)[:60])
    path = os.path.join(os.path.dirname(baseline), f"{name}.json")  # noqa: PTH118, PTH120
    if path == baseline:
        raise ArgumentError("release", "another name than the baseline's", repr(name))
    return path


def hash_queries(query_ids: Iterable[str], queries: Mapping[str, Query]) -> str | None:
    """Return a hash of the texts of queries; None if one has no text."""
    if any(query_id not in queries for query_id in query_ids):
        return None
    texts = {query_id: queries[query_id].text for query_id in sorted(query_ids)}
    return hashlib.sha256(json.dumps(texts).encode("ascii")).hexdigest()[:16]


def _shown(query_ids: set[str], what: str) -> list[str]:
    if not query_ids:
        return []
    shown = ", ".join(map(repr, sorted(query_ids)[:_N_SHOWN]))
    more = ", …" if len(query_ids) > _N_SHOWN else ""
    return [f"{count_queries(len(query_ids))} {what} ({shown}{more})"]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=False)


def _read_object(path: str | os.PathLike[str]) -> dict[str, Any]:
    name = os.fspath(path)
    text = b"".join(iter_pieces(path)).decode("utf-8", "surrogateescape")
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"expected a baseline in JSON: {error}", name) from None
    if not isinstance(content, dict):
        raise FormatError.unexpected("a baseline", "other JSON", name)
    return content


def _of_type(content: dict[str, Any], key: str, kind: type, *, optional: bool = False) -> Any:  # noqa: ANN401
    value = content.get(key)
    if isinstance(value, kind) or (optional and value is None):
        return value
    raise ArgumentError(key, "text" if kind is str else "an object", repr(value)[:40])


def _depth(content: dict[str, Any]) -> int | None:
    depth = content.get("depth")
    is_whole = isinstance(depth, int) and not isinstance(depth, bool)
    if depth is None or (is_whole and depth > 0):
        return depth
    raise ArgumentError("depth", "a whole number above 0, or null", repr(depth)[:40])


def _means(content: dict[str, Any]) -> dict[str, float]:
    means: dict[str, Any] = _of_type(content, "means", dict)
    for measure, mean in means.items():
        if not isinstance(mean, (int, float)) or isinstance(mean, bool) or not abs(mean) < math.inf:
            raise ArgumentError(f"means[{measure!r}]", "a finite number", repr(mean)[:40])
    return means


def _times(run: Run, judgments: Judgments, measures: Sequence[Measure]) -> dict[str, float] | None:
    """Return the times of judged queries, in microseconds' precision, if a measure needs them."""
    if run.milliseconds is None or not any(measure.uses_timings for measure in measures):
        return None
    known = run.milliseconds
    return {q: round(known[q], 3) for q in sorted(judgments.query_ids) if q in known}


def _milliseconds(content: dict[str, Any]) -> dict[str, float] | None:
    times = _of_type(content, "milliseconds", dict, optional=True)
    return None if times is None else check_timings(times, "milliseconds")


def _settings(content: dict[str, Any]) -> dict[str, str]:
    settings: dict[str, Any] = _of_type(content, "settings", dict)
    for key, value in settings.items():
        if not isinstance(value, str):
            raise ArgumentError(f"settings[{key!r}]", "text", repr(value)[:40])
    return settings


def _rankings(content: dict[str, Any]) -> dict[str, list[str]]:
    rankings: dict[str, Any] = _of_type(content, "rankings", dict)
    for query_id, ids in rankings.items():
        if not isinstance(ids, list) or not all(isinstance(doc_id, str) for doc_id in ids):
            raise ArgumentError(f"rankings[{query_id!r}]", "a list of ids", repr(ids)[:40])
        if len(set(ids)) < len(ids):
            raise ArgumentError(f"rankings[{query_id!r}]", "each document once", "one twice")
    return rankings
