"""The grades of judges in a golden set: ``model-grades.jsonl``, one JSON object per line.

The file is append-only. A line has the grade, the reason, and everything the grade depends on:
the judge, the guideline, and a hash of both and of the texts. The file is therefore also the cache
of all calls: nothing is asked twice, and what changed is asked again. People's grades are never in
it, and these grades are never among the judgments.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal

from berryeval.errors import FormatError
from berryeval.judges.protocol import Answer, Guideline, Judge, Opinion, Pair, hash_of

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["GRADES", "GradeFile", "Identity", "ModelGrade", "Purpose", "read_grades"]

GRADES = "model-grades.jsonl"

Purpose = Literal["pool", "check", "repeat", "proposal"]
"""Why a pair was judged: to have a grade, to check the judge, to watch it for drift, or to see
whether a document answers a proposed query."""


@dataclass(frozen=True)
class Identity:
    """The identity of a judge: its name, its fingerprint, and the guideline."""

    name: str
    fingerprint: Mapping[str, str]
    guideline: str
    """Hash of the guideline and the scale."""

    @classmethod
    def of(cls, judge: Judge, guideline: Guideline) -> Identity:
        """Return the identity of a judge that follows a guideline."""
        return cls(judge.name, dict(judge.fingerprint()), guideline.digest)

    @property
    def digest(self) -> str:
        """A hash of all of it."""
        return hash_of([self.name, self.fingerprint, self.guideline])

    def content(self, pair: Pair, number: int) -> str:
        """Return the hash under which the grade of a pair is stored.

        Parameters
        ----------
        pair : Pair
            The texts that the judge sees.
        number : int
            0 for the first time, 1 for the first repetition, and so on.
        """
        return hash_of([self.digest, pair.content, number])


@dataclass(frozen=True)
class ModelGrade:
    """The stored grade of a judge for a pair."""

    query_id: str
    doc_id: str
    grade: float | None
    """None if the judge could not judge."""
    reason: str
    confidence: float | None
    judge: str
    identity: str
    """`Identity.digest` of the judge."""
    guideline: str
    model: str | None
    """The model that answered, as the server states it."""
    content: str
    """`Identity.content` of the pair."""
    number: int
    """0, or the number of the repetition."""
    purpose: Purpose
    judged_at: str
    n_calls: int = 1
    input_tokens: int = 0
    output_tokens: int = 0
    source: str = "model"

    @classmethod
    def of(
        cls,
        pair: Pair,
        answer: Answer,
        identity: Identity,
        *,
        number: int,
        purpose: Purpose,
        judged_at: str,
    ) -> ModelGrade:
        """Return the record of an answer."""
        opinion: Opinion = answer.opinion
        return cls(
            *pair.key, opinion.grade, opinion.reason, opinion.confidence, identity.name,
            identity.digest, identity.guideline, answer.model, identity.content(pair, number),
            number, purpose, judged_at, answer.n_calls, answer.input_tokens, answer.output_tokens,
        )  # fmt: skip

    @property
    def key(self) -> tuple[str, str]:
        """The ids of query and document."""
        return self.query_id, self.doc_id

    @property
    def place(self) -> tuple[str, str, str]:
        """A key that is unique among stored grades: the ids and the hash.

        Two documents may have the same text, and a judge that knows ids may grade them differently.
        """
        return self.query_id, self.doc_id, self.content


_FIELDS = tuple(field.name for field in fields(ModelGrade))
_EXPECTED = "expected a stored grade of a judge, found something else"


class GradeFile:
    """A file of grades, open for adding to it. It is used from several threads.

    Parameters
    ----------
    path : path
        The file; created by the first grade. An incomplete last line, as an interrupted process
        may leave it, is removed.

    Raises
    ------
    FormatError
        If the file has other content, or cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        self._file: BinaryIO | None = None
        self._known: dict[tuple[str, str, str], ModelGrade] = {}
        self._end = 0
        if self.path.exists():
            grades, self._end = _read(self.path)
            self._known = {one.place: one for one in grades}

    def __len__(self) -> int:
        return len(self._known)

    def __iter__(self) -> Iterator[ModelGrade]:
        return iter(tuple(self._known.values()))

    def find(self, identity: Identity, pair: Pair, number: int = 0) -> ModelGrade | None:
        """Return the stored grade of a judge for a pair; None if there is none."""
        return self._known.get((*pair.key, identity.content(pair, number)))

    def add(self, grade: ModelGrade) -> None:
        """Store a grade. It is in the file when this returns, but perhaps not yet on disk."""
        line = json.dumps(asdict(grade), ensure_ascii=False).encode("utf-8", "backslashreplace")
        with self._lock:
            self._known[grade.place] = grade
            try:
                if self._file is None:
                    self._file = self.path.open("r+b" if self._end else "wb")
                    self._file.truncate(self._end)
                    self._file.seek(self._end)
                self._file.write(line + b"\n")
                self._file.flush()
            except OSError as error:
                message = f"cannot be written: {error.strerror}"
                raise FormatError(message, str(self.path)) from error

    def close(self) -> None:
        """Write everything to disk, and close the file."""
        with self._lock:
            if self._file is not None:
                os.fsync(self._file.fileno())
                self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def read_grades(folder: str | os.PathLike[str]) -> list[ModelGrade]:
    """Read all grades of judges in a golden set; none if it has no such file.

    Raises
    ------
    FormatError
        If a line is invalid.
    """
    path = Path(folder) / GRADES
    return _read(path)[0] if path.exists() else []


def _read(path: Path) -> tuple[list[ModelGrade], int]:
    """Return the grades, and the end of the last complete line."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", str(path)) from error
    end = content.rfind(b"\n") + 1
    if content and not end:
        raise FormatError(_EXPECTED, str(path), 1)
    lines = content[:end].splitlines()
    return [_grade(line, path, number) for number, line in enumerate(lines, start=1)], end


def _grade(line: bytes, path: Path, number: int) -> ModelGrade:
    try:
        record = json.loads(line)
        return ModelGrade(**{name: record[name] for name in _FIELDS})
    except (ValueError, KeyError, TypeError, RecursionError):
        raise FormatError(_EXPECTED, str(path), number) from None
