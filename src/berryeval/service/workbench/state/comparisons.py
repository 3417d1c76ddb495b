"""Comparisons of two runs with the current judgments, cached for the next request.

Pages request the same comparison repeatedly: another measure, the next fifty queries, the
previous query. Runs never change: both ids, the judgments and the measures identify a comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from berryeval.archive.queries import AllQueries
from berryeval.archive.records import StoredRun
from berryeval.core.id_column import encode_id
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.core.text import natural_key
from berryeval.evaluation.comparing import compare_evaluations
from berryeval.evaluation.comparison import Comparison, Difference
from berryeval.evaluation.result import Evaluation, holes_measure
from berryeval.evaluation.slices import LABELS, values_in
from berryeval.measures import Measure
from berryeval.service import shared_work
from berryeval.service.dependencies import from_state
from berryeval.service.lru_cache import LruCache, at_least
from berryeval.service.shared_work import SharedWork
from berryeval.service.stored_runs import labels_of
from berryeval.service.workbench.state.scoring import Scoring, State, bytes_of_scores

__all__ = [
    "RANKS_COMPARED",
    "Compared",
    "Comparisons",
    "ComparisonsDep",
    "RecalledComparison",
    "Runs",
    "labels_in",
]

RANKS_COMPARED = 100
"""Ranks that are compared for a measure without a cutoff."""

_MAX_BYTES, _MAX_CACHED = 32 << 20, 24
"""Maximum size in bytes, and number, of the cached comparisons."""
_MAX_PINNED = 4
_AT_ONCE, _MAX_WAITING = 2, 8
"""Maximum numbers of comparisons that are computed at the same time, and that compute or wait."""
_MAX_TAGS = 12

Floats = NDArray[np.float64]
Value = TypeVar("Value")


class _Key(NamedTuple):
    a: str
    b: str
    judgments_hash: str
    measures: tuple[str, ...]
    queries: tuple[Any, ...]


class Runs(Mapping[str, Run]):
    """Runs by label, read on access: a comparison does not keep them in memory."""

    def __init__(self, scoring: Scoring, run_ids: Mapping[str, str]) -> None:
        self._scoring = scoring
        self._run_ids = run_ids

    def __getitem__(self, label: str) -> Run:
        return self._scoring.run(self._run_ids[label])

    def __iter__(self) -> Iterator[str]:
        return iter(self._run_ids)

    def __len__(self) -> int:
        return len(self._run_ids)


class RecalledComparison(Comparison):
    """A comparison that reads its judgments on access: cached ones do not keep them in memory."""

    _state: State

    @classmethod
    def of(cls, comparison: Comparison, state: State) -> RecalledComparison:
        """Return a comparison that reads its judgments from a state."""
        found = cls.__new__(cls)
        found.__dict__.update(comparison.__dict__, _state=state)
        del found.__dict__["judgments"]
        return found

    def __getattr__(self, name: str) -> Judgments:  # only for what an instance lacks
        if name != "judgments":
            raise AttributeError(name)
        return self._state.judgments


class Compared:
    """A comparison of two runs, with what pages show of it.

    Attributes
    ----------
    a, b : StoredRun
        Baseline and candidate.
    comparison : Comparison
        Its runs and judgments are read on access.
    state : State
        The judgments used to score both; those of the last request if they are the same.
    """

    def __init__(self, a: StoredRun, b: StoredRun, comparison: Comparison, state: State) -> None:
        self.a = a
        self.b = b
        self.comparison = comparison
        self.state = state
        self._differs: dict[int, NDArray[np.bool_]] = {}
        self._orders: dict[Measure, NDArray[np.intp]] = {}
        self._remembered: dict[object, Any] = {}

    @property
    def judgments_hash(self) -> str:
        """Hash of the judgments used to score both."""
        return self.state.hash

    @property
    def names(self) -> tuple[str, str]:
        """Labels of baseline and candidate, never equal."""
        return self.comparison.baseline, self.comparison.candidates[0]

    def sliced(self, measure: Measure) -> tuple[Difference, ...]:
        """Return the differences of each slice."""
        return self.remembered(("sliced", measure), lambda: self._sliced(measure))

    def _sliced(self, measure: Measure) -> tuple[Difference, ...]:
        whole = self.comparison
        labels = labels_in(whole.queries, whole.query_ids)
        if not labels:
            return ()
        return compare_evaluations(
            whole.judgments,
            whole.runs,
            {
                name: Evaluation(one.scores, [measure], whole.queries)
                for name, one in whole.evaluations.items()
            },
            queries=whole.queries,
            slices=labels,
        ).sliced

    def has_slices(self, measure: Measure) -> bool:
        """Whether the differences of each slice are known."""
        return ("sliced", measure) in self._remembered

    def difference(self, measure: Measure) -> Difference:
        """Return the difference over all queries."""
        return self.comparison.difference(self.names[1], measure)

    def scores(self, measure: Measure) -> tuple[Floats, Floats]:
        """Return the scores of both, one per query in the order of the comparison."""
        before, after = (self._scores(name, str(measure)) for name in self.names)
        return before, after

    def n_holes(self, measure: Measure) -> tuple[Floats, Floats]:
        """Return the number of unjudged documents up to the cutoff of the measure, per query."""
        name = str(holes_measure(measure))
        before, after = (self._scores(run, name) for run in self.names)
        return before, after

    def _scores(self, run: str, name: str) -> Floats:
        # The judgments alone determine which queries are scored.
        return np.asarray(self.comparison.evaluations[run].scores.values[name])

    def gains(self, measure: Measure) -> Floats:
        """Return the gain of each query; below 0 is worse."""
        return self.comparison.gains(self.names[1], measure)

    def by_loss(self, measure: Measure) -> NDArray[np.intp]:
        """Return the positions of queries, largest loss first."""
        if measure not in self._orders:
            self._orders[measure] = np.argsort(self.gains(measure), kind="stable")
        return self._orders[measure]

    @cached_property
    def by_id(self) -> NDArray[np.intp]:
        """The positions of queries by their ids, with numbers in ids by their value."""
        ids = self.comparison.query_ids
        return np.array(sorted(range(len(ids)), key=lambda i: natural_key(ids[i])), dtype=np.intp)

    def position_of(self, query_id: str) -> int | None:
        """Return the position of a query; None if it was not compared."""
        return self._position_of.get(query_id)

    @cached_property
    def _position_of(self) -> dict[str, int]:
        return {query_id: i for i, query_id in enumerate(self.comparison.query_ids)}

    def differs(self, measure: Measure) -> NDArray[np.bool_]:
        """Return for each query whether its rankings differ up to the cutoff of the measure.

        A measure without a cutoff considers the first hundred ranks here. A query whose score
        differs always counts as different.
        """
        k = min(measure.k or RANKS_COMPARED, RANKS_COMPARED)
        if k not in self._differs:
            before, after = (self.comparison.runs[name] for name in self.names)
            encoded = [encode_id(query_id) for query_id in self.comparison.query_ids]
            self._differs[k] = np.fromiter(
                (before.ranked_ids(one, k) != after.ranked_ids(one, k) for one in encoded), bool
            )
        has_moved: NDArray[np.bool_] = self._differs[k] | (self.difference(measure).values != 0.0)
        return has_moved

    def remembered(self, key: object, make: Callable[[], Value]) -> Value:
        """Return a cached value, or compute it."""
        if key not in self._remembered:
            self._remembered[key] = make()
        found: Value = self._remembered[key]
        return found

    @cached_property
    def texts(self) -> list[str]:
        """Id and text of each query in lower case, for searching."""
        queries = self.comparison.queries
        return [
            f"{query_id}\n{queries[query_id].text if query_id in queries else ''}".casefold()
            for query_id in self.comparison.query_ids
        ]


class Comparisons:
    """The most recently requested comparisons."""

    def __init__(self, scoring: Scoring) -> None:
        self._scoring = scoring
        self._found: LruCache[_Key, Compared] = LruCache(
            _MAX_BYTES, at_least(_MAX_BYTES // _MAX_CACHED, _bytes_of)
        )
        # Apart from the others, of which the newest is shown until there is a newer one.
        self._pinned: LruCache[tuple[str, str, int, object], Compared] = LruCache(_MAX_PINNED)
        self._work: SharedWork[tuple[str, str, Measure, int | None], Compared] = SharedWork(
            "berryeval-comparing", _AT_ONCE, most=_MAX_WAITING
        )

    def compare(self, a: StoredRun, b: StoredRun, at: int | None = None) -> Compared:
        """Compare two runs with the current judgments, or those of a moment ago.

        Parameters
        ----------
        a, b : StoredRun
            Baseline and candidate.
        at : int, optional
            The revision of the judgments to use instead.

        Raises
        ------
        ArgumentError
            If both are the same.
        MismatchError
            If no judged query is in both.
        NotFoundError
            If there is no such revision.
        """
        labels = labels_of([a, b])
        known = self._scoring.all_queries()
        run_ids = {label: run.run_id for label, run in labels.items()}

        def make(state: State) -> Compared:
            evaluations = {
                label: self._scoring.evaluation(run_id, state) for label, run_id in run_ids.items()
            }
            comparison = compare_evaluations(
                state.judgments,
                Runs(self._scoring, run_ids),
                evaluations,
                queries=known.queries,
            )
            return Compared(a, b, RecalledComparison.of(comparison, state), state)

        if at is not None:
            state = self._scoring.pinned(at)
            key = a.run_id, b.run_id, at, (state.sampling, known.stamp)
            return self._pinned.get_or_compute(key, lambda: make(state))
        state = self._scoring.recent()
        found = self._found.get_or_compute(self._key(a, b, state, known), lambda: make(state))
        found.state = state  # judgments that were changed and changed back are current again
        return found

    def soon(
        self, a: StoredRun, b: StoredRun, measure: Measure, at: int | None = None
    ) -> tuple[Compared | None, bool]:
        """Compare two runs as `compare` does, or return an earlier comparison.

        A page waits only briefly; the comparison, and the slices of a measure, continue in a
        thread.

        Returns
        -------
        compared : Compared or None
            None if there is none yet: it is being computed.
        is_current : bool
            Whether it uses the current judgments, or those of the given revision.
        """

        def make() -> Compared:
            found = self.compare(a, b, at)
            found.sliced(measure)
            return found

        key = a.run_id, b.run_id, measure, at
        if at is not None:
            pinned, _ = self._work.get(key, make, seconds=shared_work.FIRST_WAIT_SECONDS)
            return pinned, True
        known = self.known(a, b)
        if known is not None and not known.has_slices(measure):
            known = None
        if known is not None and self._is_current(known):
            return known, True
        found, _ = self._work.get(
            key,
            make,
            seconds=shared_work.FIRST_WAIT_SECONDS if known is None else shared_work.WAIT_SECONDS,
            known=known,
        )
        return found, found is not None and self._is_current(found)

    def _is_current(self, compared: Compared) -> bool:
        state = compared.state
        key = self._key(compared.a, compared.b, state, self._scoring.all_queries())
        return self._scoring.is_current(state) and self._found.get(key) is compared

    def _key(self, a: StoredRun, b: StoredRun, state: State, known: AllQueries) -> _Key:
        measures = tuple(map(str, self._scoring.measures))
        return _Key(a.run_id, b.run_id, state.hash, measures, known.stamp)

    def close(self) -> None:
        """Stop accepting work, and wait for what is running."""
        self._work.close()

    def known(self, a: StoredRun, b: StoredRun) -> Compared | None:
        """Return the newest cached comparison of two runs, current or not.

        While a judge works, the order of queries stays the same.
        """
        found = self._found.find(lambda key: key[:2] == (a.run_id, b.run_id))
        return None if found is None else found[1]


_PER_QUERY = 300
"""Size of a query besides numbers, in bytes: its text for searching, and its position by id."""


def _bytes_of(compared: Compared) -> int:
    """Return about how much memory a comparison takes."""
    comparison = compared.comparison
    own = (8 * len(comparison.differences) + _PER_QUERY) * comparison.n_queries
    return own + sum(map(bytes_of_scores, comparison.evaluations.values()))


def labels_in(queries: Mapping[str, Query], query_ids: Sequence[str]) -> list[str]:
    """Return the labels to slice queries by; tags only if there are few."""
    found: list[str] = []
    for label in LABELS:
        values_of = values_in(queries, label)
        n_values = len({value for query_id in query_ids for value in values_of(query_id)})
        if n_values > 0 and (label != "tag" or n_values <= _MAX_TAGS):
            found.append(label)
    return found


ComparisonsDep: TypeAlias = Annotated[Comparisons, from_state("comparisons")]
