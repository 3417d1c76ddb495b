"""The grades of judges that count: those of an admitted judge, for texts as they are now."""

from __future__ import annotations

from dataclasses import dataclass, field

from berryeval.errors import MismatchError
from berryeval.golden.golden_set import GoldenSet
from berryeval.judges.admissions import Standing, StoredAdmission, read_admissions
from berryeval.judges.model_grades import ModelGrade, read_grades
from berryeval.judges.protocol import Pair
from berryeval.suite.judged_pairs import documents_of, guideline_of

__all__ = ["CountedGrades", "find_counted_grades"]


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
