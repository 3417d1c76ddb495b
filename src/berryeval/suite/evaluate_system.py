"""Scores a live search system, query by query (E2)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from berryeval.core.cutoff import DEFAULT_KS
from berryeval.core.documents import Document
from berryeval.core.events import event_logger
from berryeval.core.id_column import encode_id
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, InputTypeError, SystemUnderTestError
from berryeval.evaluation import Evaluation, evaluate
from berryeval.evaluation.slices import QueriesSource, load_queries
from berryeval.evaluation.sources import JudgmentsSource, load_judgments
from berryeval.golden.golden_set import GoldenSet
from berryeval.measures import NDCG, AveragePrecision, Measure, Precision, Recall, ReciprocalRank
from berryeval.search.collect import Limits, collect
from berryeval.search.judged_units import to_judged_units
from berryeval.search.opening import open_system, read_settings
from berryeval.search.places import Place
from berryeval.search.system import System, check_documents
from berryeval.search.systems.foreign import as_system
from berryeval.suite.known_ids import find_unknown_hits

__all__ = ["QueryEvaluation", "Summary", "SystemEvaluation", "evaluate_system"]

MIN_DEPTH = 100
"""Minimum number of hits to request, since reciprocal rank and average precision use all."""

_log = event_logger(__name__)

_BY_K = {"ndcg": NDCG, "recall": Recall, "precision": Precision}
_WHOLE: tuple[Measure, Measure] = (ReciprocalRank(), AveragePrecision())


@dataclass(frozen=True)
class QueryEvaluation:
    """The scores of one query."""

    query_id: str
    query: str
    ndcg: dict[int, float]
    """nDCG by k, like recall and precision."""
    recall: dict[int, float]
    precision: dict[int, float]
    mrr: float
    """Reciprocal rank over the whole list."""
    ap: float
    """Average precision over the whole list."""
    result_count: int
    """Number of hits returned."""
    unjudged: bool = False
    """Whether it has no judgments: every score is 0, and no mean includes it."""


@dataclass(frozen=True)
class Summary:
    """Means over the judged queries that were answered; weighted if they have weights.

    Without any such query, means are 0; but if that is because queries failed, they are None,
    since 0 would look like a score.
    """

    query_count: int
    mean_ndcg: dict[int, float | None]
    mean_recall: dict[int, float | None]
    mean_precision: dict[int, float | None]
    mean_mrr: float | None
    map: float | None
    unjudged_count: int = 0
    """Queries that were answered but are not judged; no mean includes them."""
    failed_count: int = 0
    """Number of queries that were not answered; they are left out of the means."""
    effective_queries: float | None = None
    """Effective number of queries (Kish); None without weights."""


@dataclass(frozen=True)
class SystemEvaluation:
    """The scores of a system: those of every answered query, and the means."""

    results: tuple[QueryEvaluation, ...]
    """Scores in the order of the queries."""
    summary: Summary
    failed: dict[str, SystemUnderTestError] = field(default_factory=dict)
    """The errors of the queries that were not answered."""
    run: Run = field(default_factory=lambda: Run.from_dict({}), repr=False, compare=False)
    """The rankings that were scored. Chunks stand for what was judged, unless a golden set judges
    spans of its own chunks."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as values that JSON can represent; in JSON, each k becomes text."""
        return {
            "results": [asdict(result) for result in self.results],
            "summary": asdict(self.summary),
            "failed": [
                {"query_id": query_id, "error": str(error)}
                for query_id, error in self.failed.items()
            ],
        }


def evaluate_system(
    system: System | Callable[[str, int], Any] | object | str,
    queries: QueriesSource | Query,
    ks: Iterable[int] = DEFAULT_KS,
    *,
    judgments: JudgmentsSource | GoldenSet,
    settings: Mapping[str, str] | None = None,
    documents: str | os.PathLike[str] | Iterable[Document] | None = None,
    limits: Limits | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SystemEvaluation:
    """Send queries to a live system, and score its answers.

    It requests 100 hits per query, or the largest k if that is more. A query that fails never
    stops the others: it is listed under `failed`, and left out of the means. If no judged query is
    left because queries failed, the means are None.

    Parameters
    ----------
    system : System, retriever, callable or str
        A system, a retriever of LangChain, LlamaIndex or Haystack (see
        `berryeval.search.Retriever`), a function of query and k, or a name that
        `berryeval.search.opening.open_system` accepts.
    queries : Query, several of them, or a path
        The queries to send.
    ks : iterable of int
        Cutoffs of nDCG, recall and precision.
    judgments : Judgments, path, dict of dicts, data frame or GoldenSet
        The judgments to score with. A query without judgments is marked, and left out of the
        means. If spans are judged, the returned chunks are credited with them; if documents are
        judged, and the system returns chunks of them, each chunk counts as its document.
    settings : mapping, optional
        Settings of the system as text, such as ``{"id": "metadata.doc_id"}`` for a retriever or a
        function.
    documents : path or iterable of Document, optional
        Documents to index first, for a system such as ``"bm25"``: a folder of Markdown, a BEIR
        folder, JSON lines, or `Document` objects.
    limits : Limits, optional
        Default: four queries at once, 30 s each.
    progress : callable, optional
        Called with the number of answers so far and in total.

    Raises
    ------
    ArgumentError
        For a k below 1, or none; for a system without documents to search, and for documents that
        it cannot index.
    MismatchError
        If none of the returned ids is one of the golden set.

    Examples
    --------
    >>> found = evaluate_system(
    ...     lambda query, k: ["d2", "d1"],
    ...     Query("q1", "configure OAuth"),
    ...     ks=[1, 2],
    ...     judgments={"q1": {"d1": 1}},
    ... )
    >>> found.results[0].recall, found.summary.mean_mrr
    ({1: 0.0, 2: 1.0}, 0.5)
    """
    cutoffs = tuple(dict.fromkeys(ks))
    if not cutoffs:
        raise ArgumentError("ks", "at least one k", "none")
    by_k = {(name, k): measure(k) for name, measure in _BY_K.items() for k in cutoffs}
    asked = load_queries([queries] if isinstance(queries, Query) else queries)
    if isinstance(judgments, GoldenSet):
        known, credit = judgments.judgments, judgments.credit
    else:
        # `Judgments` may be empty, as in a new archive; an empty file is an error.
        known = judgments if isinstance(judgments, Judgments) else load_judgments(judgments)
        credit = _as_it_is
    depth = max(MIN_DEPTH, *cutoffs)
    with _opened(system, settings or {}, asked.values()) as opened:
        if documents is not None:
            opened.index(_documents(documents))
        check_documents(opened, "give documents=…, a folder, a file or Document objects")
        collected = collect(opened, asked.values(), depth, limits=limits, progress=progress)
        places, name = opened.places, opened.name
    answered = [query_id for query_id in asked if query_id not in collected.failures]
    judged = [query_id for query_id in answered if query_id in known]
    run = to_judged_units(credit(collected.run), known, places)
    if isinstance(judgments, GoldenSet):
        find_unknown_hits(judgments, run, name)
    # The run contains the answered queries; those that are also judged are scored.
    measures = (*by_k.values(), *_WHOLE)
    scored = None
    if judged:
        scored = evaluate(known, run, measures, queries=asked.values(), missing="skip")
    _log_unknown_ids(known, judged, run, places)
    by_query = {one: {} if scored is None else scored[str(one)].by_query for one in measures}
    results = tuple(
        QueryEvaluation(
            query_id=query_id,
            query=asked[query_id].text,
            **_figures(by_k, lambda measure: by_query[measure].get(query_id, 0.0)),  # noqa: B023
            mrr=by_query[_WHOLE[0]].get(query_id, 0.0),
            ap=by_query[_WHOLE[1]].get(query_id, 0.0),
            result_count=len(collected.run.rows_of(encode_id(query_id))),
            unjudged=query_id not in known,
        )
        for query_id in answered
    )
    nothing = None if collected.failures else 0.0
    means = _figures(by_k, partial(_mean, scored, nothing))
    summary = Summary(
        query_count=len(judged),
        **{f"mean_{name}": values for name, values in means.items()},
        mean_mrr=_mean(scored, nothing, _WHOLE[0]),
        map=_mean(scored, nothing, _WHOLE[1]),
        unjudged_count=len(answered) - len(judged),
        failed_count=len(collected.failures),
        effective_queries=None if scored is None else scored.effective_queries,
    )
    scored_run = run if places else collected.run
    return SystemEvaluation(results, summary, collected.failures, scored_run)


def _as_it_is(run: Run) -> Run:
    return run


@contextmanager
def _opened(
    system: object, settings: Mapping[str, str], queries: Iterable[Query]
) -> Iterator[System]:
    """Provide a system; one that is opened here by name is also closed here."""
    if isinstance(system, str):
        with open_system(system, settings, queries=queries) as opened:
            yield opened
    else:
        yield as_system(system, **read_settings(settings, "function"))


def _documents(source: str | os.PathLike[str] | Iterable[Document]) -> Iterable[Document]:
    if isinstance(source, (str, os.PathLike)):
        from berryeval.search.documents import iter_any_documents

        return iter_any_documents(os.fspath(source))
    return _checked(source)


def _checked(documents: Iterable[object]) -> Iterator[Document]:
    """Iterate over documents; raise if an item is not a document, or if there are none."""
    expected = "Document objects, or the path of a file or folder"
    is_empty = True
    for document in documents:
        if not isinstance(document, Document):
            raise InputTypeError("documents", expected, type(document).__name__)
        is_empty = False
        yield document
    if is_empty:
        raise ArgumentError("documents", "at least one", "none")


def _log_unknown_ids(
    judgments: Judgments, query_ids: Iterable[str], run: Run, places: Mapping[str, Place]
) -> None:
    """Warn if no returned document is judged: system and judgments may use different ids."""
    first: tuple[str, str] | None = None
    for query_id in query_ids:
        grades = judgments.grades_of(encode_id(query_id))
        for doc_id in run.ranking(query_id):
            if encode_id(doc_id) in grades:
                return
            first = first or (query_id, doc_id)
    if first is not None:
        facts = {"query_id": first[0], "doc_id": first[1]}
        if first[1] in places:
            facts["way_out"] = "choose the path to the judged ids with the setting id"
        _log.warning("no document that was found is judged", extra=facts)


def _figures(
    by_k: Mapping[tuple[str, int], Measure], value_of: Callable[[Measure], float | None]
) -> dict[str, Any]:
    found: dict[str, dict[int, float | None]] = {name: {} for name in _BY_K}
    for (name, k), measure in by_k.items():
        found[name][k] = value_of(measure)
    return found


def _mean(scored: Evaluation | None, nothing: float | None, measure: Measure) -> float | None:
    """Return the mean of a measure; `nothing` if no query was scored."""
    return nothing if scored is None else scored[str(measure)].mean
