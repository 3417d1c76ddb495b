"""The grades of judges that count: those of an admitted judge, for texts as they are now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import MismatchError
from berryeval.golden.golden_set import GoldenSet
from berryeval.judges.admissions import Standing, StoredAdmission, read_admissions
from berryeval.judges.model_grades import ModelGrade, read_grades
from berryeval.judges.protocol import Pair
from berryeval.suite.judged_pairs import documents_of, guideline_of, ranks_of

__all__ = ["CountedGrades", "find_counted_grades", "grades_of_pool"]

_SHOWN = 3


@dataclass(frozen=True)
class CountedGrades:
    """The grades of one admitted judge."""

    admission: StoredAdmission
    grades: dict[str, dict[str, float]] = field(default_factory=dict)
    """By query and document."""

    @property
    def n_grades(self) -> int:
        """The number of pairs."""
        return sum(map(len, self.grades.values()))


def find_counted_grades(golden: GoldenSet, judge: str | None = None) -> CountedGrades:
    """Return the grades that count.

    A grade counts if its judge is admitted under the current guideline, it came from a model that
    was checked, and query and document have not changed since. Repeated grades do not count.

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
    guideline = guideline_of(golden).digest
    admitted = [
        one
        for one in read_admissions(golden.folder)
        if one.is_admitted and one.guideline == guideline and judge in (None, one.judge)
    ]
    if not admitted:
        state = "no judge is" if judge is None else f"judge {judge!r} is not"
        message = f"{state} admitted under the current guideline; run `berryeval judge check`"
        raise MismatchError(f"{golden.folder}: {message}")
    names = sorted({one.judge for one in admitted})
    if len(names) > 1:
        raise MismatchError(
            f"{golden.folder}: several judges are admitted, {', '.join(names)}; name one"
        )
    admission = admitted[-1]
    standing = Standing("admitted", "", admission)
    found = CountedGrades(admission)
    documents, queries = documents_of(golden), {query.query_id: query for query in golden.queries}
    for grade in read_grades(golden.folder):
        query, document = queries.get(grade.query_id), documents.get(grade.doc_id)
        if query is None or document is None or not standing.counts(grade) or grade.number:
            continue
        if grade.content == admission.identity.content(Pair(query, document), 0):
            _add(found, grade)
    return found


def _add(found: CountedGrades, grade: ModelGrade) -> None:
    assert grade.grade is not None
    found.grades.setdefault(grade.query_id, {})[grade.doc_id] = grade.grade


def grades_of_pool(
    golden: GoldenSet, runs: Mapping[str, Run], *, k: int = 10, judge: str | None = None
) -> Judgments:
    """Return the grades that count, of everything in the first k of any run.

    Other grades, such as those of a check, are left out: they are of queries that people judged,
    and a judge's score has to be made of the same documents for these and other queries.

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
    counted = find_counted_grades(golden, judge).grades
    pool = [*ranks_of(golden, {name: golden.credit(run) for name, run in runs.items()}, k)]
    missing = [pair for pair in pool if pair[1] not in counted.get(pair[0], {})]
    if missing:
        shown = ", ".join(f"{query_id} {doc_id}" for query_id, doc_id in missing[:_SHOWN])
        raise MismatchError(
            f"{golden.folder}: {len(missing):,} of {len(pool):,} pairs have no grade that counts, "
            f"such as {shown}; run `berryeval judge --pool all`"
        )
    grades: dict[str, dict[str, float]] = {}
    for query_id, doc_id in pool:
        grades.setdefault(query_id, {})[doc_id] = counted[query_id][doc_id]
    found = Judgments.from_dict(grades)
    found.scale = golden.scale
    return found
