"""Score a run against judgments, wherever both come from."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from berryeval.core.cutoff import DEFAULT_KS
from berryeval.core.frames import ArrowStream, is_frame, iter_head
from berryeval.core.id_column import shown_id
from berryeval.core.judging import Judges
from berryeval.core.judgments import Judgments, judgments_of_frame
from berryeval.core.origin import Origin
from berryeval.core.run import Run, run_of_frame
from berryeval.core.score_order import cautions_of, rows_of_dict
from berryeval.engine import MissingQueries, NoRelevant, score, score_at_once
from berryeval.errors import ArgumentError, InputTypeError, MismatchError
from berryeval.evaluation.result import Evaluation, holes_measure
from berryeval.formats import Duplicates, read_judgments, read_run, reading
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
    from berryeval.core.query import Query
    from berryeval.evaluation.slices import QueriesSource

__all__ = [
    "COMPARED_MEASURES",
    "DEFAULT_MEASURES",
    "JudgmentsSource",
    "MeasureLike",
    "RunSource",
    "evaluate",
]

JudgmentsSource: TypeAlias = (
    "Judgments | str | os.PathLike[str] | Mapping[Any, Mapping[Any, float]] | ArrowStream"
)
"""Judgments, the path of a file of them, a dict of dicts, or a data frame. Ids are text, or whole
numbers, which mean their decimal text."""

RunSource: TypeAlias = (
    "Run | str | os.PathLike[str] | Mapping[Any, Mapping[Any, float]]"
    " | Mapping[Any, Iterable[str | int]] | ArrowStream"
)
"""A run, the path of a file, a dict of dicts of scores, a dict of lists, best first, or a data
frame."""

MeasureLike: TypeAlias = "Measure | str"

DEFAULT_MEASURES: tuple[Measure, ...] = (
    ReciprocalRank(),
    *(measure(k) for k in DEFAULT_KS for measure in (Recall, Precision, NDCG, HitRate)),
)
"""What is reported when no measure is named."""

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
) -> Evaluation:
    """Score a run against judgments.

    Parameters
    ----------
    judgments : Judgments, path, dict of dicts or data frame
        What is relevant. Files are recognised by their first line; a folder is BEIR's. Data
        frames are those of pandas, polars, pyarrow, or any with an Arrow stream.
    run : Run, path, dict of dicts, dict of lists or data frame
        What was retrieved. Scores decide the order, ties break by document id as in trec_eval;
        lists keep their order.
    measures : Measure, str, or several of them
        ``"nDCG@10"``, ``"AP(rel=2)@100"``, trec_eval's ``"ndcg_cut.5,10"`` or ``"official"``.
        Without them reciprocal rank, and recall, precision, nDCG and success at 1, 3, 5, 10.
    queries : path or Query objects, optional
        Their labels are for slices, ``result.by("category")``. If they have weights, means are
        weighted.
    missing : {"zero", "skip", "error"}
        What a judged query that the run does not have is worth.
    no_relevant : {"zero", "skip"}
        What a query without a relevant document is worth.
    duplicates : {"error", "keep-best"}
        What to do with a document that a file or frame has twice for one query.
    judges : {"first", "latest", "max", "mean", "majority"}
        Which grade counts where several judges graded a document.

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
    RR   0.7500
    AP   0.6667
    P@2  0.5000>
    >>> result["AP"].by_query["q2"]
    0.5
    """
    _check_choice("missing", missing, ("zero", "skip", "error"))
    _check_choice("no_relevant", no_relevant, ("zero", "skip"))
    _check_choice("duplicates", duplicates, ("error", "keep-best"))
    chosen = read_measures(measures)
    counted = tuple(dict.fromkeys((*chosen, *map(holes_measure, chosen))))
    known_queries = _load_queries(queries)
    loaded_judgments = load_judgments(judgments, duplicates, judges)
    name = None
    if isinstance(run, (str, os.PathLike)):
        name, run = path_name(run), readable_again(run)
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
            raise MismatchError(_nothing_in_common(loaded_judgments, scores.ignored_ids))
    return Evaluation(
        scores,
        chosen,
        known_queries,
        cautions=_find_cautions(run),
        reduced=loaded_judgments.reduced,
    )


@contextmanager
def mismatches_of(name: str | None) -> Iterator[None]:
    """Let errors about a run that does not fit the judgments name it, where it has a name."""
    try:
        yield
    except MismatchError as error:
        if name is None:
            raise
        raise MismatchError(f"{name}: {error}") from None


def _load_queries(source: QueriesSource | None) -> Mapping[str, Query] | None:
    if source is None:
        return None
    from berryeval.evaluation.slices import load_queries  # reads many formats, and few need it

    return load_queries(source)


def read_measures(measures: Iterable[MeasureLike] | MeasureLike) -> tuple[Measure, ...]:
    """Return measures, each once, in the order in which they were named."""
    if isinstance(measures, (str, Measure)):
        measures = [measures]
    found: dict[Measure, None] = {}
    for measure in measures:
        if isinstance(measure, Measure):
            found[measure] = None
        elif isinstance(measure, str):
            found.update(dict.fromkeys(parse_measures(measure)))
        else:
            raise InputTypeError("measures", "names or measures", type(measure).__name__)
    if not found:
        raise ArgumentError("measures", "at least one", "none")
    return tuple(found)


def load_judgments(
    source: JudgmentsSource, duplicates: Duplicates = "error", judges: Judges = "first"
) -> Judgments:
    """Return judgments from wherever they are, or raise if there are none."""
    judgments = _load_judgments(source, duplicates, judges)
    if not judgments.query_ids:
        raise MismatchError(_nothing_judged(source))
    return judgments


def _load_judgments(source: JudgmentsSource, duplicates: Duplicates, judges: Judges) -> Judgments:
    if isinstance(source, Judgments):
        return source
    if isinstance(source, (str, os.PathLike)):
        return read_judgments(source, duplicates=duplicates, judges=judges)
    if is_frame(source):
        origin = Origin("judgments", is_file=False)
        return judgments_of_frame(source, duplicates, judges, origin)
    return Judgments.from_dict(source)  # type: ignore[arg-type]  # it checks what it reads


def load_run(source: RunSource, duplicates: Duplicates = "error") -> Run:
    """Return a run from wherever it is."""
    if isinstance(source, Run):
        return source
    if isinstance(source, (str, os.PathLike)):
        return read_run(source, duplicates=duplicates)
    if is_frame(source):
        return run_of_frame(source, duplicates, Origin("run", is_file=False))
    if isinstance(source, Mapping):
        first: Any = next(iter(source.values()), {})
        if not isinstance(first, Mapping):
            return Run.from_lists(source)
    return Run.from_dict(source)  # type: ignore[arg-type]  # it checks what it reads


def _check_choice(argument: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ArgumentError(argument, " or ".join(map(repr, choices)), repr(value))


def _nothing_judged(source: JudgmentsSource) -> str:
    is_path = isinstance(source, (str, os.PathLike))
    name = path_name(source) if is_path else "judgments"  # type: ignore[arg-type]
    return f"{name}: expected at least one judged query, found none"


def _nothing_in_common(judgments: Judgments, ignored_ids: Sequence[str]) -> str:
    shown = [
        f"{what} {', '.join(map(shown_id, query_ids)) or 'none'}"
        for what, query_ids in (
            ("judged queries are", judgments.query_ids[:3]),
            ("queries in the run are", ignored_ids),
        )
    ]
    return f"judgments and run have no query in common: {'; '.join(shown)}"


def _find_cautions(source: RunSource) -> tuple[str, ...]:
    """Return what is suspicious about the scores of a run that the engine could score.

    The ranks of a TREC file are checked too.
    """
    if isinstance(source, Run):
        return source.find_cautions()
    if isinstance(source, (str, os.PathLike)):
        return reading.find_cautions(source, "trec") or ()
    if isinstance(source, Mapping):
        scores: Any = source
        return cautions_of(lambda _limit: rows_of_dict(scores))
    return cautions_of(lambda limit: iter_head(source, limit))
