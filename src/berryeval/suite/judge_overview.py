"""What the judges of a golden set have done so far: grades, calls, tokens, and their standing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from berryeval.golden.golden_set import GoldenSet
from berryeval.judges.admissions import (
    Standing,
    StoredAdmission,
    read_admissions,
    standing_under,
)
from berryeval.judges.drift import Drift, drift_of
from berryeval.judges.model_grades import ModelGrade, read_grades
from berryeval.suite.judged_pairs import guideline_of

__all__ = ["JudgeOverview", "current_standing", "drift_since", "judges_of"]


@dataclass(frozen=True)
class JudgeOverview:
    """One judge: a name with one fingerprint and one guideline."""

    name: str
    identity: str
    """Hash of the fingerprint and the guideline."""
    models: tuple[str, ...]
    """The models that answered, as the server states them."""
    n_pairs: int
    n_unanswered: int
    """Pairs that the judge could not judge."""
    n_calls: int
    input_tokens: int
    output_tokens: int
    last_judged_at: str
    standing: Standing
    drift: Drift


def judges_of(golden: GoldenSet) -> list[JudgeOverview]:
    """Return every judge with stored grades, in the order of their first grade.

    Raises
    ------
    FormatError
        If a file of the set is invalid.
    MismatchError
        If the set does not define what its grades mean.
    """
    guideline = guideline_of(golden).digest
    admissions = {one.identity.digest: one for one in read_admissions(golden.folder)}
    by_judge: dict[str, list[ModelGrade]] = {}
    for grade in read_grades(golden.folder):
        by_judge.setdefault(grade.identity, []).append(grade)
    return [
        _overview_of(grades, admissions.get(identity), guideline)
        for identity, grades in by_judge.items()
    ]


def _overview_of(
    grades: Sequence[ModelGrade], admission: StoredAdmission | None, guideline: str
) -> JudgeOverview:
    first = [one for one in grades if one.number == 0]
    models = tuple(sorted({one.model for one in grades if one.model}))
    identity = grades[0].identity
    return JudgeOverview(
        grades[0].judge,
        identity,
        models,
        len({one.key for one in first}),
        sum(1 for one in first if one.grade is None),
        sum(one.n_calls for one in grades),
        sum(one.input_tokens for one in grades),
        sum(one.output_tokens for one in grades),
        max(one.judged_at for one in grades),
        current_standing(admission, models, is_current=grades[0].guideline == guideline),
        drift_since(admission, grades, identity),
    )


def drift_since(
    admission: StoredAdmission | None, grades: Iterable[ModelGrade], identity: str
) -> Drift:
    """Return how the grades of repeated pairs changed since the check of a judge."""
    return drift_of(
        grades,
        identity,
        since="" if admission is None else admission.checked_at,
        n_changed=0 if admission is None else admission.n_changed,
        n_repeated=0 if admission is None else admission.n_repeated,
    )


def current_standing(
    admission: StoredAdmission | None, models: Iterable[str], *, is_current: bool
) -> Standing:
    """Return the standing of a judge; `is_current` if it follows the current guideline."""
    if not is_current:
        return Standing("expired", "the guideline or the scale has changed", admission)
    if admission is None:
        return Standing("unchecked", "never checked against people")
    return standing_under(admission, frozenset(models))
