"""Scores of one partition of the queries at a time, for engines that spread data over machines.

A partition has all rows of each of its queries: the judgments and the run. `score_partition` scores
it as `evaluate` would, and `gather_scores` puts the scores of all partitions together, in the order
of query ids as bytes. Every score and every mean is then bit-for-bit the same as on one machine,
however the queries were partitioned. Requires pyarrow.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from berryeval.core.arrow_stream import find_labels, find_places
from berryeval.core.arrow_table import import_pyarrow
from berryeval.core.column_names import LABEL_COLUMNS, SUBTOPIC, Kind
from berryeval.core.frames import ArrowStream
from berryeval.core.grouped import Duplicates
from berryeval.core.id_column import decode_id, shown_id
from berryeval.core.judging import Judges, check_judges
from berryeval.core.judgments import Judgments, judgments_of_frame
from berryeval.core.origin import Origin
from berryeval.core.run import Run, run_of_frame
from berryeval.engine import AllScores, MissingQueries, NoRelevant, score_every_query
from berryeval.errors import ArgumentError, InputError, InputTypeError, MismatchError
from berryeval.evaluation.evaluate import (
    N_NAMED,
    MeasureLike,
    check_choice,
    nothing_in_common,
    read_measures,
)
from berryeval.evaluation.result import Evaluation, holes_measure
from berryeval.evaluation.sources import reshape_run
from berryeval.evaluation.unknown_ids import find_other_ids
from berryeval.measures import Measure, NumRetrieved, parse_measures

if TYPE_CHECKING:
    from berryeval.evaluation.slices import QueriesSource

__all__ = ["IGNORED", "N_QUERIES", "ScoringPlan", "gather_scores", "score_partition"]

SCORED, MISSING, IGNORED = "scored", "missing", "ignored"
"""The outcome of a query: the values of the column status."""

N_QUERIES = "n_queries"
"""A column that tables may have: for how many queries of its status a row stands."""

_LABELS = ("query_id", "status", "lacks_relevant")
_SIZE = NumRetrieved()


@dataclass(frozen=True, init=False)
class ScoringPlan:
    """What `score_partition` computes for each query; the same for all partitions.

    Parameters
    ----------
    measures : Measure, str, or several of them
        As `evaluate` takes them. Measures of times, and Hole, which looks at the judgments of all
        queries, cannot be computed by partition.
    duplicates : {"error", "keep-best"}
        What to do with a document that occurs twice for one query.
    judges : {"first", "latest", "max", "mean", "majority"}
        Which grade counts if several judges graded a document. First and latest refer to the order
        of rows.
    exclude_self : bool
        Whether to remove a document from the results of the query with the same id.
    judged_only : bool
        Whether to remove unjudged documents from the rankings before scoring.
    lengths : mapping, optional
        The length of each document, for measures that need it.

    Raises
    ------
    InputError
        For a measure that cannot be computed by partition.

    Examples
    --------
    >>> ScoringPlan(["nDCG@10", "AP"]).columns
    ('nDCG@10', 'AP', 'Holes@10', 'Holes', 'NumRet')
    """

    measures: tuple[Measure, ...]
    duplicates: Duplicates = "error"
    judges: Judges = "first"
    exclude_self: bool = False
    lengths: Mapping[Any, float] = field(default_factory=dict, repr=False)

    def __init__(
        self,
        measures: Iterable[MeasureLike] | MeasureLike,
        *,
        duplicates: Duplicates = "error",
        judges: Judges = "first",
        exclude_self: bool = False,
        judged_only: bool = False,
        lengths: Mapping[Any, float] | None = None,
    ) -> None:
        check_choice("duplicates", duplicates, ("error", "keep-best"))
        check_judges(judges)
        chosen = read_measures(measures, judged_only=judged_only)
        for measure in chosen:
            _check_measure(measure, has_lengths=bool(lengths))
        vars(self).update(
            measures=chosen,
            duplicates=duplicates,
            judges=judges,
            exclude_self=exclude_self,
            lengths=lengths or {},
        )

    @cached_property
    def computed(self) -> tuple[Measure, ...]:
        """The measures, and what reports also need: unjudged documents, and sizes of rankings.

        These are the measures that become columns.
        """
        return tuple(dict.fromkeys((*self.measures, *map(holes_measure, self.measures), _SIZE)))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns with numbers, in their order."""
        return tuple(map(str, self.computed))


def _check_measure(measure: Measure, *, has_lengths: bool) -> None:
    way_out = "evaluate it on one machine"
    if measure.uses_timings:
        raise InputError(f"{measure} is a measure of times, not of rankings; {way_out}")
    if measure.across_queries:
        reason = "looks at the judgments of all queries, and cannot be computed by partition"
        raise InputError(f"{measure} {reason}; {way_out}")
    if measure.uses_lengths and not has_lengths:
        message = f"{measure} requires the lengths of documents, found none; pass them as lengths="
        raise InputError(message)


def score_partition(judgments: ArrowStream, run: ArrowStream, plan: ScoringPlan) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Score the queries of one partition.

    The scores of a query are bit-for-bit those of `evaluate`, and do not depend on what else is in
    the partition. All rows of a query, judgments and run, must be in the same partition:
    `gather_scores` rejects a query that comes from two. Either frame may be empty, and rows may be
    in any order; adjacent rows of a query are scored fastest.

    Parameters
    ----------
    judgments, run : pyarrow.Table, polars.DataFrame, …
        Anything with an Arrow stream (``__arrow_c_stream__``), with columns as `evaluate` takes
        them: query_id, doc_id, and relevance or score.
    plan : ScoringPlan
        What to compute.

    Returns
    -------
    pyarrow.Table
        One row per query of either frame, in byte order of the judged ids, then of the ignored
        ones. ``query_id`` is text, or bytes where a frame has ids as bytes. ``status`` is
        ``"scored"``; ``"missing"`` if the run does not have the query, whose scores are those of an
        empty ranking; or ``"ignored"`` if the query is not judged, and has no scores.
        ``lacks_relevant`` is whether no document is relevant. One column per measure follows, by
        its name, then those that reports need: ``Holes@k`` and ``NumRet``.

    Raises
    ------
    ArgumentError
        For a missing column or value, a score that is not a number, or a duplicate document, with
        the query.

    Examples
    --------
    >>> import pyarrow as pa
    >>> judgments = pa.table({"query_id": ["q1", "q2"], "doc_id": ["a", "b"], "relevance": [1, 2]})
    >>> run = pa.table({"query_id": ["q1", "q1"], "doc_id": ["b", "a"], "score": [0.9, 0.4]})
    >>> scores = score_partition(judgments, run, ScoringPlan("RR"))
    >>> scores.select(["query_id", "status", "RR"]).to_pylist()
    [{'query_id': 'q1', 'status': 'scored', 'RR': 0.5},
     {'query_id': 'q2', 'status': 'missing', 'RR': 0.0}]
    """
    pyarrow = import_pyarrow("Scoring partitions")
    judged_table, run_table = (
        _as_table(pyarrow, frame, name) for frame, name in ((judgments, "judgments"), (run, "run"))
    )
    judged = _read_judgments(judged_table, plan)
    scored: Any = run_table
    origin = _Rows("run", table=run_table)
    if plan.exclude_self and _has_itself(run_table):
        scored = reshape_run(run_of_frame(run_table, plan.duplicates, origin), exclude_self=True)
    if judged_table.num_rows == 0 and not isinstance(scored, Run):
        find_places(run_table.schema.names, "run", origin)
    found = score_every_query(judged, scored, plan.computed, plan.duplicates, origin)
    id_type = pyarrow.binary() if _has_bytes(judged_table, run_table) else pyarrow.string()
    return _to_table(pyarrow, found, plan, id_type)


@dataclass(frozen=True)
class _Rows(Origin):
    """Rows of a partition, which are identified by their ids, not by their numbers."""

    is_file: bool = False
    table: Any = field(default=None, repr=False)

    def duplicate(
        self, kind: Kind, query_id: bytes, doc_id: bytes, place: int | None
    ) -> InputError:
        del kind, place
        twice = f"{shown_id(doc_id)} a second time for {shown_id(query_id)}"
        way_out = "remove duplicates, or pass duplicates='keep-best'"
        return self.error("each document once for a query", f"{twice}; {way_out}")

    def _row(self, place: int | None) -> str:
        if place is None:
            return ""
        kind: Kind = "judgments" if self.name == "judgments" else "run"
        query, document, _ = find_places(self.table.schema.names, kind, self)
        ids = (
            (what, self.table.column(column)[place - 1].as_py())
            for what, column in (("query", query), ("document", document))
        )
        known = ", ".join(f"{what} {_shown(value)}" for what, value in ids if value is not None)
        return f" ({known})" if known else ""


def _shown(value: object) -> str:
    return shown_id(value if isinstance(value, (str, bytes)) else str(value))


def _as_table(pyarrow: Any, frame: object, name: str) -> Any:  # noqa: ANN401
    if isinstance(frame, pyarrow.Table):
        return frame
    if not hasattr(frame, "__arrow_c_stream__"):
        raise InputTypeError(name, "a frame with an Arrow stream", type(frame).__name__)
    return pyarrow.table(frame)


def _read_judgments(table: Any, plan: ScoringPlan) -> Judgments:  # noqa: ANN401
    origin = _Rows("judgments", table=table)
    wanted = next((one for one in plan.measures if one.uses_intents), None)
    subtopic = find_labels(table.schema.names)[LABEL_COLUMNS.index(SUBTOPIC)]
    if wanted is not None and subtopic is None:
        raise InputError(f"judgments: {wanted} requires a column 'subtopic', found none")
    judgments = judgments_of_frame(table, plan.duplicates, plan.judges, origin)
    return judgments.with_lengths(plan.lengths) if plan.lengths else judgments


def _has_itself(table: Any) -> bool:  # noqa: ANN401
    """Whether a document of the run is its own query."""
    from pyarrow import compute

    query, document, _ = find_places(table.schema.names, "run", _Rows("run", table=table))
    columns = [table.column(place).cast("binary") for place in (query, document)]
    return bool(compute.any(compute.equal(*columns)).as_py())


def _has_bytes(judgments: Any, run: Any) -> bool:  # noqa: ANN401
    """Whether the queries of a table have ids as bytes, which need not be text."""
    kinds: tuple[tuple[Any, Kind], ...] = ((judgments, "judgments"), (run, "run"))
    return any(
        str(table.schema.types[find_places(table.schema.names, kind, _Rows(kind, table=table))[0]])
        in ("binary", "large_binary", "binary_view")
        for table, kind in kinds
    )


def _to_table(pyarrow: Any, found: AllScores, plan: ScoringPlan, id_type: Any) -> Any:  # noqa: ANN401
    """Return one row per query, the ignored ones last."""
    n_judged, n_ignored = len(found.query_ids), len(found.ignored_ids)
    nothing = pyarrow.nulls(n_ignored, pyarrow.float64())
    ids = pyarrow.array([*found.query_ids, *found.ignored_ids], pyarrow.binary())
    status = [MISSING if is_missing else SCORED for is_missing in found.is_missing]
    numbers = [
        pyarrow.concat_arrays(
            [
                pyarrow.Array.from_buffers(
                    pyarrow.float64(), n_judged, [None, pyarrow.py_buffer(values)]
                ),
                nothing,
            ]
        )
        for values in found.values
    ]
    return pyarrow.table(
        [
            ids if id_type == pyarrow.binary() else ids.cast(id_type),
            pyarrow.array(status + [IGNORED] * n_ignored, pyarrow.string()),
            pyarrow.array([*found.lacks_relevant, *[None] * n_ignored], pyarrow.bool_()),
            *numbers,
        ],
        names=[*_LABELS, *plan.columns],
    )


def gather_scores(
    tables: ArrowStream | Iterable[ArrowStream],
    measures: Iterable[MeasureLike] | MeasureLike | None = None,
    *,
    queries: QueriesSource | None = None,
    missing: MissingQueries = "zero",
    no_relevant: NoRelevant = "zero",
) -> Evaluation:
    """Put the scores of all partitions together: the same result as that of `evaluate`.

    Parameters
    ----------
    tables : Arrow table, or several of them
        What `score_partition` returned for each partition, in any order. Rows of ignored queries
        may have been removed; they are then not counted.
    measures : Measure, str, or several of them, optional
        The measures to report. Default: all columns that are measures, except for those that were
        added for reports.
    queries, missing, no_relevant
        As `evaluate` takes them.

    Returns
    -------
    Evaluation
        Its only caution is that every score is 0, if so: rows of partitions have no order that
        could contradict the scores.

    Raises
    ------
    MismatchError
        If no query is judged, if judgments and run have no query in common, or if a query comes
        from two partitions.

    Examples
    --------
    >>> import pyarrow as pa
    >>> plan = ScoringPlan("RR")
    >>> def partition(query_id, doc_id):
    ...     judgments = pa.table({"qid": [query_id], "docno": ["a"], "relevance": [1]})
    ...     run = pa.table({"qid": [query_id], "docno": [doc_id], "score": [1.0]})
    ...     return score_partition(judgments, run, plan)
    >>> gather_scores([partition("q1", "a"), partition("q2", "b")])
    <Evaluation over 2 queries
    RR  0.5000 [0.0000, 1.0000]>
    """
    pyarrow = import_pyarrow("Gathering scores")
    check_choice("missing", missing, ("zero", "skip", "error"))
    check_choice("no_relevant", no_relevant, ("zero", "skip"))
    several = [tables] if hasattr(tables, "__arrow_c_stream__") else [*tables]
    parts = [_as_table(pyarrow, one, "tables") for one in several]
    if not parts:
        raise ArgumentError("tables", "at least one", "none")
    table = pyarrow.concat_tables([_check_columns(part) for part in parts])
    found_measures = _measures_in(table.schema.names)
    chosen = _reported(found_measures) if measures is None else read_measures(measures)
    lacking = [one for one in chosen if one not in found_measures]
    if lacking:
        raise ArgumentError("measures", "measures that were scored", str(lacking[0]))
    found = _collect(table, [str(one) for one in found_measures])
    known = None
    if queries is not None:
        from berryeval.evaluation.slices import load_queries

        known = load_queries(queries)
    scores = found.select(found_measures, missing, no_relevant)
    if not scores.counts.judged:
        raise MismatchError("judgments: expected at least one judged query, found none")
    if scores.counts.missing == scores.counts.judged:
        shown = (map(decode_id, ids[:N_NAMED]) for ids in (found.query_ids, found.ignored_ids))
        raise MismatchError(nothing_in_common(*map(list, shown)))
    return Evaluation(scores, chosen, known, cautions=find_other_ids(scores, chosen))


def _check_columns(table: Any) -> Any:  # noqa: ANN401
    names = table.schema.names
    for name in _LABELS:
        if name not in names:
            shown = ", ".join(map(repr, names)) or "none"
            raise ArgumentError("tables", f"a column {name!r}, as score_partition returns", shown)
    return table.set_column(
        names.index("query_id"), "query_id", table.column("query_id").cast("binary")
    )


def _measures_in(names: Sequence[str]) -> list[Measure]:
    """Return the measures of the columns, in their order; other columns may have been joined."""
    found = []
    for name in names:
        with suppress(InputError):
            found += [one for one in parse_measures(name) if str(one) == name]
    return found


def _reported(measures: Sequence[Measure]) -> tuple[Measure, ...]:
    """Leave out what was computed for reports only; all of it, if that is all there is."""
    added = {_SIZE, *map(holes_measure, measures)}
    return tuple(one for one in measures if one not in added) or tuple(measures)


def _collect(table: Any, columns: Sequence[str]) -> AllScores:  # noqa: ANN401
    """Return the scores of all judged queries in the order of their ids."""
    import numpy as np
    from pyarrow import compute

    table = table.take(compute.sort_indices(table.column("query_id")))
    ids = table.column("query_id").to_pylist()
    for before, after in pairwise(ids):
        if before == after:
            way_out = "partition judgments and run by query, and score each partition once"
            raise MismatchError(f"query {shown_id(after)} is in two partitions; {way_out}")
    is_ignored = compute.equal(table.column("status"), IGNORED)
    left_out = table.filter(is_ignored)
    ignored = left_out.column("query_id").to_pylist()
    n_ignored = len(ignored)
    if ignored and N_QUERIES in table.schema.names:
        n_ignored = compute.sum(left_out.column(N_QUERIES)).as_py()
    judged = table.filter(compute.invert(is_ignored)) if ignored else table
    return AllScores(
        query_ids=judged.column("query_id").to_pylist(),
        values=[
            array("d", np.ascontiguousarray(judged.column(name).to_numpy(), np.float64).tobytes())
            for name in columns
        ],
        is_missing=compute.equal(judged.column("status"), MISSING).to_pylist(),
        lacks_relevant=judged.column("lacks_relevant").to_pylist(),
        n_ignored=n_ignored,
        ignored_ids=ignored,
    )
