"""Why the score of a query changed: which documents moved, and the effect of each move."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from berryeval.core.id_column import as_id, decode_id, encode_id
from berryeval.core.judging import Judges
from berryeval.core.judgments import Judgments
from berryeval.core.lengths import sized_grades
from berryeval.engine import check_needs, check_sized, score
from berryeval.errors import MismatchError
from berryeval.evaluation.attribution import Method, MovedDocument, distribute
from berryeval.evaluation.evaluate import MeasureLike, read_measure
from berryeval.evaluation.findings import Outcome, difference_of, outcome_of
from berryeval.evaluation.sources import (
    JudgmentsSource,
    LengthsSource,
    RunSource,
    load_judgments,
    load_run,
)
from berryeval.formats import Duplicates
from berryeval.kernels.relevance import UNJUDGED, usable_grade
from berryeval.measures import Measure

__all__ = ["Explanation", "Method", "Move", "explain", "query_that_fell_most", "score_ranking"]


@dataclass(frozen=True)
class Move:
    """One document whose rank changed, and the effect on the score."""

    doc_id: str
    grade: float | None
    """None if the document is not judged."""
    rank_before: int | None
    """Rank, from 1; None if the document was not retrieved."""
    rank_after: int | None
    contribution: float
    """Its share of the difference, with its sign."""


@dataclass(frozen=True)
class Explanation:
    """Why a measure of a query differs between two runs."""

    query_id: str
    measure: Measure
    before: float
    """The score in the first run."""
    after: float
    moves: tuple[Move, ...]
    """All documents within the measure's cutoff, in either run, whose rank changed; the largest
    contribution first, then by rank. Their contributions add up to the difference."""
    method: Method
    """``additive``: the measure is a sum over documents, and each has its own part of it.
    ``shapley``: the effect of a move depends on the others, so it is averaged over all orders in
    which the documents could have moved. ``path``: the same for one order only, as there are too
    many: by rank in the second run, then the documents that it no longer has."""
    n_shared: int
    """Documents over which the difference is distributed: those that moved and could count."""
    n_retrieved: tuple[int, int]
    """Documents that each run has for the query; 0 if it is missing from the run."""
    source_ranks: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """For each run that was fused into the second one, the ranks, from 1, of documents that moved.
    Documents that the run does not have are omitted."""

    @property
    def difference(self) -> float:
        """The score in the second run minus that in the first."""
        return difference_of(self.before, self.after)

    @property
    def verb(self) -> str:
        """``"rose"``, ``"fell"``, or ``"did not change"``."""
        if self.difference == 0.0:
            return "did not change"
        return "rose" if self.difference > 0.0 else "fell"

    @property
    def outcome(self) -> Outcome:
        """Whether the second run is better, worse or equal."""
        return outcome_of(self.difference, higher_is_better=self.measure.higher_is_better)

    def outcome_of(self, contribution: float) -> Outcome:
        """Return whether a part of the difference made the second run better or worse."""
        return outcome_of(contribution, higher_is_better=self.measure.higher_is_better)

    def rest(self, n_shown: int) -> float:
        """Return the sum of the contributions of effective moves after the first `n_shown`."""
        return math.fsum(move.contribution for move in self.effective[n_shown:])

    @property
    def effective(self) -> tuple[Move, ...]:
        """The moves that changed the score."""
        return tuple(move for move in self.moves if move.contribution != 0.0)

    def __repr__(self) -> str:
        return (
            f"<Explanation of {self.measure} for query {self.query_id!r}: {self.before:.4f} to "
            f"{self.after:.4f}, {len(self.effective)} of {len(self.moves)} moves count>"
        )


def explain(
    judgments: JudgmentsSource,
    a: RunSource,
    b: RunSource,
    query_id: str | None = None,
    measure: MeasureLike = "nDCG@10",
    *,
    query: str | None = None,
    fused_from: Mapping[str, RunSource] | None = None,
    duplicates: Duplicates = "error",
    judges: Judges = "first",
    judged_only: bool = False,
    lengths: LengthsSource | None = None,
) -> Explanation:
    """Return which documents moved from one run to the other, and what each move contributed.

    Parameters
    ----------
    judgments : Judgments, path, dict of dicts or data frame
        The grades of documents.
    a, b : Run, path, dict of dicts, dict of lists or data frame
        The runs before and after. A run without the query retrieved nothing for it.
    query_id : str, optional
        A judged query. Default: the one that `query_that_fell_most` finds.
    measure : Measure or str
        Any measure, custom ones included.
    query : str, optional
        Another name of `query_id`: that of the command's option.
    fused_from : mapping of str to run, optional
        The runs, by name, that were fused into `b`: the explanation then shows the rank of each
        document in each of them, and so which run contributed it.
    duplicates, judges, judged_only, lengths
        As `evaluate` takes them.

    Returns
    -------
    Explanation
        Its contributions add up to the difference.

    Raises
    ------
    MismatchError
        If the query is not judged; the message has the nearest id.

    Notes
    -----
    Measures that are sums over documents (DCG, nDCG, precision, recall, RBP …) are taken apart
    exactly: a document contributes what it adds at its new rank minus what it added at its old
    one. In other measures the effect of a move depends on the moves before it: it is averaged over
    all orders of moving (its Shapley value) for up to 12 documents, and taken from one order
    beyond that.

    Examples
    --------
    >>> judgments = {"q1": {"d1": 2, "d2": 1}}
    >>> found = explain(judgments, {"q1": ["d1", "d2"]}, {"q1": ["d9", "d1"]}, "q1", "RR")
    >>> found.difference
    -0.5
    >>> [(move.doc_id, move.rank_before, move.rank_after) for move in found.effective]
    [('d1', 1, 2)]
    """
    chosen = read_measure(measure, judged_only=judged_only)
    loaded = load_judgments(judgments, duplicates, judges, lengths)
    check_needs(loaded, [chosen])
    before, after = load_run(a, duplicates), load_run(b, duplicates)
    query_id = query if query_id is None else query_id
    if query_id is None:
        query_id = query_that_fell_most(loaded, before, after, chosen)
    elif query_id not in loaded:
        raise MismatchError(_not_judged(as_id(query_id, "query_id"), loaded.query_ids))
    query_id = as_id(query_id, "query_id")
    key = encode_id(query_id)
    found = _explain(chosen, query_id, loaded, before.ranked_ids(key), after.ranked_ids(key))
    return replace(found, source_ranks=_source_ranks(found, fused_from or {}, duplicates))


def _source_ranks(
    found: Explanation, runs: Mapping[str, RunSource], duplicates: Duplicates
) -> dict[str, dict[str, int]]:
    moved = {move.doc_id for move in found.moves}
    ranks = {}
    for name, source in runs.items():
        ranking = load_run(source, duplicates).ranking(found.query_id)
        ranks[name] = {d: rank for rank, d in enumerate(ranking, start=1) if d in moved}
    return ranks


def query_that_fell_most(
    judgments: JudgmentsSource, a: RunSource, b: RunSource, measure: MeasureLike = "nDCG@10"
) -> str:
    """Return the judged query whose score fell most.

    If none got worse, it is the one that improved most. Ties go to the first id in byte order.
    """
    chosen = read_measure(measure)
    loaded = load_judgments(judgments)
    before, after = (score(loaded, load_run(run), [chosen]) for run in (a, b))
    sign = 1.0 if chosen.higher_is_better else -1.0
    gains = [
        sign * difference_of(old, new)
        for old, new in zip(before.values[str(chosen)], after.values[str(chosen)], strict=True)
    ]
    wanted = min(gains) if min(gains) < 0.0 else max(gains)
    return before.query_ids[gains.index(wanted)]


def _explain(
    measure: Measure,
    query_id: str,
    judgments: Judgments,
    before: list[bytes],
    after: list[bytes],
) -> Explanation:
    grade_of = judgments.grades_of(encode_id(query_id))
    if measure.across_queries:
        known_to_others = set(judgments.doc_ids.iter_bytes()).difference(grade_of)
        grade_of |= dict.fromkeys(known_to_others.intersection(before + after), UNJUDGED)
    judged = _judged(grade_of)
    for ranking in (before, after):
        check_sized(judgments, encode_id(query_id), ranking, measure)
    seen = {doc_id: usable_grade(grade_of, doc_id) for doc_id in (*before, *after)}
    if measure.uses_lengths:
        seen = dict(zip(seen, sized_grades(seen.values(), seen, judgments.lengths), strict=True))
    scores = [
        measure.score([seen[doc_id] for doc_id in ranking], judged) for ranking in (before, after)
    ]
    old, new = ({doc_id: i for i, doc_id in enumerate(ids, start=1)} for ids in (before, after))
    documents = {
        doc_id: MovedDocument(seen[doc_id], old.get(doc_id), new.get(doc_id))
        for doc_id in (old | new)
    }
    shares = distribute(measure, list(documents.values()), judged, difference_of(*scores))
    moves = [
        _move(doc_id, document, contribution)
        for (doc_id, document), contribution in zip(
            documents.items(), shares.contributions, strict=True
        )
        if _is_seen_moving(document, measure.depth)
    ]
    moves.sort(key=_by_importance)
    return Explanation(
        query_id=query_id,
        measure=measure,
        before=scores[0],
        after=scores[1],
        moves=tuple(moves),
        method=shares.method,
        n_shared=shares.n_shared,
        n_retrieved=(len(before), len(after)),
    )


def score_ranking(
    measure: Measure,
    ranking: Iterable[bytes],
    grade_of: Mapping[bytes, float],
    lengths: Mapping[bytes, float] | None = None,
) -> float:
    """Return the score of one ranking of a query, given the grades of its judged documents.

    Measures of reading also look at the lengths of documents; without them, they return NaN.
    """
    known, ids = dict(grade_of), [*ranking]
    seen: Sequence[float] = [usable_grade(known, doc_id) for doc_id in ids]
    if measure.uses_lengths:
        seen = sized_grades(seen, ids, lengths or {})
    return measure.score(seen, _judged(known))


def _judged(grade_of: Mapping[bytes, float]) -> list[float]:
    return sorted((grade for grade in grade_of.values() if grade >= 0), reverse=True)


def _is_seen_moving(document: MovedDocument, k: int | None) -> bool:
    seen = document.within(k)
    return document.before != document.after and (seen.before, seen.after) != (None, None)


def _move(doc_id: bytes, document: MovedDocument, contribution: float) -> Move:
    grade = document.grade if document.grade >= 0 else None
    return Move(decode_id(doc_id), grade, document.before, document.after, contribution)


def _by_importance(move: Move) -> tuple[float, float, float]:
    after, before = (math.inf if r is None else r for r in (move.rank_after, move.rank_before))
    return -abs(move.contribution), after, before


def _not_judged(query_id: str, query_ids: Sequence[str]) -> str:
    import difflib  # slow to import, and most ids are known

    by_lower_case = {known.lower(): known for known in query_ids}
    near = difflib.get_close_matches(query_id.lower(), by_lower_case, n=1)
    hint = (
        f"did you mean {by_lower_case[near[0]]!r}?"
        if near
        else f"judged queries are {_first(query_ids)}"
    )
    return f"query {query_id!r} is not judged: {hint}"


def _first(query_ids: Sequence[str], n_shown: int = 3) -> str:
    shown = ", ".join(map(repr, query_ids[:n_shown]))
    return shown if len(query_ids) <= n_shown else f"{shown} and {len(query_ids) - n_shown} more"
