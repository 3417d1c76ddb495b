"""The result of a comparison."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from berryeval.core.id_column import decode_id, encode_id
from berryeval.core.judgments import Judgments
from berryeval.core.notes import Note, caution_notes
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.evaluation.differences import Difference, Statistics, SystemPair
from berryeval.evaluation.figures import interval_text, p_text, signed
from berryeval.evaluation.findings import WORDS, Outcome, outcome_of
from berryeval.evaluation.headline import result_sentence
from berryeval.evaluation.labelled import of_model
from berryeval.evaluation.repeats import Noise, rounds_of
from berryeval.evaluation.result import Displayed, Evaluation
from berryeval.evaluation.risk import Risk
from berryeval.evaluation.sampling import Sampling
from berryeval.measures import Measure, parse_measure

__all__ = [
    "Comparison",
    "Difference",
    "PlacedDocument",
    "QueryChange",
    "RankedDocument",
    "Statistics",
    "headline",
]


_HOLE_EFFECTS = "berryeval.evaluation.hole_effects"


@dataclass(frozen=True)
class QueryChange:
    """The scores of one query in both runs."""

    query_id: str
    text: str | None
    baseline: float
    candidate: float
    difference: float
    outcome: Outcome
    """Whether the candidate is better, worse, or equal."""


@dataclass(frozen=True)
class RankedDocument:
    """A document at its rank."""

    rank: int
    doc_id: str
    grade: float | None
    """None if it is not judged: a hole."""


@dataclass(frozen=True)
class PlacedDocument:
    """A document at its ranks in all runs."""

    doc_id: str
    grade: float | None
    """None if it is not judged: a hole."""
    ranks: tuple[int, ...]
    """Rank in the baseline, then in each candidate; 0 if it has none."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison(Displayed):
    """The result of `compare`: one baseline, and the candidates compared with it."""

    judgments: Judgments
    runs: Mapping[str, Run]
    queries: Mapping[str, Query]
    """The queries that are known, by id; may be empty."""
    measures: tuple[Measure, ...]
    """The measures that are compared; the first leads."""
    shown: tuple[Measure, ...]
    """The measures whose means are reported: `measures`, and more by default."""
    baseline: str
    """The name of a run; all others are candidates."""
    query_ids: Sequence[str]
    """The queries that are scored for every run, in byte order."""
    evaluations: Mapping[str, Evaluation]
    """Evaluations by run, all over the same queries."""
    differences: tuple[Difference, ...]
    """Differences over all queries, for each measure and candidate."""
    common: tuple[Difference, ...]
    """The same over the queries that every run has. Empty if no run lacks any query, and if no
    query is in all of them."""
    sliced: tuple[Difference, ...]
    """Each measure and candidate for each requested slice."""
    statistics: Statistics
    marked_notes: tuple[Note, ...]
    """Facts that a reader has to know, such as queries missing from a run; cautions are marked."""
    max_grade: float | None
    """The highest grade of the scale, if it was given."""
    repeats: Mapping[str, Sequence[Run]]
    """Further runs of the same system, by run. Scores are means over all runs of a system."""
    noise: Mapping[str, Mapping[Measure, Noise]]
    """Noise by run, for systems with further runs."""
    sampling: Sampling
    """The groups, weights and strata of the queries compared."""
    risks: tuple[Risk, ...] = ()
    """How much each candidate risks, for each requested weight of losses and each measure."""
    pairs: tuple[SystemPair, ...] = ()
    """Every system compared with every other in each measure, if requested."""

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes as text, and what unjudged documents could change."""
        return (*map(str, self.marked_notes), *self.holes_notes)

    @cached_property
    def holes_notes(self) -> tuple[str, ...]:
        """Notes on unjudged documents, if there are any: how many, and what they could change.

        They take a moment, so they are computed on first use, by a module that imports this one.
        """
        return tuple(importlib.import_module(_HOLE_EFFECTS).notes_on_holes(self))

    @property
    def n_queries(self) -> int:
        """The number of queries compared."""
        return len(self.query_ids)

    @property
    def rounds(self) -> list[dict[str, Run]]:
        """One run of each system at a time, each run of a system equally often."""
        return rounds_of(self.runs, self.repeats)

    @property
    def sentence(self) -> str:
        """The result in words, by the lead measure."""
        return headline(self)

    @property
    def lead(self) -> Measure:
        """The measure that decides."""
        return self.measures[0]

    def deciding(self, measure: Measure | None = None) -> tuple[Difference, ...]:
        """Return the differences behind a headline, one per candidate, by the lead measure.

        They are over the queries that every run has: a query that one run lacks would otherwise
        decide.
        """
        found = self.common or self.differences
        return tuple(d for d in found if d.measure == (measure or self.lead))

    @property
    def candidates(self) -> tuple[str, ...]:
        """The names of the runs other than the baseline."""
        return tuple(name for name in self.runs if name != self.baseline)

    def difference(self, system: str, measure: Measure | str) -> Difference:
        """Return the difference of one candidate in one measure, over all queries.

        Raises
        ------
        KeyError
            If there is none.
        """
        wanted = parse_measure(measure) if isinstance(measure, str) else measure
        for difference in self.differences:
            if (difference.system, difference.measure) == (system, wanted):
                return difference
        raise KeyError(f"{system}, {wanted}")

    def gains(self, system: str, measure: Measure | str) -> NDArray[np.float64]:
        """Return the gain of each query, in the order of `query_ids`; below 0 is worse."""
        difference = self.difference(system, measure)
        before, after = (
            np.asarray(self.evaluations[run][str(difference.measure)].values)
            for run in (self.baseline, system)
        )
        gains = np.where(difference.values == 0.0, 0.0, after - before)
        return gains if difference.measure.higher_is_better else 0.0 - gains

    def moved(self, system: str, measure: Measure | str) -> NDArray[np.float64]:
        """Return how far the score of each query moved, in the order of `query_ids`."""
        gains = self.gains(system, measure)
        higher_is_better = self.difference(system, measure).measure.higher_is_better
        return gains if higher_is_better else 0.0 - gains

    def changes(self, system: str, measure: Measure | str) -> list[QueryChange]:
        """Return the change of each query, the greatest loss first and the greatest gain last."""
        order = np.argsort(self.gains(system, measure), kind="stable").tolist()
        return self._changes_at(order, system, measure)

    def _changes_at(
        self, places: Sequence[int], system: str, measure: Measure | str
    ) -> list[QueryChange]:
        known = self.difference(system, measure).measure
        before, after = (
            self.evaluations[run][str(known)].values for run in (self.baseline, system)
        )
        moved = self.moved(system, known).tolist()
        return [
            QueryChange(
                self.query_ids[place],
                self.text_of(self.query_ids[place]),
                before[place],
                after[place],
                moved[place],
                outcome_of(moved[place], higher_is_better=known.higher_is_better),
            )
            for place in places
        ]

    def changed_most(self, system: str, measure: Measure | str, n: int) -> list[QueryChange]:
        """Return the `n` greatest losses and the `n` greatest gains, as `changes` orders them.

        If there are fewer of one kind, more of the other are returned. Ties are omitted.
        """
        gains = self.gains(system, measure)
        order = np.argsort(gains, kind="stable").tolist()
        worse = order[: np.count_nonzero(gains < 0)]
        better = order[len(order) - np.count_nonzero(gains > 0) :]
        n_worse = max(n, 2 * n - len(better))
        n_better = max(n, 2 * n - len(worse))
        return self._changes_at(worse[:n_worse] + better[-n_better:], system, measure)

    def is_unchanged(self, system: str, k: int | None, query_ids: Iterable[str]) -> bool:
        """Return whether the first k documents are the baseline's, for all these queries.

        Every run of either system has to agree.
        """
        first = self.runs[self.baseline]
        others = (*self.repeats.get(self.baseline, ()), self.runs[system])
        return all(
            first.ranked_ids(query_id, k) == other.ranked_ids(query_id, k)
            for query_id in map(encode_id, query_ids)
            for other in (*others, *self.repeats.get(system, ()))
        )

    def text_of(self, query_id: str) -> str | None:
        """Return the text of a query, if it is known."""
        query = self.queries.get(query_id)
        return None if query is None else query.text

    def ranking(self, system: str, query_id: str, depth: int = 10) -> list[RankedDocument]:
        """Return the first documents that a run has for a query, with their grades."""
        encoded = encode_id(query_id)
        grades = self.judgments.grades_of(encoded)
        found = []
        for rank, doc_id in enumerate(self.runs[system].ranking(query_id, depth), start=1):
            grade = grades.get(encode_id(doc_id))
            is_hole = grade is None or grade < 0
            found.append(RankedDocument(rank, doc_id, None if is_hole else grade))
        return found

    def placed_documents(self, query_id: str, depth: int, look_down: int) -> list[PlacedDocument]:
        """Return the documents that any run has in its first `depth` ranks, with all their ranks.

        Below rank `look_down`, a document counts as not retrieved. Documents of the baseline come
        first, in its order, then those of each candidate.
        """
        encoded = encode_id(query_id)
        grades = self.judgments.grades_of(encoded)
        names = (self.baseline, *self.candidates)
        rankings = [self.runs[name].ranked_ids(encoded, look_down) for name in names]
        kept = {doc_id for ranking in rankings for doc_id in ranking[:depth]}
        ranks = [
            {doc_id: rank for rank, doc_id in enumerate(ranking, start=1) if doc_id in kept}
            for ranking in rankings
        ]
        found = []
        for doc_id in dict.fromkeys(doc_id for of_run in ranks for doc_id in of_run):
            grade = grades.get(doc_id)
            is_hole = grade is None or grade < 0
            found.append(
                PlacedDocument(
                    decode_id(doc_id),
                    None if is_hole else grade,
                    tuple(of_run.get(doc_id, 0) for of_run in ranks),
                )
            )
        return found

    def __repr__(self) -> str:
        queries = "1 query" if self.n_queries == 1 else f"{self.n_queries} queries"
        lines = [
            f"{one.system}: {one.measure} {signed(one.mean)}{_tested(one)}, {WORDS[one.finding]}"
            for one in self.differences
        ]
        for name, run in self.evaluations.items():
            lines += [f"{name}: {run.missing_note}"] if run.missing_note else []
            lines += map(str, caution_notes(run.cautions, name))
        return "\n".join([f"<Comparison with {self.baseline} over {queries}", *lines]) + ">"


def _tested(difference: Difference) -> str:
    if difference.interval is None:
        return ""
    return f" {interval_text(difference.interval)}, p {p_text(difference.p_value)}"


def headline(comparison: Comparison, measure: Measure | None = None) -> str:
    """Return the result of a comparison by the lead measure, or by another one.

    If runs lack queries, it starts with how many, then gives the result over the queries that every
    run has, and finally the result with missing queries as they were scored.
    """
    wanted = measure or comparison.lead
    whole, common = (
        [found for found in differences if found.measure == wanted]
        for differences in (comparison.differences, comparison.common)
    )
    found = result_sentence(whole, common, comparison.baseline, [*comparison.evaluations.items()])
    rested = [one.rests_on for one in whole if one.rests_on is not None]
    return found + of_model(rested)
