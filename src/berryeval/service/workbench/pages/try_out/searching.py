"""The rankings of the query with the settings of each side, with grades and scores."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import wait
from dataclasses import dataclass
from functools import partial
from typing import Annotated, TypeAlias

from berryeval.archive import Archive
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, MissingExtraError, SystemUnderTestError
from berryeval.service.dependencies import from_state
from berryeval.service.lru_cache import LruCache
from berryeval.service.shared_work import in_thread
from berryeval.service.stores.trying import SECONDS, Tried, try_query
from berryeval.service.workbench.pages.query.answers import Answers, Side, judged_of
from berryeval.service.workbench.pages.try_out.view import TrySide, TryView
from berryeval.service.workbench.state.scoring import Scoring

__all__ = ["Found", "TriesDep", "search_sides"]

_TryCache: TypeAlias = LruCache[tuple[object, ...], Tried]
"""Results of the last seconds: a side that does not change is not searched again."""

TriesDep: TypeAlias = Annotated[_TryCache, from_state("tries")]

_TITLE, _BEGINNING = 160, 200


@dataclass(frozen=True)
class Found:
    """The results for a query."""

    answers: Answers | None
    """The rankings of the sides that answered; None if neither did."""
    milliseconds: Mapping[str, float]
    """The time of each search, by the label of its side."""
    problems: Mapping[str, str]
    """Why a side did not answer, by its letter."""
    texts: Mapping[str, tuple[str, str]]
    """Titles and texts of documents that only stores know, by id."""


def search_sides(archive: Archive, scoring: Scoring, tries: _TryCache, view: TryView) -> Found:
    """Search both sides at the same time."""
    end = time.monotonic() + SECONDS
    asked = {
        side.letter: in_thread(partial(_searched, tries, view, side, end))
        for side in view.sides
        if side.problem is None
    }
    tried: dict[str, Tried] = {}
    problems: dict[str, str] = {
        side.letter: side.problem for side in view.sides if side.problem is not None
    }
    for letter, future in asked.items():
        wait([future])
        error = future.exception()
        if isinstance(error, (SystemUnderTestError, ArgumentError, MissingExtraError)):
            problems[letter] = str(error)
        else:
            tried[letter] = future.result()
    answered = [side for side in view.sides if side.letter in tried]
    texts: dict[str, tuple[str, str]] = {}
    for side in answered:
        ids = tried[side.letter].run.ranking(view.query_id)
        texts |= {
            one.doc_id: (one.title[:_TITLE], one.text[:_BEGINNING])
            for one in side.store.find(ids).values()
        }
    answers = _answers(archive, scoring, view, [(one, tried[one.letter].run) for one in answered])
    times = {side.label: tried[side.letter].milliseconds for side in answered}
    return Found(answers, times, problems, texts)


def _searched(tries: _TryCache, view: TryView, side: TrySide, end: float) -> Tried:
    changes = tuple(sorted(side.changes.items()))
    key = (side.store.name, side.store.stamp, changes, view.query, view.k)
    known = tries.get(key)
    if known is None:
        known = try_query(side.store, view.query, view.k, side.changes, end)
        tries.put(key, known)
    return known


def _answers(
    archive: Archive, scoring: Scoring, view: TryView, runs: Sequence[tuple[TrySide, Run]]
) -> Answers | None:
    if not runs:
        return None
    sides = tuple(
        Side(None, side.label, run.ranking(view.query_id), is_missing=False) for side, run in runs
    )
    measures = (*scoring.measures, view.measure)
    judged_for_any: frozenset[bytes] = frozenset()
    if any(measure.across_queries for measure in measures):
        judged_for_any = frozenset(scoring.recent().judgments.doc_ids.iter_bytes())
    lengths = None
    if any(measure.uses_lengths for measure in measures):
        lengths = archive.documents.lengths({one for side in sides for one in side.ranking})
    judged = judged_of(archive, view.query_id) if view.is_stored else {}
    return Answers(
        view.query_id,
        sides,
        judged,
        scoring.measures,
        view.measure,
        [run for _, run in runs],
        judged_for_any,
        lengths,
    )
