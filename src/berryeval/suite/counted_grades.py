"""The grades of judges that count: those of an admitted judge, for texts as they are now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import MismatchError
from berryeval.golden.golden_set import GoldenSet
from berryeval.judges.admissions import Standing, StoredAdmission, read_admissions
from berryeval.judges.model_grades import ModelGrade, read_grades
from berryeval.judges.protocol import Pair
from berryeval.suite.judged_pairs import documents_of, guideline_of, ranks_of

__all__ = [
    "NOT_JUDGED",
    "CountedGrades",
    "choose_admission",
    "counted_grades",
    "find_counted_grades",
    "grades_of_pool",
    "judgments_of_pool",
]

NOT_JUDGED = -1.0
"""The grade of a pair that the judge could not judge: in the pool but not judged, as in TREC. It
gains nothing, in labelled and in other queries alike, so the correction by people holds for it."""

_SHOWN = 3


@dataclass(frozen=True)
class CountedGrades:
    """The grades of one admitted judge."""

    admission: StoredAdmission
    grades: dict[str, dict[str, float]] = field(default_factory=dict)
    """By query and document; `NOT_JUDGED` if the judge could not judge the pair."""

    @property
    def n_grades(self) -> int:
        """The number of pairs."""
        return sum(map(len, self.grades.values()))


def find_counted_grades(golden: GoldenSet, judge: str | None = None) -> CountedGrades:
    """Return the grades that count.

    A grade counts if its judge is admitted under the current guideline, it came from a model that
    was checked, and query and document have not changed since. Repeated grades do not count. A pair
    that the judge could not judge has the grade `NOT_JUDGED`.

    Parameters
    ----------
    golden : GoldenSet
        The set.
    judge : str, optional
        Name of the judge, as stored. Default: the only admitted one.

    Raises
    ------
    MismatchError
        If no judge is admitted, or several are and none is named.
    """
    admission = choose_admission(
        read_admissions(golden.folder), guideline_of(golden).digest, judge, str(golden.folder)
    )
    documents, queries = documents_of(golden), {query.query_id: query for query in golden.queries}
    grades = [
        grade
        for grade in read_grades(golden.folder)
        if grade.query_id in queries and grade.doc_id in documents
    ]
    return counted_grades(
        admission, grades, lambda one: Pair(queries[one.query_id], documents[one.doc_id])
    )


def choose_admission(
    admissions: Iterable[StoredAdmission], guideline: str, judge: str | None, where: str
) -> StoredAdmission:
    """Return the admission of the judge whose grades count.

    Parameters
    ----------
    admissions : iterable of StoredAdmission
        All checks, oldest first; the last one of a judge decides.
    guideline : str
        Hash of the current guideline.
    judge : str, optional
        Name or identity of the judge. Default: the only admitted one.
    where : str
        Where the admissions are, for errors.

    Raises
    ------
    MismatchError
        If no judge is admitted, or several are and none is named.
    """
    latest = {one.identity.digest: one for one in admissions}
    admitted = [
        one
        for identity, one in latest.items()
        if one.is_admitted and one.guideline == guideline and judge in (None, one.judge, identity)
    ]
    if not admitted:
        state = "no judge is" if judge is None else f"judge {judge!r} is not"
        message = f"{state} admitted under the current guideline; run `berryeval judge check`"
        raise MismatchError(f"{where}: {message}")
    names = sorted({one.judge for one in admitted})
    if len(names) > 1:
        raise MismatchError(f"{where}: several judges are admitted, {', '.join(names)}; name one")
    return admitted[-1]


def counted_grades(
    admission: StoredAdmission, grades: Iterable[ModelGrade], pair_of: Callable[[ModelGrade], Pair]
) -> CountedGrades:
    """Return those grades of an admitted judge that count: see `find_counted_grades`.

    `pair_of` returns the texts of a grade's pair as they are now.
    """
    standing = Standing("admitted", "", admission)
    found = CountedGrades(admission)
    for grade in grades:
        if grade.number or not standing.counts(grade):
            continue
        if grade.content == admission.identity.content(pair_of(grade), 0):
            given = NOT_JUDGED if grade.grade is None else grade.grade
            found.grades.setdefault(grade.query_id, {})[grade.doc_id] = given
    return found


def grades_of_pool(
    golden: GoldenSet, runs: Mapping[str, Run], *, k: int = 10, judge: str | None = None
) -> Judgments:
    """Return the grades that count, of everything in the first k of any run.

    Other grades, such as those of a check, are left out: they belong to queries that people judged,
    and a judge's scores must be based on the same documents for these as for other queries.

    Parameters
    ----------
    golden : GoldenSet
        The set.
    runs : mapping of str to Run
        The runs to be compared.
    k : int
        Ranks to consider, at least the cutoff of the measures.
    judge : str, optional
        As for `find_counted_grades`.

    Raises
    ------
    MismatchError
        If no judge is admitted, or it has not graded the whole pool.
    """
    counted = find_counted_grades(golden, judge)
    pool = [*ranks_of(golden, {name: golden.credit(run) for name, run in runs.items()}, k)]
    return judgments_of_pool(counted, pool, golden.scale, str(golden.folder))


def judgments_of_pool(
    counted: CountedGrades, pool: Sequence[tuple[str, str]], scale: float | None, where: str
) -> Judgments:
    """Return the counted grades of a pool as judgments: see `grades_of_pool`."""
    grades: dict[str, dict[str, float]] = {}
    missing = []
    for query_id, doc_id in pool:
        grade = counted.grades.get(query_id, {}).get(doc_id)
        if grade is None:
            missing.append((query_id, doc_id))
        else:
            grades.setdefault(query_id, {})[doc_id] = grade
    if missing:
        shown = ", ".join(f"{query_id} {doc_id}" for query_id, doc_id in missing[:_SHOWN])
        raise MismatchError(
            f"{where}: {len(missing):,} of {len(pool):,} pairs have no grade that counts, "
            f"such as {shown}; run `berryeval judge --pool all`"
        )
    found = Judgments.from_dict(grades)
    found.scale = scale
    return found
