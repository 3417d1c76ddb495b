"""The entry points of the engine: the same scores, from the faster twin available."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Sequence

from berryeval.core.frames import ArrowStream, can_be_streamed_again
from berryeval.core.id_column import decode_id, shown_id
from berryeval.core.judgments import Judgments
from berryeval.core.origin import Origin
from berryeval.core.run import Run, run_of_frame
from berryeval.core.scores import Scores
from berryeval.engine import _native, _python
from berryeval.engine._selection import AllScores, MissingQueries, NoRelevant
from berryeval.errors import InputError
from berryeval.formats import Duplicates
from berryeval.formats.lines import readable_again
from berryeval.formats.reading import sniff_format
from berryeval.formats.registry import BINARY, FORMATS
from berryeval.kernels.relevance import NOT_IN_POOL
from berryeval.measures import Measure

__all__ = ["check_needs", "check_sized", "score", "score_at_once", "score_every_query"]


def check_needs(judgments: Judgments, measures: Sequence[Measure]) -> None:
    """Raise `InputError` if a measure looks at subtopics or lengths and there are none.

    Measures of time are not scored here; where one comes this far, there are no times.
    """
    timed = next((measure for measure in measures if measure.uses_timings), None)
    if timed is not None:
        raise InputError(f"{timed} is not a measure of rankings, and cannot be used here")
    wanted = next((measure for measure in measures if measure.uses_intents), None)
    if wanted is not None and not judgments.subtopics:
        message = f"judgments: {wanted} requires subtopics, found none; name them in the column"
        raise InputError(f"{message} 'subtopic', or in the second column of a TREC file")
    wanted = next((measure for measure in measures if measure.uses_lengths), None)
    if wanted is not None and not judgments.lengths:
        message = f"{wanted} requires the lengths of documents, found none; pass them with"
        raise InputError(f"{message} --lengths FILE, or as lengths=")


def score(
    judgments: Judgments,
    run: Run,
    measures: Sequence[Measure],
    *,
    missing: MissingQueries = "zero",
    no_relevant: NoRelevant = "zero",
) -> Scores:
    """Score each judged query.

    A judged query that the run does not have has an empty ranking (``missing="zero"``), is left
    out (``"skip"``) or is an error (``"error"``). A query without a relevant document scores 0
    by the definition of the measures, or is left out (``no_relevant="skip"``). Queries of the
    run without judgments are ignored. All of them are counted.

    Raises
    ------
    InputError
        If a measure looks at subtopics or lengths and there are none, or if the length of a
        document is unknown that a measure looks at.
    """
    check_needs(judgments, measures)
    score_all = _native.score if _native.can_score(measures) else _python.score
    found = score_all(judgments, run, measures)
    if _lacks_length(found, measures):
        _name_lacking(judgments, run, found, measures)
    return found.select(measures, missing, no_relevant)


def score_at_once(
    judgments: Judgments,
    source: object,
    measures: Sequence[Measure],
    *,
    missing: MissingQueries = "zero",
    no_relevant: NoRelevant = "zero",
    duplicates: Duplicates = "error",
) -> Scores | None:
    """Score a file of TREC, Parquet or Arrow, a dict of dicts or a frame without creating a `Run`.

    None if that is not possible: `score` then gives the same from a `Run`. A pipe has to be made
    `readable_again` for that. Raises `FormatError` for an invalid line, and `InputError` if a
    measure looks at subtopics or lengths and there are none.
    """
    check_needs(judgments, measures)
    if not _native.can_score(measures):
        return None
    if isinstance(source, (str, os.PathLike)):
        source = readable_again(source)
        detected = sniff_format(source)
        found: AllScores | None = None
        if detected == "trec":
            found = _native.score_file(judgments, source, measures, duplicates)
        elif detected in BINARY:
            with FORMATS[detected].open_batches(source) as rows:
                found = _native.score_frame(judgments, rows, measures, duplicates)
    elif type(source) is dict:
        found = _native.score_dict(judgments, source, measures)
    elif can_be_streamed_again(source):
        found = _native.score_frame(judgments, source, measures, duplicates)
    else:
        found = None
    if found is None or _lacks_length(found, measures):  # `score` names the document
        return None
    return found.select(measures, missing, no_relevant)


def score_every_query(
    judgments: Judgments,
    frame: ArrowStream | Run,
    measures: Sequence[Measure],
    duplicates: Duplicates,
    origin: Origin,
) -> AllScores:
    """Score a data frame or a run, leave no query out, and name every query without judgments.

    The frame has to be one that `can_be_streamed_again`. Whether the judgments have what the
    measures need is for the caller to check: a part of them may lack what others have. Raises what
    `run_of_frame` does.
    """
    is_native = _native.can_score(measures)
    if is_native and not isinstance(frame, Run):
        found = _native.score_frame(judgments, frame, measures, duplicates, sys.maxsize)
        if found is not None and not _lacks_length(found, measures):
            return found
    run = frame if isinstance(frame, Run) else run_of_frame(frame, duplicates, origin)
    score_all = _native.score if is_native else _python.score
    found = score_all(judgments, run, measures, sys.maxsize)
    if _lacks_length(found, measures):
        _name_lacking(judgments, run, found, measures)
    return found


def _lacks_length(found: AllScores, measures: Sequence[Measure]) -> bool:
    """Whether a measure looked at a document whose length is unknown."""
    return any(
        measure.uses_lengths and any(map(math.isnan, values))
        for measure, values in zip(measures, found.values, strict=True)
    )


def check_sized(
    judgments: Judgments, query_id: bytes, ranking: Sequence[bytes], measure: Measure
) -> None:
    """Raise `InputError` if a document has no length that a measure of lengths looks at."""
    if not measure.uses_lengths:
        return
    if measure.judged_only:
        grade_of = judgments.grades_of(query_id)
        ranking = [doc_id for doc_id in ranking if grade_of.get(doc_id, NOT_IN_POOL) >= 0.0]
    lacking = next((one for one in ranking[: measure.k] if one not in judgments.lengths), None)
    if lacking is not None:
        shown = f"{shown_id(decode_id(lacking))} (query {shown_id(decode_id(query_id))})"
        expected = f"{measure} requires the length of every document that it looks at"
        raise InputError(f"lengths: {expected}, found none for {shown}")


def _name_lacking(
    judgments: Judgments, run: Run, found: AllScores, measures: Sequence[Measure]
) -> None:
    """Raise with the first document without a length: of the first query, at the highest rank."""
    for i, query_id in enumerate(found.query_ids):
        for measure, values in zip(measures, found.values, strict=True):
            if not measure.uses_lengths or not math.isnan(values[i]):
                continue
            check_sized(judgments, query_id, run.ranked_ids(query_id), measure)
