"""Judges of an archive: what they did, whether they count, and where people disagree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from berryeval.core.documents import Document
from berryeval.core.id_column import decode_id, encode_id
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import MismatchError, NotFoundError
from berryeval.evaluation.model_judgments import ModelJudgments
from berryeval.judges.admissions import StoredAdmission
from berryeval.judges.protocol import Pair
from berryeval.measures import Measure
from berryeval.suite.counted_grades import (
    CountedGrades,
    choose_admission,
    counted_grades,
    judgments_of_pool,
)
from berryeval.suite.judge_overview import JudgeOverview, current_standing, drift_since

if TYPE_CHECKING:
    from berryeval.archive import Archive
    from berryeval.judges.model_grades import ModelGrade

__all__ = [
    "Disagreement",
    "depth_of_model",
    "disagreements",
    "grades_in",
    "judges_in",
    "model_judgments_in",
]

_DEPTH = 10
"""Ranks of each run that a judge has graded, if the first measure has no cutoff."""


def judges_in(archive: Archive) -> list[JudgeOverview]:
    """Return every judge with grades in an archive, in the order of their first grades."""
    checks = archive.admissions.all()
    guideline = _current_guideline(archive, checks)
    admissions = {one.identity.digest: one for one in checks}
    return [
        JudgeOverview(
            one.judge,
            one.identity,
            tuple(sorted(models)),
            one.n_pairs,
            one.n_unanswered,
            one.n_calls,
            one.input_tokens,
            one.output_tokens,
            one.last_judged_at.isoformat(),
            current_standing(
                admission,
                models,
                is_current=guideline in (None, one.guideline),
            ),
            drift_since(admission, archive.model_grades.repeated(one.identity), one.identity),
        )
        for one in archive.model_grades.totals()
        for admission in [admissions.get(one.identity)]
        for models in [archive.model_grades.models(one.identity)]
    ]


def model_judgments_in(
    archive: Archive, runs: Mapping[str, Run], draw: str, *, k: int, judge: str | None = None
) -> ModelJudgments:
    """Return the grades of an admitted judge for what runs return, and the draw that corrects them.

    Parameters
    ----------
    archive : Archive
        The archive.
    runs : mapping of str to Run
        The runs to be compared.
    draw : str
        Name of the draw of queries that people labelled.
    k : int
        Ranks of each run that the judge has graded.
    judge : str, optional
        Name or identity of the judge. Default: the only admitted one.

    Raises
    ------
    NotFoundError
        If there is no such draw.
    MismatchError
        If no judge is admitted, or it has not graded everything that the runs return.
    """
    stored = archive.label_draws.get(draw)
    if stored is None:
        raise NotFoundError("label draw", draw)
    grades = grades_in(archive, runs, stored.draw.strata, k=k, judge=judge)
    missing = stored.draw.strata.keys() - {*grades.query_ids}
    if missing:
        raise MismatchError(
            f"{archive.name}: the runs return nothing for {len(missing):,} queries of the draw "
            f"{draw!r}, such as {min(missing)}; use runs of all its queries"
        )
    return ModelJudgments(grades, stored.draw)


def grades_in(
    archive: Archive,
    runs: Mapping[str, Run],
    query_ids: Iterable[str],
    *,
    k: int,
    judge: str | None = None,
) -> Judgments:
    """Return the grades of an admitted judge for what runs return for some queries.

    Raises
    ------
    MismatchError
        If no judge is admitted, or it has not graded everything that the runs return.
    """
    admission = _admission(archive, judge)
    pool = _pool(query_ids, runs, k)
    scale = archive.judging.get().highest
    return judgments_of_pool(_counted(archive, admission, pool), pool, scale, archive.name)


def depth_of_model(measures: Sequence[Measure]) -> int:
    """Return how many ranks a judge must have graded: the cutoff of the deciding measure.

    A deeper measure counts the rest as not relevant, in labelled and in other queries alike, so
    the correction by people holds for it, too.
    """
    return next((one.k for one in measures if one.k is not None), _DEPTH)


def _current_guideline(archive: Archive, checks: Sequence[StoredAdmission]) -> str | None:
    """Return the hash of the guideline in force: the archive's, otherwise that of the last check.

    None if there is neither.
    """
    stored = archive.judging.guideline()
    if stored is not None:
        return stored.digest
    return checks[-1].guideline if checks else None


def _admission(archive: Archive, judge: str | None) -> StoredAdmission:
    """Return the admission of a judge, which has not expired."""
    checks = archive.admissions.all()
    guideline = _current_guideline(archive, checks) or ""
    found = choose_admission(checks, guideline, judge, archive.name)
    models = archive.model_grades.models(found.identity.digest)
    standing = current_standing(found, models, is_current=True)
    if not standing.is_admitted:
        message = f"the admission of judge {found.judge!r} has expired: {standing.why}"
        raise MismatchError(f"{archive.name}: {message}; run `berryeval judge check`")
    return found


def _pool(query_ids: Iterable[str], runs: Mapping[str, Run], k: int) -> list[tuple[str, str]]:
    """Return the documents in the first k of any run, for some queries."""
    found: dict[tuple[str, str], None] = {}
    for query_id in query_ids:
        for run in runs.values():
            for doc_id in run.ranked_ids(encode_id(query_id), k):
                found[query_id, decode_id(doc_id)] = None
    return [*found]


def _counted(
    archive: Archive, admission: StoredAdmission, pool: Iterable[tuple[str, str]]
) -> CountedGrades:
    """Return the grades that count among pairs; without a text in the archive, none does."""
    wanted = {*pool}
    queries = archive.queries.all()
    documents = archive.documents.some({doc_id for _, doc_id in wanted})
    texts = {
        doc_id: Document(doc_id, one.text, one.title or "")
        for doc_id, one in documents.items()
        if one.text is not None
    }

    def pair_of(grade: ModelGrade) -> Pair:
        return Pair(queries[grade.query_id], texts[grade.doc_id])

    grades = [
        one
        for one in archive.model_grades.of_judge(admission.identity.digest)
        if one.key in wanted and one.query_id in queries and one.doc_id in texts
    ]
    return counted_grades(admission, grades, pair_of)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A pair that people and a judge grade differently."""

    query_id: str
    doc_id: str
    content: str
    """The hash of the texts that the judge saw."""
    given: float
    """The judge's grade."""
    people: float

    @property
    def pair(self) -> tuple[str, str]:
        """Query and document."""
        return self.query_id, self.doc_id

    @property
    def distance(self) -> float:
        """The difference between the two grades."""
        return abs(self.given - self.people)


def disagreements(archive: Archive, identity: str) -> list[Disagreement]:
    """Return the pairs on which people and a judge disagree, the largest difference first."""
    judged = archive.judgments.current()
    by_query: dict[str, Mapping[bytes, float]] = {}
    found = []
    for query_id, doc_id, content, given in archive.model_grades.iter_first(identity):
        if query_id not in by_query:
            by_query[query_id] = judged.grades_of(encode_id(query_id))
        people = by_query[query_id].get(encode_id(doc_id))
        if people is not None and people >= 0 and people != given:
            found.append(Disagreement(query_id, doc_id, content, given, people))
    return sorted(found, key=lambda one: (-one.distance, one.pair))
