"""The grades of automated judges, which are stored apart from the judgments of people.

Nothing that scores reads them directly: `berryeval.suite.archived_judges` selects those that count.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from typing import Any, get_args

from sqlalchemy import Row, case, func, select, tuple_

from berryeval.archive.checks import check_count, check_id, check_text
from berryeval.archive.database import batches_of
from berryeval.archive.paging import ArchivePart
from berryeval.archive.records import Page
from berryeval.archive.tables import model_grades
from berryeval.core.grade import check_grade
from berryeval.errors import ArgumentError, InputTypeError
from berryeval.judges.model_grades import ModelGrade, Purpose

__all__ = ["ArchivedModelGrades", "GradeTotals", "check_grade_row"]

_c = model_grades.c
_COUNTS = ("number", "n_calls", "input_tokens", "output_tokens")
_HASHES = ("hash", "identity", "guideline")
_LONGEST_HASH = 64
_AT_ONCE = 1000
_LONGEST_REASON = 1000
_LARGEST_COUNT = 2**31 - 1
"""The totals of four billion grades are still whole numbers for every database."""


@dataclass(frozen=True)
class GradeTotals:
    """What one judge has done so far."""

    identity: str
    judge: str
    guideline: str
    n_pairs: int
    """Pairs of query and document, without repetitions."""
    n_unanswered: int
    """Pairs that the judge could not judge."""
    n_calls: int
    input_tokens: int
    output_tokens: int
    first_judged_at: datetime
    last_judged_at: datetime


class ArchivedModelGrades(ArchivePart):
    """Grades by judge. Grades are added, and never changed."""

    def put(self, grades: Iterable[ModelGrade]) -> int:
        """Store grades, all or none, and return the number of new ones.

        Raises
        ------
        ArgumentError, InputTypeError
            If a field of a grade is invalid.
        """
        rows = [check_grade_row(_row(one)) for one in grades]
        statement = self._database.insert(model_grades).on_conflict_do_nothing()
        with self._database.writing(alone="judgments") as connection:
            before = connection.scalar(_N_ROWS) or 0
            for some in batches_of(rows):
                connection.execute(statement, some)
            return (connection.scalar(_N_ROWS) or 0) - before

    def of_judge(self, identity: str) -> list[ModelGrade]:
        """Return all grades of a judge in the order of their times."""
        rows = select(model_grades).where(_c.identity == identity)
        with self._database.reading() as connection:
            ordered = rows.order_by(_c.judged_at, _c.query_id, _c.doc_id, _c.number)
            return [*map(_grade, connection.execute(ordered))]

    def iter_first(self, identity: str) -> Iterator[tuple[str, str, str, float]]:
        """Iterate over query, document, hash and grade of a judge, without repetitions.

        A few are read at a time: a judge may have graded millions.
        """
        rows = select(_c.query_id, _c.doc_id, _c.hash, _c.grade)
        rows = rows.where(_c.identity == identity, _c.number == 0, _c.grade.is_not(None))
        with self._database.reading() as connection:
            for row in connection.execute(rows, execution_options={"yield_per": _AT_ONCE}):
                yield row.query_id, row.doc_id, row.hash, row.grade

    def of_pairs(self, identity: str, pairs: Sequence[tuple[str, str]]) -> list[ModelGrade]:
        """Return the grades of a judge for some pairs, in any order, without repetitions."""
        rows = select(model_grades).where(_c.identity == identity, _c.number == 0)
        found: list[ModelGrade] = []
        with self._database.reading() as connection:
            for some in batches_of(pairs):
                wanted = rows.where(tuple_(_c.query_id, _c.doc_id).in_(some))
                found += map(_grade, connection.execute(wanted))
        return found

    def repeated(self, identity: str) -> list[ModelGrade]:
        """Return the grades of a judge for pairs that it judged again."""
        again = select(_c.query_id, _c.doc_id).where(_c.identity == identity, _c.number > 0)
        pair = tuple_(_c.query_id, _c.doc_id)
        rows = select(model_grades).where(_c.identity == identity, pair.in_(again))
        with self._database.reading() as connection:
            return [*map(_grade, connection.execute(rows.order_by(_c.judged_at, _c.number)))]

    def iter_all(self) -> Iterator[ModelGrade]:
        """Iterate over all grades, judge by judge."""
        for totals in self.totals():
            yield from self.of_judge(totals.identity)

    def page(
        self, *, identity: str | None = None, after: str | None = None, limit: int = 100
    ) -> Page[ModelGrade]:
        """Return grades, of one judge or of all, in the order of the bytes of their ids."""
        rows = select(model_grades)
        if identity is not None:
            rows = rows.where(_c.identity == identity)
        keys = (_c.query_id, _c.doc_id, _c.hash)
        return self._page(rows, keys, _grade, after=after, limit=limit)

    def totals(self) -> list[GradeTotals]:
        """Return what each judge has done, in the order of the first grades."""
        is_first = _c.number == 0
        is_unanswered = is_first & _c.grade.is_(None)
        rows = (
            select(
                _c.identity,
                func.min(_c.judge).label("judge"),
                func.min(_c.guideline).label("guideline"),
                func.sum(case((is_first, 1), else_=0)).label("n_pairs"),
                func.sum(case((is_unanswered, 1), else_=0)).label("n_unanswered"),
                func.sum(_c.n_calls).label("n_calls"),
                func.sum(_c.input_tokens).label("input_tokens"),
                func.sum(_c.output_tokens).label("output_tokens"),
                func.min(_c.judged_at).label("first_judged_at"),
                func.max(_c.judged_at).label("last_judged_at"),
            )
            .group_by(_c.identity)
            .order_by(func.min(_c.judged_at), _c.identity)
        )
        with self._database.reading() as connection:
            return [_totals(row) for row in connection.execute(rows)]

    def models(self, identity: str) -> frozenset[str]:
        """Return the models that answered for a judge, as the server stated them."""
        rows = select(_c.model).where(_c.identity == identity, _c.model.is_not(None)).distinct()
        with self._database.reading() as connection:
            return frozenset(connection.scalars(rows))

    def stamp(self) -> int:
        """Return a number that changes whenever a grade is added."""
        with self._database.reading() as connection:
            return connection.scalar(_N_ROWS) or 0


_N_ROWS = select(func.count()).select_from(model_grades)


def check_grade_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a grade, or raise if a value is invalid."""
    for name in ("query_id", "doc_id", "judge"):
        check_id(row[name], name)
    for name in _HASHES:
        if not isinstance(row[name], str) or not 0 < len(row[name]) <= _LONGEST_HASH:
            raise ArgumentError(name, f"a hash of up to {_LONGEST_HASH} characters",
                                repr(row[name])[:40])  # fmt: skip
    for name in _COUNTS:
        if check_count(row[name], name) > _LARGEST_COUNT:
            raise ArgumentError(name, f"at most {_LARGEST_COUNT:,}", f"{row[name]:,}")
    if row["grade"] is not None:
        check_grade(row["grade"], "grade")
    confidence = row["confidence"]
    if confidence is not None and not 0 <= check_grade(confidence, "confidence") <= 1:
        raise ArgumentError("confidence", "a number from 0 to 1", repr(confidence))
    if not isinstance(row["reason"], str) or len(row["reason"]) > _LONGEST_REASON:
        raise ArgumentError(
            "reason", f"at most {_LONGEST_REASON:,} characters", repr(row["reason"])[:40]
        )
    check_text(row["model"], "model", optional=True)
    if row["purpose"] not in get_args(Purpose):
        expected = f"one of {', '.join(get_args(Purpose))}"
        raise ArgumentError("purpose", expected, repr(row["purpose"])[:40])
    return row


def _row(grade: ModelGrade) -> dict[str, Any]:
    fields = asdict(grade)
    fields.pop("source")  # every row of this table is by an automated judge
    fields["hash"] = fields.pop("content")
    fields["judged_at"] = time_of(grade.judged_at, "judged_at")
    return fields


def time_of(value: object, name: str) -> datetime:
    """Return the moment of a text in ISO 8601; without a zone it is UTC."""
    if not isinstance(value, str):
        raise InputTypeError(name, "a time as text", type(value).__name__)
    try:
        moment = datetime.fromisoformat(value.replace("Z", "+00:00"))
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=timezone.utc)
        return moment.astimezone(timezone.utc)
    except (ValueError, OverflowError):
        raise ArgumentError(name, "a time such as 2026-11-18T10:00:00Z", repr(value)[:40]) from None


def _grade(row: Row[Any]) -> ModelGrade:
    fields: dict[str, Any] = dict(row._mapping)  # noqa: SLF001 - public, but for its name
    content = fields.pop("hash")
    return ModelGrade(**fields | {"content": content, "judged_at": row.judged_at.isoformat()})


def _totals(row: Any) -> GradeTotals:  # noqa: ANN401 - a row of any columns
    fields = dict(row._mapping)  # noqa: SLF001
    for name in ("n_pairs", "n_unanswered", "n_calls", "input_tokens", "output_tokens"):
        fields[name] = math.trunc(fields[name])
    return GradeTotals(**fields)
