"""Runs the queries of a ranking evaluation on stores, and scores the hits with its ratings."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from berryeval.core.query import Query
from berryeval.errors import ArgumentError, BerryEvalError, InputError, SystemTimeoutError
from berryeval.search.collect import collect
from berryeval.service.rank_eval.elastic_answers import cause_of
from berryeval.service.rank_eval.metrics import Scored, mean
from berryeval.service.rank_eval.models import RankEvalRequest, RatedRequest, Template
from berryeval.service.rank_eval.search_text import SearchTarget, check_parts, read_search
from berryeval.service.rank_eval.templates import fill_template
from berryeval.service.stores.query_deadline import QueryDeadline, deadline_before
from berryeval.service.stores.store import Store

__all__ = ["all_failed", "rank_eval"]

MAX_TEMPLATE_CHARACTERS = 20_000_000
"""Length of the templates and their results, summed over the requests of a call."""

_FIELDS = ("title", "text")
_MAX_AT_ONCE = 10  # searches, the default of Elasticsearch


@dataclass(frozen=True)
class _Hit:
    store: Store
    doc_id: str
    score: float

    @property
    def key(self) -> dict[str, str]:
        return {"_index": self.store.name, "_id": self.doc_id}


@dataclass(frozen=True)
class _Answer:
    hits: list[_Hit]
    seconds: float


def rank_eval(request: RankEvalRequest, stores: Sequence[Store], deadline: float) -> dict[str, Any]:
    """Return the response to a ranking evaluation, by a deadline of `time.monotonic`.

    A query that fails or times out is listed under ``failures``, and excluded from means.

    Raises
    ------
    InputError
        For a template with a part unrelated to ranking, and for templates of more
        than `MAX_TEMPLATE_CHARACTERS` over all requests.
    """
    metrics = request.metric.wanted
    k = max(one.k for one in metrics.values())
    limit = deadline_before(deadline, len(request.requests) * len(stores), k)
    answers, failures = _run_queries(request, stores, k, limit)
    details: dict[str, Any] = {}
    for rated in request.requests:
        if rated.id in answers:
            try:
                details[rated.id] = _quality(request, rated, answers[rated.id])
            except InputError as error:
                failures[rated.id] = error
    means = {name: mean(one["metrics"][name] for one in details.values()) for name in metrics}
    return {
        **_single(means),
        "metrics": means,
        "details": details,
        "failures": {
            rated.id: {"error": cause_of(failures[rated.id])}
            for rated in request.requests
            if rated.id in failures
        },
    }


def all_failed(request: RankEvalRequest, error: BerryEvalError) -> dict[str, Any]:
    """Return the response in which every query failed for the same reason."""
    means = dict.fromkeys(request.metric.wanted)
    failures = {rated.id: {"error": cause_of(error)} for rated in request.requests}
    return {**_single(means), "metrics": means, "details": {}, "failures": failures}


def _single(scores: Mapping[str, float | None]) -> dict[str, float | None]:
    """Return the score under its name in Elasticsearch, which has one metric per request."""
    return {"metric_score": next(iter(scores.values()))} if len(scores) == 1 else {}


def _run_queries(
    request: RankEvalRequest, stores: Sequence[Store], k: int, limit: QueryDeadline
) -> tuple[dict[str, _Answer], dict[str, BerryEvalError]]:
    """Run every query on every store; a query that fails on one of them has failed."""
    wanted, failures = _read_searches(request, limit)
    answers = {query_id: _Answer([], 0.0) for query_id in wanted}
    concurrency = min(request.max_concurrent_searches, _MAX_AT_ONCE)
    for store in stores:
        found, failed = _search_store(store, wanted, k, limit, concurrency)
        failures |= failed
        for query_id, answer in found.items():
            before = answers[query_id]
            # Sorting is stable: for equal scores, the first store comes first.
            hits = sorted([*before.hits, *answer.hits], key=lambda hit: -hit.score)[:k]
            answers[query_id] = _Answer(hits, before.seconds + answer.seconds)
    return {one: answers[one] for one in answers if one not in failures}, failures


def _read_searches(
    request: RankEvalRequest, limit: QueryDeadline
) -> tuple[dict[str, SearchTarget], dict[str, BerryEvalError]]:
    sources = {template.id: _source_text(template) for template in request.templates}
    wanted: dict[str, SearchTarget] = {}
    failures: dict[str, BerryEvalError] = {}
    n_characters = 0
    for rated in request.requests:
        if n_characters > MAX_TEMPLATE_CHARACTERS:
            expected = f"at most {MAX_TEMPLATE_CHARACTERS:,} characters over all requests"
            raise ArgumentError("templates", expected, "more; send fewer requests per call")
        if _is_over(limit):
            failures[rated.id] = _timeout()
            continue
        search = rated.request
        try:
            if search is None:
                assert rated.template_id is not None
                source = sources[rated.template_id]
                n_characters += len(source)
                text = fill_template(source, rated.params or {})
                n_characters += len(text)
                search = _parsed(text)
        except InputError as error:
            failures[rated.id] = error
            continue
        check_parts(search)
        try:
            wanted[rated.id] = read_search(search)
        except InputError as error:
            failures[rated.id] = error
    return wanted, failures


def _source_text(template: Template) -> str:
    source = template.template.source
    return source if isinstance(source, str) else json.dumps(source)


def _parsed(text: str) -> dict[str, Any]:
    try:
        search = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the rendered template is not JSON: {error}") from None
    if not isinstance(search, dict):
        raise InputError("the rendered template is not a search request: expected an object")
    return search


def _search_store(
    store: Store, wanted: Mapping[str, SearchTarget], k: int, limit: QueryDeadline, concurrency: int
) -> tuple[dict[str, _Answer], dict[str, BerryEvalError]]:
    texts = [Query(query_id, one.text) for query_id, one in wanted.items() if one.text is not None]
    answers: dict[str, _Answer] = {}
    failures: dict[str, BerryEvalError] = {}
    for query_id, one in wanted.items():
        if one.text is not None:
            continue
        try:
            if _is_over(limit):
                raise _timeout()
            ids = store.list_ids(one.ids, k)
        except (ArgumentError, SystemTimeoutError) as error:
            failures[query_id] = error
        else:
            answers[query_id] = _Answer([_Hit(store, doc_id, 1.0) for doc_id in ids], 0.0)
    if texts:
        system, limits = limit.prepared(store, concurrency)
        collected = collect(system, texts, k, limits=limits)
        failures |= collected.failures
        scores = collected.run.to_dict()
        for query_id, seconds in collected.durations.items():
            ids = collected.run.ranking(query_id)
            hits = [_Hit(store, doc_id, scores[query_id][doc_id]) for doc_id in ids]
            answers[query_id] = _Answer(hits, seconds)
    return answers, failures


def _is_over(limit: QueryDeadline) -> bool:
    return limit.deadline is not None and time.monotonic() >= limit.deadline


def _timeout() -> SystemTimeoutError:
    return SystemTimeoutError("_rank_eval", "timeout; send fewer requests per call")


def _quality(request: RankEvalRequest, rated: RatedRequest, answer: _Answer) -> dict[str, Any]:
    """Score one query by each metric, over the first k hits of the metric."""
    ratings = {(one.index, one.id): one.rating for one in rated.ratings}
    hits = answer.hits
    found = [ratings.get((hit.store.name, hit.doc_id)) for hit in hits]
    scored = {
        name: _checked(metric.score(found[: metric.k], list(ratings.values())), name)
        for name, metric in request.metric.wanted.items()
    }
    scores = {name: one.score for name, one in scored.items()}
    sources = _sources(hits, rated.summary_fields)
    return {
        **_single(scores),
        "metrics": scores,
        "took": round(1000 * answer.seconds),
        "unrated_docs": [
            hit.key for hit, rating in zip(hits, found, strict=True) if rating is None
        ],
        "hits": [
            {"hit": {**hit.key, "_score": _shown(hit.score), **source}, "rating": rating}
            for hit, rating, source in zip(hits, found, sources, strict=True)
        ],
        "metric_details": {name: one.details for name, one in scored.items()},
    }


def _checked(scored: Scored, metric: str) -> Scored:
    """Return the score; raise if ratings outside the scale made it infinite."""
    if not all(map(math.isfinite, (scored.score, *scored.details.values()))):
        raise InputError(f"[{metric}] is not finite: ratings are beyond the scale")
    return scored


def _shown(score: float) -> float | None:
    return score if math.isfinite(score) else None


def _sources(hits: Iterable[_Hit], fields: Sequence[str]) -> list[dict[str, Any]]:
    """Return the fields of each document that match a pattern."""
    hits = list(hits)
    if not fields:
        return [{} for _ in hits]
    by_store: dict[str, tuple[Store, list[str]]] = {}
    for hit in hits:
        by_store.setdefault(hit.store.name, (hit.store, []))[1].append(hit.doc_id)
    known = {name: store.find(ids) for name, (store, ids) in by_store.items()}
    shown = [name for name in _FIELDS if any(fnmatchcase(name, pattern) for pattern in fields)]
    return [
        {"_source": {name: getattr(document, name) for name in shown}}
        if (document := known[hit.store.name].get(hit.doc_id)) is not None
        else {}
        for hit in hits
    ]
