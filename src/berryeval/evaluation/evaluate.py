"""Score a run against judgments, from any source."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from berryeval.core.cutoff import DEFAULT_KS
from berryeval.core.frames import is_frame
from berryeval.core.id_column import shown_id
from berryeval.core.judging import Judges
from berryeval.core.run import Run
from berryeval.core.scores import Scores
from berryeval.engine import MissingQueries, NoRelevant, score, score_at_once
from berryeval.errors import ArgumentError, InputError, InputTypeError, MismatchError
from berryeval.evaluation.result import Evaluation, holes_measure
from berryeval.evaluation.sources import (
    DocumentsOfChunks,
    JudgmentsSource,
    LengthsSource,
    RunSource,
    TimingsSource,
    find_cautions,
    load_judgments,
    load_run,
    load_timings,
    reshape_run,
)
from berryeval.evaluation.unknown_ids import find_unknown_ids
from berryeval.formats import Duplicates
from berryeval.formats.lines import path_name, readable_again
from berryeval.measures import (
    NDCG,
    HitRate,
    Measure,
    Precision,
    Recall,
    ReciprocalRank,
    parse_measures,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from berryeval.core.query import Query
    from berryeval.evaluation.slices import QueriesSource

__all__ = [
    "COMPARED_MEASURES",
    "DEFAULT_MEASURES",
    "MeasureLike",
    "check_choice",
    "evaluate",
    "mismatches_of",
    "nothing_in_common",
    "read_measure",
    "read_measures",
]

MeasureLike: TypeAlias = "Measure | type[Measure] | str"
"""A measure, a class of measures such as ``be.AP``, or a name."""

DEFAULT_MEASURES: tuple[Measure, ...] = (
    ReciprocalRank(),
    *(measure(k) for k in DEFAULT_KS for measure in (Recall, Precision, NDCG, HitRate)),
)
"""The measures to report if none is named."""

COMPARED_MEASURES: tuple[Measure, ...] = (NDCG(10), ReciprocalRank(), Precision(5), Recall(100))
"""What a comparison decides on when no measure is named, and what the workbench shows: few
measures that ask different questions, since more of them would only repeat each other."""


def evaluate(
    judgments: JudgmentsSource,
    run: RunSource,
    measures: Iterable[MeasureLike] | MeasureLike = DEFAULT_MEASURES,
    *,
    queries: QueriesSource | None = None,
    missing: MissingQueries = "zero",
    no_relevant: NoRelevant = "zero",
    duplicates: Duplicates = "error",
    judges: Judges = "first",
    documents: DocumentsOfChunks | None = None,
    exclude_self: bool = False,
    judged_only: bool = False,
    lengths: LengthsSource | None = None,
    timings: TimingsSource | None = None,
    query_ids: ArrayLike | None = None,
    group_sizes: Iterable[int] | None = None,
    sampling_errors: bool = False,
) -> Evaluation:
    """Score a run against judgments.

    Parameters
    ----------
    judgments : Judgments, path, dict of dicts, dict of lists or sets, data frame, records or array
        The judgments. Files are recognised by their first line; a folder is read as BEIR. Lists and
        sets hold the relevant documents, each with grade 1. Data frames are those of pandas,
        polars, pyarrow, or any with an Arrow stream. Records are named tuples, objects or dicts,
        such as those of ir_datasets.
    run : Run, path, dict of dicts, dict of lists, data frame, records or array
        The retrieved documents. Scores decide the order, and ties break by document id, as in
        trec_eval; lists keep their order.
    measures : Measure, str, or several of them
        ``"nDCG@10"``, ``"AP(rel=2)@100"``, trec_eval's ``"ndcg_cut.5,10"`` or ``"official"``.
        Default: reciprocal rank, and recall, precision, nDCG and success at 1, 3, 5 and 10.
    queries : path or Query objects, optional
        Labels define slices, ``result.by("category")``. If queries have weights, means are
        weighted.
    missing : {"zero", "skip", "error"}
        How to score judged queries that are missing from the run.
    no_relevant : {"zero", "skip"}
        How to score queries without relevant documents.
    duplicates : {"error", "keep-best"}
        What to do with a document that a file or frame has twice for one query.
    judges : {"first", "latest", "max", "mean", "majority"}
        Which grade counts if several judges graded a document.
    documents : mapping or callable, optional
        The document of each chunk, by the chunk's id, if the run has chunks and the judgments name
        documents. A document has the score of its best chunk.
    exclude_self : bool
        Whether to remove a document from the results of the query with the same id, as BEIR does
        for sets whose queries are documents, such as ArguAna.
    judged_only : bool
        Whether to remove unjudged documents from the rankings before scoring, as the parameter of
        every measure does: ``nDCG(judged_only=True)@10`` is then its name in the result.
    lengths : Documents, path, mapping or data frame, optional
        The length of each document, for measures that need it (TBG, U, tokens): documents that
        all have one, a file with an id and a length per line, a mapping, or a data frame with the
        columns ``doc_id`` and ``length``. A document that such a measure looks at and that has no
        length is an error.
    timings : path or mapping, optional
        How long each query took, in milliseconds, for measures of time (ms@p95): a file that
        ``berryeval retrieve --timings`` wrote, or a mapping. Default: those of the run, if it has
        any, as the runs of `collect` do. Every scored query needs one.
    query_ids : array_like, optional
        For arrays: `judgments` has the grade and `run` the score of each document, as ``y_true``
        and ``y_score`` in scikit-learn, and `query_ids` its query. Arrays with two dimensions need
        none: they have one row per query. Among equal scores, the first document ranks first.
    group_sizes : iterable of int, optional
        In place of `query_ids`, how many documents each query has, like the groups of LightGBM and
        XGBoost.
    sampling_errors : bool
        Whether to compute the standard errors that xinfAP, infNDCG and infAP have because only a
        sample of the pool was judged: ``result["xinfAP"].sampling_error`` is that of the mean.

    Returns
    -------
    Evaluation
        ``result["nDCG@10"].mean``, ``result["nDCG@10"].by_query["q1"]``, ``result.counts``.

    Raises
    ------
    FormatError
        For a file that cannot be read, with the line.
    MismatchError
        If there are no judgments, or judgments and run have no query in common.

    Examples
    --------
    >>> judgments = {"q1": {"d1": 2, "d2": 1}, "q2": {"d3": 1}}
    >>> run = {"q1": ["d1", "d9", "d2"], "q2": ["d8", "d3"]}
    >>> result = evaluate(judgments, run, ["RR", "AP", "P@2"])
    >>> result
    <Evaluation over 2 queries
    RR   0.7500 [0.0000, 1.0000]
    AP   0.6667 [0.0000, 1.0000]
    P@2  0.5000 [0.5000, 0.5000]>
    >>> result["AP"].by_query["q2"]
    0.5
    """
    check_choice("missing", missing, ("zero", "skip", "error"))
    check_choice("no_relevant", no_relevant, ("zero", "skip"))
    check_choice("duplicates", duplicates, ("error", "keep-best"))
    chosen = read_measures(measures, judged_only=judged_only)
    ranked = [measure for measure in chosen if not measure.uses_timings]
    counted = tuple(dict.fromkeys((*ranked, *map(holes_measure, chosen))))
    known_queries = _load_queries(queries)
    if query_ids is not None or group_sizes is not None or _are_arrays(judgments, run):
        from berryeval.core.flat_arrays import read_arrays  # imports NumPy; not needed for means

        judgments, run = read_arrays(judgments, run, query_ids, group_sizes)  # type: ignore[arg-type]
    loaded_judgments = load_judgments(judgments, duplicates, judges, lengths)
    if documents is not None or exclude_self:
        run = reshape_run(load_run(run, duplicates), documents=documents, exclude_self=exclude_self)
    times = run.milliseconds if isinstance(run, Run) else None
    times = times if timings is None else load_timings(timings)
    name = None
    if isinstance(run, (str, os.PathLike)):
        name, run = path_name(run), readable_again(run)
    if sampling_errors:
        run = load_run(run, duplicates)
    with mismatches_of(name):
        scores = score_at_once(
            loaded_judgments,
            run,
            counted,
            missing=missing,
            no_relevant=no_relevant,
            duplicates=duplicates,
        )
        if scores is None:
            run = load_run(run, duplicates)
            scores = score(loaded_judgments, run, counted, missing=missing, no_relevant=no_relevant)
        if scores.counts.missing == scores.counts.judged:
            judged_ids = loaded_judgments.query_ids[:N_NAMED]
            raise MismatchError(nothing_in_common(judged_ids, scores.ignored_ids))
        scores = _timed(scores, [one for one in chosen if one.uses_timings], times)
    variances = None
    if isinstance(run, Run) and sampling_errors:
        from berryeval.evaluation.sampled import sampling_variances  # few need it

        variances = sampling_variances(loaded_judgments, run, chosen, scores.query_ids)
    return Evaluation(
        scores,
        chosen,
        known_queries,
        cautions=(
            *find_cautions(run),
            *find_unknown_ids(scores, chosen, loaded_judgments, run, duplicates),
        ),
        reduced=loaded_judgments.reduced,
        variances=variances,
    )


def _timed(
    scores: Scores, measures: Sequence[Measure], times: Mapping[str, float] | None
) -> Scores:
    """Add the times of scored queries, for measures of time."""
    if not measures:
        return scores
    if not times:
        message = f"{measures[0]} requires the times of queries, found none; pass them with"
        raise InputError(f"{message} --timings FILE, or as timings=")
    lacking = next((one for one in scores.query_ids if one not in times), None)
    if lacking is not None:
        found = f"found none for {shown_id(lacking)}; omit queries that failed (missing='skip')"
        raise MismatchError(f"timings: {measures[0]} requires the time of every query, {found}")
    column = array("d", (times[query_id] for query_id in scores.query_ids))
    return replace(scores, values={**scores.values, **{str(one): column for one in measures}})


@contextmanager
def mismatches_of(name: str | None) -> Iterator[None]:
    """Add the name of the run, if it has one, to errors about a mismatch with the judgments."""
    try:
        yield
    except MismatchError as error:
        if name is None:
            raise
        raise MismatchError(f"{name}: {error}") from None


def _are_arrays(*sources: object) -> bool:
    """Whether all of them are arrays of numbers: of NumPy, PyTorch or another library."""
    return all(hasattr(one, "__array__") and hasattr(one, "ndim") for one in sources) and not any(
        map(is_frame, sources)
    )


def _load_queries(source: QueriesSource | None) -> Mapping[str, Query] | None:
    if source is None:
        return None
    from berryeval.evaluation.slices import load_queries  # reads many formats; rarely needed

    return load_queries(source)


def read_measures(
    measures: Iterable[MeasureLike] | MeasureLike, *, judged_only: bool = False
) -> tuple[Measure, ...]:
    """Return measures, each once, in the order in which they were named.

    With `judged_only`, all of them look at judged documents only.
    """
    if isinstance(measures, (str, Measure, type)):
        measures = [measures]
    found: dict[Measure, None] = {}
    for measure in measures:
        if isinstance(measure, Measure):
            found[measure] = None
        elif isinstance(measure, type) and issubclass(measure, Measure):
            found[measure()] = None
        elif isinstance(measure, str):
            found.update(dict.fromkeys(parse_measures(measure)))
        else:
            raise InputTypeError("measures", "names or measures", type(measure).__name__)
    if not found:
        raise ArgumentError("measures", "at least one", "none")
    if judged_only:
        found = dict.fromkeys(one.condensed() for one in found)
    return tuple(found)


def read_measure(measure: MeasureLike, *, judged_only: bool = False) -> Measure:
    """Return one measure; raise `ArgumentError` for a name of several, such as ``official``."""
    found = read_measures(measure, judged_only=judged_only)
    if len(found) > 1:
        raise ArgumentError("measure", "one measure", ", ".join(map(str, found)))
    return found[0]


def check_choice(argument: str, value: object, choices: tuple[str, ...]) -> None:
    """Raise `ArgumentError` unless a value is one of some."""
    if value not in choices:
        raise ArgumentError(argument, " or ".join(map(repr, choices)), repr(value))


N_NAMED = 3
"""Number of queries of each kind to name if judgments and run do not belong together."""


def nothing_in_common(judged_ids: Sequence[str], ignored_ids: Sequence[str]) -> str:
    """Return the message for judgments and a run without a common query, with examples of both."""
    shown = [
        f"{what} {', '.join(map(shown_id, query_ids)) or 'none'}"
        for what, query_ids in (
            ("judged queries are", judged_ids),
            ("queries in the run are", ignored_ids),
        )
    ]
    return f"judgments and run have no query in common: {'; '.join(shown)}"
