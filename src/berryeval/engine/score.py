"""The doors of the engine: the same scores from whichever twin is quicker."""

from __future__ import annotations

import os
from collections.abc import Sequence

from berryeval.core.frames import can_be_streamed_again
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.core.scores import Scores
from berryeval.engine import _native, _python
from berryeval.engine._selection import AllScores, MissingQueries, NoRelevant
from berryeval.errors import InputError
from berryeval.formats import Duplicates
from berryeval.formats.lines import readable_again
from berryeval.formats.reading import sniff_format
from berryeval.measures import Measure

__all__ = ["check_intents", "score", "score_at_once"]


def check_intents(judgments: Judgments, measures: Sequence[Measure]) -> None:
    """Raise `InputError` if a measure looks at subtopics and the judgments have none."""
    wanted = next((measure for measure in measures if measure.uses_intents), None)
    if wanted is not None and not judgments.subtopics:
        message = f"judgments: {wanted} requires subtopics, found none; name them in the column"
        raise InputError(f"{message} 'subtopic', or in the second column of a TREC file")


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
        If a measure looks at subtopics and the judgments have none.
    """
    check_intents(judgments, measures)
    score_all = _native.score if _native.can_score(measures) else _python.score
    return score_all(judgments, run, measures).select(measures, missing, no_relevant)


def score_at_once(
    judgments: Judgments,
    source: object,
    measures: Sequence[Measure],
    *,
    missing: MissingQueries = "zero",
    no_relevant: NoRelevant = "zero",
    duplicates: Duplicates = "error",
) -> Scores | None:
    """Score the path of a TREC file, a dict of dicts or a data frame without creating a `Run`.

    None if that is not possible: `score` then gives the same from a `Run`. A pipe has to be made
    `readable_again` for that. Raises `FormatError` for an invalid line, and `InputError` if a
    measure looks at subtopics and the judgments have none.
    """
    check_intents(judgments, measures)
    if not _native.can_score(measures):
        return None
    if isinstance(source, (str, os.PathLike)):
        source = readable_again(source)
        if sniff_format(source) != "trec":
            return None
        found: AllScores | None = _native.score_file(judgments, source, measures, duplicates)
    elif type(source) is dict:
        found = _native.score_dict(judgments, source, measures)
    elif can_be_streamed_again(source):
        found = _native.score_frame(judgments, source, measures, duplicates)
    else:
        found = None
    return None if found is None else found.select(measures, missing, no_relevant)
