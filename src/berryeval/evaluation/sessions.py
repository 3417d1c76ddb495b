"""Sessions: several queries that one user asks in a row, scored together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from berryeval.core.cutoff import check_k
from berryeval.core.id_column import as_id, encode_id
from berryeval.errors import ArgumentError, MismatchError
from berryeval.evaluation.evaluate import MeasureLike, evaluate, read_measures
from berryeval.evaluation.slices import load_queries
from berryeval.evaluation.sources import JudgmentsSource, RunSource, load_judgments, load_run
from berryeval.kernels.gains import Gain, gains, ideal_gains
from berryeval.kernels.relevance import NOT_IN_POOL, without_unjudged
from berryeval.measures import DCG, Measure

if TYPE_CHECKING:
    from berryeval.core.judgments import Judgments
    from berryeval.core.query import Query
    from berryeval.core.run import Run
    from berryeval.evaluation.slices import QueriesSource

__all__ = ["SessionScore", "SessionScores", "session_scores"]


@dataclass(frozen=True)
class SessionScore:
    """The scores of one session."""

    query_ids: tuple[str, ...]
    """Its queries, in the order of its turns."""
    sdcg: float
    """Session DCG."""
    ideal: float
    """Session DCG if every turn had its ideal ranking."""
    means: Mapping[str, float] = field(default_factory=dict)
    """The mean of each measure over the judged turns of the session."""

    @property
    def nsdcg(self) -> float:
        """Session DCG divided by the ideal one; 0 if nothing is relevant."""
        return self.sdcg / self.ideal if self.ideal > 0.0 else 0.0


class SessionScores(dict[str, SessionScore]):
    """The scores of sessions, by their name: the result of `session_scores`."""

    @property
    def sdcg(self) -> float:
        """The mean session DCG."""
        return math.fsum(one.sdcg for one in self.values()) / len(self)

    @property
    def nsdcg(self) -> float:
        """The mean normalised session DCG."""
        return math.fsum(one.nsdcg for one in self.values()) / len(self)

    @property
    def means(self) -> dict[str, float]:
        """The mean over sessions of each measure: every session counts equally."""
        names = dict.fromkeys(name for one in self.values() for name in one.means)
        scored = [one.means for one in self.values() if one.means]
        return {name: math.fsum(one[name] for one in scored) / len(scored) for name in names}

    def __repr__(self) -> str:
        sessions = "1 session" if len(self) == 1 else f"{len(self):,} sessions"
        return f"<SessionScores over {sessions}: sDCG {self.sdcg:.4f}, nsDCG {self.nsdcg:.4f}>"


def session_scores(
    judgments: JudgmentsSource,
    run: RunSource,
    sessions: Mapping[str, Sequence[str]] | QueriesSource,
    *,
    k: int | None = 10,
    b: float = 2.0,
    bq: float = 4.0,
    gain: Gain = "linear",
    measures: Iterable[MeasureLike] | MeasureLike = (),
    judged_only: bool = False,
) -> SessionScores:
    """Score sessions by session DCG, in which later queries of a session count less.

    sDCG = sum over turns t and ranks r of gain / ((1 + log_bq(t)) * (1 + log_b(r))). A turn that
    is not judged, or that the run does not have, gains nothing. Documents that earlier turns
    returned count again, as in the original definition.

    Parameters
    ----------
    judgments, run
        As `evaluate` takes them.
    sessions : mapping of str to query ids, or queries
        The query ids of each session, in the order of its turns. Or a path, or `Query` objects:
        queries with the same ``group`` (in files also ``session``) are a session, in the order of
        their ``turn``, or in their own order if they have none. Queries without a group are
        ignored.
    k : int or None
        Ranks to consider, at least 1. None means the whole ranking.
    b, bq : float
        Bases of the logarithms, above 1: the higher, the more patient a user is with lower ranks,
        and with later queries.
    gain : {"linear", "exp2"} or mapping of float to float
        The gain of a grade, as in `DCG`.
    measures : measures, optional
        Measures to average over the judged turns of each session. A turn that the run does not
        have scores 0.
    judged_only : bool
        Whether to remove unjudged documents from the rankings before scoring, for session DCG and
        for every measure.

    Returns
    -------
    SessionScores
        ``result.sdcg``, ``result.nsdcg``, ``result["s1"].sdcg``, ``result["s1"].means``.

    Raises
    ------
    ArgumentError
        If there is no session, or a parameter is out of range.
    MismatchError
        If no query of any session is judged.

    References
    ----------
    Järvelin, Price, Delcambre and Nielsen (2008), ECIR, 4-15.

    Notes
    -----
    The TREC Session track discounts turn t by log_bq(t + bq - 1) and rank r by log_b(r + b - 1)
    instead.

    Examples
    --------
    >>> judgments = {"q1": {"d1": 2}, "q2": {"d2": 1}}
    >>> run = {"q1": ["d9", "d1"], "q2": ["d2"]}
    >>> found = session_scores(judgments, run, {"s1": ["q1", "q2"]})
    >>> found["s1"].sdcg == 2 / 2 + 1 / 1.5
    True
    >>> found
    <SessionScores over 1 session: sDCG 1.6667, nsDCG 0.6250>
    """
    depth = None if k is None else check_k(k)
    for name, base in (("b", b), ("bq", bq)):
        if not 1.0 < base < math.inf:
            raise ArgumentError(name, "a number above 1", repr(base))
    table = DCG(gain=gain).gain  # checked
    loaded, ranked = load_judgments(judgments), load_run(run)
    found = _sessions_of(sessions)
    if not any(query_id in loaded for ids in found.values() for query_id in ids):
        raise MismatchError("no query of any session is judged")
    means_of = _means(loaded, ranked, _read_measures(measures, judged_only))
    scored = SessionScores()
    for name, query_ids in found.items():
        actual, ideal = [], []
        for turn, query_id in enumerate(query_ids, start=1):
            weight = 1.0 + math.log(turn, bq)
            seen, best = _grades(loaded, ranked, query_id, None if judged_only else depth)
            if judged_only:
                seen = without_unjudged(seen)[:depth]
            actual.append(_discounted(gains(seen, table), b) / weight)
            ideal.append(_discounted(ideal_gains(best, table)[:depth], b) / weight)
        scored[name] = SessionScore(
            query_ids, math.fsum(actual), math.fsum(ideal), means_of(query_ids)
        )
    return scored


def _read_measures(
    measures: Iterable[MeasureLike] | MeasureLike, judged_only: bool
) -> Sequence[Measure]:
    """Return measures that are averaged over queries; there may be none."""
    is_none = isinstance(measures, (list, tuple)) and not measures
    found = () if is_none else read_measures(measures, judged_only=judged_only)
    for measure in found:
        if measure.aggregate != "mean":
            raise ArgumentError("measures", "measures that are averaged", str(measure))
    return found


def _means(
    judgments: Judgments, run: Run, measures: Sequence[Measure]
) -> Callable[[Sequence[str]], dict[str, float]]:
    """Return a function from the queries of a session to the mean of each measure."""
    by_query: dict[str, Mapping[str, float]] = {}
    if measures:
        scored = evaluate(judgments, run, measures)
        by_query = {name: one.by_query for name, one in scored.items()}

    def means_of(query_ids: Sequence[str]) -> dict[str, float]:
        found = {}
        for name, scores in by_query.items():
            own = [scores[query_id] for query_id in query_ids if query_id in scores]
            if own:
                found[name] = math.fsum(own) / len(own)
        return found

    return means_of


def _grades(
    judgments: Judgments, run: Run, query_id: str, depth: int | None
) -> tuple[list[float], list[float]]:
    """Return the grades in rank order, and those of all judged documents."""
    key = encode_id(query_id)
    grade_of = judgments.grades_of(key)
    ranking = run.ranked_ids(key, depth)
    return [grade_of.get(one, NOT_IN_POOL) for one in ranking], [*grade_of.values()]


def _discounted(gained: Iterable[float], b: float) -> float:
    return math.fsum(gain / (1.0 + math.log(rank, b)) for rank, gain in enumerate(gained, start=1))


def _sessions_of(
    sessions: Mapping[str, Sequence[str]] | QueriesSource,
) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    if isinstance(sessions, Mapping):
        for name, query_ids in sessions.items():
            if isinstance(query_ids, str):
                raise ArgumentError(f"sessions[{name!r}]", "a list of query ids", repr(query_ids))
            found[name] = tuple(as_id(one, f"sessions[{name!r}]") for one in query_ids)
    else:
        grouped: dict[str, list[Query]] = {}
        for query in load_queries(sessions).values():
            if query.group is not None:
                grouped.setdefault(query.group, []).append(query)
        for name, turns in grouped.items():
            turns.sort(key=lambda one: one.turn or 0)  # stable: without turns, their own order
            numbers = [one.turn for one in turns]
            if any(numbers) and (None in numbers or len({*numbers}) < len(numbers)):
                expected = "each turn once, or no turns"
                shown = ", ".join("none" if one is None else str(one) for one in numbers)
                raise ArgumentError(f"session {name!r}", expected, shown[:80])
        found = {name: tuple(one.query_id for one in turns) for name, turns in grouped.items()}
    found = {name: query_ids for name, query_ids in found.items() if query_ids}
    if not found:
        raise ArgumentError("sessions", "at least one query with a session", "none")
    return found
