"""The results of two runs for one query: ranks, grades, scores, and contributions of moves.

Only the grades of this query are read from the archive, with their revisions: a new judgment
shows at once, without rescoring a whole run.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property

from berryeval.archive import Archive
from berryeval.archive.judgments.subtopics import subtopics_by_document
from berryeval.archive.records import StoredJudgment, StoredRun
from berryeval.core.id_column import decode_id, encode_id
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.evaluation.explain import Explanation, explain, score_ranking
from berryeval.evaluation.findings import Outcome, difference_of, outcome_of
from berryeval.kernels.relevance import UNJUDGED
from berryeval.measures import Measure

__all__ = ["Answers", "QueryScore", "Ranked", "Side", "answers_of", "judged_of"]

_AT_ONCE = 10_000


@dataclass(frozen=True)
class Side:
    """One run, and its documents for the query, best first."""

    run: StoredRun | None
    """None if it is not stored."""
    label: str
    ranking: Sequence[str]
    is_missing: bool
    """Whether the query is missing from the run."""

    @cached_property
    def rank_of(self) -> Mapping[str, int]:
        """The rank of each document, from 1."""
        return {doc_id: rank for rank, doc_id in enumerate(self.ranking, start=1)}


@dataclass(frozen=True)
class QueryScore:
    """The scores of a measure, one per run."""

    measure: Measure
    scores: tuple[float | None, ...]
    """One per side; None if nothing is judged for the query, or a length or time is unknown."""

    @property
    def difference(self) -> float | None:
        """The second minus the first, if there are two."""
        before, *others = self.scores
        if before is None or not others or others[0] is None:
            return None
        return difference_of(before, others[0])

    @property
    def outcome(self) -> Outcome:
        """Whether the score got better or worse."""
        return outcome_of(self.difference or 0.0, higher_is_better=self.measure.higher_is_better)


@dataclass(frozen=True)
class Ranked:
    """A document at its rank in one run."""

    number: int
    """Number of the document, the same in both lists."""
    rank: int
    doc_id: str
    judgment: StoredJudgment | None
    other_rank: int | None
    """Its rank in the other run; None if it is not there or there is no other run."""
    contribution: float | None
    """The contribution of its move; None if it did not move or there is only one run."""

    @property
    def grade(self) -> float | None:
        """None for an unjudged document."""
        if self.judgment is None or self.judgment.grade is None or self.judgment.grade < 0:
            return None
        return self.judgment.grade


class Answers:
    """The results of one or two runs for a query.

    Attributes
    ----------
    query_id : str
    sides : tuple of Side
        One or two: the baseline first.
    judged : mapping of str to StoredJudgment
        Judgments of the query, by document.
    measure : Measure
        The measure whose difference is explained.
    """

    def __init__(
        self,
        query_id: str,
        sides: tuple[Side, ...],
        judged: Mapping[str, StoredJudgment],
        measures: Sequence[Measure],
        measure: Measure,
        runs: Sequence[Run],
        judged_for_any: AbstractSet[bytes] = frozenset(),
        lengths: Mapping[str, float] | None = None,
    ) -> None:
        self.query_id = query_id
        self.sides = sides
        self.judged = judged
        self.measures = measures
        self.measure = measure
        self._runs = runs
        self._judged_for_any = judged_for_any
        self._lengths = lengths or {}

    @cached_property
    def _grades(self) -> dict[bytes, float]:
        plain = {doc_id: one.grade for doc_id, one in self.judged.items() if one.grade is not None}
        return self._judgments(plain).grades_of(encode_id(self.query_id))

    def _judgments(self, grades: Mapping[str, float]) -> Judgments:
        """Return grades of the query, with any other facts known about its documents."""
        key = encode_id(self.query_id)
        found = Judgments.from_dict({self.query_id: grades}).with_lengths(self._lengths)
        subtopics, weights = subtopics_by_document(self.judged.values())
        if subtopics:
            found.subtopics, found.subtopic_weights = {key: subtopics}, {key: weights}
        strata = {
            encode_id(doc_id): encode_id(one.stratum)
            for doc_id, one in self.judged.items()
            if one.stratum is not None and one.grade is not None
        }
        if strata:
            found.strata = {key: strata}
        return found

    def _grades_seen_by(self, measure: Measure) -> dict[bytes, float]:
        """Return the grades, with a mark for documents that only other queries judge."""
        if not measure.across_queries:
            return self._grades
        shown = {encode_id(doc_id) for side in self.sides for doc_id in side.ranking}
        return dict.fromkeys(shown & self._judged_for_any, UNJUDGED) | self._grades

    @cached_property
    def scores(self) -> tuple[QueryScore, ...]:
        """The scores of each measure; None if nothing is judged."""
        return tuple(
            QueryScore(
                measure,
                tuple(
                    self._score(measure, side, run)
                    for side, run in zip(self.sides, self._runs, strict=True)
                ),
            )
            for measure in self.measures
        )

    def _score(self, measure: Measure, side: Side, run: Run) -> float | None:
        if not self._grades:
            return None
        if measure.uses_timings:
            return (run.milliseconds or {}).get(self.query_id)
        lengths = {encode_id(doc_id): length for doc_id, length in self._lengths.items()}
        seen = map(encode_id, side.ranking)
        found = score_ranking(measure, seen, self._grades_seen_by(measure), lengths)
        return None if math.isnan(found) else found

    @property
    def score(self) -> QueryScore:
        """The scores of the measure that is explained."""
        return next(one for one in self.scores if one.measure == self.measure)

    @cached_property
    def explanation(self) -> Explanation | None:
        """Why the score changed; None if there is one run, or no score that documents explain."""
        if len(self.sides) == 1 or None in self.score.scores or self.measure.uses_timings:
            return None
        grades = {
            decode_id(doc_id): grade for doc_id, grade in self._grades_seen_by(self.measure).items()
        }
        before, after = self._runs
        return explain(self._judgments(grades), before, after, self.query_id, self.measure)

    @cached_property
    def contributions(self) -> Mapping[str, float]:
        """The contribution of each document's move."""
        found = self.explanation
        return {} if found is None else {move.doc_id: move.contribution for move in found.moves}

    @cached_property
    def _number_of(self) -> Mapping[str, int]:
        ids = dict.fromkeys(doc_id for side in self.sides for doc_id in side.ranking)
        return {doc_id: number for number, doc_id in enumerate(ids)}

    @property
    def n_ranks(self) -> int:
        """The length of the longer list."""
        return max(len(side.ranking) for side in self.sides)

    def results(self, side: Side, first: int, n: int) -> list[Ranked]:
        """Return a part of a list, starting at a rank."""
        others = [one for one in self.sides if one is not side]
        return [
            Ranked(
                self._number_of[doc_id],
                rank,
                doc_id,
                self.judged.get(doc_id),
                others[0].rank_of.get(doc_id) if others else None,
                self.contributions.get(doc_id),
            )
            for rank, doc_id in enumerate(side.ranking[first - 1 : first - 1 + n], start=first)
        ]

    def missed(self) -> list[StoredJudgment]:
        """Return the relevant documents that no run retrieved, best first."""
        found = [
            one
            for doc_id, one in self.judged.items()
            if one.grade is not None and one.grade >= 1 and doc_id not in self._number_of
        ]
        return sorted(found, key=lambda one: -(one.grade or 0.0))


def judged_of(archive: Archive, query_id: str) -> dict[str, StoredJudgment]:
    """Return the current judgments of a query, by document."""
    found: dict[str, StoredJudgment] = {}
    after = None
    while True:
        page = archive.judgments.page(query_id=query_id, after=after, limit=_AT_ONCE)
        found |= {one.doc_id: one for one in page.items}
        after = page.next
        if after is None:
            return found


def answers_of(
    query_id: str,
    runs: Mapping[str, tuple[StoredRun, Run]],
    judged: Mapping[str, StoredJudgment],
    measures: Sequence[Measure],
    measure: Measure,
    judged_for_any: AbstractSet[bytes] = frozenset(),
    lengths: Mapping[str, float] | None = None,
) -> Answers:
    """Return the results of one or two runs, by label, for a query.

    Measures that look across queries require the documents that are `judged_for_any` query, and
    measures of reading the lengths of all documents that were retrieved.
    """
    sides = tuple(
        Side(stored, label, run.ranking(query_id), query_id not in run)
        for label, (stored, run) in runs.items()
    )
    loaded = [run for _, run in runs.values()]
    return Answers(query_id, sides, judged, measures, measure, loaded, judged_for_any, lengths)
